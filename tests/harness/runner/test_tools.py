from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.agents import DriverOptions, build_driver
from harness.environment import Environment
from harness.model import Case
from harness.runner import PlannedTrial, RunContext, run_trial
from harness.runner.tools import why_skipped
from harness.verdicts import decide_trial
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


@pytest.mark.parametrize("spec", ["oracle", "null", "echo", "scripted:lines.yaml"])
@pytest.mark.parametrize(
    ("tools", "outcome"), [((), "replied"), (("run_*",), "replied"), (("read_*",), "skipped")]
)
async def test_what_plays_a_part_has_every_tool_unless_the_user_names_some(
    context: Context,
    cases: tuple[Case, ...],
    tmp_path: Path,
    spec: str,
    tools: tuple[str, ...],
    outcome: str,
) -> None:
    """CTX-16: --tools says which, for a script as for any agent."""
    case = cases[0].model_copy(update={"required_tools": ("run_command",)})
    (tmp_path / "lines.yaml").write_text(f"{case.id}: [Done.]", encoding="utf-8")
    driver: Any = build_driver(spec, DriverOptions(folder=tmp_path))
    record = await run_trial(context(driver, tools=tools), PlannedTrial(case, 1))
    await driver.close()
    assert record.outcome == outcome
