"""State behind tools: the collections that recorded calls of tools tell of, and how tools use them.

A tool is taken for one of five operations of a collection by what came back for what it was given:
a row that is named by an argument is read, rows are listed, a row with an id that nobody gave was
created, a row that was there is changed or deleted. A tool that writes and whose results follow
from its arguments alone creates rows that nobody reads. Whatever does not hold together is left to
the recordings.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from mockserver.declared.documents import words
from mockserver.declared.keywords import as_list, as_object
from mockserver.declared.openapi.drafts import Draft
from mockserver.declared.openapi.learning import NO_EFFECT, completed, rows_before
from mockserver.declared.openapi.recordings import KEY_NAMES, Recorded
from mockserver.declared.openapi.tool_results import (
    ROWS,
    is_chance,
    is_plain,
    is_sayable,
    result_template,
    said,
    text_of,
)
from mockserver.messages.mcp_calls import words_of_name
from mockserver.model import Json, JsonObject

_FILLERS = frozenset({
    "a", "about", "all", "an", "and", "by", "current", "data", "detail", "details", "existing",
    "for", "from", "in", "info", "information", "my", "new", "of", "on", "status", "the", "to",
    "up", "with",
})  # fmt: skip
_ENDINGS = frozenset({"about", "by", "for", "from", "in", "of", "on", "to", "with"})
"""Words after which a tool's name no longer says what it is about: `orders_of_customer`."""

