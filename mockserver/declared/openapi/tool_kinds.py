"""What tools are taken for: one of five operations of a collection, by what came back for what.

A row that is named by an argument is read, rows are listed, a row with an id that nobody gave was
created, a row that was there is changed or deleted. A tool that writes and whose results follow
from its arguments alone creates rows that nobody reads.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from mockserver.declared.documents import words
from mockserver.declared.keywords import as_list, as_object
from mockserver.declared.openapi.recordings import KEY_NAMES
from mockserver.declared.openapi.tool_results import (
    argument_template,
    is_chance,
    is_plain,
    result_template,
)
from mockserver.messages.mcp_calls import words_of_name
from mockserver.model import Json, JsonObject

ToolKind = Literal["", "list", "get", "create", "patch", "delete", "echo"]

_FILLERS = frozenset({
    "a", "about", "all", "an", "and", "by", "current", "data", "detail", "details", "existing",
    "for", "from", "in", "info", "information", "my", "new", "of", "on", "status", "the", "to",
    "up", "with",
})  # fmt: skip
_ENDINGS = frozenset({"about", "by", "for", "from", "in", "of", "on", "to", "with"})
"""Words after which a tool's name no longer says what it is about: `orders_of_customer`."""

_CREATING = frozenset({"add", "create", "insert", "make", "new", "open", "register", "submit"})
_DELETING = frozenset({"delete", "drop", "remove"})
CREATED = frozenset({"created", "created_at", "created_on", "creation_time", "date_created"})
UPDATED = frozenset({"updated", "updated_at", "updated_on", "modified", "modified_at",
                      "last_modified", "update_time"})  # fmt: skip
_STATES = frozenset({"state", "status"})
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_KEY = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_LIKENESS = 0.5


class ToolUse(NamedTuple):
    """A call of a tool.

    Attributes:
        name: The tool's.
        arguments: What it was given.
        result: What it returned, or the text of its error.
        failed: Whether it failed.
    """

    name: str
    arguments: JsonObject
    result: Json
    failed: bool = False


@dataclass
class FoundRows:
    """A collection behind tools."""

    name: str
    key: str
    fields: set[str] = field(default_factory=set)
    is_read: bool = False
    keys: set[str] = field(default_factory=set)


@dataclass
class CalledTool:
    """A tool: its calls, and what it is taken for."""

    name: str
    reads: bool
    uses: list[ToolUse] = field(default_factory=list)
    kind: ToolKind = ""
    found: FoundRows | None = None
    place: str = ""
    key_arg: str = ""
    body: Json = None
    renamed: dict[str, str] = field(default_factory=dict)
    echoed: dict[str, str] = field(default_factory=dict)
    fixed: JsonObject = field(default_factory=dict)

    @property
    def good(self) -> list[ToolUse]:
        """Its calls that did not fail."""
        return [use for use in self.uses if not use.failed]

    @property
    def noun(self) -> str:
        """What it is about, by its name: `order` of `look_up_order`, `refund` of `refund`."""
        first, *rest = words_of_name(self.name) or [self.name]
        about: list[str] = []
        for word in rest:
            if word in _ENDINGS and about:
                break
            if word not in _FILLERS:
                about.append(word)
        return words.singular((about or [first])[-1])

    def inner(self, use: ToolUse) -> Json:
        """What a result holds where the row or the rows are."""
        return as_object(use.result).get(self.place) if self.place else use.result

    def row(self, use: ToolUse) -> JsonObject:
        """The row that a result holds; empty where it holds none."""
        return as_object(self.inner(use))

    def sent(self, use: ToolUse) -> JsonObject:
        """The fields of a new row that a call gives."""
        return {self.renamed[name]: value for name, value in use.arguments.items()
                if name in self.renamed}  # fmt: skip

    def changed(self, use: ToolUse) -> JsonObject:
        """The fields of a row that a call changes, as far as that is told."""
        echoed = {name: use.arguments[arg] for name, arg in self.echoed.items()
                  if arg in use.arguments}  # fmt: skip
        return {**echoed, **self.fixed}

    def result(self, answers: Sequence[JsonObject]) -> tuple[Json] | None:
        """What makes its results of the API's answers, see `result_template`."""
        arguments = [use.arguments for use in self.good]
        return result_template([use.result for use in self.good], answers, arguments)

    def names_rows(self, found: FoundRows) -> bool:
        """Whether it is given the keys of rows."""
        return any(isinstance(each, str | int) and str(each) in found.keys
                   for use in self.good for each in use.arguments.values())  # fmt: skip

    def arguments(self) -> list[str]:
        """The names of all that it was given."""
        return list(dict.fromkeys(name for use in self.uses for name in use.arguments))


