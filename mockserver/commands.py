"""Command lines whose commands are imported when they run, so that `--help` is quick.

A table names each command, where it is, and the line that `--help` says of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override


@dataclass(frozen=True)
class CommandEntry:
    """One line of the table of commands.

    Attributes:
        name: What the user types.
        place: `package.module:name` of the function, or of the `typer.Typer` of a group.
        summary: The first sentence of its help.
        settings: Further settings of its context.
    """

    name: str
    place: str
    summary: str
    settings: Mapping[str, Any] = field(default_factory=dict)


class LazyCommand(TyperCommand):
    """Stands for a command until it is run or asked for its own help."""

    def __init__(self, entry: CommandEntry) -> None:
        super().__init__(entry.name, help=entry.summary)
        self.entry = entry

    def load(self) -> Any:
        """Import the command."""
        module, _, name = self.entry.place.partition(":")
        found = getattr(import_module(module), name)
        if isinstance(found, typer.Typer):
            found.rich_markup_mode = None
            made: Any = typer.main.get_group(found)
            made.name = self.entry.name
            return made
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.entry.name, context_settings=dict(self.entry.settings))(found)
        return typer.main.get_command(alone)

    @override
    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return self.load().make_context(info_name, args, parent, **extra)


def lazy_group(entries: Sequence[CommandEntry]) -> type[TyperGroup]:
    """The class of a group that has these commands, for `typer.Typer(cls=...)`."""

    class LazyGroup(TyperGroup):
        def __init__(self, **attrs: Any) -> None:
            super().__init__(**attrs)
            self.commands = {entry.name: LazyCommand(entry) for entry in entries}

    return LazyGroup
