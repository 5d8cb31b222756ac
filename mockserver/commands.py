"""Command lines whose commands are imported when they run, so that `--help` is quick.

A table names each command, where it is, and the line that `--help` says of it. The help of a
command lists the options that matter first, then the others by their `rich_help_panel`. What shells
complete stands in the module `completion` beside the commands, and is imported when a shell asks.
"""

import gc
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import partial
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

from mockserver.errors import ShortageError, UserError, plain_reason, shortage_behind

Completions = Mapping[str, Callable[[Mapping[str, Any]], Iterable[str]]]
"""For a parameter's name, the values it may have; told what was given for the other parameters."""


@dataclass(frozen=True)
class CommandEntry:
    """One line of the table of commands.

    Attributes:
        name: What the user types.
        place: `package.module:name` of the function, or of the `typer.Typer` of a group; empty for
            a group that has only the commands below.
        summary: The first sentence of its help.
        settings: Further settings of its context.
        section: The heading below which `--help` lists it.
        of_program: The place of the command that runs in its stead where a program follows `--`.
        understudy: The words behind `understudy` that call it, where they are not its name.
        commands: The commands below it that `understudy` has each on its own.
        old_options: Earlier names of options, which answer for one version, and their names now.
    """

    name: str
    place: str
    summary: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    section: str = "Commands"
    of_program: str = ""
    understudy: str = ""
    commands: "Sequence[CommandEntry]" = ()
    old_options: Mapping[str, str] = field(default_factory=dict)

    @property
    def umbrella_name(self) -> str:
        """The words behind `understudy` that call it."""
        return self.understudy or self.name


AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")
]
"""The option of every command that prints facts."""


def print_json(value: object) -> None:
    """Print a value as JSON, indented by two spaces and without colours, so that it can be piped.

    Args:
        value: Of JSON, or of dataclasses, named tuples, pydantic models and paths.
    """
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    typer.echo(orjson.dumps(value, default=_plain, option=options).decode("utf-8"))


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


PrintVersion = Annotated[
    bool, typer.Option("--version", help="Print the version and its parts; --json for programs.")
]
"""The option of every program that tells its version."""


def answer_without_command(
    ctx: typer.Context, program: str, version: str, *, wanted: bool, as_json: bool
) -> None:
    """Do what a program does whose options name no command: print its version, or say what lacks.

    Args:
        ctx: Of the call.
        program: Its name.
        version: Its version.
        wanted: Whether `--version` is given.
        as_json: Whether `--json` is.

    Raises:
        Exit: The version is printed.
    """
    if wanted:
        from mockserver.parts import parts_of, parts_text

        parts = parts_of(program, version)
        if as_json:
            print_json(parts)
        else:
            typer.echo(parts_text(parts))
        raise typer.Exit
    if as_json:
        ctx.fail("--json goes with --version, or behind the name of a command")
    if ctx.invoked_subcommand is None:
        ctx.fail("Missing command.")


_NO_PLUGINS = "PYDANTIC_DISABLE_PLUGINS"


@contextmanager
def without_plugins() -> Iterator[None]:
    """Make models that no plugin of pydantic sees that happens to be installed.

    It would be told of every value of a session, and looking for some takes longer than to make
    the models. What the program starts meanwhile, and later, has the environment as it was.
    """
    before = os.environ.get(_NO_PLUGINS)
    os.environ[_NO_PLUGINS] = "__all__"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_NO_PLUGINS]
        else:
            os.environ[_NO_PLUGINS] = before


