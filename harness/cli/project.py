"""`understudy.yaml`: what `understudy run` does in a folder unless its options say otherwise."""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.agents import starts_program
from harness.cli.run_options import RunOptions
from harness.errors import InvalidCasesError

PROJECT = Path("understudy.yaml")
_KINDS: dict[str, tuple[type, str]] = {
    "suite": (str, "a path"),
    "agent": (str, "an agent, such as command:./agent.sh"),
    "trials": (int, "a number of trials"),
    "intercept": (bool, "true or false"),
    "tunnel": (list, "a list of hosts"),
    "env": (list, "a list of variables, NAME or NAME=VALUE"),
}
_OF_PROGRAMS = frozenset({"intercept", "tunnel", "env"})
"""What is said of the agent's own process; no other agent has one."""


def with_project(options: RunOptions, given_options: Collection[str]) -> RunOptions:
    """Options completed by the project's file; those of the command line come first.

    A run whose suite is named is none of the project's.

    Raises:
        InvalidCasesError: The file cannot be read, or says what it may not.
    """
    is_other = options.suite is not None or options.cases is not None or options.resume
    if is_other or not PROJECT.is_file():
        return options
    said = _read()
    agent = options.agent if "agent" in given_options else said.get("agent")
    left_out = set(given_options)
    if not starts_program(str(agent)) or options.mock:
        left_out |= _OF_PROGRAMS
    if options.replay or options.intercept is False:
        left_out.add("tunnel")
    changes: dict[str, Any] = {
        name: Path(value) if name == "suite" else value
        for name, value in said.items()
        if name not in left_out
    }
    if "env" in changes:
        changes["env"] = [each for each in changes["env"] if "=" in each or each in os.environ]
    return replace(options, **changes)


def _read() -> dict[str, Any]:
    from harness.documents import Findings, read_yaml

    findings = Findings()
    document = read_yaml(PROJECT, findings)
    said: Any = {} if document is None else document.value
    if document is not None and not isinstance(said, dict):
        findings.error(document.where(), "expected an object, such as `suite: evals`")
        said = {}
    for name, value in said.items():
        where = document.where((name,)) if document is not None else str(PROJECT)
        if name not in _KINDS:
            findings.error(where, f"unknown key {name!r}", f"there are {', '.join(_KINDS)}")
        elif type(value) is not _KINDS[name][0] or not all(
            isinstance(each, str) for each in (value if isinstance(value, list) else ())
        ):
            findings.error(where, f"{name!r} must be {_KINDS[name][1]}, not {value!r}")
    if findings.problems:
        raise InvalidCasesError(findings.problems)
    return dict(said)
