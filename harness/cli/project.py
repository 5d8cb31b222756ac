"""`understudy.yaml`: what `understudy run` does in a folder unless its options say otherwise."""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

from harness.agents import starts_program
from harness.cli.run_options import RunOptions
from harness.errors import InvalidCasesError

PROJECT = Path("understudy.yaml")
KEYS = {
    "suite": "a path",
    "agent": "an agent, such as command:./agent.sh",
    "trials": "a number of trials",
    "intercept": "true or false",
    "tunnel": "a list of hosts",
    "env": "a list of variables, NAME or NAME=VALUE",
}
"""Options that the file may set, and what each must be; the type is that of `RunOptions`."""

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
    changes = {name: value for name, value in said.items() if name not in left_out}
    if "env" in changes:
        changes["env"] = [each for each in changes["env"] if "=" in each or each in os.environ]
    return replace(options, **changes)


def _read() -> dict[str, Any]:
    from pydantic import TypeAdapter
    from pydantic_core import to_json

    from harness.documents import Findings, read_yaml

    findings = Findings()
    document = read_yaml(PROJECT, findings)
    said: Any = {} if document is None else document.value
    if document is not None and not isinstance(said, dict):
        findings.error(document.where(), "expected an object, such as `suite: evals`")
        said = {}
    types = get_type_hints(RunOptions)
    read: dict[str, Any] = {}
    for name, value in said.items():
        where = document.where((name,)) if document is not None else str(PROJECT)
        if name not in KEYS:
            findings.error(where, f"unknown key {name!r}", f"there are {', '.join(KEYS)}")
            continue
        try:
            read[name] = TypeAdapter(types[name]).validate_json(to_json(value), strict=True)
        except ValueError:
            read[name] = None
        if read[name] is None:
            findings.error(where, f"{name!r} must be {KEYS[name]}, not {value!r}")
    if findings.problems:
        raise InvalidCasesError(findings.problems)
    return read
