"""Requests to services, as the text that stands for them in a conversation."""

import json

from harness.model import JsonObject


def request_text(request: JsonObject) -> str:
    """A request as an agent that is no service reads it, and as people see it.

    >>> request_text({"content": "Café"})
    '{"content": "Café"}'
    """
    return json.dumps(request, ensure_ascii=False)
