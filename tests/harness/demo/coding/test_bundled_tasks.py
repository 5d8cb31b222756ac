"""The bundled suite of coding tasks, with the agent in this process, and once as a real command."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from typing_extensions import override

from harness.agents import AgentDriver, DriverOptions, Task, Transcript, build_driver
from harness.cases import Suite, case_hash, load_suite
from harness.demo.coding import NO_FLAWS, CodingFlaws, Toolbox, work_on
from harness.demo.coding.command import TOOLS, as_json
from harness.demo.coding.flaws import coding_flaws
from harness.environment import attach_environment
from harness.model import Case, Fixtures, Reply, ToolCall, TrialDecision, TrialRecord
from harness.runner import PlannedTrial, RunContext, RunSettings, run_trial
from harness.verdicts import decide_trial

SUITE = Path(__file__).parents[4] / "fixtures" / "coding-tasks"
RUNS = count(1)
Trials = list[tuple[TrialRecord, TrialDecision]]


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(SUITE)


class Working(AgentDriver):
    """The agent without a process of its own, which costs ten times as much."""

    tools = TOOLS

    def __init__(self, flaws: CodingFlaws = NO_FLAWS) -> None:
        self._flaws = flaws

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        tools = Toolbox(task.workspace, self._flaws)
        outcome = await asyncio.to_thread(work_on, task.prompts[0], tools)
        said = as_json(outcome, tools)
        calls = tuple(ToolCall(**use) for use in said["toolCalls"])
        transcript.answered(
            Reply(
                turn=1,
                prompt=task.prompts[0],
                text=said["text"],
                tool_calls=calls,
                rounds=said["rounds"],
            )
        )
        ended_well = outcome.exit_code == 0
        transcript.exit_code = int(ended_well) if self._flaws.wrong_exit else outcome.exit_code

    @override
    async def close(self) -> None:
        return


async def trials(driver: AgentDriver, cases: Sequence[Case], mock_url: str) -> Trials:
    environment = await attach_environment(mock_url)
    context = RunContext(
        run=f"coding-{next(RUNS)}",
        suite=SUITE,
        hashes={case.id: case_hash(case) for case in cases},
        settings=RunSettings(),
        driver=driver,
        environment=environment,
        clock=lambda: datetime(2026, 11, 20, 10, 15, tzinfo=UTC),
    )
    try:
        records = [await run_trial(context, PlannedTrial(case, 1)) for case in cases]
    finally:
        await environment.close()
        await driver.close()
    return [
        (record, decide_trial(case, record)) for case, record in zip(cases, records, strict=True)
    ]


def failing(found: Trials) -> set[str]:
    return {decision.case for _, decision in found if decision.status != "pass"}


def test_every_category_has_a_task_and_nothing_is_to_be_looked_at_again(suite: Suite) -> None:
    """CTX-02."""
    assert len({case.category for case in suite.cases}) == 8
    assert suite.problems == ()


@pytest.mark.parametrize("spec", ["null", "echo"])
async def test_who_does_nothing_passes_nothing(suite: Suite, mock_url: str, spec: str) -> None:
    """CTXR-10: and an empty answer does not pass for what it did not say."""
    found = await trials(build_driver(spec, DriverOptions()), suite.cases, mock_url)
    assert failing(found) == {case.id for case in suite.cases}
    patterns = [decision.checks[0].numbers["score"] for _, decision in found]
    assert spec != "null" or max(patterns) < 1


async def test_the_oracle_passes_everything(suite: Suite, mock_url: str) -> None:
    found = await trials(build_driver("oracle", DriverOptions()), suite.cases, mock_url)
    assert [(decision.case, decision.reason) for _, decision in found if decision.reason] == []
    assert {decision.score for _, decision in found} == {1.0}


async def test_the_good_agent_passes_everything(suite: Suite, mock_url: str) -> None:
    found = await trials(Working(), suite.cases, mock_url)
    assert [(decision.case, decision.reason) for _, decision in found if decision.reason] == []


@pytest.mark.parametrize(
    ("flaw", "cases", "checks"),
    [
        (
            "forgets-file",
            {"write-slugify", "fix-mean", "rename-function", "split-settings", "release-notes",
             "raise-version"},
            {"files", "patterns"},
        ),
        (
            "wrong-exit",
            {"write-slugify", "fix-mean", "rename-function", "count-errors", "release-refused",
             "raise-version"},
            {"exit_code"},
        ),
        (
            "skips-tool",
            {"write-slugify", "fix-mean", "rename-function", "count-errors", "release-refused",
             "raise-version"},
            {"patterns", "tool_calls", "exit_code"},
        ),
        (
            "too-many-rounds",
            {"write-slugify", "fix-mean", "rename-function", "review-login", "count-errors",
             "release-refused", "split-settings", "release-notes", "raise-version"},
            {"budget", "tool_calls"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
async def test_each_flaw_fails_its_tasks_and_no_others(
    suite: Suite, mock_url: str, flaw: str, cases: set[str], checks: set[str]
) -> None:
    """CTX-12, CTX-13, CTX-14, CTX-15, CTXR-01: each of them alone decides."""
    found = await trials(Working(coding_flaws(flaw)), suite.cases, mock_url)
    assert failing(found) == cases
    failed = {
        check.kind for _, decision in found for check in decision.checks if check.status == "fail"
    }
    assert failed == checks


async def test_without_its_files_no_task_is_passed(suite: Suite, mock_url: str) -> None:
    """Control trials: what is asked is in the workspace, and nowhere else."""
    cases = [
        case.model_copy(update={"fixtures": Fixtures()})
        for case in suite.cases
        if case.fixtures.workspace
    ]
    found = await trials(Working(), cases, mock_url)
    assert failing(found) == {case.id for case in cases}


def command(flaw: str = "") -> AgentDriver:
    flawed = f" --flawed {flaw}" if flaw else ""
    spec = f"command:{sys.executable} -m harness.demo.coding{flawed}"
    return build_driver(spec, DriverOptions(grace_s=0.1))


def required(suite: Suite, id: str, **facts: object) -> list[Case]:
    case = next(case for case in suite.cases if case.id == id)
    return [case.model_copy(update={"required_tools": (), **facts})]


async def test_as_a_real_command_it_is_held_against_its_exit_code_and_files(
    suite: Suite, mock_url: str
) -> None:
    """CTX-13: the code of the process, which is 3 here and shall be."""
    found = await trials(command(), required(suite, "release-refused"), mock_url)
    assert [decision.reason for _, decision in found if decision.reason] == []
    assert found[0][0].exit_code == 3


async def test_an_agent_that_never_ends_is_stopped_with_all_its_children(
    suite: Suite, mock_url: str, children: Callable[[], list[str]]
) -> None:
    """CTX-17, CTXR-07, pitfall 14: SIGTERM is ignored; nothing is left behind to spend money."""
    cases = required(suite, "count-errors", timeout_s=0.8)
    [(record, decision)] = await trials(command("never-ends"), cases, mock_url)
    assert (record.outcome, decision.status, decision.score) == ("agent_error", "agent_error", 0.0)
    assert "within 0.8 s; the agent was stopped" in record.error
    assert record.time_limit_ms == 800
    assert children() == []