class ToolKinds:
    """Tells what tools are taken for.

    Attributes:
        tools: Every tool that was called, by name.
        collections: Those that they tell of.
        doubts: Collection to what is unsure of it.
        untold: Tools whose effects are not told, and why.

    Args:
        traces: The calls of each trace in their order.
        reads: Whether a tool changes nothing, by its name.
    """

    def __init__(self, traces: Sequence[Sequence[ToolUse]], reads: Callable[[str], bool]) -> None:
        self._traces = traces
        self.tools: dict[str, CalledTool] = {}
        for use in (use for trace in traces for use in trace):
            tool = self.tools.setdefault(use.name, CalledTool(use.name, reads(use.name)))
            tool.uses.append(use)
        self._found: dict[str, FoundRows] = {}
        self.doubts: dict[str, list[str]] = {}
        self.untold: dict[str, str] = {}

    @property
    def collections(self) -> tuple[FoundRows, ...]:
        """The collections that tools tell of."""
        return tuple(self._found.values())

    def find(self, several: Sequence[CalledTool]) -> None:
        """Tell what tools are: first those that read, by whose rows the others are known."""
        for bind, reads in (
            (self._bind_get, True), (self._bind_list, True), (self._bind_write, False),
        ):  # fmt: skip
            for tool in several:
                if tool.reads is reads and not tool.kind:
                    bind(tool)
        self._add_effects()
        for tool in several:
            if not tool.kind and not tool.reads and tool.name not in self.untold:
                self._bind_echo(tool)

    def _bind_get(self, tool: CalledTool) -> None:
        """Take a tool for one that reads a row, if its only argument names what came back."""
        if len(tool.arguments()) != 1:
            return  # what another argument means is not told
        (name,) = tool.arguments()
        for place in _single_places(tool.good):
            tool.place = place
            rows = [tool.row(use) for use in tool.good]
            keys = [key for key in _shared(rows) if _names_row(key, tool.noun) and all(
                _is_same(use.arguments.get(name), row[key])
                for use, row in zip(tool.good, rows, strict=True))]  # fmt: skip
            found = self._collection(tool.noun, keys[0]) if keys else None
            if found is not None and found.key in keys:
                tool.kind, tool.found, tool.key_arg = "get", found, name
                if len(tool.good) < len(tool.uses):
                    text = f"the errors of {tool.name!r} are in words of this server"
                    self.doubt(found, text)
                self._add_rows(found, rows)
                found.is_read = True
                return
        tool.place = ""

    def _bind_list(self, tool: CalledTool) -> None:
        """Take a tool for one that lists rows."""
        for place in _list_places(tool.good):
            tool.place = place
            rows = [as_object(row) for use in tool.good for row in as_list(tool.inner(use))]
            found = self._found.get(tool.noun)
            if rows and (found is None or found.key not in _shared(rows)):
                others = [each for each in self._found.values() if each.key in _shared(rows)
                          and _likeness(rows, each.fields) >= _LIKENESS]  # fmt: skip
                key = next((each for each in _shared(rows) if _names_row(each, tool.noun)
                            and _is_unique(tool, each)), "")  # fmt: skip
                found = others[0] if others else None
                if found is None and key and tool.noun not in self._found:
                    found = self._collection(tool.noun, key)
            if found is not None:
                tool.kind, tool.found = "list", found
                self._add_rows(found, rows)
                found.is_read = True
                return
        tool.place = ""

    def _bind_write(self, tool: CalledTool) -> None:
        """Take a tool for one that creates, changes or deletes a row."""
        for place in _single_places(tool.good):
            tool.place = place
            rows = [tool.row(use) for use in tool.good]
            if all(rows) and (self._bind_known(tool, rows) or self._bind_new(tool, rows)):
                return
        tool.place = ""
        found = self._found.get(tool.noun)
        key_args = [name for name in tool.arguments() if found is not None and all(
            str(use.arguments.get(name)) in found.keys for use in tool.good)]  # fmt: skip
        if key_args:
            is_deletion = not _DELETING.isdisjoint(words_of_name(tool.name))
            tool.kind = "delete" if is_deletion else "patch"
            tool.found, tool.key_arg = found, key_args[0]

    def _bind_known(self, tool: CalledTool, rows: list[JsonObject]) -> bool:
        """Whether the rows of a tool that writes are those of a collection that is read."""
        shared = _shared(rows)
        own = self._found.get(tool.noun)
        for found in ([own] if own else []) + [e for e in self._found.values() if e is not own]:
            if found.key not in shared or _likeness(rows, found.fields) < _LIKENESS:
                continue
            named = [name for name in tool.arguments() if all(
                _is_same(use.arguments.get(name), row[found.key])
                for use, row in zip(tool.good, rows, strict=True))]  # fmt: skip
            creates = not _CREATING.isdisjoint(words_of_name(tool.name))
            is_known = any(str(row[found.key]) in found.keys for row in rows)
            if named and not (creates and not is_known):
                tool.kind, tool.found, tool.key_arg = "patch", found, named[0]
            else:
                tool.kind, tool.found = "create", found
                tool.key_arg = named[0] if named else ""
            self._add_rows(found, rows)
            return True
        return False

    def _bind_new(self, tool: CalledTool, rows: list[JsonObject]) -> bool:
        """Whether the rows of a tool that writes have ids that nobody gave."""
        keys = [
            key
            for key in _shared(rows)
            if _names_row(key, tool.noun)
            if all(not _stands_in(row[key], use.arguments)
                   for row, use in zip(rows, tool.good, strict=True))
        ]  # fmt: skip
        if not keys:
            return False
        found = self._collection(tool.noun, keys[0])
        if found is None or found.key != keys[0] or found.is_read:
            found = self._collection(tool.name, keys[0], is_noun=False)
        if found is None:
            return False
        tool.kind, tool.found = "create", found
        self._add_rows(found, rows)
        return True

    def _bind_echo(self, tool: CalledTool) -> None:
        """Take a tool for one that creates rows of its arguments, which nobody reads."""
        tool.place = ""
        key = next(each for each in ("call", "call_number", "number_of_call")
                   if each not in tool.arguments())  # fmt: skip
        found = self._collection(tool.name, key, is_noun=False)
        if found is None:
            return
        tool.kind, tool.found, tool.key_arg, tool.body = "echo", found, "", "{{ arguments }}"
        if tool.result([{} for _ in tool.good]) is None:
            tool.kind = ""
            del self._found[f"{tool.name}()"]
            return
        self.doubt(found, f"what {tool.name!r} changes is not told; what it returned follows from"
                    f" its arguments in all {len(tool.good)} of its calls")  # fmt: skip

    def _collection(self, noun: str, key: str, *, is_noun: bool = True) -> FoundRows | None:
        """The collection of a noun or of a tool; None where another one has its name."""
        place = noun if is_noun else f"{noun}()"
        found = self._found.get(place)
        if found is None:
            name = words.collection_name(_plural(noun) if is_noun else noun)
            if any(each.name == name for each in self._found.values()):
                return None
            found = self._found[place] = FoundRows(name, key)
        return found

    def _add_rows(self, found: FoundRows, rows: Sequence[JsonObject]) -> None:
        found.keys.update(str(row[found.key]) for row in rows if found.key in row)
        found.fields.update(name for row in rows for name in row)

    def doubt(self, found: FoundRows, text: str) -> None:
        """Say what is unsure of a collection."""
        self.doubts.setdefault(found.name, []).append(text)

    def _add_effects(self) -> None:
        """Tell what is created of arguments, and what changes change."""
        for tool in self.tools.values():
            if tool.kind == "create":
                self._add_body(tool)
        for tool in self.tools.values():
            if tool.kind == "patch":
                self._add_change(tool)

    def _add_body(self, tool: CalledTool) -> None:
        found = tool.found
        rows = [tool.row(use) for use in tool.good]
        known = {name for other in self.tools.values() if other.found is found
                 and other.kind in {"get", "list"} for use in other.good
                 for row in (as_list(other.inner(use)) or [other.row(use)])
                 for name in as_object(row)}  # fmt: skip
        fields = known | {name for row in rows for name in row}
        for name in tool.arguments():
            given = [(use.arguments[name], row) for use, row in zip(tool.good, rows, strict=True)
                     if name in use.arguments]  # fmt: skip
            others = [place for place in fields if place not in tool.arguments() and all(
                _is_same(value, row.get(place)) and not isinstance(value, bool)
                for value, row in given)]  # fmt: skip
            if name in fields or not known:
                tool.renamed[name] = name
            elif given and others:
                tool.renamed[name] = min(others)
            elif found is not None:
                self.doubt(found, f"the argument {name!r} of {tool.name!r} has no effect")
        own = {found.key if found else "", *tool.renamed.values()}
        for name in fields.difference(own):
            values = [row.get(name) for row in rows]
            are_times = all(is_time(name, value, CREATED | UPDATED) for value in values)
            if not are_times and not _is_fixed(values):
                self._leave(tool, f"where {name!r} of what it creates comes from is not told")
                return
        if all(name == place for name, place in tool.renamed.items()):
            left = [name for name in tool.arguments() if name not in tool.renamed]
            tool.body = _without(left)
        else:
            tool.body = {place: f"{{{{ arguments.get({name!r}) }}}}"
                         for name, place in tool.renamed.items()}  # fmt: skip

    def _leave(self, tool: CalledTool, why: str) -> None:
        """Leave a tool to its recordings."""
        tool.kind, tool.found, tool.key_arg = "", None, ""
        self.untold[tool.name] = why

    def _add_change(self, tool: CalledTool) -> None:
        """Tell what a tool changes of rows, by the rows before and after."""
        changes = [change for trace in self._traces for change in self._changes(tool, trace)]
        for name in dict.fromkeys(name for _, change in changes for name in change):
            seen = [(use, change[name]) for use, change in changes if name in change]
            echo = next((arg for arg in (name, *tool.arguments()) if all(
                arg in use.arguments and _is_same(use.arguments[arg], value)
                for use, value in seen)), "")  # fmt: skip
            if echo:
                tool.echoed[name] = echo
            elif _is_fixed([value for _, value in seen]):
                tool.fixed[name] = seen[0][1]
                if len(seen) == 1 and tool.found is not None:
                    self.doubt(tool.found, f"{tool.name!r} sets {name!r} to what it set once")
            else:
                self._leave(tool, f"what it sets {name!r} to does not follow from its arguments")
                return
        if not tool.echoed and not tool.fixed:
            tool.kind, tool.found, tool.key_arg = "", None, ""
        elif not tool.fixed and all(name == arg for name, arg in tool.echoed.items()):
            tool.body = _without([each for each in tool.arguments() if each not in tool.echoed])
        else:
            tool.body = {
                **{name: argument_template(arg) for name, arg in tool.echoed.items()},
                **tool.fixed,
            }

    def _changes(
        self, tool: CalledTool, trace: Sequence[ToolUse]
    ) -> Iterator[tuple[ToolUse, JsonObject]]:
        """What each good call of a tool changed, as far as that is told.

        Yields:
            The call, and fields with their new values.
        """
        for number, use in enumerate(trace):
            if use.name != tool.name or use.failed or tool.found is None:
                continue
            key = str(use.arguments.get(tool.key_arg))
            before = self._row_shown(tool.found, key, reversed(trace[:number]))
            after = tool.row(use)
            if after.get(tool.found.key) is None:
                after = self._row_shown(tool.found, key, trace[number + 1 :])
            named = {name: value for name, value in use.arguments.items()
                     if name in tool.found.fields and name != tool.key_arg}  # fmt: skip
            sent = list(use.arguments.values())
            yield use, named | {
                name: value for name, value in after.items()
                if name != tool.found.key and not is_time(name, value, UPDATED)
                and (before.get(name) != value if before else value in sent or name in _STATES)
            }  # fmt: skip

    def _row_shown(
        self, found: FoundRows, key: str, uses: "Iterator[ToolUse] | Sequence[ToolUse]"
    ) -> JsonObject:
        """The first row with a key that uses show."""
        for use in uses:
            tool = self.tools[use.name]
            if tool.found is not found or use.failed:
                continue
            rows = as_list(tool.inner(use)) if tool.kind == "list" else [tool.row(use)]
            for row in map(as_object, rows):
                if str(row.get(found.key)) == key:
                    return row
        return {}


