"""The commands of a command line, imported as they are when they run."""

from typing import Any

import typer


def command_of(app: typer.Typer, name: str) -> Any:
    """One of its commands, with its options."""
    entry: Any = typer.main.get_group(app).commands[name]
    return entry.load()
