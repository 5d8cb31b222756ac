from collections.abc import Callable
from typing import Any

import pytest

from harness.agents import DriverOptions, build_driver
from harness.checks import decide_trial
from harness.environment import Environment
from harness.model import Case
from harness.runner import PlannedTrial, RunContext, run_trial
from harness.runner.tools import why_skipped
from mockserver.model import SessionSpec

Context = Callable[..., RunContext]


@pytest.mark.parametrize(
    ("required", "declared", "said"),
    [
        ((), (), ""),
        (("run_command",), ("run_*",), ""),
        (("listOrgUnits",), (), ""),
        (
            ("run_command", "search"),
            ("run_*",),
            "the agent lacks tools that the case needs: 'search'",
        ),
        (
            ("search",),
            (),
            "the agent lacks tools that the case needs: 'search', and nobody says which tools it"
            " has: give --tools",
        ),
    ],
    ids=["none", "declared", "of the server", "another", "nobody says"],
)
async def test_tools_are_those_declared_and_those_of_the_server(
    environment: Environment,
    cases: tuple[Case, ...],
    required: tuple[str, ...],
    declared: tuple[str, ...],
    said: str,
) -> None:
    """CTX-16."""
    case = cases[0].model_copy(update={"required_tools": required})
    assert await why_skipped(case, declared, environment, SessionSpec()) == said


@pytest.mark.parametrize(("tools", "outcome"), [((), "skipped"), (("run_command",), "agent_error")])
async def test_a_trial_without_its_tools_is_skipped_with_a_reason_and_does_not_fail(
    context: Context, cases: tuple[Case, ...], tools: tuple[str, ...], outcome: str
) -> None:
    """CTX-16: skipped, so outside of every rate."""
    case = cases[0].model_copy(update={"required_tools": ("run_command",)})
    driver = build_driver("command:false", DriverOptions())
    record = await run_trial(context(driver, tools=tools), PlannedTrial(case, 1))
    decision = decide_trial(case, record)
    assert (record.outcome, decision.status) == (outcome, outcome)
    assert ("lacks tools" in decision.reason) == (outcome == "skipped")


@pytest.mark.parametrize("spec", ["oracle", "null", "echo"])
async def test_what_plays_a_part_has_every_tool(
    context: Context, cases: tuple[Case, ...], spec: str
) -> None:
    case = cases[0].model_copy(update={"required_tools": ("run_command",)})
    driver: Any = build_driver(spec, DriverOptions())
    record = await run_trial(context(driver), PlannedTrial(case, 1))
    await driver.close()
    assert record.outcome == "replied"
