import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from harness.agents import AgentDriver, AgentUnreachableError, Echo, Task, Transcript
from harness.errors import HarnessError
from harness.model import Case, Policy, TrialDecision, TrialRecord, Turn
from harness.runner import (
    Order,
    Progress,
    RunContext,
    RunSettings,
    begin,
    check_unchanged,
    decide,
    missing,
    perform,
)
from harness.storage import RunFolder
from harness.verdicts import Limits

Context = Callable[..., RunContext]


def now() -> datetime:
    return datetime(2026, 11, 20, 10, 15, tzinfo=UTC)


class Counting(Progress):
    """Notes what it is told, and stops a run after some trials."""

    def __init__(self, stop_after: int = 99) -> None:
        self.stop = asyncio.Event()
        self.total = self.done = 0
        self.seen: list[tuple[str, int]] = []
        self._stop_after = stop_after

    @override
    def started(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    @override
    def finished(self, record: TrialRecord, decision: TrialDecision) -> None:
        self.seen.append((record.case, record.number))
        if len(self.seen) == self._stop_after:
            self.stop.set()


def order(cases: tuple[Case, ...], agent: str = "echo", trials: int = 3) -> Order:
    return Order(
        suite="office",
        cases=cases,
        agent=agent,
        policy=Policy(pass_="all"),
        settings=RunSettings(trials=trials, concurrency=2),
        note="a try",
    )


async def go_on(
    folder: RunFolder, shared: RunContext, cases: tuple[Case, ...], progress: Counting
) -> None:
    await perform(shared, folder, missing(folder, cases), progress, progress.stop)


def test_a_run_begins_with_its_manifest(tmp_path: Path, cases: tuple[Case, ...]) -> None:
    """CEP-83; secrets of the agent spec are not written down."""
    folder = begin(order(cases, agent="command:run --token abc"), tmp_path, now)
    manifest = folder.manifest()
    assert manifest.run == folder.path.name
    assert manifest.run.startswith("20261120-101500-")
    assert manifest.agent == "command:run --token [redacted]"
    assert (manifest.trials, manifest.note) == ({"T-001": 3, "T-002": 3}, "a try")
    assert manifest.versions.keys() == {"understudy", "python"}
    assert folder.cases() == cases


def test_two_runs_of_one_second_have_two_names(tmp_path: Path, cases: tuple[Case, ...]) -> None:
    names = [begin(order(cases), tmp_path, now).path.name for _ in range(3)]
    assert names[1:] == [f"{names[0]}-2", f"{names[0]}-3"]


async def test_a_run_that_was_stopped_is_finished_later(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    """Pitfall 12: nothing is lost, nothing is done twice."""
    folder, shared = begin(order(cases), tmp_path, now), context(Echo(), concurrency=1)
    first, second = Counting(stop_after=2), Counting()
    await go_on(folder, shared, cases, first)
    assert decide(folder, Limits()).interrupted
    await go_on(folder, shared, cases, second)
    assert (second.total, second.done) == (6, len(first.seen))
    assert len({*first.seen, *second.seen}) == len(first.seen) + len(second.seen) == 6
    result = decide(folder, Limits())
    assert not result.interrupted
    assert [(item.case, item.verdict) for item in result.decisions] == [
        ("T-001", "failed"),
        ("T-002", "failed"),
    ]
    assert result.faults_not_met == ("T-001: reports.activities.list",)
    assert list((folder.path / "decisions").glob("*.json"))


async def test_two_resumes_of_a_run_do_nothing_twice(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    """The second is refused while the first runs, and finds everything done where it came late."""
    folder, shared = begin(order(cases), tmp_path, now), context(Echo(), concurrency=1)
    planned, late = missing(folder, cases), Counting()
    other = RunFolder(folder.path)
    with other.taken(), pytest.raises(HarnessError, match="are being run by another process"):
        await perform(shared, folder, planned, late, late.stop)
    await go_on(other, shared, cases, Counting())
    await perform(shared, folder, planned, late, late.stop)
    assert late.seen == []
    assert not list(folder.path.glob("trials/*/*.foreign-*"))


async def test_a_planted_record_is_told_by_the_custody(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    folder = begin(order(cases, trials=1), tmp_path, now)

    class Planting(Counting):
        @override
        def finished(self, record: TrialRecord, decision: TrialDecision) -> None:
            super().finished(record, decision)
            for case in cases:
                place = folder.path / "trials" / case.id / "1.json"
                if not place.exists():
                    place.write_text("{}", encoding="utf-8")

    planned = missing(folder, cases)
    (folder.path / "trials" / planned[0].case.id / "1.json").write_text("{", encoding="utf-8")
    progress = Planting()
    await perform(context(Echo(), concurrency=1), folder, planned, progress, progress.stop)
    asides = tuple(f"trials/{each.case.id}/1.foreign-1.json" for each in planned)
    assert folder.custody()[-1].planted == asides
    assert len(tuple(folder.records())) == 2


async def test_a_run_whose_records_were_changed_has_no_verdict(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    folder = begin(order(cases, trials=1), tmp_path, now)

    class Forging(Counting):
        @override
        def finished(self, record: TrialRecord, decision: TrialDecision) -> None:
            super().finished(record, decision)
            better = record.model_copy(update={"error": "", "outcome": "replied", "agent_ms": 1.0})
            place = folder.path / "trials" / record.case / "1.json"
            place.write_text(better.model_dump_json(by_alias=True), encoding="utf-8")

    progress = Forging()
    await perform(context(Echo()), folder, missing(folder, cases), progress, progress.stop)
    result = decide(folder, Limits())
    changed = {file for held in result.custody for file in held.changed}
    assert changed == {f"trials/{case.id}/1.json" for case in cases}
    assert result.exit_reasons[0].code == 3
    assert "records were changed" in result.exit_reasons[0].reason


class Unreachable(AgentDriver):
    """An agent that is not there."""

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        raise AgentUnreachableError("refused")

    @override
    async def close(self) -> None:
        return


async def test_only_infrastructure_errors_are_run_again(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    folder = begin(order(cases, trials=1), tmp_path, now)
    await go_on(folder, context(Unreachable()), cases, Counting())
    assert len(missing(folder, cases)) == 2
    await go_on(folder, context(Echo()), cases, Counting())
    assert missing(folder, cases) == ()


def test_a_case_that_changed_never_mixes(tmp_path: Path, cases: tuple[Case, ...]) -> None:
    """Pitfall 12."""
    manifest = begin(order(cases), tmp_path, now).manifest()
    assert check_unchanged(manifest, cases[::-1]) == cases
    other = cases[0].model_copy(update={"turns": (Turn(user="Something else?"),)})
    with pytest.raises(HarnessError, match=r"changed: T-001; gone: T-002"):
        check_unchanged(manifest, [other])
