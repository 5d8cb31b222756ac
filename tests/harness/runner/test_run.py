import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from typing_extensions import override

from harness.agents import AgentDriver, AgentUnreachableError, Echo, Task, Transcript
from harness.cases import case_hash
from harness.environment import attach_environment
from harness.errors import HarnessError, InfrastructureError
from harness.model import (
    Canary,
    Case,
    Policy,
    Reply,
    TextContains,
    TrialRecord,
    Turn,
)
from harness.runner import (
    BaselineGate,
    FinishedTrial,
    LocalExecutor,
    NewRun,
    PlannedTrial,
    Progress,
    RunContext,
    RunSettings,
    begin_run,
    check_unchanged,
    decide,
    merge_runs,
    missing_trials,
    perform_trials,
    perform_until_decided,
    read_policy,
)
from harness.runner.canary import _canary_fault, ask_canary
from harness.runner.run import work_through
from harness.statistics import Outcomes, Terms
from harness.storage import RunFolder
from harness.verdicts import Limits
from tests.harness.conftest import serving

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
    def note_start(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    @override
    def note_trial(self, trial: FinishedTrial) -> None:
        self.seen.append((trial.record.case, trial.record.number))
        if len(self.seen) == self._stop_after:
            self.stop.set()


def order(cases: tuple[Case, ...], agent: str = "echo", trials: int = 3) -> NewRun:
    return NewRun(
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
    await perform_trials(
        LocalExecutor(shared), folder, missing_trials(folder, cases), progress, progress.stop
    )


def test_a_run_begins_with_its_manifest(tmp_path: Path, cases: tuple[Case, ...]) -> None:
    """CEP-83; secrets of the agent spec are not written down."""
    folder = begin_run(order(cases, agent="command:run --token abc"), tmp_path, now)
    manifest = folder.manifest()
    assert manifest.run == folder.path.name
    assert manifest.run.startswith("20261120-101500-")
    assert manifest.agent == "command:run --token [redacted]"
    assert (manifest.trials, manifest.note) == ({"T-001": 3, "T-002": 3}, "a try")
    assert manifest.versions.keys() == {"understudy", "python"}
    assert folder.cases() == cases


def test_two_runs_of_one_second_have_two_names(tmp_path: Path, cases: tuple[Case, ...]) -> None:
    names = [begin_run(order(cases), tmp_path, now).path.name for _ in range(3)]
    assert names[1:] == [f"{names[0]}-2", f"{names[0]}-3"]


async def test_a_run_that_was_stopped_is_finished_later(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    """Pitfall 12: nothing is lost, nothing is done twice."""
    folder, shared = begin_run(order(cases), tmp_path, now), context(Echo(), concurrency=1)
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
    folder, shared = begin_run(order(cases), tmp_path, now), context(Echo(), concurrency=1)
    planned, late = missing_trials(folder, cases), Counting()
    other = RunFolder(folder.path)
    with other.lock(), pytest.raises(HarnessError, match="are being run by another process"):
        await perform_trials(LocalExecutor(shared), folder, planned, late, late.stop)
    await go_on(other, shared, cases, Counting())
    await perform_trials(LocalExecutor(shared), folder, planned, late, late.stop)
    assert late.seen == []
    assert not list(folder.path.glob("trials/*/*.foreign-*"))


async def test_a_planted_record_is_told_by_the_custody(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    folder = begin_run(order(cases, trials=1), tmp_path, now)

    class Planting(Counting):
        @override
        def note_trial(self, trial: FinishedTrial) -> None:
            super().note_trial(trial)
            for case in cases:
                place = folder.path / "trials" / case.id / "1.json"
                if not place.exists():
                    place.write_text("{}", encoding="utf-8")

    planned = missing_trials(folder, cases)
    (folder.path / "trials" / planned[0].case.id / "1.json").write_text("{", encoding="utf-8")
    progress = Planting()
    await perform_trials(
        LocalExecutor(context(Echo(), concurrency=1)), folder, planned, progress, progress.stop
    )
    asides = tuple(f"trials/{each.case.id}/1.foreign-1.json" for each in planned)
    assert folder.custody()[-1].planted == asides
    assert len(tuple(folder.records())) == 2


async def test_a_run_whose_records_were_changed_has_no_verdict(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    folder = begin_run(order(cases, trials=1), tmp_path, now)

    class Forging(Counting):
        @override
        def note_trial(self, trial: FinishedTrial) -> None:
            super().note_trial(trial)
            record = trial.record
            better = record.model_copy(update={"error": "", "outcome": "replied", "agent_ms": 1.0})
            place = folder.path / "trials" / record.case / "1.json"
            place.write_text(better.model_dump_json(by_alias=True), encoding="utf-8")

    progress = Forging()
    await perform_trials(
        LocalExecutor(context(Echo())),
        folder,
        missing_trials(folder, cases),
        progress,
        progress.stop,
    )
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
    folder = begin_run(order(cases, trials=1), tmp_path, now)
    await go_on(folder, context(Unreachable()), cases, Counting())
    assert len(missing_trials(folder, cases)) == 2
    await go_on(folder, context(Echo()), cases, Counting())
    assert missing_trials(folder, cases) == ()


def test_a_case_that_changed_never_mixes(tmp_path: Path, cases: tuple[Case, ...]) -> None:
    """Pitfall 12."""
    manifest = begin_run(order(cases), tmp_path, now).manifest()
    assert check_unchanged(manifest, cases[::-1]) == cases
    other = cases[0].model_copy(update={"turns": (Turn(user="Something else?"),)})
    with pytest.raises(HarnessError, match=r"changed: T-001; gone: T-002"):
        check_unchanged(manifest, [other])


async def test_a_server_that_knows_its_world_is_well(context: Context) -> None:
    canary = await ask_canary(context(Echo()), "middle")
    assert (canary.when, canary.error) == ("middle", "")
    assert canary.duration_ms > 0


@pytest.mark.parametrize(
    ("status", "content"),
    [(503, b'{"name": "Canary"}'), (200, b"<p>"), (200, b'{"name": "Office"}'), (200, b"[]")],
)
def test_any_other_answer_is_wrong(status: int, content: bytes) -> None:
    assert f"answered {status}" in _canary_fault(status, content)


async def test_an_answer_of_500_brings_the_last_line_of_the_server_s_log(
    context: Context, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cases: tuple[Case, ...]
) -> None:
    shared = context(Echo())
    told = "; the last line of its log: ZeroDivisionError: a defect"
    monkeypatch.setattr(shared.environment, "server_last_line", lambda: told)
    failing = httpx.MockTransport(lambda _: httpx.Response(500))
    client = partial(httpx.AsyncClient, transport=failing)
    monkeypatch.setattr("httpx.AsyncClient", lambda verify, **rest: client(**rest))
    canary = await ask_canary(shared, "before")
    assert canary.error == f"the mock server answered 500 and not what it was given{told}"
    folder = begin_run(order(cases), tmp_path, now)
    assert folder.keep_server_log("\n") is None
    path = folder.keep_server_log("ERROR: a defect\n")
    assert path is not None
    assert path.read_text(encoding="utf-8") == "ERROR: a defect\n"


async def test_a_run_asks_before_in_the_middle_and_after(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    folder = begin_run(order(cases, trials=2), tmp_path, now)
    counting = Counting()
    await perform_trials(
        LocalExecutor(context(Echo())),
        folder,
        missing_trials(folder, cases),
        counting,
        counting.stop,
    )
    assert [each.when for each in folder.canaries()] == ["before", "middle", "after"]
    assert decide(folder, Limits()).canaries == folder.canaries()


@pytest.mark.parametrize(
    ("unanswered", "asked"),
    [(True, ["before", "after", "before"]), (False, ["before", "after"])],
)
async def test_a_server_that_was_gone_after_the_last_trial_is_asked_again(
    tmp_path: Path, cases: tuple[Case, ...], context: Context, unanswered: bool, asked: list[str]
) -> None:
    """A wrong answer casts doubt on the trials; none does not."""
    folder = begin_run(order(cases), tmp_path, now)
    gone = Canary(when="after", at="", error="what it was", unanswered=unanswered)
    folder.write_canaries([Canary(when="before", at=""), gone])
    await perform_trials(LocalExecutor(context(Echo())), folder, (), Counting(), Counting().stop)
    assert [each.when for each in folder.canaries()] == asked


async def test_a_server_that_is_gone_lets_no_trial_be_run(
    tmp_path: Path, cases: tuple[Case, ...], context: Context, office: Path
) -> None:
    """Pitfall 5: nothing is taken for the agent's failure."""
    with serving(office) as (url, process):
        environment = await attach_environment(url)
        process.kill()
        process.wait()
    shared = context(Echo())
    gone = RunContext(
        run="gone", suite=office, hashes=shared.hashes, settings=shared.settings,
        driver=Echo(), environment=environment, clock=now,
    )  # fmt: skip
    folder, counting = begin_run(order(cases), tmp_path, now), Counting()
    with pytest.raises(InfrastructureError, match="nothing was run: no answer from"):
        await perform_trials(
            LocalExecutor(gone), folder, missing_trials(folder, cases), counting, counting.stop
        )
    await environment.close()
    assert folder.records().count() == 0


TRIALS = [
    PlannedTrial(Case(id="C-1", turns=(Turn(user="Why?"),)), number) for number in range(1, 7)
]


@pytest.mark.parametrize("concurrency", [1, 3, 20])
async def test_so_many_trials_run_at_a_time_and_no_more(concurrency: int) -> None:
    """CEP-29, CEPR-20."""
    running, most, done = 0, 0, []

    async def work(trial: PlannedTrial) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        done.append(trial.number)

    assert await work_through(TRIALS, work, concurrency=concurrency, stop=asyncio.Event())
    assert most == min(concurrency, len(TRIALS))
    assert sorted(done) == [1, 2, 3, 4, 5, 6]


async def test_a_slow_trial_holds_up_no_other() -> None:
    """There are no batches: the places beside a slow trial go on."""
    others, done = asyncio.Event(), []

    async def work(trial: PlannedTrial) -> None:
        if trial.number == 1:
            await others.wait()
        done.append(trial.number)
        if len(done) == 5:
            others.set()

    assert await work_through(TRIALS, work, concurrency=2, stop=asyncio.Event())
    assert done == [2, 3, 4, 5, 6, 1]


async def test_stopping_cancels_what_is_under_way() -> None:
    stop, cancelled = asyncio.Event(), []

    async def work(trial: PlannedTrial) -> None:
        if trial.number == 3:
            stop.set()
        try:
            await asyncio.sleep(0 if trial.number < 3 else 600)
        except asyncio.CancelledError:
            cancelled.append(trial.number)
            raise

    assert not await work_through(TRIALS, work, concurrency=2, stop=stop)
    assert 3 in cancelled


async def test_a_trial_that_loses_its_cancellation_is_the_last_one() -> None:
    stop, begun = asyncio.Event(), 0

    async def work(trial: PlannedTrial) -> None:
        nonlocal begun
        begun += 1
        stop.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    assert not await work_through(TRIALS, work, concurrency=2, stop=stop)
    assert begun == 1


async def test_an_error_of_ours_ends_everything() -> None:
    async def work(trial: PlannedTrial) -> None:
        if trial.number == 2:
            raise ValueError("a bug")
        await asyncio.sleep(600)

    with pytest.raises(ValueError, match="a bug"):
        await work_through(TRIALS, work, concurrency=2, stop=asyncio.Event())


CASES = tuple(
    Case(id=id, turns=(Turn(user=id),), expect=(TextContains(needles=("yes",)),))
    for id in "ABCDEFGH"
)
BEFORE = Outcomes(
    "before",
    {case.id: case_hash(case) for case in CASES},
    {case.id: (12, 12) for case in CASES},
)


class Forgetful(AgentDriver):
    """Says no at some of its trials of a case."""

    def __init__(self, fails: Mapping[str, set[int]]) -> None:
        self.asked: Counter[str] = Counter()
        self._fails = fails

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        prompt = task.prompts[0]
        self.asked[prompt] += 1
        no = self.asked[prompt] in self._fails.get(prompt, set())
        transcript.note_reply(Reply(turn=1, prompt=prompt, text="no" if no else "yes"))

    @override
    async def close(self) -> None:
        return


async def top_up(
    tmp_path: Path, make: Callable[..., RunContext], agent: AgentDriver, progress: Counting
) -> RunFolder:
    settings = RunSettings(trials=3, concurrency=1, until_decided=True)
    order = NewRun("office", CASES, "forgetful", Policy(pass_="all"), settings)
    folder = begin_run(order, tmp_path, lambda: datetime(2026, 11, 20, tzinfo=UTC))
    against = BaselineGate(BEFORE, Terms(margin=0.2))
    shared = replace(make(agent), hashes=dict(BEFORE.hashes))
    await perform_until_decided(LocalExecutor(shared), folder, against, progress, progress.stop)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fails", "trials", "verdict"),
    [
        ({}, 3, "not_worse"),
        ({"A": {1}}, 6, "not_worse"),
        ({"A": {1, 2, 3}}, 3, "regressed"),
        ({case: {1, 4, 7, 10} for case in "ABCD"}, 12, "inconclusive"),
    ],
    ids=["at-once", "by-more", "broken", "never"],
)
async def test_further_trials_are_run_only_while_nothing_is_decided(
    tmp_path: Path,
    context: Callable[..., RunContext],
    fails: Mapping[str, set[int]],
    trials: int,
    verdict: str,
) -> None:
    folder = await top_up(tmp_path, context, Forgetful(fails), Counting())
    assert folder.manifest().trials == {case.id: trials for case in CASES}
    assert folder.records().count() == trials * len(CASES)
    found = decide(folder, Limits(), BaselineGate(BEFORE, Terms(margin=0.2)))
    assert found.comparison is not None
    assert (found.comparison.verdict, found.interrupted) == (verdict, False)


async def test_a_run_that_is_stopped_is_not_topped_up(
    tmp_path: Path, context: Callable[..., RunContext]
) -> None:
    progress = Counting(stop_after=6)
    folder = await top_up(tmp_path, context, Forgetful({"A": {1}}), progress)
    assert folder.manifest().trials == {case.id: 3 for case in CASES}


ONE, TWO = (
    Case(id=id, turns=(Turn(user="Why?"),), expect=(TextContains(needles=("x",)),))
    for id in ("C-1", "C-2")
)


def run_of(runs: Path, *cases: Case, **facts: Any) -> Path:
    """A finished run of two trials a case."""
    settings = RunSettings(trials=2, **facts.pop("settings", {}))
    asked = NewRun(
        "suite", cases, facts.pop("agent", "echo"), read_policy("all"), settings, **facts
    )
    folder = begin_run(asked, runs, now)
    manifest = folder.manifest()
    for case in cases:
        for number in (1, 2):
            folder.write_trial(
                TrialRecord(
                    run=manifest.run, case=case.id, case_hash=manifest.cases[case.id],
                    number=number, outcome="replied", started_at="now",
                )
            )  # fmt: skip
    return folder.path


def numbers(folder: RunFolder) -> list[tuple[str, int]]:
    return [(record.case, record.number) for record in folder.records()]


def test_shards_become_one_run(tmp_path: Path) -> None:
    """The runs stay as they are, and each record names the run that it was made in."""
    one = run_of(tmp_path, ONE, settings={"shard": "1/2"})
    two = run_of(tmp_path, TWO, settings={"shard": "2/2", "concurrency": 9})
    folder = merge_runs([one, two], tmp_path, now)
    manifest = folder.manifest()
    assert manifest.merged == (one.name, two.name)
    assert (manifest.trials, list(manifest.cases)) == ({"C-1": 2, "C-2": 2}, ["C-1", "C-2"])
    assert (manifest.run, manifest.options["shard"]) == (folder.path.name, "")
    assert numbers(folder) == [("C-1", 1), ("C-1", 2), ("C-2", 1), ("C-2", 2)]
    assert {record.run for record in folder.records()} == {one.name, two.name}
    assert numbers(RunFolder(one)) == [("C-1", 1), ("C-1", 2)]


def test_trials_of_the_same_case_are_numbered_on(tmp_path: Path) -> None:
    """Also past a trial that is missing, so that it still is."""
    one, two = run_of(tmp_path, ONE), run_of(tmp_path, ONE)
    (one / "trials" / "C-1" / "2.json").unlink()
    folder = merge_runs([one, two], tmp_path, now)
    assert numbers(folder) == [("C-1", 1), ("C-1", 3), ("C-1", 4)]
    assert folder.manifest().trials == {"C-1": 4}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        pytest.param({"agent": "null"}, "differ in agent", id="agent"),
        pytest.param({"settings": {"timeout_s": 5}}, "differ in timeout_s", id="option"),
    ],
)
def test_what_was_run_otherwise_is_not_merged(
    tmp_path: Path, other: dict[str, Any], said: str
) -> None:
    with pytest.raises(HarnessError, match=said):
        merge_runs([run_of(tmp_path, ONE), run_of(tmp_path, TWO, **other)], tmp_path, now)


def test_merging_a_case_that_changed_never_mixes(tmp_path: Path) -> None:
    """Pitfall 12."""
    changed = ONE.model_copy(update={"turns": (Turn(user="How?"),)})
    with pytest.raises(HarnessError, match="differ in case C-1"):
        merge_runs([run_of(tmp_path, ONE), run_of(tmp_path, changed)], tmp_path, now)


def test_a_run_is_not_merged_with_itself(tmp_path: Path) -> None:
    one = run_of(tmp_path, ONE)
    for paths in ([one, one], [one]):
        with pytest.raises(HarnessError, match="two runs or more"):
            merge_runs(paths, tmp_path, now)
