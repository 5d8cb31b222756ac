"""A2A: agents that are found by their cards and asked by messages, which they may make tasks of.

Version 1.0 of the protocol, over JSON-RPC and over HTTP with JSON.

Source: the A2A protocol 1.0 and the types of its Python SDK.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson
from typing_extensions import override

from mockserver.model import Json, JsonObject
from mockserver.models.agent_description import AgentDescription
from mockserver.models.messages import Message, ModelReply, ModelRequest, ReplyTask, objects
from mockserver.models.providers.provider import (
    ChatFormat,
    Cut,
    NotFoundError,
    Operation,
    Provider,
    Served,
    Stamp,
    WrongFormatError,
    event,
    kind_of,
    retry_headers,
)
from mockserver.state import rfc3339

_AGENT = "agent"
_CARD = ".well-known/agent-card.json"
_RPC_METHODS: Mapping[str, str] = {
    "SendMessage": "message.send",
    "SendStreamingMessage": "message.stream",
    "GetTask": "tasks.get",
    "ListTasks": "tasks.list",
    "CancelTask": "tasks.cancel",
    "SubscribeToTask": "tasks.subscribe",
}
_PUSH = "PushNotificationConfig"
_REST = re.compile(
    r"(?P<agent>/[^/:]+)??/(?:message:(?P<message>send|stream)"
    r"|tasks(?:/(?P<task>[^/:]+)(?::(?P<do>cancel|subscribe))?)?)"
)
_ERRORS: Mapping[str, tuple[int, int]] = {
    "task_not_found": (-32001, 404),
    "task_not_cancelable": (-32002, 400),
    "push_notification_not_supported": (-32003, 400),
    "unsupported_operation": (-32004, 400),
    "method_not_found": (-32601, 404),
}
"""Code of JSON-RPC and HTTP status of the protocol's own errors."""
_INVALID_PARAMS, _INTERNAL = -32602, -32603
_ENDED = frozenset({"completed", "failed", "canceled", "rejected"})
_PAGE, _LONGEST_PAGE = 50, 100


def _state(name: str) -> str:
    return f"TASK_STATE_{name.upper()}"


_ENDED_STATES = frozenset(map(_state, _ENDED))


