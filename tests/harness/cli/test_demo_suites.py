from pathlib import Path

import pytest

from harness.cli.demo_suites import DEMOS, Demo
from harness.cli.reference_agents import REFERENCE_AGENTS


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
