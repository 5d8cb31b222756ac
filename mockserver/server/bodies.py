"""Request bodies: bytes to JSON, with the errors that Google's front end answers.

The 400 for a payload that is no JSON follows recorded answers; the text for depth and encoding is
not verified against the live API.
"""

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

import orjson

from mockserver.googleapi import DEEPEST, ApiError, Dialect, bad_request, too_deep
from mockserver.model import Json, JsonObject

_SHOWN = 40
"""Characters of the payload that the error shows on each side of the place."""

_DEPTH = "depth limit"
"""How the reader names what it reads no further."""

_SIGNS = re.compile(r'"((?:[^"\\]|\\.)*)"|[\[\]{}:]')


def parse_json(content: bytes, dialect: Dialect) -> Json:
    """Read a JSON body; an empty one is an empty object.

    Raises:
        ApiError: 400: not UTF-8, not JSON, or nested too deeply.
    """
    if not content.strip():
        return {}
    try:
        value: Json = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise _not_json(content, error, dialect) from error
    if content.count(b"{") + content.count(b"[") > DEEPEST and _is_deep(value):
        raise bad_request([too_deep(_deep_key(content))], dialect)
    return value


def parse_form(content: bytes) -> JsonObject:
    """Read a form-encoded body; of a field sent twice the last value counts.

    A field whose name ends in `[]` is a list of all its values.

    >>> parse_form(b"grant_type=refresh_token&scope=a+b&match[]=up")
    {'grant_type': 'refresh_token', 'scope': 'a b', 'match[]': ['up']}
    """
    pairs = parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True)
    form: JsonObject = dict(pairs)
    lists = {name: [value for key, value in pairs if key == name] for name in form}
    return {name: lists[name] if name.endswith("[]") else form[name] for name in form}


def _not_json(content: bytes, error: orjson.JSONDecodeError, dialect: Dialect) -> ApiError:
    if _DEPTH in error.msg:
        return bad_request([too_deep(_deep_key(content))], dialect)
    if dialect == "legacy":
        return ApiError(400, "Parse Error", reason="parseError")
    return ApiError(
        400, f"Invalid JSON payload received. {_why(content, error)}", reason="parseError"
    )


def _why(content: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        text = content.decode()
    except UnicodeDecodeError as broken:
        return f"Invalid UTF-8 at byte {broken.start}."
    place = min(error.pos, len(text))
    start = max(0, place - _SHOWN)
    shown = text[start : place + _SHOWN].replace("\n", " ")
    what = "Unexpected end of string." if place >= len(text.rstrip()) else "Unexpected token."
    return f"{what}\n{shown}\n{' ' * (place - start)}^"


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        inside = (item.values() if isinstance(item, dict) else item for item in _nested(level))
        level = [child for children in inside for child in children]
    return bool(_nested(level))


def _nested(values: Iterable[Json]) -> list[Json]:
    return [item for item in values if isinstance(item, dict | list)]


def _deep_key(content: bytes) -> str:
    """The key whose value is the first that is nested too deeply."""
    above: list[str] = []
    text = key = ""
    for sign in _SIGNS.finditer(content.decode("utf-8", "replace")):
        match sign[0]:
            case "{" | "[":
                above.append(key)
            case "}" | "]":
                key = above.pop()
            case ":":
                key = text
            case _:
                text = sign[1]
        if len(above) > DEEPEST:
            break
    return key
