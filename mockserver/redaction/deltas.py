"""Texts that a stream deals out in pieces, one event at a time, redacted as the whole they are.

An address of which one event holds `maria.kow` and the next `alski@corp.example` is in neither.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import orjson

from mockserver.model import Json
from mockserver.redaction import jsontext

PIECES = frozenset(
    {
        "argsTextDelta", "arguments", "chunk", "completion", "content", "delta", "inputTextDelta",
        "output", "partial_json", "response", "text", "textDelta", "thinking", "token",
    }
)  # fmt: skip
"""Fields in which APIs of models stream the pieces of one text."""

_LONGEST = 256 * 1024
_WORD = re.compile(r"\s+|\S+")
_Path = tuple[str | int, ...]


def rejoined(contents: Sequence[bytes], redact: Callable[[str], str]) -> dict[int, bytes]:
    """The events that must be written anew, because their pieces make up something together.

    Args:
        contents: The JSON of each event; what is none is left out.
        redact: Gives a text without what is to be replaced.

    Returns:
        Place of an event to its JSON.
    """
    values = {place: value for place, each in enumerate(contents) if (value := _json(each))}
    streams: dict[tuple[_Path, str], list[tuple[int, _Path, str]]] = defaultdict(list)
    for place, value in values.items():
        for path, index, text in _texts(value, []):
            streams[path, index].append((place, path, text))
    changes: dict[int, dict[_Path, str]] = defaultdict(dict)
    for stream in streams.values():
        for (place, path, old), new in zip(stream, _dealt(stream, redact), strict=True):
            if new != old:
                changes[place][path] = new
    return {place: _with(contents[place], texts) for place, texts in changes.items()}


def _json(content: bytes) -> Json:
    if content.lstrip()[:1] not in {b"{", b"["}:
        return None
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return None


def _texts(
    value: Json, found: list[tuple[_Path, str, str]], path: _Path = (), index: str = ""
) -> list[tuple[_Path, str, str]]:
    """The pieces of texts in an event, each with its path and the block of the answer it is of."""
    if isinstance(value, dict):
        number = value.get("index")
        index += f"/{number}" if isinstance(number, int) else ""
        for name, item in value.items():
            if isinstance(item, str):
                if name in PIECES:
                    found.append(((*path, name), index, item))
            elif isinstance(item, (dict, list)):
                _texts(item, found, (*path, name), index)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            if isinstance(item, (dict, list)):
                _texts(item, found, (*path, place), index)
    return found


def _dealt(stream: Sequence[tuple[int, _Path, str]], redact: Callable[[str], str]) -> list[str]:
    """The pieces of a text, whose sum is the redacted sum of the old ones."""
    pieces = [text for _, _, text in stream]
    whole = "".join(pieces)
    made = redact(whole) if len(pieces) > 1 and len(whole) <= _LONGEST else whole
    if made == whole:
        return pieces
    ends, at = [], 0
    for piece in pieces:
        at += len(piece)
        ends.append(at)
    places = _moved(whole, made, ends)
    return [made[start:end] for start, end in zip([0, *places], places, strict=False)]


def _moved(old: str, new: str, ends: Sequence[int]) -> list[int]:
    """Where ends of pieces lie in the new text; a word that was replaced stays with its first."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    moves: list[tuple[int, int, int, bool]] = []
    start_old = start_new = 0
    for tag, i, j, k, m in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        end_old = start_old + sum(map(len, before[i:j]))
        end_new = start_new + sum(map(len, after[k:m]))
        moves.append((end_old, end_new, start_new - start_old, tag == "equal"))
        start_old, start_new = end_old, end_new
    places, which = [], 0
    for end in ends:
        while moves[which][0] < end:
            which += 1
        _, end_new, shift, equal = moves[which]
        places.append(end + shift if equal else end_new)
    return places


def _with(content: bytes, texts: dict[_Path, str]) -> bytes:
    made = jsontext.replaced(content, lambda value: _put(value, (), texts))
    return content if made is None else made


def _put(value: Json, path: _Path, texts: dict[_Path, str]) -> Json:
    if isinstance(value, dict):
        return {name: _put(item, (*path, name), texts) for name, item in value.items()}
    if isinstance(value, list):
        return [_put(item, (*path, place), texts) for place, item in enumerate(value)]
    return texts.get(path, value)
