"""Forks: a recorded trial up to a turn of its model, and on with another one."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from harness.agents import AgentDriver
from harness.cases import load_suite
from harness.checks.model_traffic import requested_calls
from harness.environment import Environment, start_environment
from harness.errors import HarnessError
from harness.model import ForkOrigin, ForkPoint, TrialRecord
from harness.reports import console_report, report_of
from harness.reports.html import html_report
from harness.reports.markdown import markdown_report
from harness.reports.timeline import trial_events
from harness.runner import (
    Clock,
    Fork,
    ModelChoice,
    NewRun,
    PlannedTrial,
    RecordedTrial,
    RunContext,
    RunSettings,
    TrialName,
    begin_run,
    check_fork,
    choose_model,
    decide,
    fork_trees,
    read_policy,
    read_recorded_trial,
    run_trial,
)
from harness.runner.forks import ForkedModels
from harness.storage import MODELS, RunFolder
from harness.verdicts import Limits
from tests.captures import KEY
from tests.forking import OrderAgent, write_orders

NOW = datetime(2026, 11, 20, 10, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_orders(tmp_path_factory.mktemp("forks") / "orders")


@pytest.fixture(scope="module")
def environment(suite: Path, loop: asyncio.AbstractEventLoop) -> Iterator[Environment]:
    made = loop.run_until_complete(start_environment(suite))
    yield made
    loop.run_until_complete(made.close())


Perform = Callable[..., tuple[RunFolder, TrialRecord]]


@pytest.fixture(scope="module")
def perform(
    suite: Path,
    environment: Environment,
    loop: asyncio.AbstractEventLoop,
    tmp_path_factory: pytest.TempPathFactory,
) -> Perform:
    runs = tmp_path_factory.mktemp("runs")

    def run(
        driver: AgentDriver | None = None,
        fork: Fork | None = None,
        clock: Clock = lambda: NOW,
        **settings: Any,
    ) -> tuple[RunFolder, TrialRecord]:
        cases = load_suite(suite).cases
        settled = RunSettings(trials=1, **settings)
        origin = fork.origin if fork else None
        order = NewRun(str(suite), cases, "command:x", read_policy("all"), settled, fork=origin)
        folder = begin_run(order, runs, lambda: NOW)
        context = RunContext(
            run=folder.manifest().run, suite=suite, hashes=folder.manifest().cases,
            settings=settled, driver=driver or OrderAgent(), environment=environment,
            clock=clock, models=folder.path / MODELS, fork=fork,
        )  # fmt: skip
        record = loop.run_until_complete(run_trial(context, PlannedTrial(cases[0], 1)))
        folder.write_trial(record)
        decide(folder, Limits())
        return folder, record

    return run


@pytest.fixture(scope="module")
def trial(perform: Perform) -> RecordedTrial:
    folder, record = perform()
    assert record.text == "Order A1 is cancelled."
    return read_recorded_trial(TrialName(folder.path, "CANCEL", 1))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)


def asked(record: TrialRecord) -> list[str]:
    """The requests that no model was asked by."""
    return [f"{each.http_method} {each.path.rpartition('/')[2]}"
            for each in record.journal.entries if "models" not in each.path]  # fmt: skip


def test_a_trial_with_a_scripted_model_has_its_turns_in_its_journal(trial: RecordedTrial) -> None:
    turns = trial.turns
    assert [turn.number for turn in turns] == [1, 2, 3]
    assert turns[0].shown is not None
    assert turns[0].shown.messages[-1].text == "Cancel order A1 of Ada Lovelace."


@pytest.mark.parametrize(
    ("turn", "model", "text", "requests"),
    [
        (1, "", "Order A1 is cancelled.", ["GET A1", "PATCH A1"]),
        (3, "", "Order A1 is cancelled.", ["GET A1", "PATCH A1"]),
        (2, "script:a-liar", "Order A1 is cancelled.", ["GET A1"]),
        (2, "another", "Order A1 is cancelled.", ["GET A1", "PATCH A1"]),
    ],
)
def test_a_fork_goes_its_own_way_from_its_turn(
    trial: RecordedTrial, perform: Perform, suite: Path, turn: int, model: str, text: str,
    requests: list[str],
) -> None:  # fmt: skip
    fork = Fork(trial, turn, suite, choose_model(model, trial, suite))
    check_fork(fork)
    _, record = perform(fork=fork)
    assert (record.outcome, record.error) == ("replied", "")
    assert (record.text, asked(record)) == (text, requests)
    assert record.fork is not None
    assert record.fork.origin.model == model
    assert record.fork.played == turn - 1
    assert record.fork.entry == (0, 1, 2)[turn - 1]
    assert len(record.trace.model_calls) == (2 if "liar" in model else 3)


def test_what_is_asked_from_the_fork_on_has_its_model_and_its_prompt(
    trial: RecordedTrial, perform: Perform, suite: Path
) -> None:
    choice = ModelChoice("another", "another")
    _, record = perform(fork=Fork(trial, 2, suite, choice, "Be careful."))
    sent = [each.body or {} for each in record.journal.entries if "models" in each.path]
    assert [each["model"] for each in sent] == ["another", "another"]
    assert [each["messages"][0]["content"] for each in sent] == ["Be careful."] * 2
    assert [each.model for each in record.trace.model_calls] == ["agent", "another", "another"]


@pytest.mark.slow
def test_a_fork_can_be_forked(trial: RecordedTrial, perform: Perform, suite: Path) -> None:
    folder, _ = perform(fork=Fork(trial, 2, suite, ModelChoice("another", "another"), "Be brief."))
    again = read_recorded_trial(TrialName(folder.path, "CANCEL", 1))
    assert len(again.turns) == 3
    _, record = perform(fork=Fork(again, 3, suite))
    assert (record.outcome, asked(record)) == ("replied", ["GET A1", "PATCH A1"])
    assert record.fork is not None
    assert record.fork.origin.run == folder.manifest().run


@pytest.mark.slow
def test_a_scripted_model_of_a_file_goes_on(
    trial: RecordedTrial, perform: Perform, suite: Path, tmp_path: Path,
    loop: asyncio.AbstractEventLoop,
) -> None:  # fmt: skip
    script = tmp_path / "careful.yaml"
    script.write_text("model: careful\nreplies: [{text: I would rather ask.}]", encoding="utf-8")
    choice = choose_model(f"script:{script}", trial, suite)
    assert choice.model == "careful"
    (tmp_path / "suite" / "models").mkdir(parents=True)
    script.rename(tmp_path / "suite" / "models" / "careful.yaml")
    scripts = loop.run_until_complete(start_environment(tmp_path / "suite"))
    try:
        _, record = perform(fork=Fork(trial, 2, suite, choice, scripts=scripts))
    finally:
        loop.run_until_complete(scripts.close())
    assert (record.text, asked(record)) == ("I would rather ask.", ["GET A1"])


@pytest.mark.parametrize(
    ("driver", "turn", "error"),
    [
        (OrderAgent("You are another."), 2, "turn 1 of its model is not the recorded one"),
        (OrderAgent("You are another."), 2, "recorded 'You help with orders.', asked 'You are"),
        (OrderAgent(before="A9"), 2, "request 1 is GET orders.orders.get (404), recorded was GET"),
    ],
)
def test_an_agent_that_departs_before_the_fork_is_told(
    trial: RecordedTrial, perform: Perform, suite: Path, driver: AgentDriver, turn: int, error: str
) -> None:
    _, record = perform(driver, Fork(trial, turn, suite))
    assert record.outcome == "infra_error"
    assert error in record.error
    assert trial.manifest.run in record.error


def test_an_agent_that_ends_before_the_fork_is_told(
    trial: RecordedTrial, perform: Perform, suite: Path
) -> None:
    class Silent(OrderAgent):
        @override
        async def converse(self, *_: object) -> None:
            return

    _, record = perform(Silent(), Fork(trial, 2, suite))
    assert record.outcome == "infra_error"
    assert "ended after 0 turns of its model: turn 2" in record.error
    assert record.fork is not None
    assert record.fork.entry is None


@pytest.mark.parametrize(
    ("model", "error"),
    [
        ("anthropic/claude", "the agent speaks to openai, and 'anthropic/claude' is a model of"),
        ("openai/", "names no model"),
        (" ", "names no model"),
        ("script:nobody.yaml", "there is no file 'nobody.yaml'"),
        ("script:", "no scripted model of the suite is for ''"),
    ],
)
def test_a_model_that_cannot_go_on_is_refused(
    trial: RecordedTrial, suite: Path, model: str, error: str
) -> None:
    with pytest.raises(HarnessError) as caught:
        choose_model(model, trial, suite)
    assert error in str(caught.value)


@pytest.mark.parametrize(("at_ms", "left"), [(None, None), (900.0, 400.0), (100.0, 0.0)])
def test_the_moment_of_a_fork_is_counted_from_the_first_turn(
    at_ms: float | None, left: float | None
) -> None:
    origin = ForkOrigin(run="r", case="C", number=1, turn=2)
    found = ForkedModels(ForkPoint(origin=origin, at_ms=at_ms))
    found.leave_out_startup(500)
    assert found.point.at_ms == left


def test_a_suite_without_scripts_has_no_scripted_model(
    trial: RecordedTrial, tmp_path: Path
) -> None:
    with pytest.raises(HarnessError, match="has no scripted models"):
        choose_model("script:any", trial, tmp_path)


@pytest.mark.parametrize(
    ("turn", "model", "environ", "error"),
    [
        (0, "", {}, "has no turn 0 of its model"),
        (4, "", {}, "has no turn 4 of its model"),
        (2, "openai/gpt-5", {}, "there is no key for the live model of openai"),
        (2, "openai/gpt-5", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, ""),
        (2, "openai/gpt-5", {"OPENAI_API_KEY": "sk"}, ""),
        (2, "", {}, ""),
        (2, "wrong/gpt", {}, "there is no provider 'wrong'"),
        (2, "opnai/gpt", {}, "there is no provider 'opnai' (did you mean 'openai'?)"),
    ],
)
def test_a_fork_is_checked_before_it_is_run(
    trial: RecordedTrial, suite: Path, turn: int, model: str, environ: dict[str, str], error: str
) -> None:
    fork = Fork(trial, turn, suite, choose_model(model, trial, suite), environ=environ)
    if not error:
        check_fork(fork)
        return
    with pytest.raises(HarnessError) as caught:
        check_fork(fork)
    assert error in str(caught.value)


def test_a_trial_without_calls_of_a_model_cannot_be_forked(perform: Perform) -> None:
    class Plain(OrderAgent):
        @override
        async def converse(self, *_: object) -> None:
            return

    folder, _ = perform(Plain())
    with pytest.raises(HarnessError, match="has no recorded calls of a model"):
        read_recorded_trial(TrialName(folder.path, "CANCEL", 1))


@pytest.mark.slow
def test_forks_and_their_forks_are_a_tree_for_each_trial(perform: Perform, suite: Path) -> None:
    root, _ = perform()
    origin = read_recorded_trial(TrialName(root.path, "CANCEL", 1))
    liar, _ = perform(fork=Fork(origin, 2, suite, choose_model("script:liar", origin, suite)))
    root.note_fork(liar.manifest().run)
    again = read_recorded_trial(TrialName(liar.path, "CANCEL", 1))
    late, _ = perform(fork=Fork(again, 2, suite, prompt="Be careful."))
    liar.note_fork(late.manifest().run)
    (tree,) = fork_trees(late)
    assert fork_trees(root) == fork_trees(liar) == (tree,)
    assert (tree.run, tree.number, tree.verdict) == (root.manifest().run, 1, "pass")
    (child,) = tree.forks
    assert (child.run, child.verdict, child.passed, child.valid) == (
        liar.manifest().run, "failed", 0, 1,
    )  # fmt: skip
    assert child.tokens is not None
    (leaf,) = child.forks
    assert leaf.fork is not None
    assert (leaf.run, leaf.fork.prompt, leaf.forks) == (late.manifest().run, "Be careful.", ())
    shown = decide(liar, Limits())
    assert "from turn 2: script:liar: failed 0/1" in console_report(shown)
    assert "  - from turn 2: script:liar: **failed 0/1" in markdown_report(shown)
    assert "from turn 2: script:liar" in html_report(shown)
    assert report_of(shown)["forks"][0]["run"] == root.manifest().run
    (late.path / "manifest.json").unlink()
    assert fork_trees(root)[0].forks[0].forks == ()


def test_the_timeline_of_a_fork_marks_where_it_left(
    trial: RecordedTrial, perform: Perform, suite: Path
) -> None:
    fork = Fork(trial, 3, suite, choose_model("another", trial, suite))
    # the recorder tells the time of day, too
    folder, record = perform(fork=fork, clock=lambda: datetime.now(UTC))
    events = trial_events(folder.cases()[0], record)
    kinds = [each.kind for each in events if each.kind in {"fork", "model", "request"}]
    assert sorted(kinds[:4]) == ["model", "model", "request", "request"]
    assert kinds[4:] == ["fork", "model"]
    (mark,) = [each for each in events if each.kind == "fork"]
    assert mark.title == "Fork from turn 3: another"
    calls = requested_calls(record)
    assert calls is not None
    assert [each.name for each in calls] == ["get_order", "cancel_order"]