def _single_places(uses: Sequence[ToolUse]) -> Iterator[str]:
    """Where results hold one row.

    Yields:
        The only object in each result, then the result itself; nothing where one is no object.
    """
    if not all(isinstance(use.result, dict) for use in uses):
        return
    inner = [name for name in _shared([as_object(use.result) for use in uses], scalars=False)
             if all(isinstance(as_object(use.result)[name], dict) for use in uses)]  # fmt: skip
    if len(inner) == 1:
        yield inner[0]
    yield ""


def _list_places(uses: Sequence[ToolUse]) -> Iterator[str]:
    """Where results hold rows.

    Yields:
        The empty place for results that are arrays; else the field with the only array of objects.
    """
    if all(isinstance(use.result, list) for use in uses):
        values = [row for use in uses for row in as_list(use.result)]
        if all(isinstance(row, dict) for row in values):
            yield ""
        return
    if not all(isinstance(use.result, dict) for use in uses):
        return
    shared = _shared([as_object(use.result) for use in uses], scalars=False)
    arrays = [name for name in shared
              if all(isinstance(value := as_object(use.result)[name], list)
                     and all(isinstance(row, dict) for row in value) for use in uses)]  # fmt: skip
    if len(arrays) == 1:
        yield arrays[0]


def _shared(rows: Sequence[JsonObject], *, scalars: bool = True) -> list[str]:
    """The fields that all rows have, with texts and numbers alone if `scalars`."""
    if not rows:
        return []
    return [name for name in rows[0] if all(
        name in row and (not scalars or (isinstance(row[name], str | int)
                         and not isinstance(row[name], bool) and row[name] != ""))
        for row in rows)]  # fmt: skip


