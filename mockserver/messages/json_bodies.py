"""Bodies of messages as JSON, where they are that."""

import orjson

from mockserver.model import Json, JsonObject


def read_json(body: bytes) -> tuple[Json, bool]:
    """The JSON of a body, and whether it is that; nothing is JSON, too.

    >>> read_json(b"[1]"), read_json(b" "), read_json(b"<p>")
    (([1], True), (None, True), (None, False))
    """
    if not body.strip():
        return None, True
    try:
        return orjson.loads(body), True
    except orjson.JSONDecodeError:
        return None, False


def read_json_object(body: bytes) -> JsonObject:
    """The object that a body is; an empty one for any other body.

    >>> read_json_object(b'{"a": 1}'), read_json_object(b"[1]")
    ({'a': 1}, {})
    """
    found, _ = read_json(body)
    return found if isinstance(found, dict) else {}
