from pathlib import Path

import pytest

from harness.cli.demo_suites import DEMOS, Demo
from harness.cli.reference_agents import REFERENCE_AGENTS
from harness.demo.coding.flaws import FLAWS as CODING
from harness.demo.flaws import FLAWS as CHROME
from harness.demo.review.flaws import FLAWS as REVIEW
from harness.demo.sre.flaws import FLAWS as SRE


@pytest.mark.parametrize(
    ("name", "flaws"),
    [
        ("chrome-enterprise", CHROME),
        ("content-review", REVIEW),
        ("coding-tasks", CODING),
        ("sre", SRE),
    ],
    ids=str,
)
def test_the_flaws_of_the_command_are_those_of_the_agent(name: str, flaws: object) -> None:
    assert set(DEMOS[name].flaws) == set(flaws)  # type: ignore[call-overload]
    assert DEMOS[name].flawed in DEMOS[name].flaws


def test_every_bundled_suite_with_an_agent_is_shown() -> None:
    assert list(DEMOS) == list(REFERENCE_AGENTS)


@pytest.mark.parametrize("demo", DEMOS.values(), ids=lambda demo: demo.name)
def test_a_flaw_reaches_the_agent_and_trials_are_then_short(demo: Demo) -> None:
    good = demo.options(Path("fixtures"), "", 3, 8, Path("runs"))
    bad = demo.options(Path("fixtures"), demo.flawed, 3, 8, Path("runs"))
    assert "--flawed" not in f"{good.agent} {good.serve}"
    assert f"--flawed {demo.flawed}" in f"{bad.agent} {bad.serve}"
    assert bad.timeout < good.timeout
    assert (good.suite, good.trials) == (Path("fixtures") / demo.name, 3)
