"""Plug-ins: what installed packages add to the tables of both houses, by entry points.

A table (`Table`) looks for plug-ins only where its own lines end: when it is asked for a name that
it does not have, or is listed. Only the metadata of installed distributions is read, never the
working folder; a module is imported when something of it is asked for. A plug-in that cannot be
used is logged with the reason, and left out, unless what is asked for needs every one of them.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from typing_extensions import override

from mockserver.errors import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_log = logging.getLogger(__name__)

T = TypeVar("T")
P = ParamSpec("P")
PREFIX = "understudy."


@dataclass(frozen=True, slots=True)
class Group:
    """One group of entry points.

    Attributes:
        about: What a plug-in of it adds.
        table: `package.module:name` of the table that it adds to.
        contract: The newest version of the contract that this version of Understudy knows.
    """

    about: str
    table: str
    contract: int = 1


GROUPS: Mapping[str, Group] = {
    "understudy.apis": Group("an emulated API", "mockserver.apis:TABLE"),
    "understudy.cases": Group("a case format", "harness.cases.formats:TABLE"),
    "understudy.drivers": Group("a kind of agent", "harness.agents.specs:DRIVERS"),
    "understudy.checks": Group("a kind of expectation", "harness.checks.registry:CHECKS"),
    "understudy.reports": Group("a report of a run", "harness.reports.formats:FORMATS"),
    "understudy.recordings": Group(
        "a format of recordings", "mockserver.cassettes.foreign.formats:FORMATS"
    ),
    "understudy.redaction": Group("rules of redaction", "mockserver.redaction.rules:PLUGINS"),
}
"""Each group; a new version of a contract is told in `docs/reference/plugins.md`."""


@dataclass(frozen=True, slots=True)
class Plugin(Generic[T]):
    """What an entry point names.

    Attributes:
        contract: The version of the group's contract that the plug-in is written for.
        provides: The object that the contract asks for.
    """

    contract: int
    provides: T


class PluginError(UserError):
    """A plug-in that cannot be used, or that failed."""


@dataclass(frozen=True, slots=True)
class InstalledPlugin:
    """A plug-in as the metadata of its distribution tells of it.

    Attributes:
        group: `understudy.checks`.
        name: The name of the entry point.
        distribution: The name of the distribution.
        version: Its version.
        place: `package.module:name` of the object.
        problem: Why it is left out; an empty string where it can be used, or was not looked at yet.
    """

    group: str
    name: str
    distribution: str
    version: str
    place: str
    problem: str = ""

    @property
    def title(self) -> str:
        """What it is called, and where it comes from."""
        return f"the plug-in {self.name!r} ({self.group}) of {self.distribution} {self.version}"

    def load(self) -> object:
        """The object; whatever its module raises passes."""
        module, _, attributes = self.place.partition(":")
        found: object = import_module(module.strip())
        for name in filter(None, attributes.strip().split(".")):
            found = getattr(found, name)
        return found


_PATH = tuple(sys.path)
"""Where Python looked at its start; a suite may add its own folder later."""


def _folders() -> Iterator[Path]:
    """Where distributions are installed; the working folder is none of these.

    Yields:
        Each folder.
    """
    here = Path.cwd()
    for each in dict.fromkeys(_PATH):
        if each and (folder := Path(each)).is_dir() and folder.resolve() != here:
            yield folder


@cache
def installed_plugins() -> tuple[InstalledPlugin, ...]:
    """The plug-ins of all groups, in the order of the names of their distributions.

    Of distributions that bring none only one small file is opened.
    """
    found: dict[str, list[InstalledPlugin]] = {}
    for folder in _folders():
        for info in os.scandir(folder):
            name, _, ending = info.name.partition("-")
            # of a distribution that is there twice Python imports the first
            if ending.endswith(".dist-info") and name.lower() not in found:
                found[name.lower()] = _plugins_of(info.path)
    return tuple(plugin for name in sorted(found) for plugin in found[name])


def _plugins_of(info: str) -> list[InstalledPlugin]:
    try:
        with open(f"{info}/entry_points.txt", "rb") as file:  # noqa: PTH123  (hundreds at a start)
            if PREFIX.encode() not in file.read():
                return []
    except OSError:
        return []
    from importlib.metadata import PathDistribution

    distribution = PathDistribution(Path(info))
    name, version = distribution.metadata["Name"], distribution.version
    try:
        points: Sequence[EntryPoint] = tuple(distribution.entry_points)
    except (ValueError, TypeError) as error:
        _log.warning(
            "the plug-ins of %s %s are left out: entry_points.txt: %s", name, version, error
        )
        return []
    return [
        InstalledPlugin(each.group, each.name, name, version, each.value)
        for each in points
        if each.group.startswith(PREFIX)
    ]


class Table(Mapping[str, T]):
    """What a house has by name, and what plug-ins add to it.

    Args:
        group: The group of the plug-ins.
        own: The lines of the house, in their order.
        accept: Makes a line of a name and of what a plug-in provides; raises ValueError or
            TypeError for what the contract does not allow.

    Attributes:
        group: The group.
        own: The lines of the house.
    """

    def __init__(self, group: str, own: Mapping[str, T], accept: Callable[[str, Any], T]) -> None:
        self.group = group
        self.own = own
        self._accept = accept
        self._lines: dict[str, T] = {}
        self._problems: dict[InstalledPlugin, str] = {}

    @override
    def __getitem__(self, name: str) -> T:
        if name in self.own:
            return self.own[name]
        self._load(name)
        return self._lines[name]

    @override
    def __iter__(self) -> Iterator[str]:
        yield from self.own
        for plugin in self._installed():
            self._load(plugin.name)
        yield from self._lines

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)

    def plugins(self) -> Mapping[str, T]:
        """What plug-ins add, by name."""
        return {name: self[name] for name in self if name not in self.own}

    def states(self) -> list[InstalledPlugin]:
        """Every plug-in of the group, those that are left out with the reason."""
        for each in self._installed():
            self._load(each.name, is_told=False)
        return [replace(each, problem=self._problems[each]) for each in self._installed()]

    def require_all(self, need: str) -> None:
        """Refuse what needs every plug-in of the group, where one is left out.

        Args:
            need: What does, and what of them; a sentence without its full stop.

        Raises:
            PluginError: One is; the message names each with its reason.
        """
        broken = [each for each in self.states() if each.problem]
        if broken:
            told = "; ".join(f"{each.title} cannot be used: {each.problem}" for each in broken)
            names = " ".join(dict.fromkeys(each.distribution for each in broken))
            hint = f"mend it or install a version that works, or: pip uninstall {names}"
            raise PluginError(f"{need}: {told}", hint=hint)

    def accept(self, name: str, plugin: object) -> T:
        """The line that a plug-in of this name would be.

        Raises:
            PluginError: It does not hold to the contract; the message says how.
        """
        if not isinstance(plugin, Plugin):
            text = f"it is of type {type(plugin).__name__}, and no mockserver.plugins.Plugin"
            raise PluginError(text)
        known = GROUPS[self.group].contract
        if type(plugin.contract) is not int or plugin.contract < 1:
            raise PluginError(f"its contract must be a number from 1, not {plugin.contract!r}")
        if plugin.contract > known:
            raise PluginError(
                f"it is written for contract {plugin.contract} of {self.group}, and this version of"
                f" Understudy knows {known}",
                hint="update Understudy, or install an older version of the plug-in",
            )
        if name in self.own:
            raise PluginError(f"Understudy itself has a {name!r} there")
        try:
            return self._accept(name, plugin.provides)
        except (ValueError, TypeError) as error:
            raise PluginError(str(error)) from error

    def _installed(self) -> list[InstalledPlugin]:
        return [each for each in installed_plugins() if each.group == self.group]

    def _load(self, name: str, *, is_told: bool = True) -> None:
        """Load the plug-ins of a name; the first that can be used has it."""
        for plugin in self._installed():
            if plugin.name != name or plugin in self._problems:
                continue
            self._problems[plugin] = problem = self._problem_of(plugin)
            if problem and is_told:
                _log.warning("%s is left out: %s", plugin.title, problem)

    def _problem_of(self, plugin: InstalledPlugin) -> str:
        if plugin.name in self._lines:
            return f"another plug-in has the name {plugin.name!r}"
        try:
            self._lines[plugin.name] = self.accept(plugin.name, plugin.load())
        except PluginError as error:
            return str(error)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (their code may fail in any way)
            return f"{plugin.place} cannot be loaded: {type(error).__name__}: {error}"
        return ""


class TableValues(Sequence[T]):
    """The lines of a table, as a sequence."""

    def __init__(self, table: Table[T]) -> None:
        self._table = table

    @override
    def __iter__(self) -> Iterator[T]:
        for name in self._table:
            yield self._table[name]

    @override
    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...

    @override
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        return tuple(self)[place]


def of_kind(provided: object, kind: type[T], name: str) -> T:
    """What a plug-in provides, if it is of a kind.

    Args:
        provided: What it provides.
        kind: The kind.
        name: What authors import the kind as.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(provided, kind):
        raise TypeError(f"it provides an object of type {type(provided).__name__}, and no {name}")
    return provided


