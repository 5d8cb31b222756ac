"""WebSockets of stubs: what is sent, and what the client must say, step by step."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from mockserver.asgi.requests import Receive, Request, Scope, Send
from mockserver.model import Json, Miss
from mockserver.sources.exchange import Exchange, JournalledCall
from mockserver.sources.response import WholeAnswer
from mockserver.stubs import SocketStep, argument_differences
from mockserver.templates import TemplateError, render_json

MESSAGE = "MESSAGE"
"""What the journal has as the HTTP method of a message."""

_NORMAL, _GOING_AWAY, _NOT_AS_WANTED, _FAILED = 1000, 1001, 1008, 1011
_LONGEST_REASON = 120
"""Bytes of the reason in a frame that closes; RFC 6455 allows 123."""
_UPGRADE_REQUIRED = 426


class ScriptedSocket:
    """The conversation over one WebSocket.

    Each message of the client is journalled as a part of the request that opened it, with what was
    sent after it as the answer.

    Args:
        exchange: The request that opens it.
        name: The stub, for messages.
        steps: Its steps.
        values: Makes what templates may speak of, besides `message` (the last of the client) and
            `messages`; None where nothing is a template.
    """

    def __init__(
        self,
        exchange: Exchange,
        name: str,
        steps: Sequence[SocketStep],
        values: Callable[[], Mapping[str, Any]] | None,
    ) -> None:
        self._exchange = exchange
        self._name = name
        self._steps = steps
        self._values = values
        self._messages: list[Json] = []
        self._sent: list[bytes] = []
        self._call: JournalledCall | None = None

    def whole(self, request: Request) -> WholeAnswer | None:
        """None: it takes its time."""
        return None

    async def send(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that opens no WebSocket: with 426."""
        text = (
            f"{self._name} is a WebSocket, and the request asks for none; or the server speaks"
            " none: without its extra (pip install 'understudy[websocket]'), or with --workers"
        )
        headers = [
            (b"upgrade", b"websocket"),
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(text)),
        ]
        head = {"type": "http.response.start", "status": _UPGRADE_REQUIRED, "headers": headers}
        await send(head)
        await send({"type": "http.response.body", "body": text.encode()})

    async def converse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open it, and go through its steps; close it after the last, or when one does not fit."""
        offered = scope.get("subprotocols") or [None]
        await send({"type": "websocket.accept", "subprotocol": offered[0]})
        try:
            code, reason = await self._run(receive, send)
        finally:
            self._finish()
        if code:
            text = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
            await send({"type": "websocket.close", "code": code, "reason": text})

    async def _run(self, receive: Receive, send: Send) -> tuple[int, str]:
        """The code and the reason that it is closed with; 0 where the client has gone."""
        session = self._exchange.session
        for number, step in enumerate(self._steps):
            if step.delay_ms:
                await asyncio.sleep(step.delay_ms / 1000)
            if session.closed:
                return _GOING_AWAY, f"the session {session.id} is closed"
            if step.close is not None:
                return step.close, ""
            if step.receive is None:
                try:
                    text = self._render(step.send)
                except TemplateError as error:
                    return _FAILED, self._fail(number, str(error))
                self._sent.append(text.encode())
                await send({"type": "websocket.send", "text": text})
                continue
            event = await receive()
            if event["type"] == "websocket.disconnect":
                return 0, ""
            problem = self._take(event, step.receive, number)
            if problem:
                return _NOT_AS_WANTED, problem
        return _NORMAL, ""

    def _take(self, event: Mapping[str, Any], wanted: Json, number: int) -> str:
        """Take a message of the client; why it is not the one that is wanted, or nothing."""
        self._finish()
        message = _message(event)
        self._messages.append(message)
        exchange = self._exchange
        call = self._call = JournalledCall(
            exchange.session, exchange.route, exchange.entry.client, exchange.entry.seq
        )
        call.entry.method_id, call.entry.http_method = exchange.entry.method_id, MESSAGE
        call.entry.set_body(message)
        call.response.source = "stub"
        if isinstance(wanted, dict) and isinstance(message, dict):
            told = argument_differences(wanted, message)
        else:
            told = argument_differences({"message": wanted}, {"message": message})
        return self._fail(number, "; ".join(told), told) if told else ""

    def _fail(self, number: int, text: str, differs: tuple[str, ...] = ()) -> str:
        place = f"{self._name}/socket/{number}"
        reason = f"{place}: {text}"
        if self._call is not None:
            response = self._call.response
            response.status, response.source = (404, "none") if differs else (500, "none")
            response.miss = Miss(blame="fixture_gap", reason=reason, nearest=place, differs=differs)
        return reason

    def _finish(self) -> None:
        """Journal the last message of the client, with what was sent after it."""
        call, self._call = self._call, None
        sent, self._sent = self._sent, []
        if call is not None:
            call.response.body = b"\n".join(sent)
            call.finish()

    def _render(self, message: Json) -> str:
        if self._values is not None:
            last = self._messages[-1] if self._messages else None
            values = {**self._values(), "message": last, "messages": self._messages}
            message = render_json(message, values)
        return message if isinstance(message, str) else orjson.dumps(message).decode()


def _message(event: Mapping[str, Any]) -> Json:
    """A message: the value of JSON, else a text; base64 of one that is bytes.

    >>> _message({"text": '{"a": 1}'}), _message({"text": "hi"}), _message({"bytes": b"hi"})
    ({'a': 1}, 'hi', 'aGk=')
    """
    text = event.get("text")
    if text is None:
        return b64encode(event.get("bytes") or b"").decode()
    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError:
        return str(text)
    return value
