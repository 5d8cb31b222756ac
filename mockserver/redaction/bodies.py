"""Redacts bodies by their media type: JSON, forms, multipart, event streams, lines, texts.

Texts that a stream delivers in pieces (`delta` fields) are redacted as a whole and cut again.
"""

import re
from base64 import b64decode, encodebytes
from collections import defaultdict
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import orjson

from mockserver.messages import (
    boundary_of,
    charset,
    header,
    is_event_stream,
    is_form,
    is_json,
    is_json_lines,
    media_type,
    split_multipart,
)
from mockserver.model import Chunk, Header, Json
from mockserver.redaction.headers import (
    redact_form,
    redact_headers,
    redact_parameter,
    redact_url,
)
from mockserver.redaction.readers import json_values, texts
from mockserver.redaction.readers.binary import redact_cbor, redact_msgpack, redact_protobuf
from mockserver.redaction.readers.texts import redact_broken_json, redact_quoted_printable_bytes
from mockserver.redaction.value_redactor import ValueRedactor

DELTA_FIELDS = frozenset(
    {
        "argsTextDelta", "arguments", "chunk", "completion", "content", "delta", "inputTextDelta",
        "output", "partial_json", "response", "text", "textDelta", "thinking", "token",
    }
)  # fmt: skip
"""Fields in which APIs of models stream the pieces of one text."""

_LONGEST = 256 * 1024
_WORD = re.compile(r"\s+|\S+")
_Path = tuple[str | int, ...]


def redact_split_texts(contents: Sequence[bytes], redact: Callable[[str], str]) -> dict[int, bytes]:
    """The events that must be written anew, because their pieces make up something together.

    Args:
        contents: The JSON of each event; what is none is left out.
        redact: Gives a text without what is to be replaced.

    Returns:
        Place of an event to its JSON.
    """
    values = {place: value for place, each in enumerate(contents) if (value := _delta_json(each))}
    streams: dict[tuple[_Path, str], list[tuple[int, _Path, str]]] = defaultdict(list)
    for place, value in values.items():
        for path, index, text in _texts(value, []):
            streams[path, index].append((place, path, text))
    changes: dict[int, dict[_Path, str]] = defaultdict(dict)
    for stream in streams.values():
        for (place, path, old), new in zip(stream, _divide_text(stream, redact), strict=True):
            if new != old:
                changes[place][path] = new
    return {place: _with(contents[place], texts) for place, texts in changes.items()}


def _delta_json(content: bytes) -> Json:
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
                if name in DELTA_FIELDS:
                    found.append(((*path, name), index, item))
            elif isinstance(item, (dict, list)):
                _texts(item, found, (*path, name), index)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            if isinstance(item, (dict, list)):
                _texts(item, found, (*path, place), index)
    return found


def _divide_text(
    stream: Sequence[tuple[int, _Path, str]], redact: Callable[[str], str]
) -> list[str]:
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
    places = _move_ends(whole, made, ends)
    return [made[start:end] for start, end in zip([0, *places], places, strict=False)]


def _move_ends(old: str, new: str, ends: Sequence[int]) -> list[int]:
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
    made = json_values.redact_json_text(content, lambda value: _put(value, (), texts))
    return content if made is None else made


def _put(value: Json, path: _Path, texts: dict[_Path, str]) -> Json:
    if isinstance(value, dict):
        return {name: _put(item, (*path, name), texts) for name, item in value.items()}
    if isinstance(value, list):
        return [_put(item, (*path, place), texts) for place, item in enumerate(value)]
    return texts.get(path, value)


GUARD = re.compile(rb"\)\]\}',?\s*|for ?\(;;\);|while ?\(1\);")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)?")
_EVENT_FIELD = re.compile(rb"((?:data|id|event|)\s?:\s?)(.*?)([\r\n]*)", re.DOTALL)
_FORM = re.compile(r"[\w.~%+\[\]-]+=[^\s&{}<>\"]*(?:&[\w.~%+\[\]-]+=[^\s&{}<>\"]*)*")
_REQUEST_LINE = re.compile(r"([A-Z]+ )(\S+)( HTTP/[\d.]+)?")
_BLANK = re.compile(rb"\r?\n\r?\n")
_RECORD = b"\x1e"