class Messages(ChatFormat):
    """`SendMessage` and `SendStreamingMessage`.

    Args:
        is_stream: Whether it is the second.
        is_rpc: Whether it is sent over JSON-RPC.
    """

    def __init__(self, *, is_stream: bool, is_rpc: bool) -> None:
        self._is_stream, self._is_rpc = is_stream, is_rpc

    @override
    def with_history(self, body: JsonObject, stamp: Stamp) -> JsonObject:
        """The request with what was said before in its context, or about its task."""
        message = self._message(body)
        context = str(message.get("contextId") or "")
        if task_id := str(message.get("taskId") or ""):
            task = _require_task(task_id, stamp)
            if task["status"]["state"] in _ENDED_STATES:
                text = f"Task {task_id[:100]} is in a terminal state."
                raise NotFoundError(text, kind="unsupported_operation", status=400)
            if context and context != task["contextId"]:
                raise WrongFormatError("message.contextId: it is not that of the task")
            context = task["contextId"]
        known = stamp.conversations.begun.find(context) if context else None
        return {**body, "history": known.items() if known else []}

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        message = self._message(body)
        if not isinstance(message.get("parts"), list):
            parts = kind_of(message.get("parts"))
            raise WrongFormatError(f"message.parts: expected a list, got {parts}")
        before = [_message_of(each) for each in objects(body.get("history"))]
        said = (*before, _message_of({**message, "role": "ROLE_USER"}))
        return ModelRequest(operation.model, said, is_stream=self._is_stream, body=body)

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """The message, or the task, of a reply."""
        return orjson.dumps(self._wrap(request.body, self._answer(request, reply, stamp)))

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> Iterator[bytes]:
        """A reply as a stream.

        Yields:
            The message; or the task as it begins, its artifact and how it stands.
        """
        answer = self._answer(request, reply, stamp)
        for each in [answer] if "message" in answer else _task_events(answer["task"]):
            yield event(self._wrap(request.body, each))

    def _answer(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> JsonObject:
        """The message, or the task, of a reply; it is remembered, as is the task."""
        message, ids = self._message(request.body), stamp.ids
        task = stamp.conversations.tasks.find(str(message.get("taskId") or ""))
        context = str(task["contextId"] if task else message.get("contextId") or ids.uuid("ctx"))
        answered: JsonObject = {"messageId": ids.uuid("msg"), "contextId": context}
        if reply.task or task:
            answered["taskId"] = task["id"] if task else ids.uuid("task")
        answered |= {"role": "ROLE_AGENT", "parts": _parts(reply)}
        place: JsonObject = {
            name: answered[name] for name in ("contextId", "taskId") if name in answered
        }
        asked: JsonObject = {**message, **place}
        stamp.conversations.say(context, (asked, answered))
        if reply.task is None:
            return {"message": answered}
        made = _task(task, reply.task, asked, answered, stamp)
        stamp.conversations.tasks.keep(made)
        return {"task": made}

    def _message(self, body: JsonObject) -> JsonObject:
        params = body.get("params") if self._is_rpc else body
        message = params.get("message") if isinstance(params, dict) else None
        if not isinstance(message, dict):
            raise WrongFormatError(f"message: expected an object, got {kind_of(message)}")
        return message

    def _wrap(self, body: JsonObject, result: JsonObject) -> JsonObject:
        return _rpc_answer(body.get("id"), result) if self._is_rpc else result

    @override
    def error_event(self, kind: str, body: JsonObject, number: int) -> bytes:
        """The error as an event, as the SDK's server sends it."""
        return event(body, "error")


def _rpc_answer(id: Json, result: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def _message_of(raw: Mapping[str, Any]) -> Message:
    texts = [
        str(part["text"])
        if isinstance(part.get("text"), str)
        else orjson.dumps(part["data"]).decode()
        for part in objects(raw.get("parts"))
        if isinstance(part.get("text"), str) or "data" in part
    ]
    return Message("assistant" if raw.get("role") == "ROLE_AGENT" else "user", "\n".join(texts))


def _parts(reply: ModelReply) -> list[JsonObject]:
    """The text, and each tool call as data; one part at least, as messages must have."""
    texts: list[JsonObject] = []
    if (text := reply.text or reply.refusal) or not reply.calls:
        texts = [{"text": text}]
    calls: list[JsonObject] = [
        {"data": {"name": each.name, "arguments": each.arguments}} for each in reply.calls
    ]
    return reply.in_order(texts, calls)


def _task(
    before: JsonObject | None,
    task: ReplyTask,
    asked: JsonObject,
    answered: JsonObject,
    stamp: Stamp,
) -> JsonObject:
    status: JsonObject = {"state": _state(task.state), "timestamp": rfc3339(stamp.now)}
    artifacts = list(before["artifacts"]) if before else []
    history = [*(before["history"] if before else ()), asked]
    if task.artifact:
        artifacts.append({
            "artifactId": stamp.ids.uuid("artifact"), "name": task.artifact,
            "parts": answered["parts"],
        })  # fmt: skip
    else:
        status["message"] = answered
        history.append(answered)
    return {
        "id": answered["taskId"], "contextId": answered["contextId"], "status": status,
        "artifacts": artifacts, "history": history,
    }  # fmt: skip


def _task_events(task: JsonObject) -> Iterator[JsonObject]:
    """A task as the events of a stream: begun, at work, what it made last, how it stands.

    Yields:
        Each `StreamResponse`.
    """
    place: JsonObject = {"taskId": task["id"], "contextId": task["contextId"]}
    at = task["status"]["timestamp"]
    is_artifact = "message" not in task["status"]
    made = task["artifacts"][:-1] if is_artifact else task["artifacts"]
    submitted: JsonObject = {"state": _state("submitted"), "timestamp": at}
    yield {"task": {**task, "status": submitted, "artifacts": made}}
    working: JsonObject = {"state": _state("working"), "timestamp": at}
    yield {"statusUpdate": {**place, "status": working}}
    if is_artifact:
        [artifact] = task["artifacts"][-1:]
        yield {
            "artifactUpdate": {**place, "artifact": artifact, "append": False, "lastChunk": True}
        }
    if is_artifact or task["status"]["state"] != working["state"]:
        yield {"statusUpdate": {**place, "status": task["status"]}}


def _require_task(id: str, stamp: Stamp) -> JsonObject:
    found = stamp.conversations.tasks.find(id)
    if found is None:
        raise NotFoundError(f"Task {id[:100]!r} not found.", kind="task_not_found")
    return found


class A2a(Provider):
    """Agents that speak A2A."""

    name = "a2a"
    methods: tuple[str, ...] = (
        "a2a.agentCard.get",
        *(f"a2a.{each}" for each in _RPC_METHODS.values()),
        "a2a.rpc",
    )

    def __init__(self) -> None:
        self._sends = {
            (name, is_rpc): Messages(is_stream=name == "message.stream", is_rpc=is_rpc)
            for name in ("message.send", "message.stream")
            for is_rpc in (False, True)
        }

    @override
    def find(self, verb: str, path: str) -> Operation | None:
        """The card of an agent, a call by JSON-RPC, or one by its own path."""
        agent, _, below = path[1:].partition("/")
        if verb == "GET" and (below == _CARD or path[1:] == _CARD):
            return Operation("a2a.agentCard.get", self, model=agent if below == _CARD else "")
        found = _REST.fullmatch(path)
        if found is None:
            is_call = verb == "POST" and not below
            return (
                Operation("a2a.rpc", self, model=agent or _AGENT, is_call=True) if is_call else None
            )
        model = (found["agent"] or f"/{_AGENT}")[1:]
        if found["message"]:
            name = f"message.{found['message']}"
            send = self._sends[name, False]
            return Operation(f"a2a.{name}", self, send, model) if verb == "POST" else None
        if verb != ("POST" if found["do"] == "cancel" else "GET") and found["do"] != "subscribe":
            return None
        name = f"tasks.{found['do'] or ('get' if found['task'] else 'list')}"
        return Operation(f"a2a.{name}", self, model=model, resource=found["task"] or "")

    @override
    def for_body(self, operation: Operation, body: JsonObject) -> Operation:
        """The operation that a call by JSON-RPC means."""
        name = _RPC_METHODS.get(str(body.get("method")))
        if name is None:
            return operation
        params = body.get("params")
        task = params.get("id") if isinstance(params, dict) and name.startswith("tasks.") else ""
        return replace(
            operation,
            id=f"a2a.{name}",
            format=self._sends.get((name, True)),
            resource=str(task or ""),
        )

    @override
    def answer(
        self, operation: Operation, served: Served, body: JsonObject, stamp: Stamp
    ) -> JsonObject:
        """The card of an agent; its tasks."""
        if operation.id == "a2a.agentCard.get":
            return _card(operation.model, served)
        if operation.id == "a2a.rpc":
            raise _unknown_method(str(body.get("method")))
        params = body.get("params", {}) if operation.is_call else served.query
        if not isinstance(params, dict):
            raise WrongFormatError(f"params: expected an object, got {kind_of(params)}")
        result = _answer_of_tasks(operation, params, stamp)
        return _rpc_answer(body.get("id"), result) if operation.is_call else result

    @override
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """`{"error": {"code", "status", "message", "details"}}`."""
        reason = kind.upper()
        info: JsonObject = {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason,
            "domain": "a2a-protocol.org",
        }  # fmt: skip
        error: JsonObject = {
            "code": status, "status": reason, "message": message, "details": [info],
        }  # fmt: skip
        return retry_headers(retry_after_s), {"error": error}

    @override
    def error_of(
        self, operation: Operation, request: JsonObject, status: int, kind: str, body: JsonObject
    ) -> tuple[int, JsonObject]:
        """An error of JSON-RPC, which HTTP knows nothing of where it is the protocol's own."""
        if not operation.is_call:
            return status, body
        usual = _INVALID_PARAMS if kind == "invalid_request" else _INTERNAL
        code, _ = _ERRORS.get(kind, (usual, status))
        error: JsonObject = {
            "code": code, "message": body["error"]["message"], "data": body["error"]["details"],
        }  # fmt: skip
        is_own = kind in _ERRORS or kind == "invalid_request"
        return 200 if is_own else status, {
            "jsonrpc": "2.0", "id": request.get("id"), "error": error,
        }  # fmt: skip


def _unknown_method(method: str) -> NotFoundError:
    if _PUSH in method:
        text = "Push notifications are not supported."
        return NotFoundError(text, kind="push_notification_not_supported", status=400)
    known = ", ".join(_RPC_METHODS)
    text = f"There is no method {method[:100]!r}; there are {known} (A2A 1.0)."
    return NotFoundError(text, kind="method_not_found")


def _card(name: str, served: Served) -> JsonObject:
    found = served.agent(name)
    if found is None:
        raise NotFoundError(f"No script of the suite answers for an agent {name[:100]!r}.")
    name, description = found[0] or _AGENT, found[1] or AgentDescription()
    url = f"{served.url()}/agents/a2a/{name}"
    skills = [{**each.model_dump(mode="json"), "name": each.name or each.id}
              for each in description.skills]  # fmt: skip
    return {
        "name": name,
        "description": description.description,
        "version": description.version,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": binding, "protocolVersion": "1.0"}
            for binding in ("JSONRPC", "HTTP+JSON")
        ],
        "capabilities": {"streaming": True, "pushNotifications": False},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": skills,
    }


def _answer_of_tasks(operation: Operation, params: JsonObject, stamp: Stamp) -> JsonObject:
    """A task, those that there are, or one that is cancelled."""
    name = operation.id.rpartition(".")[2]
    if name == "list":
        return _page_of_tasks(params, stamp)
    task = _require_task(operation.resource, stamp)
    has_ended = task["status"]["state"] in _ENDED_STATES
    if name == "get":
        return _with_history(task, params)
    if name == "cancel":
        if has_ended:
            raise NotFoundError(
                f"Task {task['id']} has ended.", kind="task_not_cancelable", status=400
            )
        status: JsonObject = {"state": _state("canceled"), "timestamp": rfc3339(stamp.now)}
        task = {**task, "status": status}
        stamp.conversations.tasks.keep(task)
        return task
    text = "A scripted task changes by messages alone; there is nothing to subscribe to."
    raise NotFoundError(text, kind="unsupported_operation", status=400)


def _page_of_tasks(params: JsonObject, stamp: Stamp) -> JsonObject:
    found = [
        each
        for each in stamp.conversations.tasks.all()
        if params.get("contextId") in {None, "", each["contextId"]}
        and params.get("status") in {None, "", each["status"]["state"]}
    ]
    size = min(_number(params, "pageSize", _PAGE) or _PAGE, _LONGEST_PAGE)
    start = _number(params, "pageToken", 0)
    page = [
        _with_history(each, {"historyLength": 0, **params}) for each in found[start : start + size]
    ]
    if str(params.get("includeArtifacts", "")).lower() != "true":
        page = [{name: value for name, value in each.items() if name != "artifacts"}
                for each in page]  # fmt: skip
    after = start + size
    token = str(after) if after < len(found) else ""
    return {"tasks": page, "nextPageToken": token, "pageSize": size, "totalSize": len(found)}


def _with_history(task: JsonObject, params: JsonObject) -> JsonObject:
    """A task with as many of its last messages as are asked for; all when nothing is said."""
    if params.get("historyLength") is None:
        return task
    length = _number(params, "historyLength", 0)
    return {**task, "history": task["history"][-length:] if length else []}


def _number(params: JsonObject, name: str, usual: int) -> int:
    value = params.get(name)
    if value is None or value == "":
        return usual
    text = str(value)
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise WrongFormatError(f"{name}: expected a number, got {text[:100]!r}")
    return int(text)
