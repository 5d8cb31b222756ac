"""Replaces what the leak gate found, in whatever coding it stands there; pure.

A finding is replaced in the reading that shows it, and that reading is then written back into the
one it came from: escaped again, in base64, hexadecimal or gzip again, up to the content itself.
"""

import base64
import binascii
import gzip
import html
import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import quote

from mockserver.redaction.leak_known import Finding
from mockserver.redaction.leak_readings import BASE64, HEXADECIMAL, Layer, from_base64


class Span(NamedTuple):
    """A stretch of a content, and what takes its place.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        new: What stands there afterwards.
    """

    start: int
    end: int
    new: bytes


class NotWritableError(Exception):
    """A reading cannot be written back: what was found is in pieces that no rule joins."""


def spans_of(found: Iterable[tuple[Layer, Finding, str]]) -> list[Span]:
    """The stretches of a content that findings in its readings become, in order, none twice.

    Args:
        found: Readings, findings in them, and what takes the place of each.

    Raises:
        NotWritableError: One of them cannot be written back.
    """
    waiting: dict[int, tuple[Layer, list[Span]]] = {}
    for layer, finding, new in found:
        waiting.setdefault(id(layer), (layer, []))[1].append(_own_span(layer, finding, new))
    done: list[Span] = []
    while waiting:
        mark = max(waiting, key=lambda mark: _depth(waiting[mark][0]))
        layer, spans = waiting.pop(mark)
        spans = _apart(spans)
        if layer.outer is None:
            done += spans
            continue
        outward = _packed_again(layer, spans) if layer.packed else _escaped_again(layer, spans)
        waiting.setdefault(id(layer.outer), (layer.outer, []))[1].extend(outward)
    return _apart(done)


def put(content: bytes, spans: Iterable[Span]) -> bytes:
    """A content with stretches replaced.

    >>> put(b"abcdef", [Span(1, 3, b"-"), Span(5, 6, b"+")])
    b'a-de+'
    """
    done, last = [], 0
    for start, end, new in spans:
        done += [content[last:start], new]
        last = end
    return b"".join([*done, content[last:]])


def _depth(layer: Layer) -> int:
    depth = 0
    while layer.outer is not None:
        layer, depth = layer.outer, depth + 1
    return depth


def _apart(spans: list[Span]) -> list[Span]:
    """In order, without those that overlap one before them; of two the longer stays."""
    kept: list[Span] = []
    for span in sorted(set(spans), key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _own_span(layer: Layer, finding: Finding, new: str) -> Span:
    """The span of a finding in its own reading, coded as the finding is."""
    made = new.encode()
    start, end = finding.start, finding.end
    for form in finding.form:
        if form == "hexadecimal":
            made = made.hex().encode()
        elif form == "in UTF-16":
            made = b"\0".join(made[at : at + 1] for at in range(len(made)))
        elif form == "percent-encoded":
            made = made.replace(b" ", b"+")
        elif form == "base64":
            return _in_base64(layer.content, finding, made)
    return Span(start, end, made)


_PADDED = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_BASE64_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"


def _in_base64(content: bytes, finding: Finding, new: bytes) -> Span:
    """The run of base64 around a short secret that it codes."""
    first = max(0, finding.start - 4096)
    start = first + len(content[first : finding.start].rstrip(_BASE64_SIGNS))
    run = _PADDED.match(content, start)
    if run is None:
        raise NotWritableError
    old = finding.value.lower().encode()
    for skipped in range(4):
        plain = from_base64(run[0][skipped:])
        at = plain.lower().find(old)
        if at >= 0:
            changed = plain[:at] + new + plain[at + len(old) :]
            coded = _armoured(changed, run[0])
            return Span(start, run.end(), run[0][:skipped] + coded)
    raise NotWritableError


def _armoured(content: bytes, like: bytes) -> bytes:
    safe = b"-" in like or b"_" in like
    coded = base64.urlsafe_b64encode(content) if safe else base64.b64encode(content)
    return coded if like.endswith(b"=") else coded.rstrip(b"=")


def _packed_again(layer: Layer, spans: list[Span]) -> list[Span]:
    """What the pieces of a packed reading become in the reading that they came from."""
    assert layer.outer is not None  # noqa: S101 - the caller's
    starts, origins = layer.places()
    ends = [*starts[1:], len(layer.content)]
    by_piece: dict[int, list[Span]] = {}
    for span in spans:
        by_piece.setdefault(bisect_right(starts, span.start) - 1, []).append(span)
    made = []
    for index, own in by_piece.items():
        first, last = starts[index], ends[index] - 1  # the line end behind each piece
        piece = layer.content[first:last]
        changed = put(
            piece,
            [Span(span.start - first, min(span.end, last) - first, span.new) for span in own],
        )
        write = _WRITERS.get(layer.form[-1])
        if write is None:
            raise NotWritableError
        made.append(write(layer.outer.content, origins[index], piece, changed))
    return made


_PADDING = re.compile(rb"={0,2}")


def _to_base64(outer: bytes, at: int, piece: bytes, changed: bytes) -> Span:
    run = BASE64.match(outer, at)
    if run is None:
        raise NotWritableError
    for skipped in range(4):
        if from_base64(run[0][skipped:]) == piece:
            padding = _PADDING.match(outer, run.end())
            end = padding.end() if padding else run.end()
            like = b"=" if end > run.end() else b"-" if _is_url_safe(run[0]) else b""
            coded = _armoured(changed, like)
            if _is_url_safe(run[0]):
                coded = coded.replace(b"+", b"-").replace(b"/", b"_")
            return Span(at, end, run[0][:skipped] + coded)
    raise NotWritableError


def _is_url_safe(run: bytes) -> bool:
    return b"-" in run or b"_" in run


def _to_hexadecimal(outer: bytes, at: int, piece: bytes, changed: bytes) -> Span:
    run = HEXADECIMAL.match(outer, at)
    if run is None:
        raise NotWritableError
    for skipped in range(2):
        size = (len(run[0]) - skipped) & ~1
        if binascii.unhexlify(run[0][skipped : skipped + size]) == piece:
            coded = changed.hex().encode()
            coded = coded.upper() if run[0].upper() == run[0] else coded
            return Span(at + skipped, at + skipped + size, coded)
    raise NotWritableError


def _to_gzip(outer: bytes, at: int, piece: bytes, changed: bytes) -> Span:
    zipped = outer.startswith(b"\x1f\x8b", at)
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16 if zipped else zlib.MAX_WBITS)
    try:
        if stream.decompress(outer[at:]) != piece:
            raise NotWritableError
    except zlib.error as error:
        raise NotWritableError from error
    end = len(outer) - len(stream.unused_data)
    return Span(at, end, gzip.compress(changed, mtime=0) if zipped else zlib.compress(changed))


