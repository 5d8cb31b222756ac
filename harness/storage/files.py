"""Files of runs: written whole or not at all, read up to a size, migrated to the newest version."""

import errno
import fcntl
import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import orjson

from harness.errors import HarnessError
from harness.model import (
    Json,
)

CURRENT: Mapping[str, int] = {
    "manifest": 1,
    "trial": 1,
    "decisions": 2,
    "baseline": 1,
    "list": 1,
    "coverage": 1,
}
"""The version in which each kind of file is written; a list of runs, suites or judges has none."""


def _decisions_with_their_terms(value: Json) -> Json:
    """Version 1 was the bare list: it did not say what had been decided under."""
    return {"version": 2, "policy": None, "cases": None, "decisions": value}


MIGRATIONS: Mapping[tuple[str, int], Callable[[Json], Json]] = {
    ("decisions", 1): _decisions_with_their_terms,
}
"""Kind and version to the step that makes the next version of it."""


def up_to_date(kind: str, value: Json) -> Json:
    """What a file holds, as if it had been written now.

    Args:
        kind: One of `CURRENT`.
        value: What it holds.

    Raises:
        HarnessError: It was written by a later version of this program.
    """
    version = _version(value)
    if version > CURRENT[kind]:
        raise HarnessError(
            f"version {version} of a {kind} file is not known; this program knows up to"
            f" {CURRENT[kind]}",
            hint="a newer understudy wrote it: install that one",
        )
    while version < CURRENT[kind]:
        value = MIGRATIONS[kind, version](value)
        version += 1
    return value


def _version(value: Json) -> int:
    found = value.get("version", 1) if isinstance(value, dict) else 1
    return found if isinstance(found, int) and found >= 1 else 1


LARGEST_LIST = 4 * 1024 * 1024
"""Bytes of a list of runs, suites or judges; a larger one is taken for a mistake."""


def read_list(path: Path) -> bytes:
    """The content of a small file beside the runs.

    Raises:
        OSError: It cannot be read, or is larger than `LARGEST_LIST`.
        HarnessError: It was written by a later version of this program.
    """
    if path.stat().st_size > LARGEST_LIST:
        raise OSError(errno.EFBIG, f"larger than {LARGEST_LIST >> 20} MiB", str(path))
    content = path.read_bytes()
    refuse_later("list", content, path)
    return content


def refuse_later(kind: str, content: bytes, path: Path) -> None:
    """Raise for a file that a later version of this program wrote; a broken one is none.

    Raises:
        HarnessError: It is one.
    """
    with suppress(ValueError):
        try:
            up_to_date(kind, orjson.loads(content))
        except HarnessError as error:
            raise HarnessError(f"{path}: {error.message}", hint=error.hint) from None


def temporary_path(path: Path) -> Path:
    """Where a file is written before it gets its name."""
    return path.with_name(f".{path.name}.tmp")


def read_whole(path: Path | str) -> bytes:
    """What a file holds.

    Runs have a file for each trial; `Path.read_bytes` takes twice as long as this.

    Raises:
        OSError: It cannot be read.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(handle).st_size
        content = os.read(handle, size + 1)
        while len(content) != size:  # it is long, or was changed meanwhile
            more = os.read(handle, 1 << 20)
            if not more:
                break
            content += more
        return content
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name beside it, flush it to the disk, then rename it.

    Raises:
        OSError: The file cannot be written.
    """
    temporary = temporary_path(path)
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """The same for content that is made while it is written, which may take long.

    Several processes may do so at once: the last one to end wins.

    Raises:
        OSError: The file cannot be written.
    """
    remove_abandoned(path)
    temporary, handle = create_beside(path)
    try:
        with open(handle, "wb", buffering=1 << 20) as file:  # noqa: PTH123  (it is open)
            file.writelines(parts)
            file.flush()
            os.fsync(handle)
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def create_beside(path: Path) -> tuple[Path, int]:
    """A new file beside the place of one, and its handle, by which it is locked.

    Raises:
        OSError: It cannot be made.
    """
    while True:
        temporary = path.with_name(f"{_beside(path)}{os.urandom(6).hex()}.tmp")
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_nlink:
                return temporary, handle
        os.close(handle)  # another process took it for an abandoned one


def remove_abandoned(path: Path) -> None:
    """Remove what processes left beside a file that were killed; others have locked theirs."""
    for left in path.parent.glob(f"{glob.escape(_beside(path))}*.tmp"):
        with suppress(OSError), left.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink(missing_ok=True)


def _beside(path: Path) -> str:
    return f".{path.name}-"


REMOVED = ".removed-"
"""How the directory of a run begins while it is removed; nobody takes it for a run."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep other processes of this machine from locking a folder meanwhile.

    Yields:
        Nothing; the folder is free again afterwards, also when this process is killed.

    Raises:
        BlockingIOError: Another one has locked it.
        OSError: It is gone.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk, so that renamed files survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
