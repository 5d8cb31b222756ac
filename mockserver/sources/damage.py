"""Answers that a fault damages on their way: cut, broken, slow."""

import asyncio

from mockserver.asgi.requests import Connection, Receive, Request, Send
from mockserver.sessions.faults import Damage
from mockserver.sources.replies import Header, Outgoing, head_and_body

_CUTTING = frozenset({"reset", "truncate"})


class _Answer:
    """One answer and the connection it is sent on."""

    def __init__(
        self, damage: Damage, reply: Outgoing, head: list[Header], body: bytes, request: Request
    ) -> None:
        self.damage = damage
        self.status = reply.status
        self.head = head
        self.body = b"" if request.head else body
        self.connection = request.connection


async def send_damaged(
    reply: Outgoing, body: bytes, request: Request, receive: Receive, send: Send
) -> None:
    """Send an answer with the damage that its fault says; one without a body is not sent at all.

    Raises:
        ConnectionResetError: The connection is to be cut, and this transport has none that can be.
    """
    damage = reply.damage
    if damage is None:
        raise ValueError("nothing is to be damaged")
    if damage.kind == "malformed":
        body = malformed(body)
    head, body = head_and_body(reply, body, request)
    if damage.at_once or (damage.kind in _CUTTING and not body):
        await end_connection(request.connection, receive, reset=True)
        return
    answer = _Answer(damage, reply, head, body, request)
    await send({"type": "http.response.start", "status": reply.status, "headers": head})
    if damage.kind in _CUTTING:
        await _cut(answer, receive, send)
    elif damage.kind == "dribble":
        await _dribble(answer, send)
    else:
        if damage.pause_ms:
            await asyncio.sleep(damage.pause_ms / 1000)
        await send({"type": "http.response.body", "body": answer.body})


def malformed(body: bytes) -> bytes:
    """A body that is no JSON any more: its second half is missing, and what is open stays open.

    >>> malformed(b'{"kind": "example"}')
    b'{"kind": {'
    """
    return body[: len(body) // 2] + b"{"


async def _cut(answer: _Answer, receive: Receive, send: Send) -> None:
    damage, body = answer.damage, answer.body
    kept = len(body) // 2 if damage.after_bytes is None else min(damage.after_bytes, len(body) - 1)
    if kept > 0:
        await send({"type": "http.response.body", "body": body[:kept], "more_body": True})
    await end_connection(answer.connection, receive, reset=damage.kind == "reset")


async def _dribble(answer: _Answer, send: Send) -> None:
    size, body = answer.damage.chunk_bytes, answer.body
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(answer.damage.pause_ms / 1000)
    await send({"type": "http.response.body", "body": b""})


async def end_connection(connection: Connection | None, receive: Receive, *, reset: bool) -> None:
    """End a connection before its answer is complete, and wait until it is gone.

    Args:
        connection: The connection; None where the transport has none.
        receive: Tells when it is gone.
        reset: Whether the other end is to read that it was reset.

    Raises:
        ConnectionResetError: There is no connection.
    """
    if connection is None:
        raise ConnectionResetError("the answer breaks off")
    if reset:
        connection.reset()
    else:
        connection.cut()
    while (await receive())["type"] != "http.disconnect":
        pass
