"""What the emulated traffic is held against: one constant answer, straight from raw ASGI."""

import os
from typing import Any

BODY = b"x" * int(os.environ.get("REFERENCE_BYTES", "1872"))
HEADERS = [
    (b"content-type", b"application/json; charset=UTF-8"),
    (b"content-length", str(len(BODY)).encode()),
]


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