def guarded(
    function: Callable[P, T], name: str, group: str, *allowed: type[Exception]
) -> Callable[P, T]:
    """A function of a plug-in, whose failures name it.

    Args:
        function: The function.
        name: The name of the plug-in.
        group: Its group.
        allowed: What it may raise beside errors of the user.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, (UserError, *allowed)):
                raise
            text = f"the plug-in {name!r} ({group}) failed: {type(error).__name__}: {error}"
            raise PluginError(text) from error

    return call


def check_plugin(group: str, name: str, plugin: object) -> None:
    """Hold a plug-in to the contract of its group, installed or not; for tests of its authors.

    Raises:
        PluginError: There is no such group, or the plug-in does not hold to its contract.
    """
    if group not in GROUPS:
        raise PluginError(f"there is no group {group!r}", hint=f"one of {', '.join(GROUPS)}")
    table_of(group).accept(name, plugin)


def table_of(group: str) -> Table[Any]:
    """The table of a group."""
    module, _, name = GROUPS[group].table.partition(":")
    found: Table[Any] = getattr(import_module(module), name)
    return found


def plugin_states() -> list[InstalledPlugin]:
    """Every plug-in that is installed, by group; those that are left out with the reason."""
    installed = installed_plugins()
    wanted = {each.group for each in installed}
    states = [state for group in GROUPS if group in wanted for state in table_of(group).states()]
    for each in installed:
        if each.group not in GROUPS:
            near = get_close_matches(each.group, GROUPS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(GROUPS)}"
            states.append(replace(each, problem=f"there is no group {each.group} ({hint})"))
    return states
