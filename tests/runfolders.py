"""Run directories on disk, as runs of an agent that said `a` or did not leave them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.model import Case, FixtureCoverage, RunCoverage, TextContains
from harness.runner import decide
from harness.storage import RunFolder
from harness.verdicts import Limits
from tests.harness.records import case, manifest, record

TOUCHED = RunCoverage(
    fixtures=(
        FixtureCoverage(
            collection="units",
            fields=2,
            never_read=("a.long.path.of.a.field.that.nobody.ever.read",),
            never_asserted=("a.long.path.of.a.field.that.nobody.ever.read",),
            read=("name",),
        ),
    ),
    tools=("listUnits",),
    never_called=("listUnits",),
)


def stored_run(
    runs: Path,
    name: str,
    passes: Mapping[str, Sequence[bool | None]],
    *,
    decided: bool = True,
    **facts: Any,
) -> RunFolder:
    """A run of cases that want an `a`; None is a trial that nobody could run.

    Args:
        runs: The directory of runs.
        name: The run's id.
        passes: Case id to which of its trials passed.
        decided: Whether it came to its end.
        facts: Fields of its manifest.
    """
    cases: list[Case] = [case(TextContains(needles=("a",)), id=each) for each in passes]
    facts = {
        "run": name,
        "suite": "fixtures/office",
        "agent": "echo",
        "started_at": f"2026-11-20T10:00:00.{name}Z",
        "trials": {each: len(outcomes) for each, outcomes in passes.items()},
        **facts,
    }
    folder = RunFolder.create(runs / name, manifest(list(passes), **facts), cases)
    for each, outcomes in passes.items():
        for number, passed in enumerate(outcomes, 1):
            known = {"case": each, "number": number, "run": name}
            if passed is None:
                folder.write_trial(record(outcome="infra_error", **known))
            else:
                folder.write_trial(record("a" if passed else "b", **known))
    if decided:
        decide(folder, Limits())
    return folder