@contextmanager
def _without_collection() -> Iterator[None]:
    """Load what is not garbage, without looking for any: that would take a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Command(TyperCommand):
    """A command whose help groups its options: those without a panel, then panel by panel."""

    old_options: Mapping[str, str] = {}

    @override
    def make_parser(self, ctx: Any) -> Any:
        renamed = [
            (param.opts, old)
            for old, new in self.old_options.items()
            for param in self.params
            if new in param.opts
        ]
        for names, old in renamed:
            names.append(old)
        parser = super().make_parser(ctx)
        for names, old in renamed:
            names.remove(old)  # so that help names it once
        return parser

    @override
    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except typer.BadParameter as error:
            error.message = plain_reason(error.message)
            raise

    @override
    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            usual = "Arguments" if param.param_type_name == "argument" else "Options"
            sections.setdefault(getattr(param, "rich_help_panel", None) or usual, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class LazyCommand(TyperCommand):
    """Stands for a command until it is run or asked for its own help."""

    def __init__(self, entry: CommandEntry, *, names_umbrella: bool = False) -> None:
        super().__init__(entry.name, help=entry.summary)
        self.entry = entry
        self.names_umbrella = names_umbrella

    def load(self, place: str = "") -> Any:
        """Import the command, or the one at another place."""
        found = self._imported(place or self.entry.place)
        if self.names_umbrella:
            _name_umbrella(found, self.entry)
        return found

    def _imported(self, place: str) -> Any:
        if not place:
            group = typer.Typer(
                name=self.entry.name,
                cls=lazy_group(self.entry.commands, names_umbrella=self.names_umbrella),
                no_args_is_help=True,
                help=self.entry.summary,
                rich_markup_mode=None,
            )
            group.callback()(_nothing)
            return typer.main.get_group(group)
        module, _, name = place.partition(":")
        found = getattr(import_module(module), name)
        if isinstance(found, typer.Typer):
            found.rich_markup_mode = None
            for each in found.registered_commands:
                each.cls = Command
            made: Any = typer.main.get_group(found)
            made.name = self.entry.name
            for each in made.commands.values():
                each.old_options = self.entry.old_options
            return made
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        settings = dict(self.entry.settings)
        alone.command(self.entry.name, cls=Command, context_settings=settings)(found)
        made = typer.main.get_command(alone)
        made.old_options = self.entry.old_options
        return made

    @override
    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        with _without_collection():
            command = self.load(self.entry.of_program if "--" in args else "")
            if extra.get("resilient_parsing") and self.entry.place:
                package = self.entry.place.partition(":")[0].rpartition(".")[0]
                _add_completions(command, import_module(f"{package}.completion").COMPLETIONS)
            return command.make_context(info_name, args, parent, **extra)


def with_options(
    command: Callable[..., None], *, without: Collection[str] = (), **annotations: Any
) -> Callable[..., None]:
    """A command whose options are the fields of the dataclasses that it takes, as typer reads them.

    Args:
        command: A parameter that is annotated with a dataclass takes a group of options; each field
            is annotated with its `typer.Option`. Other parameters are as typer has them.
        without: Fields that are no options.
        annotations: What typer reads of single fields in place of their own annotations.
    """
    taken = get_type_hints(command, include_extras=True)
    taken.pop("return", None)
    groups: dict[str, Any] = {name: model for name, model in taken.items() if is_dataclass(model)}
    parameters = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=hint)
        for name, hint in taken.items()
        if name not in groups
    ]
    options: dict[str, list[str]] = {}
    for group, model in groups.items():
        hints = get_type_hints(model, include_extras=True) | annotations
        offered = [item for item in fields(model) if item.name not in without]
        options[group] = [item.name for item in offered]
        parameters += [
            Parameter(
                item.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if item.default is MISSING else item.default,
                annotation=hints[item.name],
            )
            for item in offered
        ]

    def run(**given: Any) -> None:
        made = {
            group: groups[group](**{name: given.pop(name) for name in names})
            for group, names in options.items()
        }
        command(**given, **made)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def _nothing() -> None:
    """The callback of a group without options."""


def _name_umbrella(command: Any, entry: CommandEntry) -> None:
    """Let the help of a command, and of those below it, say which of `understudy` it is."""
    command.epilog = f"This is `understudy {entry.umbrella_name}`."
    own = {each.name: each for each in entry.commands}
    for name, each in getattr(command, "commands", {}).items():
        words = f"{entry.umbrella_name} {name}"
        _name_umbrella(each, own.get(name, CommandEntry(name, "", "", understudy=words)))


def _add_completions(command: Any, completions: Completions) -> None:
    """Let the parameters of a command, and of those below it, complete their values."""
    for each in getattr(command, "commands", {}).values():
        _add_completions(each, completions)
    for param in command.params:
        if (values := completions.get(param.name)) and not param.type_descriptor.is_choice:
            param.shell_complete = partial(_complete, values)


def _complete(
    values: Callable[[Mapping[str, Any]], Iterable[str]], ctx: Any, incomplete: str
) -> list[Any]:
    """The values that begin with what is typed, or with what is typed after its last comma.

    None for a suite that cannot be read, or a folder that is not there: whoever presses a key is
    told of it by the command.
    """
    from typer._click.shell_completion import CompletionItem

    before, comma, last = incomplete.rpartition(",")
    # behind an option that still lacks its value, arguments are not parsed any more
    arguments = [each.name for each in ctx.command.params if each.param_type_name == "argument"]
    unparsed = dict(zip(arguments, ctx.args, strict=False))
    given = {name: value for name, value in ctx.params.items() if value is not None}
    try:
        known = [each for each in values(unparsed | given) if each.startswith(last)]
    except (UserError, OSError, ValueError):
        return []
    return [CompletionItem(f"{before}{comma}{each}") for each in known]


def lazy_group(
    entries: Sequence[CommandEntry], *, names_umbrella: bool = False
) -> type[TyperGroup]:
    """The class of a group that has these commands, for `typer.Typer(cls=...)`.

    Args:
        entries: The commands.
        names_umbrella: Whether the help of each says which command of `understudy` it is.
    """

    class LazyGroup(TyperGroup):
        def __init__(self, **attrs: Any) -> None:
            super().__init__(**attrs)
            self.commands = {
                entry.name: LazyCommand(entry, names_umbrella=names_umbrella) for entry in entries
            }

        @override
        def format_commands(self, ctx: Any, formatter: Any) -> None:
            width = max(len(entry.name) for entry in entries)
            limit = formatter.width - 6 - width
            for title in dict.fromkeys(entry.section for entry in entries):
                with formatter.section(title):
                    formatter.write_dl(
                        [
                            (
                                entry.name.ljust(width),
                                self.commands[entry.name].get_short_help_str(limit),
                            )
                            for entry in entries
                            if entry.section == title
                        ]
                    )

    return LazyGroup


@contextmanager
def errors_in_words(text: Callable[[UserError], str]) -> Iterator[None]:
    """Print a mistake of the user, or what this process lacks, without a traceback, and exit.

    Args:
        text: What is printed of it.
    """
    try:
        yield
    except Exception as error:
        short = None if isinstance(error, UserError) else shortage_behind(error)
        if short is not None:
            error = ShortageError(short)
        if not isinstance(error, UserError):
            raise
        typer.echo(text(error), err=True)
        sys.exit(error.exit_code)
