from pathlib import Path

import pytest

from harness.agents import DriverOptions, build_driver
from harness.cli.reference_agents import REFERENCE_AGENTS, free_port, reference_agent

FIXTURES = Path(__file__).parents[3] / "fixtures"


@pytest.mark.parametrize("name", REFERENCE_AGENTS)
async def test_every_bundled_suite_has_an_agent_that_can_be_reached(name: str) -> None:
    agent = reference_agent(FIXTURES / name)
    assert agent is not None
    assert "{" not in agent.agent + agent.serve
    driver = build_driver(agent.agent, DriverOptions(profile=agent.profile, input=agent.input))
    await driver.close()


def test_a_suite_of_the_same_name_elsewhere_has_none(tmp_path: Path) -> None:
    assert reference_agent(tmp_path / "sre") is None
    assert reference_agent(FIXTURES / "unknown") is None


def test_a_port_is_free() -> None:
    assert free_port() > 1023
