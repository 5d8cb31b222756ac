"""Prepares the run that a request asks for: everything is checked before anything is made."""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from harness.agents import (
    Destinations,
    DriverOptions,
    agent_url,
    build_driver,
    checked_header,
    checked_url,
    refuse_live,
    starts_program,
    visible_environment,
)
from harness.agents.protocol import AgentDriver
from harness.cases import load_suite, select, suite_prices
from harness.environment import fixture_problems
from harness.errors import HarnessError, InvalidCasesError
from harness.runner import BaselineGate, NewRun, RunSettings, read_policy, stored_outcomes
from harness.server.messages import RefusedError
from harness.server.schemas import RunOrder
from harness.server.settings import Settings
from harness.statistics import Terms
from harness.storage import Baselines

_FILES = {"scripted"}


@dataclass(frozen=True)
class PreparedOrder:
    """A run that can start.

    Attributes:
        name: What its suite is called here.
        folder: The folder of the suite's fixtures.
        order: What the runner is asked for.
        driver: The agent.
        serve: The command that serves the agent for this run, or an empty string.
        url: The agent's URL, or an empty string.
        against: The baseline that it is held against, or None.
    """

    name: str
    folder: Path
    order: NewRun
    driver: AgentDriver
    serve: str
    url: str
    against: BaselineGate | None


def prepare_run(
    order: RunOrder, name: str, path: Path, *, settings: Settings, destinations: Destinations
) -> PreparedOrder:
    """Check what is asked for.

    Args:
        order: What is asked for.
        name: What the suite is called here.
        path: Where it lies.
        settings: What the server may do.
        destinations: Where agents may be reached.

    Raises:
        RefusedError: It would start a program, or read a file, that it may not.
        HarnessError: Something makes no sense.
        InvalidCasesError: The suite is invalid.
    """
    refuse_programs(order, settings)
    suite = load_suite(path)
    problems = [
        each for each in fixture_problems(suite.path, content=False) if each.level == "error"
    ]
    if problems:
        raise InvalidCasesError(problems)
    cases = select(
        suite.cases, ids=order.ids, category=order.category, tags=order.tags, limit=order.limit
    )
    against = _baseline_gate(order, path, settings)
    return PreparedOrder(
        name=name,
        folder=suite.path,
        order=NewRun(
            suite=str(path),
            cases=cases,
            agent=order.agent,
            policy=read_policy(order.policy),
            settings=_run_settings(order),
            note=order.note,
        ),
        driver=_driver(order, suite.path, settings, destinations),
        serve=order.serve,
        url=agent_url(order.agent),
        against=against,
    )


def refuse_programs(order: RunOrder, settings: Settings) -> None:
    """Refuse what starts a program on this machine, or reads a file outside the suites.

    Raises:
        RefusedError: It does.
    """
    kind, _, rest = order.agent.partition(":")
    if (starts_program(order.agent) or order.serve) and not settings.allow_subprocess:
        what = "a command that serves the agent" if order.serve else f"{kind}: agents"
        hint = "start the server with --allow-subprocess"
        raise RefusedError(403, f"this server starts no programs, so no {what}", hint=hint)
    if kind in _FILES:
        root = settings.suites.resolve()
        try:
            inside = (root / rest).resolve().is_relative_to(root)
        except (OSError, ValueError, RuntimeError):  # too long, or with NUL: no path at all
            inside = False
        if not inside:
            raise RefusedError(403, f"{rest!r} is outside the directory of suites")
    if order.serve and not agent_url(order.agent):
        raise HarnessError(f"serve goes with an http: agent, not with {order.agent!r}")


async def refuse_destination(agent: str, destinations: Destinations) -> None:
    """Refuse an agent at an address where none may be reached, before anything is made.

    Raises:
        RefusedError: It is at one, or at none at all.
        HarnessError: Its URL is none.
    """
    if not (url := agent_url(agent)):
        return
    parts = urlsplit(checked_url(url, "http:http://localhost:3100/api/chat"))
    try:
        await destinations.addresses(parts.hostname or "", parts.port or 0)
    except HarnessError as error:
        raise RefusedError(403, error.message, hint=error.hint) from None


def run_folder(settings: Settings, run: str) -> Path:
    """The directory of a run.

    Raises:
        RefusedError: There is none of this id.
    """
    place = settings.runs / run
    try:
        there = bool(run) and Path(run).name == run and (place / "manifest.json").is_file()
    except (OSError, ValueError):  # too long for a name, or with NUL
        there = False
    if not there:
        raise RefusedError(404, f"no run {run!r}")
    return place


def _run_settings(order: RunOrder) -> RunSettings:
    return RunSettings(
        trials=order.trials,
        concurrency=order.concurrency,
        timeout_s=order.timeout,
        retries=order.retries,
        profile=order.profile,
        input=order.input,
        header_names=tuple(order.headers),
    )


def _driver(
    order: RunOrder, suite: Path, settings: Settings, destinations: Destinations
) -> AgentDriver:
    checked_header("Authorization", order.token)
    told = DriverOptions(
        profile=order.profile,
        headers=dict(checked_header(*each) for each in order.headers.items()),
        token=order.token,
        retries=order.retries,
        input=order.input,
        folder=settings.suites.resolve(),
        destinations=destinations,
        prices=suite_prices(suite),
    )
    refuse_live(visible_environment(order.agent, told, os.environ))
    return build_driver(order.agent, told)


def _baseline_gate(order: RunOrder, path: Path, settings: Settings) -> BaselineGate | None:
    if not order.baseline:
        return None
    named = order.baseline
    if named == "current":
        current = Baselines(settings.runs).of(str(path))
        if current is None:
            hint = "POST /api/eval/runs/{id}/baseline"
            raise RefusedError(409, "the suite has no baseline", hint=hint)
        named = current.run
    terms = Terms(margin=order.margin, threshold=order.threshold)
    return BaselineGate(stored_outcomes(run_folder(settings, named)), terms)
