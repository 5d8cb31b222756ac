"""State behind tools: the collections that recorded calls of tools tell of, and how tools use them.

Whatever does not hold together is left to the recordings.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from mockserver.declared.keywords import as_list, as_object
from mockserver.declared.openapi.drafts import Draft
from mockserver.declared.openapi.learning import NO_EFFECT, complete_draft, rows_before
from mockserver.declared.openapi.recordings import Recorded
from mockserver.declared.openapi.tool_kinds import (
    CREATED,
    UPDATED,
    CalledTool,
    ToolKinds,
    ToolUse,
    is_time,
)
from mockserver.declared.openapi.tool_results import ROWS, argument_template, is_sayable, text_of
from mockserver.model import Json, JsonObject


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
        self._left = left
        self._kinds = ToolKinds(traces, reads)
        self._tools = self._kinds.tools

    def learn(self) -> ToolState | None:
        """All that calls tell."""
        several = [
            each for each in self._tools.values()
            if each.good and each.name not in self._left and all(map(is_sayable, each.arguments()))
        ]  # fmt: skip
        self._kinds.find(several)
        draft = self._draft()
        calls = [list(self._calls(trace)) for trace in self._traces]
        complete_draft(draft, [call for each in calls for call in each])
        declared = {tool.name: self._declared(tool) for tool in several
                    if self._is_told(tool, draft)}  # fmt: skip
        tools = {name: made for name, made in declared.items() if made is not None}
        told = self._changed_by_others(tools)
        for name, doubts in self._kinds.doubts.items():
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
        return self._state(draft, tools, calls, self._kinds.untold | told)

    def _changed_by_others(self, tools: Mapping[str, JsonObject]) -> dict[str, str]:
        """The tools whose rows other tools change in a way that is not told, and which do."""
        found: dict[str, str] = {}
        for tool in self._tools.values():
            if tool.name not in tools or tool.found is None:
                continue
            for other in self._tools.values():
                is_own = other.found is tool.found and other.name in tools
                if other.reads or is_own or not other.names_rows(tool.found):
                    continue
                if other.name in tools and other.kind != "echo":
                    self._kinds.doubt(
                        tool.found, f"whether {other.name!r} changes rows is not told"
                    )
                else:
                    found[tool.name] = f"what {other.name} changes of its rows is not told"
        return found

    def _is_told(self, tool: CalledTool, draft: Draft) -> bool:
        """Whether a tool is taken for something, and all that it is given has an effect there."""
        doubts = draft.unsure.get(tool.found.name, ()) if tool.found and tool.kind else ()
        unknown = {name for each in doubts if each.startswith(NO_EFFECT)
                   for name in each.removeprefix(NO_EFFECT).split(", ")}  # fmt: skip
        return bool(tool.kind) and (tool.kind != "list" or unknown.isdisjoint(tool.arguments()))

    def _draft(self) -> Draft:
        draft = Draft({"api": self._api, "hosts": [f"{self._api}.example.com"]})
        draft.source = "calls of tools"
        for found in self._kinds.collections:
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
            for setting, names in (("created", CREATED), ("updated", UPDATED)):
                told = [name for row in rows for name, value in row.items()
                        if is_time(name, value, names)]  # fmt: skip
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

    def _declared(self, tool: CalledTool) -> JsonObject | None:
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
        result = tool.result(answers)
        if result is None:
            return None
        last = {"echo": "create"}.get(tool.kind, tool.kind)
        call: JsonObject = {"method": f"{self._api}.{found.name}.{last}", "params": {}}
        if tool.kind == "list":
            call["params"] = "{{ arguments }}"
        elif tool.kind in {"get", "patch", "delete"}:
            place = re.sub(r"[^A-Za-z0-9]+", "_", found.key).strip("_")
            call["params"] = {place: argument_template(tool.key_arg)}
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
