"""Bodies redacted by what they are: JSON, forms, parts, events, lines, texts."""

import re
from base64 import b64decode, encodebytes
from collections.abc import Callable, Sequence
from typing import NamedTuple

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
from mockserver.model import Chunk, Header
from mockserver.redaction import openings
from mockserver.redaction.broken import broken_json, printable
from mockserver.redaction.deltas import rejoined
from mockserver.redaction.heads import redacted_headers
from mockserver.redaction.judging import Judge
from mockserver.redaction.packed import cbor, msgpack
from mockserver.redaction.protobuf import protobuf
from mockserver.redaction.targets import form, target

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


def redacted_body(judge: Judge, headers: tuple[Header, ...], body: bytes) -> tuple[Piece, ...]:
    """The pieces that a body is made of, each as it was and redacted; joined they are the body."""
    if not body:
        return ()
    media = media_type(headers)
    if is_event_stream(media):
        return _streamed(judge, body, _event_line)
    if is_json_lines(media):
        return _streamed(judge, body, _json_line)
    if media.startswith("multipart/"):
        return (Piece(body, _multipart(judge, header(headers, "content-type"), body)),)
    return (Piece(body, _content(judge, media, charset(headers), body)),)


def _streamed(
    judge: Judge, body: bytes, redacted: Callable[[Judge, bytes], Piece]
) -> tuple[Piece, ...]:
    lines = [line for line in _LINE.findall(body) if line]
    contents = [_json_of(line) for line in lines]
    anew = rejoined(contents, lambda text: _text(judge, text))
    return tuple(
        Piece(line, redacted(judge, line.replace(contents[place], anew[place], 1)).new)
        if place in anew
        else redacted(judge, line)
        for place, line in enumerate(lines)
    )


def _json_of(line: bytes) -> bytes:
    """What may be JSON in a line of a stream."""
    found = _EVENT_FIELD.fullmatch(line)
    return found[2] if found and found[1][:1] == b"d" else line.strip(b"\r\n" + _RECORD)


def moved(chunks: Sequence[Chunk], pieces: Sequence[Piece]) -> tuple[Chunk, ...]:
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


def _content(judge: Judge, media: str, coded: str, body: bytes) -> bytes:
    wide = _wide(body, coded)
    if wide:
        mark = body[:2] if body[:2] in _MARKS else b""
        text = body[len(mark) :].decode(wide)
        narrow = _content(judge, media, "utf-8", text.encode("utf-8", "surrogatepass"))
        return mark + narrow.decode("utf-8", "surrogatepass").encode(wide)
    for redacted, names in _PACKED.items():
        stated = any(name in media for name in names)
        if stated or (media == "application/octet-stream" and body[:1] > b"\x80"):
            packed = redacted(body, judge.whole_json)
            # bytes of other formats often read as numbers: where nothing is replaced it is a guess
            if packed is not None and (stated or packed != body):
                return packed
    if media in _SHEETS:
        return _sheet(judge, _SHEETS[media], body)
    if is_json(media) or body.lstrip()[:1] in {b"{", b"["} or GUARD.match(body):
        made = _json(judge, body)
        if made is not None:
            return made
    try:
        text = body.decode(coded)
    except (UnicodeDecodeError, LookupError):
        text = "\0"
    if "\0" in text:
        return _binary(judge, media, body)
    if media == "application/http":
        return _message(judge, body)
    plain = media in {"", "text/plain"} and _FORM.fullmatch(text)
    made_text = form(judge, text) if is_form(media) or plain else _text(judge, text)
    return made_text.encode(coded, "xmlcharrefreplace")


_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_PACKED = {msgpack: ("msgpack", "messagepack"), cbor: ("cbor",)}
"""Each with the names that media types have for it."""
_SHEETS = {"text/csv": ",", "application/csv": ",", "text/tab-separated-values": "\t"}


