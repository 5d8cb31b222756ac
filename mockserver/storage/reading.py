"""Reads JSON files as untrusted input: a file that cannot be read is an error with its place."""

from pathlib import Path

import orjson

from mockserver.errors import FormatError
from mockserver.model import Json, JsonObject

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes; a larger file is taken for a mistake."""


def read_json(path: Path) -> Json:
    """Read one JSON file.

    Raises:
        FormatError: Not there, too large, not UTF-8, not JSON, or nested too deeply; with line
            and column.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FormatError(str(path), f"larger than {LARGEST_FILE >> 20} MiB")
        text = path.read_bytes()
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _not_json(path, text, error) from error


def _not_json(path: Path, text: bytes, error: orjson.JSONDecodeError) -> FormatError:
    try:
        text.decode()
    except UnicodeDecodeError as wrong:
        line = text.count(b"\n", 0, wrong.start) + 1
        return FormatError(f"{path}:{line}", f"not UTF-8: {wrong.reason} at byte {wrong.start}")
    reason = str(error).split(": line ", maxsplit=1)[0]
    return FormatError(f"{path}:{error.lineno}:{error.colno}", f"not JSON: {reason}")


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