_CREATING = frozenset({"add", "create", "insert", "make", "new", "open", "register", "submit"})
_DELETING = frozenset({"delete", "drop", "remove"})
_CREATED = frozenset({"created", "created_at", "created_on", "creation_time", "date_created"})
_UPDATED = frozenset({"updated", "updated_at", "updated_on", "modified", "modified_at",
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


class ToolState(NamedTuple):
    """What calls come to.

    Attributes:
        draft: The declaration with the rows of the base, and what is unsure.
        tools: How each tool that it answers uses it: `call` and `result` of a tool of a snapshot.
        keys: The keys that rows were given which the first trace created, by collection.
        left: Tools that are left to their recordings, and why.
        worlds: Of each trace the rows that it began with, and the keys of those that it created.
    """

    draft: Draft
    tools: Mapping[str, JsonObject]
    keys: Mapping[str, list[Json]]
    left: Mapping[str, str]
    worlds: Sequence[tuple[Mapping[str, list[JsonObject]], Mapping[str, list[Json]]]]


@dataclass
class _Found:
    """A collection behind tools."""

    name: str
    key: str
    fields: set[str] = field(default_factory=set)
    is_read: bool = False
    keys: set[str] = field(default_factory=set)
    defined_by: set[str] = field(default_factory=set)


@dataclass
class _Tool:
    """A tool: its calls, and what it is taken for."""

    name: str
    reads: bool
    uses: list[ToolUse] = field(default_factory=list)
    kind: str = ""
    found: _Found | None = None
    place: str = ""
    key_arg: str = ""
    body: Json = None
    renamed: dict[str, str] = field(default_factory=dict)
    echoed: dict[str, str] = field(default_factory=dict)
    fixed: JsonObject = field(default_factory=dict)

    @property
    def good(self) -> list[ToolUse]:
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

    def arguments(self) -> list[str]:
        return list(dict.fromkeys(name for use in self.uses for name in use.arguments))


def learned_tools(
    traces: Sequence[Sequence[ToolUse]], reads: Callable[[str], bool], api: str,
    left: Collection[str] = (),
) -> ToolState | None:  # fmt: skip
    """The state behind tools; None where calls tell of none.

    Args:
        traces: The calls of each trace in their order; each trace is a world of its own.
        reads: Whether a tool changes nothing, by its name.
        api: What the declared API is called.
        left: Tools that are left to their recordings, whatever they seem to do.
    """
    return _Learner(traces, reads, api, left).learn()


class _Learner:
    def __init__(
        self, traces: Sequence[Sequence[ToolUse]], reads: Callable[[str], bool], api: str,
        left: Collection[str],
    ) -> None:  # fmt: skip
        self._traces = traces
        self._api = api
        self._tools: dict[str, _Tool] = {}
        for use in (use for trace in traces for use in trace):
            tool = self._tools.setdefault(use.name, _Tool(use.name, reads(use.name)))
            tool.uses.append(use)
        self._left = left
        self._found: dict[str, _Found] = {}
        self._doubts: dict[str, list[str]] = {}
        self._untold: dict[str, str] = {}

    def learn(self) -> ToolState | None:
        """All that calls tell."""
        several = [
            each for each in self._tools.values()
            if each.good and each.name not in self._left and all(map(is_sayable, each.arguments()))
        ]  # fmt: skip
        self._bind(several)
        draft = self._draft()
        calls = [list(self._calls(trace)) for trace in self._traces]
        completed(draft, [call for each in calls for call in each])
        declared = {tool.name: self._declared(tool) for tool in several
                    if self._is_told(tool, draft)}  # fmt: skip
        tools = {name: made for name, made in declared.items() if made is not None}
        told = self._changed_by_others(tools)
        for name, doubts in self._doubts.items():
            known = draft.unsure.setdefault(name, [])
            known += [each for each in dict.fromkeys(doubts) if each not in known]
        tools = {name: made for name, made in tools.items() if name not in told}
        used = {tool.found.name for tool in several if tool.found and tool.name in tools}
        for name in draft.collections.keys() - used:
            del draft.collections[name]
            draft.data.pop(name, None)
            draft.unsure.pop(name, None)
        if not tools:
            return None
        calls = [[call for call in each if call.segments[0] in used] for each in calls]
        return self._state(draft, tools, calls, self._untold | told)

    def _bind(self, several: Sequence[_Tool]) -> None:
        """Tell what tools are: first those that read, by whose rows the others are known."""
        for bind, reads in (
            (self._bind_get, True), (self._bind_list, True), (self._bind_write, False),
        ):  # fmt: skip
            for tool in several:
                if tool.reads is reads and not tool.kind:
                    bind(tool)
        self._add_effects()
        for tool in several:
            if not tool.kind and not tool.reads and tool.name not in self._untold:
                self._bind_echo(tool)

    def _changed_by_others(self, tools: Mapping[str, JsonObject]) -> dict[str, str]:
        """The tools whose rows other tools change in a way that is not told, and which do."""
        found: dict[str, str] = {}
        for tool in self._tools.values():
            if tool.name not in tools or tool.found is None:
                continue
            for other in self._tools.values():
                if other.reads or other.found is tool.found or not _names_rows(other, tool.found):
                    continue
                if other.name in tools and other.kind != "echo":
                    self._doubt(tool.found, f"whether {other.name!r} changes rows is not told")
                else:
                    found[tool.name] = f"what {other.name} changes of its rows is not told"
        return found

    def _is_told(self, tool: _Tool, draft: Draft) -> bool:
        """Whether a tool is taken for something, and all that it is given has an effect there."""
        doubts = draft.unsure.get(tool.found.name, ()) if tool.found and tool.kind else ()
        unknown = {name for each in doubts if each.startswith(NO_EFFECT)
                   for name in each.removeprefix(NO_EFFECT).split(", ")}  # fmt: skip
        return bool(tool.kind) and (tool.kind != "list" or unknown.isdisjoint(tool.arguments()))

    # --- what tools are taken for ---

    def _bind_get(self, tool: _Tool) -> None:
        """Take a tool for one that reads a row, if an argument names the row that came back."""
        for place in _single_places(tool.good):
            tool.place = place
            rows = [tool.row(use) for use in tool.good]
            for name in tool.arguments():
                if any(use.arguments.keys() - {name} for use in tool.uses):
                    continue  # what another argument means is not told
                for key in _shared(rows):
                    same = all(
                        name in use.arguments and _is_same(use.arguments[name], row[key])
                        for use, row in zip(tool.good, rows, strict=True)
                    )
                    if same and _names_row(key, tool.noun):
                        found = self._collection(tool.noun, key, tool)
                        if found is not None and found.key == key:
                            tool.kind, tool.found, tool.key_arg = "get", found, name
                            if len(tool.good) < len(tool.uses):
                                self._doubt(found, f"the errors of {tool.name!r} are in words of"
                                            " this server")  # fmt: skip
                            self._add_rows(found, rows)
                            return
        tool.place = ""

    def _bind_list(self, tool: _Tool) -> None:
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
                    found = self._collection(tool.noun, key, tool)
            if found is not None:
                tool.kind, tool.found = "list", found
                self._add_rows(found, rows)
                return
        tool.place = ""

    def _bind_write(self, tool: _Tool) -> None:
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

    def _bind_known(self, tool: _Tool, rows: list[JsonObject]) -> bool:
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

    def _bind_new(self, tool: _Tool, rows: list[JsonObject]) -> bool:
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
        found = self._collection(tool.noun, keys[0], tool)
        if found is None or found.key != keys[0] or found.is_read:
            found = self._collection(tool.name, keys[0], tool, is_noun=False)
        if found is None:
            return False
        tool.kind, tool.found = "create", found
        self._add_rows(found, rows)
        return True

    def _bind_echo(self, tool: _Tool) -> None:
        """Take a tool for one that creates rows of its arguments, which nobody reads."""
        tool.place = ""
        key = next(each for each in ("call", "call_number", "number_of_call")
                   if each not in tool.arguments())  # fmt: skip
        found = self._collection(tool.name, key, tool, is_noun=False)
        if found is None:
            return
        tool.kind, tool.found, tool.key_arg, tool.body = "echo", found, "", "{{ arguments }}"
        if _result(tool, [{} for _ in tool.good]) is None:
            tool.kind = ""
            del self._found[tool.name]
            return
        self._doubt(found, f"what {tool.name!r} changes is not told; what it returned follows from"
                    f" its arguments in {_calls(len(tool.good))}")  # fmt: skip

    def _collection(
        self, noun: str, key: str, tool: _Tool, *, is_noun: bool = True
    ) -> _Found | None:
        """The collection of a noun or of a tool; None where another one has its name."""
        found = self._found.get(noun)
        if found is None:
            name = words.collection_name(_plural(noun) if is_noun else noun)
            if any(each.name == name for each in self._found.values()):
                return None
            found = self._found[noun] = _Found(name, key)
        found.defined_by.add(tool.name)
        return found

    def _add_rows(self, found: _Found, rows: Sequence[JsonObject]) -> None:
        found.keys.update(str(row[found.key]) for row in rows if found.key in row)
        found.fields.update(name for row in rows for name in row)

    def _doubt(self, found: _Found, text: str) -> None:
        self._doubts.setdefault(found.name, []).append(text)

    # --- what writes do ---

    def _add_effects(self) -> None:
        """Tell what is created of arguments, and what changes change."""
        for tool in self._tools.values():
            if tool.found is not None and tool.kind in {"get", "list"}:
                tool.found.is_read = True
        for tool in self._tools.values():
            if tool.kind == "create":
                self._add_body(tool)
        for tool in self._tools.values():
            if tool.kind == "patch":
                self._add_change(tool)

    def _add_body(self, tool: _Tool) -> None:
        found = tool.found
        rows = [tool.row(use) for use in tool.good]
        known = {name for other in self._tools.values() if other.found is found
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
                self._doubt(found, f"the argument {name!r} of {tool.name!r} has no effect")
        own = {found.key if found else "", *tool.renamed.values()}
        for name in fields.difference(own):
            values = [row.get(name) for row in rows]
            is_time = all(_is_time(name, value, _CREATED | _UPDATED) for value in values)
            if not is_time and not _is_fixed(values):
                self._leave(tool, f"where {name!r} of what it creates comes from is not told")
                return
        if all(name == place for name, place in tool.renamed.items()):
            left = [name for name in tool.arguments() if name not in tool.renamed]
            tool.body = _without(left)
        else:
            tool.body = {place: f"{{{{ arguments.get({name!r}) }}}}"
                         for name, place in tool.renamed.items()}  # fmt: skip

    def _leave(self, tool: _Tool, why: str) -> None:
        """Leave a tool to its recordings."""
        tool.kind, tool.found, tool.key_arg = "", None, ""
        self._untold[tool.name] = why

    def _add_change(self, tool: _Tool) -> None:
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
                    self._doubt(tool.found, f"{tool.name!r} sets {name!r} to what it set once")
            else:
                self._leave(tool, f"what it sets {name!r} to does not follow from its arguments")
                return
        if not tool.echoed and not tool.fixed:
            tool.kind, tool.found, tool.key_arg = "", None, ""
        elif not tool.fixed and all(name == arg for name, arg in tool.echoed.items()):
            tool.body = _without([each for each in tool.arguments() if each not in tool.echoed])
        else:
            tool.body = {**{name: said(arg) for name, arg in tool.echoed.items()}, **tool.fixed}

    def _changes(
        self, tool: _Tool, trace: Sequence[ToolUse]
    ) -> Iterator[tuple[ToolUse, JsonObject]]:
        """What each good call of a tool changed, as far as that is told.

        Yields:
            The call, and fields with their new values.
        """
        for number, use in enumerate(trace):
            if use.name != tool.name or use.failed or tool.found is None:
                continue
            key = str(use.arguments.get(tool.key_arg))
            before = self._seen(tool.found, key, reversed(trace[:number]))
            after = tool.row(use)
            if after.get(tool.found.key) is None:
                after = self._seen(tool.found, key, trace[number + 1 :])
            named = {name: value for name, value in use.arguments.items()
                     if name in tool.found.fields and name != tool.key_arg}  # fmt: skip
            sent = list(use.arguments.values())
            yield use, named | {
                name: value for name, value in after.items()
                if name != tool.found.key and not _is_time(name, value, _UPDATED)
                and (before.get(name) != value if before else value in sent or name in _STATES)
            }  # fmt: skip

    def _seen(
        self, found: _Found, key: str, uses: "Iterator[ToolUse] | Sequence[ToolUse]"
    ) -> JsonObject:
        """The first row with a key that uses show."""
        for use in uses:
            tool = self._tools[use.name]
            if tool.found is not found or use.failed:
                continue
            rows = as_list(tool.inner(use)) if tool.kind == "list" else [tool.row(use)]
            for row in map(as_object, rows):
                if str(row.get(found.key)) == key:
                    return row
        return {}

    # --- the API ---

    def _draft(self) -> Draft:
        draft = Draft({"api": self._api, "hosts": [f"{self._api}.example.com"]})
        draft.source = "calls of tools"
        for found in self._found.values():
            kinds = {tool.kind for tool in self._tools.values() if tool.found is found}
            if not kinds:
                continue
            made: JsonObject = {"key": found.key}
            made["operations"] = sorted("create" if each == "echo" else each for each in kinds)
            if "echo" in kinds:
                made["ids"] = "int"
            elif any(tool.kind == "create" and not tool.key_arg for tool in self._tools.values()
                     if tool.found is found):  # fmt: skip
                made["ids"] = "hex"
            if "list" in kinds:
                made["list_in"] = ROWS
            rows = [row for tool in self._tools.values() if tool.found is found and tool.kind in
                    {"create", "patch"} for row in map(tool.row, tool.good)]  # fmt: skip
            for setting, names in (("created", _CREATED), ("updated", _UPDATED)):
                told = [name for row in rows for name, value in row.items()
                        if _is_time(name, value, names)]  # fmt: skip
                made |= {setting: told[0]} if told else {}
            draft.collections[found.name] = made
            params = [name for tool in self._tools.values() if tool.found is found
                      and tool.kind == "list" for name in tool.arguments()]  # fmt: skip
            if params:
                draft.unsure[found.name] = [NO_EFFECT + ", ".join(dict.fromkeys(params))]
        return draft

    def _calls(self, trace: Sequence[ToolUse]) -> Iterator[Recorded]:
        """A trace as calls of the API.

        Yields:
            Each call of a tool that is taken for an operation.
        """
        current: dict[tuple[str, str], JsonObject] = {}
        for use in trace:
            tool = self._tools[use.name]
            found = tool.found
            if found is None or not tool.kind or (use.failed and tool.kind != "get"):
                continue
            key = str(use.arguments.get(tool.key_arg, ""))
            if tool.kind == "list":
                query = {name: [text_of(value)] for name, value in use.arguments.items()}
                rows = as_list(tool.inner(use))
                yield _recorded("GET", found.name, "", None, 200, {ROWS: rows}, query)
            elif tool.kind == "get":
                answer: Json = {"error": use.result} if use.failed else tool.row(use)
                yield _recorded("GET", found.name, key, None, 404 if use.failed else 200, answer)
            elif tool.kind == "create":
                sent = tool.sent(use)
                row = {**sent, **tool.row(use)}
                current[found.name, str(row.get(found.key))] = row
                yield _recorded("POST", found.name, "", sent, 201, row)
            elif tool.kind == "patch":
                change = tool.changed(use)
                row = {**current.get((found.name, key), {}), **change, **tool.row(use)}
                current[found.name, key] = row
                yield _recorded("PATCH", found.name, key, change, 200, row)
            elif tool.kind == "delete":
                yield _recorded("DELETE", found.name, key, None, 204, None)

    def _declared(self, tool: _Tool) -> JsonObject | None:
        """How a snapshot says what a tool does; None where its results do not follow from that."""
        found = tool.found
        if found is None:
            return None
        answers: list[JsonObject] = []
        for use in tool.good:
            row = tool.row(use) if tool.kind != "list" else {ROWS: as_list(tool.inner(use))}
            row = {**tool.sent(use), **row} if tool.kind == "create" else row
            is_row = tool.kind in {"get", "list", "create"} or found.key in row
            answers.append(row if is_row and tool.kind != "delete" else {})
        result = _result(tool, answers)
        if result is None:
            return None
        last = {"echo": "create"}.get(tool.kind, tool.kind)
        call: JsonObject = {"method": f"{self._api}.{found.name}.{last}", "params": {}}
        if tool.kind == "list":
            call["params"] = "{{ arguments }}"
        elif tool.kind in {"get", "patch", "delete"}:
            place = re.sub(r"[^A-Za-z0-9]+", "_", found.key).strip("_")
            call["params"] = {place: said(tool.key_arg)}
        if tool.body is not None:
            call["body"] = tool.body
        return {"call": call, "result": result[0]}

    def _state(
        self, draft: Draft, tools: Mapping[str, JsonObject], calls: Sequence[Sequence[Recorded]],
        left: Mapping[str, str],
    ) -> ToolState:  # fmt: skip
        """The rows of the base, which is what the traces agree on, and of each trace."""
        own = [rows_before(draft, each) for each in calls]
        keys = [self._created(draft, each) for each in calls]
        base: dict[str, dict[str, JsonObject]] = {}
        for rows in own:
            for name, several in rows.items():
                for row in several:
                    base.setdefault(name, {}).setdefault(self._key(draft, name, row), row)
        worlds = []
        for number, rows in enumerate(own):
            # what a list does not show is not there, and its order is that of the rows
            listed = {call.segments[0] for call in calls[number]
                      if call.verb == "GET" and len(call.segments) == 1}  # fmt: skip
            world: dict[str, list[JsonObject]] = {}
            for name in draft.collections:
                made = {str(key) for key in keys[number].get(name, ())}
                seen = {self._key(draft, name, row): row for row in rows.get(name, ())}
                merged = {**({} if name in listed else base.get(name, {})), **seen}
                world[name] = [row for key, row in merged.items() if key not in made]
            worlds.append((world, keys[number]))
        draft.data = {name: list(rows.values()) for name, rows in base.items()}
        return ToolState(draft, tools, keys[0] if keys else {}, left, worlds)

    @staticmethod
    def _key(draft: Draft, name: str, row: JsonObject) -> str:
        return str(row.get(draft.collections[name]["key"]))

    def _created(self, draft: Draft, calls: Sequence[Recorded]) -> dict[str, list[Json]]:
        """The keys that were given to what calls created."""
        made: dict[str, list[Json]] = {}
        for call in calls:
            if call.verb == "POST" and "ids" in draft.collections[call.segments[0]]:
                key = as_object(call.answer).get(draft.collections[call.segments[0]]["key"])
                made.setdefault(call.segments[0], []).append(key)
        return made


def _recorded(
    verb: str, collection: str, key: str, sent: Json, status: int, answer: Json,
    query: Mapping[str, Sequence[str]] | None = None,
) -> Recorded:  # fmt: skip
    segments = (collection, key) if key else (collection,)
    path = "/" + "/".join(quote(each, safe="") for each in segments)
    return Recorded(verb, path, segments, query or {}, sent, status, {}, answer)


def _result(tool: _Tool, answers: Sequence[JsonObject]) -> tuple[Json] | None:
    """What makes the results of a tool of the API's answers, see `result_template`."""
    arguments = [use.arguments for use in tool.good]
    return result_template([use.result for use in tool.good], answers, arguments)


# --- values ---


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


def _names_rows(tool: _Tool, found: _Found) -> bool:
    """Whether a tool is given the keys of rows."""
    return any(isinstance(each, str | int) and str(each) in found.keys
               for use in tool.good for each in use.arguments.values())  # fmt: skip


def _is_fixed(values: Sequence[Json]) -> bool:
    """Whether values are one that no other arguments would change, as far as can be told."""
    first = values[0]
    return all(value == first for value in values) and is_plain(first) and not is_chance(values)


def _is_unique(tool: _Tool, key: str) -> bool:
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


def _is_time(name: str, value: Json, names: frozenset[str]) -> bool:
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


def _calls(count: int) -> str:
    return "one call" if count == 1 else f"{count} calls"
