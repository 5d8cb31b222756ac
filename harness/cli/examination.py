"""Sets up an examination of `understudy doctor`: suite, mock server, agent and its server."""

import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.agents import (
    AgentDriver,
    DriverOptions,
    ServerCommand,
    agent_environment,
    agent_server,
    agent_url,
    build_driver,
    refuse_live,
    starts_program,
    visible_environment,
    without_secrets,
)
from harness.cases import Suite, case_hash, load_suite, select
from harness.cli.reference_agents import ReferenceAgent
from harness.cli.run_execution import stop_on_signals, time_of_day
from harness.doctor import Bench, Diagnosis, ExaminedSuite, examine
from harness.doctor.lint import problems_of
from harness.environment import Environment, declared_hosts, start_environment
from harness.errors import CaseProblem, HarnessError, InvalidCasesError
from harness.model import Case
from harness.runner import RunSettings, stored_outcomes


@dataclass(frozen=True)
class ExaminationOptions:
    """What the user asked for.

    Attributes:
        suite: The suite.
        agent: A good agent, or None: the oracle alone.
        ids: Only these cases; all when empty.
        runs: Earlier runs.
        timeout_s: Seconds a trial may take.
        concurrency: Trials at a time.
    """

    suite: Path
    agent: ReferenceAgent | None = None
    ids: tuple[str, ...] = ()
    runs: tuple[Path, ...] = ()
    timeout_s: float = 180
    concurrency: int = 8


async def examine_suite(options: ExaminationOptions) -> Diagnosis | None:
    """Examine a suite; None when SIGINT or SIGTERM ended it early.

    Raises:
        HarnessError: Suite, agent or a run cannot be read.
        InvalidCasesError: The suite is invalid.
        InfrastructureError: The mock server or the agent's own did not come up.
    """
    suite = load_suite(options.suite)
    cases = select(suite.cases, ids=options.ids)
    problems = _problems(suite)
    earlier = [_earlier_counts(path, cases) for path in options.runs]
    stop = stop_on_signals()
    intercept = _intercepts(options.agent, suite.path)
    environment = await start_environment(suite.path, intercept=intercept)
    try:
        async with _agent(options.agent, environment) as driver:
            examined_suite = ExaminedSuite(
                suite=str(options.suite),
                cases=cases,
                problems=problems,
                agent=driver,
                agent_name=without_secrets(options.agent.agent) if options.agent else "",
                earlier=earlier,
            )
            bench = Bench(suite, environment, _settings(options), time_of_day, stop)
            diagnosis = await examine(examined_suite, bench)
            return None if stop.is_set() else diagnosis  # half of the trials prove nothing
    finally:
        await environment.close()


def _settings(options: ExaminationOptions) -> RunSettings:
    at_once = min(
        options.concurrency, options.agent.concurrency if options.agent else options.concurrency
    )
    # what tools an agent has is its own business here: a case that it lacks them for is failed
    return RunSettings(trials=1, concurrency=at_once, timeout_s=options.timeout_s, tools=("*",))


def _intercepts(agent: ReferenceAgent | None, suite: Path) -> bool:
    """Whether clients of the agent are led to the server, as it or the hosts of the suite ask."""
    if agent is None:
        return False
    return agent.intercept or (starts_program(agent.agent) and bool(declared_hosts(suite)))


def _problems(suite: Suite) -> tuple[CaseProblem, ...]:
    found = problems_of(suite, time_of_day(), hints=True)
    if errors := [item for item in found if item.level == "error"]:
        raise InvalidCasesError(errors)
    return found


def _earlier_counts(path: Path, cases: tuple[Case, ...]) -> Mapping[str, tuple[int, int]]:
    """What came of the cases in an earlier run; of those that have not changed since."""
    outcomes = stored_outcomes(path)
    same = {case.id for case in cases if outcomes.hashes.get(case.id) == case_hash(case)}
    return {id: count for id, count in outcomes.counts.items() if id in same}


@contextlib.asynccontextmanager
async def _agent(
    agent: ReferenceAgent | None, environment: Environment
) -> AsyncIterator[AgentDriver | None]:
    if agent is None:
        yield None
        return
    named = dict(_variable(text) for text in agent.env)
    options = DriverOptions(
        profile=agent.profile, token=agent.token, input=agent.input, env=named, folder=Path.cwd()
    )
    refuse_live(visible_environment(agent.agent, options, os.environ))
    driver = build_driver(agent.agent, options)
    try:
        async with _serve_agent(agent, named, environment):
            yield driver
    finally:
        await driver.close()


def _serve_agent(
    agent: ReferenceAgent, variables: Mapping[str, str], environment: Environment
) -> contextlib.AbstractAsyncContextManager[None]:
    if not agent.serve:
        return contextlib.nullcontext()
    url = agent_url(agent.agent)
    if not url:
        raise HarnessError(f"--serve goes with an http: agent, not with {agent.agent!r}")
    env = agent_environment(os.environ, variables, environment.block)
    return agent_server(ServerCommand(agent.serve, url, env=env))


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals and name not in os.environ:
        raise HarnessError(f"--env {name}: there is no such variable", hint="NAME=VALUE")
    return name, value if equals else os.environ[name]
