"""Reads JSON files as untrusted input: a file that cannot be read is an error with its place."""

import json
import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

import orjson

from mockserver.errors import FormatError
from mockserver.model import Json, JsonObject

Place = tuple[str | int, ...]
"""Where a value is: keys and indexes from the top."""
LARGEST_FILE = 256 * 1024 * 1024
"""Bytes; a larger file is taken for a mistake."""
DEEPEST = 200
"""Containers within each other."""
_WRITTEN = 254
"""How many what writes JSON can write; answers put some of their own around."""
_ENDS = (64 * 1024, None)
"""Of large files the beginning tells enough, mostly."""
_OUTLINE = bytes.maketrans(b"123456789\t\n\r,:[-", b"000000000       ")
_DIGITS = b"0" * 19
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]')
_VISIBLE = re.compile(r"\S")
_LONG_INTEGER = re.compile(rb"(?:^|[\s,:\[])-?[1-9][0-9]{18,}(?=[\s,}\]]|$)")


def read_json(path: Path) -> Json:
    """Read one JSON file.

    Raises:
        FormatError: Not there, too large, or `parse_json` refuses it.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FormatError(str(path), f"larger than {LARGEST_FILE >> 20} MiB")
        text = path.read_bytes()
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    return parse_json(text, path)


def parse_json(text: bytes, path: Path) -> Json:
    """What the content of a JSON file stands for, exactly, and in a form that can be written again.

    Args:
        text: The content.
        path: The file, for messages.

    Raises:
        FormatError: Not UTF-8, not JSON, with line and column; nested deeper than `DEEPEST`, or an
            integer that 64 bits do not hold, with its pointer.
    """
    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _json_error(path, text, error) from error
    if _is_too_deep(text, value):
        raise FormatError(str(path), f"nested more than {DEEPEST} deep")
    place = long_integer(text)
    if place is not None:
        raise FormatError(
            f"{path}#{place}", "an integer that 64 bits do not hold", hint="put it in quotes"
        )
    return value


def long_integer(text: bytes) -> str | None:
    """The JSON pointer to the first integer that 64 bits do not hold, or None.

    Args:
        text: Valid JSON.
    """
    # looking for its outline is much faster than looking for a number
    outline = text.translate(_OUTLINE)
    is_likely = outline.startswith(_DIGITS) or b" " + _DIGITS in outline
    if is_likely and _LONG_INTEGER.search(text):
        return _find_long_integer(json.loads(text))
    return None


def _is_too_deep(text: bytes, value: Json) -> bool:
    """Whether a value could not be written again, because there is too much within each other."""
    if all(text.count(b"[", 0, end) + text.count(b"{", 0, end) <= DEEPEST for end in _ENDS):
        return False
    for _ in range(_WRITTEN - DEEPEST):
        value = [value]
    try:
        orjson.dumps(value)
    except orjson.JSONEncodeError:
        return True
    return False


def _find_long_integer(value: Json) -> str | None:
    """The pointer to the first integer that 64 bits do not hold."""
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting:
        place, item = waiting.pop()
        if isinstance(item, dict):
            waiting += [
                (f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}", each)
                for key, each in reversed(item.items())
            ]
        elif isinstance(item, list):
            waiting += [(f"{place}/{n}", each) for n, each in reversed(list(enumerate(item)))]
        elif isinstance(item, int) and not -(2**63) <= item < 2**64:
            return place
    return None


def _json_error(path: Path, text: bytes, error: orjson.JSONDecodeError) -> FormatError:
    try:
        text.decode()
    except UnicodeDecodeError as wrong:
        line = text.count(b"\n", 0, wrong.start) + 1
        return FormatError(f"{path}:{line}", f"not UTF-8: {wrong.reason} at byte {wrong.start}")
    reason = str(error).split(": line ", maxsplit=1)[0]
    return FormatError(f"{path}:{error.lineno}:{error.colno}", f"not JSON: {reason}")


def lines_in_json(text: str, places: Iterable[Place]) -> list[int]:
    r"""The lines of several values of a JSON text; of what holds a value where it is not there.

    Args:
        text: Valid JSON.
        places: Where the values are.

    >>> lines_in_json('{"a":\n [1,\n  {"b": 2}]}', [("a", 1, "b"), ("a", 7), ("c",)])
    [3, 1, 1]
    """
    wanted = list(places)
    prefixes = {place[:length] for place in wanted for length in range(len(place) + 1)}
    offsets = dict(_offsets_in_json(text, prefixes))
    lines = []
    for place in wanted:
        known = next(place[:n] for n in range(len(place), -1, -1) if place[:n] in offsets)
        lines.append(text.count("\n", 0, offsets[known]) + 1)
    return lines


def _offsets_in_json(text: str, wanted: Set[Place]) -> Iterator[tuple[Place, int]]:
    """Where some values of a JSON text begin: a field at its name.

    Yields:
        Place and offset of each that is there.
    """
    yield (), 0
    # of each container that is open: its place, where something in it is wanted, and its index
    around: list[tuple[Place | None, int]] = []
    here: Place | None = ()
    name, name_at = "", None
    for token in _TOKENS.finditer(text):
        sign = token[0]
        if sign in {"{", "["}:
            is_array = sign == "["
            around.append((here, 0 if is_array else -1))
            here = (*here, 0) if is_array and here is not None else None
        elif sign in {"}", "]"}:
            around.pop()
            here = None
        elif sign == ":":
            inside = around[-1][0]
            here = None if inside is None else (*inside, json.loads(name))
        elif sign == ",":
            inside, index = around[-1]
            around[-1] = inside, index + 1 if index >= 0 else -1
            here = (*inside, index + 1) if index >= 0 and inside is not None else None
        else:
            name, name_at = sign, token
            continue
        if here is not None:
            here = here if here in wanted else None
        if here is not None and sign not in {"}", "]"}:
            begin = name_at if sign == ":" else _VISIBLE.search(text, token.end())
            yield here, token.end() if begin is None else begin.start()


def read_object(path: Path) -> JsonObject:
    """Read a JSON file that must hold an object.

    Raises:
        FormatError: Like `read_json`, or the file holds something else.
    """
    value = read_json(path)
    if not isinstance(value, dict):
        raise FormatError(str(path), f"expected a JSON object, found {kind_of(value)}")
    return value


def kind_of(value: Json) -> str:
    """What a JSON value is, in JSON's words.

    >>> kind_of([]), kind_of(True), kind_of(None)
    ('an array', 'a boolean', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names: dict[type, str] = {dict: "an object", list: "an array", str: "a string"}
    return names.get(type(value), "a number")
