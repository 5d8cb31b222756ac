"""JSON texts: values are replaced, and every other sign stays where it was."""

import json
import re
from collections.abc import Callable

import orjson

from mockserver.model import Json

_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|-?Infinity|NaN', re.DOTALL)


def parsed(text: bytes) -> Json:
    """The value of a JSON text.

    Raises:
        ValueError: It is none.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            return json.loads(text)
        except RecursionError as deep:
            raise ValueError("nested too deep") from deep


def replaced(text: bytes, redact: Callable[[Json], Json]) -> bytes | None:
    """A JSON text with its values redacted; None where nothing is replaced.

    Spaces, the order of keys, escapes and the writing of numbers stay as they are; only where a key
    comes twice the text is written anew, because the hidden value was not looked at.

    Args:
        text: One JSON value.
        redact: Gives a value redacted, of the same structure.

    Raises:
        ValueError: It is no JSON.
    """
    value = parsed(text)
    bare = text.rstrip(b"\n")
    for write in _INDENTED if b"\n" in bare[:_LOOK] else _ON_ONE_LINE:
        if _written(write, value) == bare:
            made = redact(value)
            return None if made == value else write(made) + text[len(bare) :]
    return _in_place(text, redact)


_LOOK = 200
Write = Callable[[Json], bytes]
_INDENTED: tuple[Write, ...] = (
    lambda value: orjson.dumps(value, option=orjson.OPT_INDENT_2),
    lambda value: json.dumps(value, indent=2).encode(),
)
_ON_ONE_LINE: tuple[Write, ...] = (orjson.dumps, lambda value: json.dumps(value).encode())
"""How most writers write: what one of them writes the same is written by it again."""


def _written(write: Write, value: Json) -> bytes:
    try:
        return write(value)
    except (orjson.JSONEncodeError, UnicodeEncodeError):  # beyond 64 bits, halves of surrogates
        return b""


class _TwiceError(ValueError):
    """A key comes twice."""


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwiceError
    return found


def _in_place(text: bytes, redact: Callable[[Json], Json]) -> bytes | None:
    try:
        value = json.loads(text, object_pairs_hook=_distinct)
    except _TwiceError:
        return json.dumps(redact(json.loads(text))).encode()
    except RecursionError as deep:
        raise ValueError("nested too deep") from deep
    made = redact(value)
    written = text.decode(json.detect_encoding(text), "surrogatepass")
    done, last = [], 0
    literals = _LITERAL.finditer(written)
    for found, old, new in zip(literals, _leaves(value, []), _leaves(made, []), strict=False):
        if old is not new and old != new:
            done += [written[last : found.start()], _literal(new, plain=written.isascii())]
            last = found.end()
    return "".join([*done, written[last:]]).encode("utf-8", "surrogatepass") if done else None


def _literal(value: Json, *, plain: bool) -> str:
    written = json.dumps(value, ensure_ascii=plain)
    try:
        written.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return written


def _leaves(value: Json, found: list[Json]) -> list[Json]:
    """Keys and scalars in the order they are written."""
    if isinstance(value, dict):
        for key, item in value.items():
            found.append(key)
            _leaves(item, found)
    elif isinstance(value, list):
        for item in value:
            _leaves(item, found)
    else:
        found.append(value)
    return found