def _names_row(name: str, noun: str) -> bool:
    """Whether a field may hold what rows are called by.

    >>> _names_row("order_id", "order"), _names_row("order", "order"), _names_row("total", "order")
    (True, True, False)
    """
    own = words.words_of(name) if _KEY.fullmatch(name) else ()
    return own in {(noun,), ("email",)} or not KEY_NAMES.isdisjoint(own[-1:])


def _is_fixed(values: Sequence[Json]) -> bool:
    """Whether values are one that no other arguments would change, as far as can be told."""
    first = values[0]
    return all(value == first for value in values) and is_plain(first) and not is_chance(values)


def _is_unique(tool: CalledTool, key: str) -> bool:
    lists = [
        [str(as_object(row).get(key)) for row in as_list(tool.inner(use))] for use in tool.good
    ]
    return all(len(set(each)) == len(each) for each in lists)


def _likeness(rows: Sequence[JsonObject], fields: set[str]) -> float:
    """The share of the fields of rows that are known ones."""
    named = Counter(name for row in rows for name in row)
    return sum(name in fields for name in named) / len(named) if named else 0.0


def _is_same(value: Json, other: Json) -> bool:
    """Whether two values are the same key: 7 and "7" are."""
    scalars = isinstance(value, str | int | float) and isinstance(other, str | int | float)
    if not scalars or isinstance(value, bool) or isinstance(other, bool):
        return value == other and value is not None
    return str(value) == str(other)


def _stands_in(value: Json, arguments: JsonObject) -> bool:
    return any(_is_same(value, each) for each in arguments.values())


def is_time(name: str, value: Json, names: frozenset[str]) -> bool:
    """Whether a field with one of some names holds a moment.

    >>> is_time("createdAt", "2026-03-01T10:00:00Z", CREATED)
    True
    """
    snake = "_".join(words.words_of(name))
    return snake in names and isinstance(value, str) and _TIME.fullmatch(value) is not None


def _without(names: Sequence[str]) -> str:
    told = ", ".join(map(repr, names))
    return f"{{{{ arguments | without({told}) }}}}" if names else "{{ arguments }}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun if words.singular(noun) == noun and noun.endswith("s") else f"{noun}es"
    return f"{noun}s"