class Piece(NamedTuple):
    """A stretch of a body before and after."""

    old: bytes
    new: bytes


def redact_body(
    values: ValueRedactor, headers: tuple[Header, ...], body: bytes
) -> tuple[Piece, ...]:
    """The pieces that a body is made of, each as it was and redacted; joined they are the body."""
    if not body:
        return ()
    media = media_type(headers)
    if is_event_stream(media):
        return _redact_events(values, body, _event_line)
    if is_json_lines(media):
        return _redact_events(values, body, _json_line)
    if media.startswith("multipart/"):
        return (Piece(body, _multipart(values, header(headers, "content-type"), body)),)
    return (Piece(body, _content(values, media, charset(headers), body)),)


def _redact_events(
    values: ValueRedactor, body: bytes, redacted: Callable[[ValueRedactor, bytes], Piece]
) -> tuple[Piece, ...]:
    lines = [line for line in _LINE.findall(body) if line]
    contents = [_json_of(line) for line in lines]
    anew = redact_split_texts(contents, lambda text: _text(values, text))
    return tuple(
        Piece(line, redacted(values, line.replace(contents[place], anew[place], 1)).new)
        if place in anew
        else redacted(values, line)
        for place, line in enumerate(lines)
    )


def _json_of(line: bytes) -> bytes:
    """What may be JSON in a line of a stream."""
    found = _EVENT_FIELD.fullmatch(line)
    return found[2] if found and found[1][:1] == b"d" else line.strip(b"\r\n" + _RECORD)


def move_chunks(chunks: Sequence[Chunk], pieces: Sequence[Piece]) -> tuple[Chunk, ...]:
    """Chunks of a body, at the same places of what the body is now."""
    made, old_end, new_start = [], 0, 0
    for chunk in chunks:
        old_end += chunk.size
        place = _place(pieces, old_end)
        made.append(Chunk(chunk.at_ms, place - new_start))
        new_start = place
    return tuple(made)


def _place(pieces: Sequence[Piece], offset: int) -> int:
    place = 0
    for piece in pieces:
        if offset < len(piece.old):
            return place + offset * len(piece.new) // len(piece.old)
        offset -= len(piece.old)
        place += len(piece.new)
    return place


def _content(values: ValueRedactor, media: str, coded: str, body: bytes) -> bytes:
    wide = _wide(body, coded)
    if wide:
        mark = body[:2] if body[:2] in _MARKS else b""
        text = body[len(mark) :].decode(wide)
        narrow = _content(values, media, "utf-8", text.encode("utf-8", "surrogatepass"))
        return mark + narrow.decode("utf-8", "surrogatepass").encode(wide)
    for redacted, names in _PACKED.items():
        stated = any(name in media for name in names)
        if stated or (media == "application/octet-stream" and body[:1] > b"\x80"):
            packed = redacted(body, values.redact_whole_json)
            # bytes of other formats often read as numbers: where nothing is replaced it is a guess
            if packed is not None and (stated or packed != body):
                return packed
    if media in _SHEETS:
        return _sheet(values, _SHEETS[media], body)
    if is_json(media) or body.lstrip()[:1] in {b"{", b"["} or GUARD.match(body):
        made = _json(values, body)
        if made is not None:
            return made
    try:
        text = body.decode(coded)
    except (UnicodeDecodeError, LookupError):
        text = "\0"
    if "\0" in text:
        return _binary(values, media, body)
    if media == "application/http":
        return _message(values, body)
    plain = media in {"", "text/plain"} and _FORM.fullmatch(text)
    made_text = redact_form(values, text) if is_form(media) or plain else _text(values, text)
    return made_text.encode(coded, "xmlcharrefreplace")


_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_PACKED = {redact_msgpack: ("msgpack", "messagepack"), redact_cbor: ("cbor",)}
"""Each with the names that media types have for it."""
_SHEETS = {"text/csv": ",", "application/csv": ",", "text/tab-separated-values": "\t"}


