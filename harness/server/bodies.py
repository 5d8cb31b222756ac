"""Request bodies: JSON of bounded length and bounded parts."""

from typing import Any

import orjson
from starlette.requests import Request

from harness.server.replies import RefusedError

MOST_CONTAINERS = 20_000
"""Of lists and objects: reading more of them at once would hold up everyone else."""

MOST_MEMBERS = 1_000
"""Of one object: no route takes as many."""


async def read_body(request: Request, longest: int) -> bytes:
    """The whole body.

    Raises:
        RefusedError: It is longer than `longest` bytes.
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > longest:
            limit = f"{longest >> 20} MiB" if longest >> 20 else f"{longest >> 10} KiB"
            close = {"connection": "close"}
            raise RefusedError(413, f"the body is longer than {limit}", headers=close)
    return bytes(content)


def parsed(content: bytes, *, optional: bool = False) -> Any:
    """The JSON of a body; an object without anything where there is none and there need be none.

    Raises:
        RefusedError: It is no JSON, or has too many parts.
    """
    if optional and not content.strip():
        return {}
    if content.count(b"[") + content.count(b"{") > MOST_CONTAINERS:
        raise RefusedError(413, f"the body has more than {MOST_CONTAINERS} lists and objects")
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise RefusedError(400, f"the body is no JSON: {error}") from None
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if len(each) > MOST_MEMBERS:
                raise RefusedError(413, f"an object has more than {MOST_MEMBERS} members")
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(inner for inner in each if isinstance(inner, dict | list))
    return value