_WRITERS: dict[str, Callable[[bytes, int, bytes, bytes], Span]] = {
    "base64": _to_base64, "hexadecimal": _to_hexadecimal, "gzip": _to_gzip,
}  # fmt: skip


def _escaped_again(layer: Layer, spans: list[Span]) -> list[Span]:
    """What stretches of a reading without escapes become in the one that has them."""
    assert layer.outer is not None  # noqa: S101 - the caller's
    is_step = layer.form == layer.outer.form
    escape = _as_it_is if is_step else _ESCAPES.get(layer.form[-1])
    if escape is None:
        raise NotWritableError
    starts, origins = layer.places()
    ends = [*starts[1:], len(layer.content)]
    outer = layer.outer.content
    made = []
    for start, end, new in spans:
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        before = layer.content[starts[first] : start]
        after = layer.content[end : ends[last]]
        if _is_plain(layer, outer, first):
            outer_start, before = origins[first] + len(before), b""
        else:
            outer_start = origins[first]
        if _is_plain(layer, outer, last):
            outer_end, after = origins[last] + (end - starts[last]), b""
        else:
            outer_end = origins[last + 1] if last + 1 < len(origins) else len(outer)
        if outer_end < outer_start:
            raise NotWritableError
        made.append(Span(outer_start, outer_end, escape(before + new + after)))
    return made


def _is_plain(layer: Layer, outer: bytes, index: int) -> bool:
    """Whether a piece stands in the outer reading as it is."""
    starts, origins = layer.places()
    end = starts[index + 1] if index + 1 < len(starts) else len(layer.content)
    meaning = layer.content[starts[index] : end]
    return outer.startswith(meaning, origins[index])


def _as_it_is(content: bytes) -> bytes:
    return content


def _json_escaped(content: bytes) -> bytes:
    plain = content.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return plain.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def _percent_encoded(content: bytes) -> bytes:
    return quote(content, safe="-._~").encode()


def _html_escaped(content: bytes) -> bytes:
    return html.escape(content.decode("utf-8", "surrogateescape")).encode(
        "utf-8", "surrogateescape"
    )


def _mail_escaped(content: bytes) -> bytes:
    return content.replace(b"=", b"=3D")


_ESCAPES: dict[str, Callable[[bytes], bytes]] = {
    "escaped": _json_escaped, "percent-encoded": _percent_encoded, "HTML entities": _html_escaped,
    "quoted-printable": _mail_escaped, "folded over lines": _as_it_is,
}  # fmt: skip
