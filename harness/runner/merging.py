"""Several runs of one suite by one agent as one run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import HarnessError
from harness.model import Case, RunManifest
from harness.runner.plan import run_id
from harness.runner.run import free_name
from harness.runner.trial import Clock
from harness.storage import RunFolder

_APART = frozenset({"shard", "concurrency", "trials"})
"""Options in which runs that are merged may differ."""


@dataclass(frozen=True, slots=True)
class _Part:
    folder: RunFolder
    manifest: RunManifest
    cases: tuple[Case, ...]


def merge(paths: Sequence[Path], runs: Path, clock: Clock) -> RunFolder:
    """Make one run of several; theirs are left as they are.

    Shards have cases apart. Where runs share a case, the trials of the later run get the numbers
    that follow; a record still names the run it was made in.

    Args:
        paths: The run directories, in order.
        runs: Where the new one is made.
        clock: The time of day.

    Raises:
        HarnessError: The runs are not of one suite, agent, policy and set of options, or they have
            a case that changed between them.
    """
    parts = [_part(RunFolder(path)) for path in paths]
    _check(parts)
    manifest = _manifest([part.manifest for part in parts])
    name = free_name(runs, run_id(clock(), manifest.model_dump(mode="json")))
    manifest = manifest.model_copy(update={"run": name})
    cases = {case.id: case for part in parts for case in part.cases}
    folder = RunFolder.create(runs / name, manifest, list(cases.values()))
    before = dict.fromkeys(cases, 0)
    for part in parts:
        for record in part.folder.records():
            number = before[record.case] + record.number
            folder.write_trial(record.model_copy(update={"number": number}))
        for case, count in part.manifest.trials.items():
            before[case] += count
    return folder


def _part(folder: RunFolder) -> _Part:
    return _Part(folder, folder.manifest(), folder.cases())


def _check(parts: Sequence[_Part]) -> None:
    if len({part.manifest.run for part in parts}) < len(parts) or len(parts) < 2:
        raise HarnessError("merging takes two runs or more, each of them once")
    first = parts[0].manifest
    for manifest in (part.manifest for part in parts[1:]):
        if differing := _differing(first, manifest):
            raise HarnessError(
                f"runs {first.run} and {manifest.run} cannot be merged, they differ in"
                f" {', '.join(differing)}",
                hint="compare them with: harness compare",
            )


def _differing(one: RunManifest, other: RunManifest) -> list[str]:
    names = ("suite", "agent", "policy")
    found = [name for name in names if getattr(one, name) != getattr(other, name)]
    options = sorted((one.options.keys() | other.options.keys()) - _APART)
    found += [name for name in options if one.options.get(name) != other.options.get(name)]
    return found + [
        f"case {id}"
        for id, hash in one.cases.items()
        if id in other.cases and other.cases[id] != hash
    ]


def _manifest(parts: Sequence[RunManifest]) -> RunManifest:
    first = parts[0]
    trials: dict[str, int] = {}
    for part in parts:
        for case, count in part.trials.items():
            trials[case] = trials.get(case, 0) + count
    return first.model_copy(
        update={
            "run": "",
            "cases": {id: hash for part in parts for id, hash in part.cases.items()},
            "trials": trials,
            "options": {**first.options, "shard": "", "trials": None},
            "started_at": min(part.started_at for part in parts),
            "merged": tuple(part.run for part in parts),
            "left_out": tuple(dict.fromkeys(id for part in parts for id in part.left_out)),
        }
    )
