"""What the emulated traffic is held against: one constant answer, straight from raw ASGI."""

import json
import os
from pathlib import Path
from typing import Any

_ANSWER = json.loads(Path(os.environ["REFERENCE_ANSWER"]).read_text(encoding="utf-8"))
STATUS = _ANSWER["status"]
HEADERS = [(name.lower().encode(), value.encode()) for name, value in _ANSWER["headers"]]
BODY = _ANSWER["body"].encode("latin-1")


async def app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": STATUS, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