def _wide(body: bytes, coded: str) -> str | None:
    """The coding of a body of two bytes a character; None where it is another."""
    if len(body) % 2 or len(body) < _LEAST_WIDE:
        return None
    found = _MARKS.get(body[:2])
    named = coded.lower().replace("_", "-")
    if not found and named.startswith("utf-16"):
        found = "utf-16-be" if named.endswith("be") or body[:1] == b"\0" else "utf-16-le"
    if not found and not body[1::2].strip(b"\0") and b"\0" not in body[::2]:
        found = "utf-16-le"
    if not found and not body[::2].strip(b"\0") and b"\0" not in body[1::2]:
        found = "utf-16-be"
    try:
        body.decode(found or "ascii")
    except UnicodeDecodeError:
        return None
    return found


_LEAST_WIDE = 8


def _sheet(values: ValueRedactor, sign: str, body: bytes) -> bytes:
    """A table whose first row names its columns: each cell is a field."""
    text = body.decode("utf-8", "surrogateescape")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    cell = re.compile(rf"(\"(?:[^\"]|\"\")*\"|[^\r\n{sign}]*)({sign}|\r\n|\n|\r|\Z)")
    rows: list[list[tuple[str, str]]] = [[]]
    at = len(mark)
    while at < len(text):
        found = cell.match(text, at)
        if found is None:
            return _text(values, text).encode("utf-8", "surrogateescape")
        rows[-1].append((found[1], found[2]))
        if found[2] != sign:
            rows.append([])
        at = found.end()
    names = [_unquote(raw) for raw, _ in rows[0]]
    if len(set(names)) != len(names):
        return _text(values, text).encode("utf-8", "surrogateescape")
    first = "".join(raw + end for raw, end in rows[0])
    rest = "".join(_row(values, names, row) for row in rows[1:])
    return (mark + first + values.replace_learned(rest)).encode("utf-8", "surrogateescape")


def _row(values: ValueRedactor, names: list[str], row: list[tuple[str, str]]) -> str:
    if len(row) != len(names):
        return values.redact_text("".join(raw + end for raw, end in row))
    plain = [_unquote(raw) for raw, _ in row]
    made = values.redact_json(dict(zip(names, plain, strict=True)))
    news = list(made.values()) if isinstance(made, dict) else plain
    cells = []
    for (raw, end), old, new in zip(row, plain, news, strict=False):
        text = raw if new == old else str(new)
        if new != old and (raw[:1] == '"' or re.search(r"[\",;\t\r\n]", text)):
            text = '"' + text.replace('"', '""') + '"'
        cells.append(text + end)
    return "".join(cells)


def _unquote(raw: str) -> str:
    return raw[1:-1].replace('""', '"') if raw[:1] == '"' and raw[-1:] == '"' and raw[1:] else raw


def _json(values: ValueRedactor, body: bytes) -> bytes | None:
    """JSON redacted; None where it is none."""
    guard = GUARD.match(body)
    front = guard[0] if guard else b""
    bare = body[len(front) :]
    try:
        made = values.redact_json_text(bare)
    except ValueError:
        return _several(values, body) if b"\n" in body.strip() and not guard else None
    return front + _replace_learned(values, bare if made is None else made)


def _several(values: ValueRedactor, body: bytes) -> bytes | None:
    lines = [_json_line(values, line) for line in _LINE.findall(body) if line]
    whole = all(line.old.strip()[:1] in {b"", b"{", b"["} for line in lines)
    return b"".join(line.new for line in lines) if whole else None


def _json_line(values: ValueRedactor, line: bytes) -> Piece:
    bare = line.rstrip(b"\r\n")
    front = _RECORD if bare.startswith(_RECORD) else b""
    return Piece(line, front + _line(values, bare[len(front) :]) + line[len(bare) :])


def _event_line(values: ValueRedactor, line: bytes) -> Piece:
    found = _EVENT_FIELD.fullmatch(line)
    if found is None:
        return Piece(line, _line(values, line))
    return Piece(line, found[1] + _line(values, found[2]) + found[3])


