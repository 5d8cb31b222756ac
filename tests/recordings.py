"""Small recordings for tests."""

import json
from typing import Any

from mockserver.model import Interaction, RecordedRequest, RecordedResponse

DIRECTORY = "https://admin.googleapis.com/admin/directory/v1"
JSON = ("Content-Type", "application/json; charset=UTF-8")


def interaction(
    url: str,
    answer: Any = None,
    *,
    verb: str = "GET",
    status: int = 200,
    body: Any = None,
    at: str = "",
) -> Interaction:
    """One call with a JSON answer; bytes are an answer without a media type."""
    request = RecordedRequest(verb, url, *_message(body))
    return Interaction(request, RecordedResponse(status, "", *_message(answer)), recorded_at=at)


def _message(content: Any) -> tuple[tuple[tuple[str, str], ...], bytes]:
    if content is None or isinstance(content, bytes):
        return (), content or b""
    return (JSON,), json.dumps(content).encode()
