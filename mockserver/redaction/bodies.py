"""Bodies redacted by what they are: JSON, forms, parts, events, lines, texts."""

import re
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
from mockserver.redaction.broken import broken_json, tagged
from mockserver.redaction.deltas import rejoined
from mockserver.redaction.heads import redacted_headers
from mockserver.redaction.judging import Judge
from mockserver.redaction.protobuf import protobuf
from mockserver.redaction.targets import form, target

_GUARD = re.compile(rb"\)\]\}',?\s*|for ?\(;;\);|while ?\(1\);")
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
    if is_json(media) or body.lstrip()[:1] in {b"{", b"["} or _GUARD.match(body):
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


def _json(judge: Judge, body: bytes) -> bytes | None:
    """JSON redacted; None where it is none."""
    guard = _GUARD.match(body)
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
    if "</" in text:
        text = tagged(judge, text)
    return judge.learned.replaced(judge.text(text))


def _learned(judge: Judge, content: bytes) -> bytes:
    text = content.decode("utf-8", "surrogateescape")
    made = judge.learned.replaced(text)
    return content if made is text else made.encode("utf-8", "surrogateescape")


def _binary(judge: Judge, media: str, body: bytes) -> bytes:
    made = openings.redacted_content(body, lambda text: _text(judge, text))
    if made is not None:
        return made
    if "proto" in media or "grpc" in media or media == "application/octet-stream":
        return protobuf(body, lambda text: judge.learned.replaced(judge.text(text)))
    return body


def _multipart(judge: Judge, content_type: str, body: bytes) -> bytes:
    split = split_multipart(body, boundary_of(content_type))
    if split is None:
        return _content(judge, "text/plain", "utf-8", body)
    parts = []
    for part in split.parts:
        name = part.name
        if name and not header(part.headers, "content-type"):
            made = _field(judge, name, part.body)
        else:
            made = b"".join(piece.new for piece in redacted_body(judge, part.headers, part.body))
        parts.append(part._replace(body=made, head=_head(judge, part.head, part.body, made)))
    return split.with_parts(tuple(parts)).joined()


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
