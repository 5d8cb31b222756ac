"""Request bodies: JSON, and not too long."""

from typing import Any

import orjson
from starlette.requests import Request

from harness.server.replies import RefusedError
from harness.server.settings import MAX_BODY_BYTES


async def read_json(request: Request, *, optional: bool = False) -> Any:
    """The JSON of a body; an object without anything where there is none and there need be none.

    Raises:
        RefusedError: It is too long, or no JSON.
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY_BYTES:
            limit = f"{MAX_BODY_BYTES >> 20} MiB"
            close = {"connection": "close"}
            raise RefusedError(413, f"the body is longer than {limit}", headers=close)
    if optional and not content.strip():
        return {}
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise RefusedError(400, f"the body is no JSON: {error}") from None