def _wide(body: bytes, coded: str) -> str:
    """The coding of a body of two bytes a character; empty where it is another."""
    if len(body) % 2 or len(body) < _LEAST_WIDE:
        return ""
    found = _MARKS.get(body[:2], "")
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
        return ""
    return found


_LEAST_WIDE = 8


def _sheet(judge: Judge, sign: str, body: bytes) -> bytes:
    """A table whose first row names its columns: each cell is a field."""
    text = body.decode("utf-8", "surrogateescape")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    cell = re.compile(rf"(\"(?:[^\"]|\"\")*\"|[^\r\n{sign}]*)({sign}|\r\n|\n|\r|\Z)")
    rows: list[list[tuple[str, str]]] = [[]]
    at = len(mark)
    while at < len(text):
        found = cell.match(text, at)
        if found is None:
            return _text(judge, text).encode("utf-8", "surrogateescape")
        rows[-1].append((found[1], found[2]))
        if found[2] != sign:
            rows.append([])
        at = found.end()
    names = [_unquoted(raw) for raw, _ in rows[0]]
    if len(set(names)) != len(names):
        return _text(judge, text).encode("utf-8", "surrogateescape")
    first = "".join(raw + end for raw, end in rows[0])
    rest = "".join(_row(judge, names, row) for row in rows[1:])
    return (mark + first + judge.with_learned(rest)).encode("utf-8", "surrogateescape")


def _row(judge: Judge, names: list[str], row: list[tuple[str, str]]) -> str:
    if len(row) != len(names):
        return judge.text("".join(raw + end for raw, end in row))
    plain = [_unquoted(raw) for raw, _ in row]
    made = judge.json(dict(zip(names, plain, strict=True)))
    news = list(made.values()) if isinstance(made, dict) else plain
    cells = []
    for (raw, end), old, new in zip(row, plain, news, strict=False):
        text = raw if new == old else str(new)
        if new != old and (raw[:1] == '"' or re.search(r"[\",;\t\r\n]", text)):
            text = '"' + text.replace('"', '""') + '"'
        cells.append(text + end)
    return "".join(cells)


def _unquoted(raw: str) -> str:
    return raw[1:-1].replace('""', '"') if raw[:1] == '"' and raw[-1:] == '"' and raw[1:] else raw


def _json(judge: Judge, body: bytes) -> bytes | None:
    """JSON redacted; None where it is none."""
    guard = GUARD.match(body)
    front = guard[0] if guard else b""
    bare = body[len(front) :]
    try:
        made = judge.json_text(bare)
    except ValueError:
        return _several(judge, body) if b"\n" in body.strip() and not guard else None
    return front + _learned(judge, bare if made is None else made)


def _several(judge: Judge, body: bytes) -> bytes | None:
    lines = [_json_line(judge, line) for line in _LINE.findall(body) if line]
    whole = all(line.old.strip()[:1] in {b"", b"{", b"["} for line in lines)
    return b"".join(line.new for line in lines) if whole else None


def _json_line(judge: Judge, line: bytes) -> Piece:
    bare = line.rstrip(b"\r\n")
    front = _RECORD if bare.startswith(_RECORD) else b""
    return Piece(line, front + _line(judge, bare[len(front) :]) + line[len(bare) :])


def _event_line(judge: Judge, line: bytes) -> Piece:
    found = _EVENT_FIELD.fullmatch(line)
    if found is None:
        return Piece(line, _line(judge, line))
    return Piece(line, found[1] + _line(judge, found[2]) + found[3])


