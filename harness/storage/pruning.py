"""Removes runs, from their directory and their store; a run directory goes at once or stays."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.storage.files import REMOVED
from harness.storage.ledger import Baselines
from harness.storage.mirror import Mirror, mirror_of
from harness.storage.object_store import StoreDownError
from harness.storage.retention import StoredRun
from harness.storage.run_folder import RunFolder
from harness.storage.summaries import read_run


def stored_runs(runs: Path) -> tuple[list[StoredRun], list[str]]:
    """All runs of a directory or its store, by name, and what is wrong with those left out.

    Raises:
        HarnessError: It is no directory, or the baselines cannot be read.
        StoreDownError: The store cannot be used.
    """
    if os.path.lexists(runs) and not runs.is_dir():
        raise HarnessError(f"{str(runs)!r} is no directory of runs")
    mirror = mirror_of(runs)
    unsent = mirror.pull_summaries() if mirror is not None else {}
    baselines = {each.run for each in Baselines(runs).all()}
    found, unreadable = [], [*unsent.values()]
    for path in sorted(path.parent for path in runs.glob("*/manifest.json")):
        if path.is_symlink() or path.name.startswith(".") or path.name in unsent:
            continue
        try:
            found.append(_stored_run(path, mirror, baselines))
        except StoreDownError:
            raise
        except (HarnessError, OSError) as error:
            unreadable.append(f"run {path.name} is left as it is: {error}")
    return found, unreadable


def remove_run(runs: Path, run: StoredRun) -> bool:
    """Remove a run, unless somebody began to need it; from its store first.

    Where that is cut short the run stays here, and the next removal ends it.

    Returns:
        Whether it was removed.

    Raises:
        InfrastructureError: Its directory cannot be removed.
        StoreDownError: The store cannot be used.
    """
    folder = RunFolder(runs / run.name)
    mirror = mirror_of(runs)
    aside = runs / f"{REMOVED}{run.name}"
    try:
        with folder.lock(removing=True):
            baselines = {each.run for each in Baselines(runs).all()}
            if run.run in baselines or folder.manifest().run != run.run:
                return False
            if mirror is not None:
                mirror.delete_run(run.name)
            folder.path.replace(aside)
    except FileNotFoundError:  # somebody else removed it
        return False
    except InfrastructureError:
        raise
    except OSError as error:
        raise InfrastructureError(
            f"cannot remove {str(folder.named)!r}: {reason_of(error)}"
        ) from None
    except HarnessError:  # its trials are being run by now, or it is gone
        return False
    _remove_folders(runs)
    return True


def remove_leftovers(runs: Path) -> int:
    """Remove what is left of runs whose removal was cut short, in their store too; how many.

    Raises:
        InfrastructureError: One cannot be removed.
        StoreDownError: The store cannot be used.
    """
    mirror = mirror_of(runs)
    return _remove_folders(runs) + (mirror.delete_leftovers() if mirror is not None else 0)


def _remove_folders(runs: Path) -> int:
    count = 0
    for path in _leftovers(runs):
        try:
            shutil.rmtree(path)
        except OSError as error:
            raise InfrastructureError(
                f"cannot remove {str(path)!r}: {reason_of(error)}", hint="remove it by hand"
            ) from None
        count += 1
    return count


def _leftovers(runs: Path) -> Iterator[Path]:
    for path in runs.glob(f"{REMOVED}*"):
        if path.is_dir() and not path.is_symlink():
            yield path


def _stored_run(path: Path, mirror: Mirror | None, baselines: set[str]) -> StoredRun:
    summary = read_run(path).run
    size, changed = _extent(path)
    if mirror is not None and (stamp := mirror.stamp(path.name)):
        size = stamp.bytes
    state = summary.state
    return StoredRun(
        run=summary.run,
        name=path.name,
        suite=summary.suite,
        started_at=summary.started_at,
        changed_at=datetime.fromtimestamp(changed, UTC).isoformat(),
        note=summary.note,
        bytes=size,
        state="running" if state == "unfinished" and _is_running(path, mirror) else state,
        failed=summary.passed_cases < summary.cases,
        baseline=summary.run in baselines,
    )


def _extent(path: Path) -> tuple[int, float]:
    """Bytes of all files, and when one was last written."""
    size, changed = 0, path.stat().st_mtime
    for each in path.rglob("*"):
        with suppress(OSError):  # one that is being written is renamed
            found = each.lstat()
            size, changed = size + found.st_size, max(changed, found.st_mtime)
    return size, changed


def _is_running(path: Path, mirror: Mirror | None) -> bool:
    if mirror is not None:
        return mirror.is_leased(path.name)
    try:
        with RunFolder(path).lock():
            return False
    except HarnessError:
        return True
