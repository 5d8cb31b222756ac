"""Request bodies: bytes to JSON, with the errors that Google's front end answers.

The 400 for a payload that is no JSON follows recorded answers; the text for depth and encoding is
not verified against the live API.
"""

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

import orjson

from mockserver.asgi.requests import Request
from mockserver.googleapi import DEEPEST, ApiError, Dialect, bad_request, too_deep
from mockserver.model import Json, JsonObject

_SHOWN = 40
"""Characters of the payload that the error shows on each side of the place."""

MOST_VALUES = 250_000
"""Values of a JSON body; more would take longer to build than others can wait."""

MOST_FIELDS = 10_000
"""Fields of a form or a query string."""

_MOST_LINES = 100_000
"""Lines of a multipart body that may be boundaries."""

_FEW = 4 * 1024
"""A body of fewer bytes holds too few of anything to be counted."""

_VALUE_BYTES = 128
"""What a value takes in memory, at the most, beside its text."""

_LITTLE = 16 * 1024 * 1024
"""Bytes that a process has which goes on at all; asking for fewer costs more than it tells."""

_DEPTH = "depth limit"
"""How the reader names what it reads no further."""

_SIGNS = re.compile(r'"((?:[^"\\]|\\.)*)"|[\[\]{}:]')


def parse_json(content: bytes, dialect: Dialect) -> Json:
    """Read a JSON body; an empty one is an empty object.

    Raises:
        ApiError: 400: not UTF-8, not JSON, nested too deeply, or of too many values; 507 where
            the process has not the memory for it.
    """
    if not content.strip():
        return {}
    if len(content) > _FEW:
        check_size(content)
    try:
        value: Json = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise _not_json(content, error, dialect) from error
    if _opens_many(content) and _is_deep(value):
        raise bad_request([too_deep(_deep_key(content))], dialect)
    return value


def check_size(content: bytes) -> None:
    """Refuse JSON that cannot be built in the time and the memory that there are.

    Raises:
        ApiError: 400: too many values; 507: too little memory.
    """
    if not _holds_at_most(content, MOST_VALUES):
        raise ApiError(
            400,
            f"Request payload holds more values than the limit: {MOST_VALUES}.",
            reason="badRequest",
        )
    # a reader that runs out of memory ends the process, so it is looked for beforehand
    wanted = 4 * len(content) + _VALUE_BYTES * min(len(content), MOST_VALUES)
    if wanted < _LITTLE:
        return
    try:
        bytearray(wanted)
    except MemoryError as error:
        raise no_memory_error() from error


def check_content(request: Request, content: bytes) -> None:
    """Refuse a body of any kind that has too many values, fields or parts to be read.

    Raises:
        ApiError: 400, or 507.
    """
    if len(content) <= _FEW:
        return
    kind = request.headers.get(b"content-type", b"")[:200].lower()
    if kind.startswith(b"multipart/"):
        fewer = content.count(b"\n--") <= _MOST_LINES
    elif request.is_form:
        fewer = content.count(b"&") < MOST_FIELDS
    else:
        fewer = True
        if content[:64].lstrip()[:1] in {b"{", b"["}:
            check_size(content)
    if not fewer:
        raise ApiError(400, "The request has too many fields or parts.", reason="badRequest")


def no_memory_error() -> ApiError:
    """507: the process has not the memory that a request takes."""
    return ApiError(
        507,
        "The mock server has not the memory that this request takes.",
        reason="insufficientStorage",
        code_name="RESOURCE_EXHAUSTED",
    )


def _holds_at_most(content: bytes, most: int) -> bool:
    """Whether a JSON text holds at most so many values; signs inside of texts are none."""
    if len(content) <= most or _signs(content, 0, len(content)) < most:
        return True
    found = place = 0
    while True:
        quote = content.find(b'"', place)
        found += _signs(content, place, len(content) if quote < 0 else quote)
        if found >= most:
            return False
        if quote < 0:
            return True
        place = _after_text(content, quote)


def _signs(content: bytes, start: int, end: int) -> int:
    return sum(content.count(sign, start, end) for sign in (b",", b"[", b"{"))


def _after_text(content: bytes, quote: int) -> int:
    """The place after the text that begins with the quote at a place."""
    end = content.find(b'"', quote + 1)
    while end >= 0:
        slash = end
        while content[slash - 1] == 0x5C:
            slash -= 1
        if (end - slash) % 2 == 0:
            return end + 1
        end = content.find(b'"', end + 1)
    return len(content)


def parse_form(content: bytes) -> JsonObject:
    """Read a form-encoded body; of a field sent twice the last value counts.

    A field whose name ends in `[]` is a list of all its values.

    Raises:
        ApiError: 400: it has too many fields.

    >>> parse_form(b"grant_type=refresh_token&scope=a+b&match[]=up")
    {'grant_type': 'refresh_token', 'scope': 'a b', 'match[]': ['up']}
    """
    form: JsonObject = {}
    for name, value in form_fields(content.decode("utf-8", "replace")):
        if name.endswith("[]"):
            form.setdefault(name, []).append(value)
        else:
            form[name] = value
    return form


def form_fields(text: str) -> list[tuple[str, str]]:
    """The fields of a form or a query string, in order.

    Raises:
        ApiError: 400: there are too many of them.
    """
    if text.count("&") >= MOST_FIELDS:
        raise ApiError(
            400, f"The request has more fields than the limit: {MOST_FIELDS}.", reason="badRequest"
        )
    return parse_qsl(text, keep_blank_values=True)


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


def _opens_many(content: bytes) -> bool:
    """Whether a text has enough brackets to be nested too deeply; counting all would cost more."""
    if len(content) <= 2 * DEEPEST:  # each is closed, too
        return False
    found = 0
    for bracket in (b"{", b"["):
        place = content.find(bracket)
        while place >= 0:
            found += 1
            if found > DEEPEST:
                return True
            place = content.find(bracket, place + 1)
    return False


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        inside = (
            item.values() if isinstance(item, dict) else item for item in _nested_values(level)
        )
        level = [child for children in inside for child in children]
    return bool(_nested_values(level))


def _nested_values(values: Iterable[Json]) -> list[Json]:
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