def _line(judge: Judge, line: bytes) -> bytes:
    if line.lstrip()[:1] in {b"{", b"[", b'"'}:
        try:
            made = judge.json_text(line)
        except ValueError:
            pass
        else:
            return _learned(judge, line if made is None else made)
    return _text(judge, line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _text(judge: Judge, text: str) -> str:
    if '"' in text:
        text = broken_json(judge, text)
    return judge.with_learned(judge.text(text))


def _learned(judge: Judge, content: bytes) -> bytes:
    text = content.decode("utf-8", "surrogateescape")
    made = judge.json_with_learned(text)
    return content if made is text else made.encode("utf-8", "surrogateescape")


def _binary(judge: Judge, media: str, body: bytes) -> bytes:
    made = openings.redacted_content(body, lambda text: _text(judge, text))
    if made is not None:
        return made
    if "proto" in media or "grpc" in media or media == "application/octet-stream":
        return protobuf(body, lambda text: judge.with_learned(judge.text(text)))
    return body


def _multipart(judge: Judge, content_type: str, body: bytes) -> bytes:
    split = split_multipart(body, boundary_of(content_type))
    if split is None:
        return _content(judge, "text/plain", "utf-8", body)
    parts = []
    for part in split.parts:
        name = part.name
        coding = header(part.headers, "content-transfer-encoding").strip().lower()
        if coding in {"quoted-printable", "base64"}:
            made = _transferred(judge, part.headers, coding, part.body)
        elif name and not header(part.headers, "content-type"):
            made = _field(judge, name, part.body)
        else:
            made = b"".join(piece.new for piece in redacted_body(judge, part.headers, part.body))
        parts.append(part._replace(body=made, head=_head(judge, part.head, part.body, made)))
    return split.with_parts(tuple(parts)).joined()


def _transferred(judge: Judge, headers: tuple[Header, ...], coding: str, body: bytes) -> bytes:
    """A part that is coded for mail, coded the same way again."""
    if coding == "quoted-printable":
        return printable(judge, body).encode("utf-8", "surrogateescape")
    try:
        plain = b64decode(b"".join(body.split()), validate=True)
    except ValueError:
        return body
    made = b"".join(piece.new for piece in redacted_body(judge, headers, plain))
    if made == plain:
        return body
    newline = b"\r\n" if b"\r\n" in body else b"\n"
    tail = newline if body.endswith(b"\n") else b""
    return newline.join(encodebytes(made).split()) + tail


def _field(judge: Judge, name: str, body: bytes) -> bytes:
    from mockserver.redaction.targets import parameter

    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _binary(judge, "", body)
    made = parameter(judge, name, text)
    return _text(judge, text).encode() if made == text else made.encode()


def _head(judge: Judge, head: bytes, old: bytes, new: bytes) -> bytes:
    lines = []
    for line in head.decode("latin-1").splitlines(keepends=True):
        name, colon, value = line.partition(":")
        bare = value.strip()
        if not colon or not bare:
            lines.append(line)
            continue
        ((_, made),) = redacted_headers(judge, ((name.strip(), bare),))
        if name.strip().lower() == "content-length" and bare == str(len(old)):
            made = str(len(new))
        lines.append(name + colon + value.replace(bare, made))
    return "".join(lines).encode("latin-1", "replace")


def _message(judge: Judge, body: bytes) -> bytes:
    """A request or response within a part of a batch."""
    gap = _BLANK.search(body)
    head, middle, rest = (
        (body[: gap.start()], gap[0], body[gap.end() :]) if gap else (body, b"", b"")
    )
    first, newline, lines = head.partition(b"\n")
    media = re.search(rb"(?i)^content-type:\s*([^\r\n;]+)", lines, re.MULTILINE)
    named = media[1].decode("latin-1").strip().lower() if media else ""
    made = _content(judge, named, "utf-8", rest) if rest else rest
    return _start_line(judge, first) + newline + _head(judge, lines, rest, made) + middle + made


def _start_line(judge: Judge, line: bytes) -> bytes:
    text = line.decode("latin-1")
    found = _REQUEST_LINE.match(text)
    if found is None:
        return line
    made = found[1] + target(judge, found[2]) + (found[3] or "")
    return made.encode("latin-1", "replace") + line[found.end() :]