def _line(values: ValueRedactor, line: bytes) -> bytes:
    if line.lstrip()[:1] in {b"{", b"[", b'"'}:
        try:
            made = values.redact_json_text(line)
        except ValueError:
            pass
        else:
            return _replace_learned(values, line if made is None else made)
    return _text(values, line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _text(values: ValueRedactor, text: str) -> str:
    if '"' in text:
        text = redact_broken_json(values, text)
    return values.replace_learned(values.redact_text(text))


def _replace_learned(values: ValueRedactor, content: bytes) -> bytes:
    text = content.decode("utf-8", "surrogateescape")
    made = values.replace_learned_in_json(text)
    return content if made is text else made.encode("utf-8", "surrogateescape")


def _binary(values: ValueRedactor, media: str, body: bytes) -> bytes:
    made = texts.redact_compressed(body, lambda text: _text(values, text))
    if made is not None:
        return made
    if "proto" in media or "grpc" in media or media == "application/octet-stream":
        return redact_protobuf(body, lambda text: values.replace_learned(values.redact_text(text)))
    return body


def _multipart(values: ValueRedactor, content_type: str, body: bytes) -> bytes:
    split = split_multipart(body, boundary_of(content_type))
    if split is None:
        return _content(values, "text/plain", "utf-8", body)
    parts = []
    for part in split.parts:
        name = part.name
        coding = header(part.headers, "content-transfer-encoding").strip().lower()
        if coding in {"quoted-printable", "base64"}:
            made = _redact_mail_part(values, part.headers, coding, part.body)
        elif name and not header(part.headers, "content-type"):
            made = _field(values, name, part.body)
        else:
            made = b"".join(piece.new for piece in redact_body(values, part.headers, part.body))
        parts.append(part._replace(body=made, head=_head(values, part.head, part.body, made)))
    return split.with_parts(tuple(parts)).join()


def _redact_mail_part(
    values: ValueRedactor, headers: tuple[Header, ...], coding: str, body: bytes
) -> bytes:
    """A part that is coded for mail, coded the same way again."""
    if coding == "quoted-printable":
        return redact_quoted_printable_bytes(values, body).encode("utf-8", "surrogateescape")
    try:
        plain = b64decode(b"".join(body.split()), validate=True)
    except ValueError:
        return body
    made = b"".join(piece.new for piece in redact_body(values, headers, plain))
    if made == plain:
        return body
    newline = b"\r\n" if b"\r\n" in body else b"\n"
    tail = newline if body.endswith(b"\n") else b""
    return newline.join(encodebytes(made).split()) + tail


def _field(values: ValueRedactor, name: str, body: bytes) -> bytes:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _binary(values, "", body)
    made = redact_parameter(values, name, text)
    return _text(values, text).encode() if made == text else made.encode()


def _head(values: ValueRedactor, head: bytes, old: bytes, new: bytes) -> bytes:
    lines = []
    for line in head.decode("latin-1").splitlines(keepends=True):
        name, colon, value = line.partition(":")
        bare = value.strip()
        if not colon or not bare:
            lines.append(line)
            continue
        ((_, made),) = redact_headers(values, ((name.strip(), bare),))
        if name.strip().lower() == "content-length" and bare == str(len(old)):
            made = str(len(new))
        lines.append(name + colon + value.replace(bare, made))
    return "".join(lines).encode("latin-1", "replace")


def _message(values: ValueRedactor, body: bytes) -> bytes:
    """A request or response within a part of a batch."""
    gap = _BLANK.search(body)
    head, middle, rest = (
        (body[: gap.start()], gap[0], body[gap.end() :]) if gap else (body, b"", b"")
    )
    first, newline, lines = head.partition(b"\n")
    media = re.search(rb"(?i)^content-type:\s*([^\r\n;]+)", lines, re.MULTILINE)
    named = media[1].decode("latin-1").strip().lower() if media else ""
    made = _content(values, named, "utf-8", rest) if rest else rest
    return _start_line(values, first) + newline + _head(values, lines, rest, made) + middle + made


def _start_line(values: ValueRedactor, line: bytes) -> bytes:
    text = line.decode("latin-1")
    found = _REQUEST_LINE.match(text)
    if found is None:
        return line
    made = found[1] + redact_url(values, found[2]) + (found[3] or "")
    return made.encode("latin-1", "replace") + line[found.end() :]
