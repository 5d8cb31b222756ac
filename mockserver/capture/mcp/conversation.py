"""Pairs the messages of MCP: which answer, and which notifications, belong to a request."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import orjson

from mockserver.messages.mcp_calls import RECORDED_METHODS, McpCall, plain_params
from mockserver.model import Json, JsonObject

_MOST = 1000
"""Requests that may wait for an answer, and answers of clients for their question."""

Value = TypeVar("Value")

_CANCELLED = "notifications/cancelled"
_PROGRESS = "notifications/progress"
_CALL = "tools/call"


_ANSWERS = ("result", "error")


class FinishedCall(NamedTuple):
    """A request that was answered.

    Attributes:
        call: What was asked and answered.
        reads: Whether it changes nothing, as far as the server's list of tools tells.
        began_ms: When it was asked, on the clock of whoever told of it.
        ended_ms: When it was answered.
    """

    call: McpCall
    reads: bool
    began_ms: float
    ended_ms: float


@dataclass
class _Pending:
    method: str
    params: JsonObject
    token: Json
    began_ms: float
    events: list[JsonObject] = field(default_factory=list)


class Conversation:
    """The messages of one client with one server.

    Args:
        read_only: Names of tools that only read; what the server lists is added.

    Attributes:
        unanswered: Requests that ended without an answer, and why.
    """

    def __init__(self, read_only: set[str] | None = None) -> None:
        self.unanswered: list[tuple[str, str]] = []
        self._read_only = set() if read_only is None else read_only
        self._pending: OrderedDict[str, _Pending] = OrderedDict()
        self._answers: OrderedDict[str, JsonObject] = OrderedDict()

    def hear_client(self, message: Json, at_ms: float) -> None:
        """Take in what the client sent: one message, or a batch of them."""
        for each in _messages(message):
            method, key = each.get("method"), _key(each)
            if method is None:
                _keep(self._answers, key, {name: each[name] for name in _ANSWERS if name in each})
            elif method == _CANCELLED:
                self._end_unanswered(_key(each.get("params"), "requestId"), "it was cancelled")
            elif method in RECORDED_METHODS and "id" in each:
                params = each.get("params")
                meta = params.get("_meta") if isinstance(params, dict) else None
                token = meta.get("progressToken") if isinstance(meta, dict) else None
                pending = _Pending(str(method), plain_params(str(method), params), token, at_ms)
                _keep(self._pending, key, pending)

    def hear_server(self, message: Json, at_ms: float) -> Iterator[FinishedCall]:
        """Take in what the server sent.

        Yields:
            Each request that this answers.
        """
        for each in _messages(message):
            if isinstance(each.get("method"), str):
                self._add_event(each, at_ms)
                continue
            pending = self._pending.pop(_key(each), None)
            if pending is not None:
                yield self._finish(pending, each, at_ms)

    def end(self, why: str) -> None:
        """Note every request that waits for an answer as one that has none."""
        for key in tuple(self._pending):
            self._end_unanswered(key, why)

    def _end_unanswered(self, key: str, why: str) -> None:
        pending = self._pending.pop(key, None)
        if pending is not None:
            self.unanswered.append((pending.method, why))

    def _add_event(self, message: JsonObject, at_ms: float) -> None:
        pending = self._pending_of(message)
        if pending is None:
            return
        params = message.get("params")
        kept = dict(params) if isinstance(params, dict) else {}
        for name in ("_meta", "progressToken"):
            kept.pop(name, None)
        event: JsonObject = {"method": message["method"], "params": kept}
        event["atMs"] = round(max(0.0, at_ms - pending.began_ms), 3)
        if "id" in message:
            event["id"] = _key(message)
        pending.events.append(event)

    def _pending_of(self, message: JsonObject) -> _Pending | None:
        """The request that a note of the server belongs to: by its token, else the latest call."""
        params = message.get("params")
        waiting = tuple(self._pending.values())
        if message["method"] == _PROGRESS and isinstance(params, dict):
            token = params.get("progressToken")
            return next((each for each in waiting if each.token == token), None)
        calls = [each for each in waiting if each.method == _CALL]
        return calls[-1] if calls else None

    def _finish(self, pending: _Pending, message: JsonObject, at_ms: float) -> FinishedCall:
        events = tuple(self._with_answer(event) for event in pending.events)
        result, error = message.get("result"), message.get("error")
        if not isinstance(result, dict) and not isinstance(error, dict):
            error = {"code": -32603, "message": "neither a result nor an error"}
        told = result if isinstance(result, dict) else None
        refused = error if told is None and isinstance(error, dict) else None
        call = McpCall(pending.method, pending.params, told, refused, events)
        if pending.method == "tools/list" and told is not None:
            self._read_only.update(read_only_tools(told))
        reads = pending.method != _CALL or pending.params.get("name") in self._read_only
        return FinishedCall(call, reads, pending.began_ms, at_ms)

    def _with_answer(self, event: JsonObject) -> JsonObject:
        """What the server asked the client, with what the client answered."""
        if "id" not in event:
            return event
        asked = {name: value for name, value in event.items() if name != "id"}
        answer = self._answers.pop(event["id"], None)
        return asked if answer is None else {**asked, "answer": answer}


def read_only_tools(listed: Mapping[str, Json]) -> Iterator[str]:
    """The names of the tools in a `tools/list` that say of themselves that they only read.

    Yields:
        Each name.

    >>> list(read_only_tools({"tools": [{"name": "a", "annotations": {"readOnlyHint": True}}]}))
    ['a']
    """
    tools = listed.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        hints = tool.get("annotations") if isinstance(tool, dict) else None
        if isinstance(hints, dict) and hints.get("readOnlyHint") is True:
            yield str(tool.get("name"))


def parse_message(text: bytes) -> Json:
    """A message, or None where it is no JSON."""
    try:
        found: Json = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found


def _messages(message: Json) -> Iterable[JsonObject]:
    several = message if isinstance(message, list) else [message]
    return [each for each in several if isinstance(each, dict)]


def _key(message: Json, name: str = "id") -> str:
    """An id of JSON-RPC, which is a text or a number, as one text."""
    found = message.get(name) if isinstance(message, dict) else None
    return f"{type(found).__name__} {found}"


def _keep(kept: OrderedDict[str, Value], key: str, value: Value) -> None:
    """Keep a value, and forget the oldest where there are too many."""
    kept[key] = value
    if len(kept) > _MOST:
        kept.popitem(last=False)
