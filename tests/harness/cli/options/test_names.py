"""What the help of commands lists is what there is."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
import typer

from harness.agents.profiles import PROFILES
from harness.cases.fault_profiles import BUILTIN
from harness.cli.main import app as harness
from harness.cli.run_options import FAULT_PROFILES, HTTP_PROFILES
from mockserver.cli.main import app as mockserver
from mockserver.model.sessions import Profile


def test_the_tables_of_help_are_those_of_the_code() -> None:
    assert list(HTTP_PROFILES) == list(PROFILES)
    assert list(FAULT_PROFILES) == list(BUILTIN)


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


OPTIONS = [
    (name, opt, param.help)
    for app, title in ((harness, "harness"), (mockserver, "mockserver"))
    for name, command in _commands(typer.main.get_group(app), title)
    for param in command.params
    for opt in param.opts
    if opt in {"--profile", "--faults-matrix"}
]


@pytest.mark.parametrize(
    ("command", "option", "told"), OPTIONS, ids=[f"{name} {opt}" for name, opt, _ in OPTIONS]
)
def test_help_names_every_profile(command: str, option: str, told: str) -> None:
    """Wherever a command takes one: agents over HTTP, faults, and sessions of the server."""
    fixed = get_args(Profile) if command.startswith("mockserver") else PROFILES
    names = BUILTIN if option == "--faults-matrix" else fixed
    assert [name for name in names if name not in told] == []


def test_commands_that_take_profiles_are_found() -> None:
    found = {(name, opt) for name, opt, _ in OPTIONS}
    assert found >= {
        ("harness run", "--profile"), ("harness doctor", "--profile"),
        ("harness run", "--faults-matrix"), ("mockserver serve", "--profile"),
    }  # fmt: skip
