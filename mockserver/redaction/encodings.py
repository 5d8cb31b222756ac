"""The layers of a content: as it is, and with one encoding after another undone.

Each layer knows where its bytes stood in the content. Undone are other ways of writing characters
(percent, JSON and YAML escapes, HTML entities, mail), packed bytes (base64, hexadecimal, gzip,
zlib), and texts that stand in several pieces (folded lines, events).
"""

import binascii
import html
import re
import zlib
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import accumulate, chain
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import orjson

from mockserver.model import Json

Piece = tuple[int, bytes]
"""Where something stood in the reading it was taken from, and the bytes that it means."""


class Layer:
    """One reading of a content, put together from pieces of the reading that it came from.

    Args:
        content: The bytes of this reading.
        outer: The reading that it came from; None for the content itself.
        coding: What was undone; empty where it is no more than a step.
        pieces: What the content was put together from. Asked for only where something was found.
        text: Whether it is a text that somebody wrote like this, not bytes that could be one.
        packed: Whether a piece's bytes are not at the places where they stood, so that all of a
            piece is told to be where it began.

    Attributes:
        content: As given.
        form: The codings that were undone, outermost first.
        text: As given.
        cut: Whether something in it was too large to be read to its end.
        outer: As given.
        packed: As given.
        written_out: Whether there is a reading of the same text with its escapes undone.
        noise: Whether it is a large content that no coding is undone in, but in its texts.

    >>> outer = Layer(b"ann%40corp")
    >>> inner = Layer(b"ann@corp", outer, "escaped", lambda: [(0, b"ann"), (3, b"@"), (6, b"corp")])
    >>> inner.form, inner.origin(3), inner.origin(5)
    (('escaped',), 3, 7)
    """

    __slots__ = (
        "_pieces", "_places", "_runs", "content", "cut", "form", "noise", "outer", "packed",
        "text", "written_out",
    )  # fmt: skip

    def __init__(
        self,
        content: bytes,
        outer: "Layer | None" = None,
        coding: str = "",
        pieces: Callable[[], Iterable[Piece]] = tuple,
        *,
        text: bool = True,
        packed: bool = False,
    ) -> None:
        self.content = content
        self.form: tuple[str, ...] = outer.form if outer else ()
        if coding:
            self.form = (*self.form, coding)
        self.text = text
        self.cut = False
        self.written_out = False
        self.noise = False
        self.outer = outer
        self._pieces = pieces
        self.packed = packed
        self._places: tuple[list[int], list[int]] | None = None
        self._runs: list[tuple[int, int]] | None = None

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Where each run of signs that may be base64 or hexadecimal begins and ends."""
        if self._runs is None:
            self._runs = find_runs(self.content)
        return self._runs

    @property
    def apart(self) -> bool:
        """Whether it is packed bytes that are no text: pieces have nothing to do with another."""
        return self.packed and not self.text and self.form[-1:] in _APART

    def origin(self, offset: int) -> int:
        """Where in the whole content a byte of this reading stood."""
        if self.outer is None:
            return offset
        starts, origins = self.places()
        piece = max(0, bisect_right(starts, offset) - 1)
        within = 0 if self.packed else offset - starts[piece]
        return self.outer.origin(origins[piece] + within)

    def places(self) -> tuple[list[int], list[int]]:
        """Where each piece begins in this reading, and where it stood in the outer one."""
        if self._places is None:
            pieces = list(self._pieces()) or [(0, b"")]
            starts = [0, *accumulate([len(part) for _, part in pieces[:-1]])]
            self._places = (starts, [offset for offset, _ in pieces])
        return self._places

    def starts(self) -> Iterator[int]:
        """Where in this reading something packed may begin: with each piece, if it was packed."""
        return iter(self.places()[0] if self.packed else (0,))


_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"0": b"\0"}
_FOLD = rb"\r?\n[ \t]*\\?"
_NUMBERS = rb"u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}"
# each begins with the backslash, which is found much faster than one of several
_ESCAPES = re.compile(rb"\\(?:%b|%b|[\"\\/ nrtbf0])" % (_FOLD, _NUMBERS))
_FOLDS = re.compile(rb"\\%b" % _FOLD)
_UNCOMMON = re.compile(rb"\\(?:%b|[rtbf0])" % _NUMBERS)
_COMMON = ((b'\\"', b'"'), (b"\\n", b"\n"), (b"\\/", b"/"), (b"\\ ", b" "))
_BACKSLASH = b"\0\1\0"
"""Stands for an escaped backslash while the other escapes are undone."""


def _escape(run: bytes) -> bytes:
    kind = run[1:2]
    if kind == b"u":
        units = bytes.fromhex(run.replace(b"\\u", b"").decode("ascii"))
        return units.decode("utf-16-be", "replace").encode()
    if kind in b"xU":
        return chr(min(int(run[2:], 16), 0x10FFFF)).encode("utf-8", "replace")
    return b"" if kind in b"\r\n" else _LETTERS.get(kind, kind)


def _escapes_at_once(content: bytes) -> bytes:
    double = b"\\\\" in content
    if double:
        content = content.replace(b"\\\\", _BACKSLASH)
    content = _FOLDS.sub(b"", content)
    for escaped, meant in _COMMON:
        if b"\\" not in content:  # seen much faster than that two signs are not there
            break
        content = content.replace(escaped, meant)
    else:
        content = _UNCOMMON.sub(lambda match: _escape(match[0]), content)
    return content.replace(_BACKSLASH, b"\\") if double else content


def _entity(run: bytes) -> bytes:
    return html.unescape(run.decode("ascii")).encode("utf-8", "replace")


def _mail(run: bytes) -> bytes:
    return b"" if run.endswith(b"\n") else bytes.fromhex(run.replace(b"=", b"").decode("ascii"))


def _no_bytes(_: bytes) -> bytes:
    return b""


def _by_runs(runs: re.Pattern[bytes], meaning: Callable[[bytes], bytes], content: bytes) -> bytes:
    return runs.sub(lambda match: meaning(match[0]), content)


class _Coding(NamedTuple):
    name: str
    hint: bytes
    sign: re.Pattern[bytes]
    runs: re.Pattern[bytes]
    meaning: Callable[[bytes], bytes]
    at_once: Callable[[bytes], bytes]


def _make_coding(
    name: str, hint: bytes, sign: bytes, runs: bytes | re.Pattern[bytes],
    meaning: Callable[[bytes], bytes], at_once: Callable[[bytes], bytes] | None = None,
) -> _Coding:  # fmt: skip
    pattern = re.compile(runs)
    undo = at_once or partial(_by_runs, pattern, meaning)
    return _Coding(name, hint, re.compile(sign), pattern, meaning, undo)


_ENTITIES = rb"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);"
_EVERYWHERE = (
    _make_coding("escaped", b"\\", rb"\\", _ESCAPES, _escape, _escapes_at_once),
    _make_coding(
        "percent-encoded", b"%", rb"%[0-9A-Fa-f]{2}", rb"(?:%[0-9A-Fa-f]{2})+", unquote_to_bytes,
        unquote_to_bytes,
    ),
    _make_coding("HTML entities", b"&", _ENTITIES, _ENTITIES, _entity),
)  # fmt: skip
"""Undone one after the other, all of them for one reading: they stand beside one another."""

_ELSEWHERE = (
    _make_coding(
        "quoted-printable", b"=", rb"(?i)quoted-printable", rb"(?:=[0-9A-F]{2})+|=\r?\n", _mail,
    ),
    _make_coding(
        "split over chunks", b"\r", rb"\r\n[0-9a-fA-F]{1,8}\r\n",
        rb"\r\n[0-9a-fA-F]{1,8}(?:;[^\r\n]*)?\r\n",
        _no_bytes,
    ),
)  # fmt: skip
"""Undone for readings of their own, and once."""

_SIGNED = re.compile(rb"[\\%&]")
_APART = (("base64",), ("hexadecimal",), ("gzip",))
"""Codings whose pieces have nothing to do with each other."""


def unescaped_layers(layer: Layer) -> Iterator[Layer]:
    """The readings of a reading in which other ways of writing characters are undone.

    Yields:
        One with all that stands side by side undone, then those that are apart.
    """
    last = written = _with_signs(layer) if layer.apart else layer
    for coding in _EVERYWHERE:
        last = _undone(last, coding)
    if last is not written:
        layer.written_out = True
        yield last
    for coding in _ELSEWHERE:
        if coding.name not in layer.form and (inner := _undone(layer, coding)) is not layer:
            yield inner


def undo_escapes(content: bytes) -> bytes:
    r"""A content with everything undone that may be written anywhere.

    >>> undo_escapes(rb"ann\u0040corp%2eexample")
    b'ann@corp.example'
    """
    for coding in _EVERYWHERE:
        content = coding.at_once(content)
    return content


def _with_signs(layer: Layer) -> Layer:
    """Of bytes that were packed the pieces in which anything can be undone: few of many."""
    content = layer.content
    signs = [found.start() for found in _SIGNED.finditer(content)]
    if not signs:
        return layer
    starts, _ = layer.places()
    places = dict.fromkeys([bisect_right(starts, at) - 1 for at in signs])
    if len(places) == len(starts):
        return layer
    ends = [*starts[1:], len(content)]
    pieces = [(starts[place], content[starts[place] : ends[place]]) for place in places]
    return Layer(b"".join(part for _, part in pieces), layer, pieces=lambda: pieces, text=False)


def _undone(layer: Layer, coding: _Coding) -> Layer:
    if coding.hint not in layer.content or not _is_written(coding, layer.content):
        return layer
    content = coding.at_once(layer.content)
    pieces = partial(_pieces, layer.content, coding)
    return (
        layer
        if content == layer.content
        else Layer(content, layer, coding.name, pieces, text=layer.text)
    )


def _is_written(coding: _Coding, content: bytes) -> bool:
    if coding.name == "quoted-printable":  # without case a pattern is ten times as slow
        return b"quoted-printable" in content.lower()
    return coding.sign.search(content) is not None


def _pieces(content: bytes, coding: _Coding) -> Iterator[Piece]:
    done = 0
    for match in coding.runs.finditer(content):
        yield done, content[done : match.start()]
        yield match.start(), coding.meaning(match[0])
        done = match.end()
    yield done, content[done:]


LARGEST = 64 * 1024 * 1024
"""Bytes that one packed stream may unpack to; the rest of it is not looked into."""

BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}")
HEXADECIMAL = re.compile(rb"[0-9a-fA-F]{16,}")
"""Runs that are unpacked."""

_STEP = 65536
_GZIP = b"\x1f\x8b\x08"
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")
_SPEAKS = re.compile(rb"[\x20-\x7e\xc2-\xf4\x80-\xbf]{6}|(?:[\x20-\x7e]\0){6}|\x1f\x8b\x08")
_NOT_TEXT = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D}) + b"\x7f"


def mark_table(signs: bytes) -> bytes:
    """A table for `translate`: an `x` for each of these signs, a space for all others."""
    return bytes(ord("x") if sign in signs else ord(" ") for sign in range(256))


_RUN_SIGNS = mark_table(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_PRINTABLE_SIGNS = mark_table(bytes(range(0x20, 0x7F)))
_MARKED_TEXT = re.compile(b"x" * 8 + b"x*")
"""At least so many; an `x` that stands there is found much faster than a class."""


def find_runs(content: bytes) -> list[tuple[int, int]]:
    """Where each run of signs of base64 and hexadecimal begins and ends; no fractions of numbers.

    >>> find_runs(b"id=a1b2c3d4e5f60718293a, 0.1234567890123456789")
    [(3, 23)]
    """
    import numpy as np

    marks = np.frombuffer(b" %b " % content.translate(_RUN_SIGNS), np.uint8)
    edges = np.flatnonzero(marks[1:] != marks[:-1])  # a run begins and ends, and the next begins
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= _SHORTEST_RUN
    spans = zip(starts[long].tolist(), ends[long].tolist(), strict=True)
    return [
        span for span in spans if content[span[0] - 1] != _POINT or not _is_fraction(content, *span)
    ]


_SHORTEST_RUN = 16
_POINT = ord(".")


def _is_fraction(content: bytes, start: int, end: int) -> bool:
    point = content[start - 2 : start]
    return point[1:] == b"." and point[:1].isdigit() and content[start:end].isdigit()


def unpacked_layers(layer: Layer, seen: set[int]) -> Iterator[Layer]:
    """The readings of a reading in which one way of packing is undone.

    Args:
        layer: The reading.
        seen: Hashes of what was unpacked before in the same content; it grows.

    Yields:
        One for each way; what is text apart from what is not.
    """
    found = _RunContents([], [], [], [])
    longest = 0
    content = layer.content
    for start, end in layer.runs:
        if end - start > longest:
            longest = end - start
        run = content[start:end]
        mark = ~hash(run)
        if mark not in seen:
            seen.add(mark)
            meant = _meanings(run) if len(run) <= _REMEMBERED_RUN else _read(run)
            if meant is _NOTHING:
                continue
            for into, pieces in zip(found, meant, strict=True):
                if pieces:
                    into += [(start + offset, part) for offset, part in pieces]
    for coding, text, other in (
        ("base64", found.texts, found.others), ("hexadecimal", found.hex_texts, found.hex_others)
    ):  # fmt: skip
        if text:
            yield _packed_layer(layer, text, coding)
        noise, rest = _split_noise(other) if longest >= _LEAST_NOISE else ([], other)
        if noise:
            yield _packed_layer(layer, noise, coding, text=False, noise=True)
        if rest:
            yield _packed_layer(layer, rest, coding, text=False)
    yield from _streams(layer)


def _split_noise(pieces: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Large noise, and everything else."""
    noise: list[Piece] = []
    rest: list[Piece] = []
    for piece in pieces:
        large = len(piece[1]) >= _LEAST_NOISE and is_noise(piece[1])
        (noise if large else rest).append(piece)
    return noise, rest


def _streams(layer: Layer) -> list[Layer]:
    """What is deflated in a reading, as one more."""
    streams = [*_from_gzip(layer.content), *_from_zlib(layer)]
    if not streams:
        return []
    inner = _packed_layer(layer, [(offset, part + b"\n") for offset, part in streams], "gzip")
    inner.cut = any(len(stream) >= LARGEST for _, stream in streams)
    return [inner]


class _RunContents(NamedTuple):
    """What runs mean: where they begin, and the bytes with the end of a line behind them."""

    texts: list[Piece]
    others: list[Piece]
    hex_texts: list[Piece]
    hex_others: list[Piece]


_NOTHING = _RunContents([], [], [], [])
_REMEMBERED_RUN = 128
"""Bytes: names and ids come again in every answer, contents do not."""


def _read(run: bytes) -> _RunContents:
    """What a run means: as base64 from each of its first four signs, as hexadecimal from two.

    What stands before it may look like a part of it.
    """
    found = _RunContents([], [], [], [])
    standard = run.translate(_TO_STANDARD)
    # of digits alone base64 makes no two letters side by side
    for skipped in range(0 if run.isdigit() else 4):
        _sort(0, _plain_base64(standard[skipped:]), found.texts, found.others)
    for digits in HEXADECIMAL.finditer(run):
        start, end = digits.span()
        size = end - start
        for first, last in ((start, start + (size & ~1)), (start + 1, start + 1 + (size - 1 & ~1))):
            part = binascii.unhexlify(run[first:last])
            _sort(start, part, found.hex_texts, found.hex_others)
    return found if any(found) else _NOTHING


_meanings = lru_cache(maxsize=8192)(_read)


def _sort(offset: int, part: bytes, texts: list[Piece], others: list[Piece]) -> None:
    if _SPEAKS.search(part):
        (texts if _is_text(part) else others).append((offset, part + b"\n"))


def _plain_base64(run: bytes) -> bytes:
    over = len(run) % 4
    if over == 1:
        run = run[:-1]
    return binascii.a2b_base64(run + b"=" * (4 - over)) if over > 1 else binascii.a2b_base64(run)


def decode_base64(run: bytes) -> bytes:
    """What base64 means, of either alphabet, padded or not; a last sign too many says nothing.

    Raises:
        ValueError: There is a sign of padding in the middle of it.

    >>> decode_base64(b"Pz8-Pw"), decode_base64(b"Pz8+Pw=="), decode_base64(b"Pz8_P")
    (b'??>?', b'??>?', b'???')
    """
    return _plain_base64(run.rstrip(b"=").translate(_TO_STANDARD))


def is_packed(run: bytes) -> bool:
    """Whether a run of base64 is text or a stream that a reading of its own looks into.

    >>> is_packed(b"YW5uQGNvcnAudGVzdA=="), is_packed(b"Zx8Qp0vN3rT6yB1kM9wL4sD7")
    (True, False)
    """
    if len(run.rstrip(b"=")) % 4 == 1:
        return False
    try:
        content = decode_base64(run)
    except ValueError:
        return False
    return content.startswith((_GZIP, b"\x78\x9c", b"\x78\xda", b"\x78\x01")) or _is_text(content)


def _packed_layer(
    layer: Layer, pieces: list[Piece], coding: str, *, text: bool = True, noise: bool = False
) -> Layer:
    content = b"".join([part for _, part in pieces])
    made = Layer(content, layer, coding, lambda: pieces, text=text, packed=True)
    made.noise = noise
    return made


def is_noise(content: bytes) -> bool:
    """Whether bytes are no text of any kind, by a few samples: a picture, a sound, random ones.

    >>> is_noise(b"hello" * 99), is_noise(bytes(range(1, 256)) * 4)
    (False, True)
    """
    if content.startswith(_ARCHIVES):
        return False
    for part in (content[:_SAMPLE], content[len(content) // 2 :][:_SAMPLE], content[-_SAMPLE:]):
        readable = len(part) - len(part.translate(None, _READABLE))
        if readable > len(part) * _READABLE_SHARE or part.count(0) > len(part) * _ZEROS:
            return False
    return True


_LEAST_NOISE = 4096
"""Bytes: in smaller pieces all codings are undone, whatever they are."""

_SAMPLE = 64 * 1024
_ARCHIVES = (b"\x1f\x8b", b"PK\x03\x04", b"%PDF", b"\xff\xfe", b"\xfe\xff")
"""What archives, documents and UTF-16 begin with: they are looked into."""
_READABLE = bytes([9, 10, 13, *range(0x20, 0x7F)])
_READABLE_SHARE = 0.45
"""Of random bytes 0.38 are readable."""
_ZEROS = 0.2
"""Of texts in UTF-16 nearly half are."""


def find_texts(content: bytes) -> list[tuple[int, int]]:
    """Where in bytes each run of printable signs begins and ends that is none by chance."""
    return [found.span() for found in _MARKED_TEXT.finditer(content.translate(_PRINTABLE_SIGNS))]


def _texts_of(layer: Layer) -> list[Layer]:
    """What is printable in noise, as a step."""
    pieces = [(start, layer.content[start:end] + b"\n") for start, end in find_texts(layer.content)]
    content = b"".join([part for _, part in pieces])
    return [Layer(content, layer, pieces=lambda: pieces, text=False)] if pieces else []


def _is_text(part: bytes) -> bool:
    if len(part.translate(None, _NOT_TEXT)) < len(part):
        return False
    if part.isascii():
        return True
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


def _from_gzip(content: bytes) -> Iterator[Piece]:
    # the first byte alone is found much faster, and texts have none
    offset = content.find(_GZIP) if _GZIP[:1] in content else -1
    while offset >= 0:
        if stream := _inflate(memoryview(content)[offset:], zlib.MAX_WBITS | 16):
            yield offset, stream
        offset = content.find(_GZIP, offset + 1)


def _from_zlib(layer: Layer) -> Iterator[Piece]:
    content = layer.content
    if not content.startswith(b"\x78") and b"\n\x78" not in content:
        return
    for offset in layer.starts():
        head = content[offset : offset + 2]
        if head[:1] != b"\x78" or int.from_bytes(head, "big") % 31:
            continue
        if stream := _inflate(memoryview(content)[offset:], zlib.MAX_WBITS):
            yield offset, stream


def _inflate(packed: memoryview, window: int) -> bytes:
    """What a stream unpacks to, as far as it is whole and not too large."""
    stream = zlib.decompressobj(window)
    parts: list[bytes] = []
    room = LARGEST
    try:
        for start in range(0, len(packed), _STEP):
            parts.append(stream.decompress(packed[start : start + _STEP], room))
            room -= len(parts[-1])
            if stream.eof or room <= 0:
                break
    except zlib.error:
        pass
    return b"".join(parts)


_FOLDED_FROM = 48
"""Bytes: nobody folds lines that are shorter."""

_EVENT = re.compile(rb"(?:^|[\"'\s])data: ?")
_FOLDED, _SPLIT = "folded over lines", "split over events"


def joined_layers(layer: Layer) -> Iterator[Layer]:
    """The readings of a reading in which lines or events are put together, each way once.

    Yields:
        At most two.
    """
    if b"\n" not in layer.content:
        return
    lines = layer.content.split(b"\n")
    if layer.form[-1:] != (_FOLDED,):
        short = max(map(len, lines)) < _FOLDED_FROM
        if not short:
            yield from _unfolded_packed(layer) if layer.apart else _unfolded(layer, lines)
    if _SPLIT not in layer.form and (told := _events(layer.content, lines)):
        yield _together(layer, told, _SPLIT, packed=True)


def _together(layer: Layer, pieces: list[Piece], coding: str, *, packed: bool) -> Layer:
    # no text as it was written: what stands side by side now may look like a secret
    content = b"".join(part for _, part in pieces)
    return Layer(content, layer, coding, lambda: pieces, text=False, packed=packed)


def _starts(lines: list[bytes]) -> list[int]:
    """Where each line begins."""
    return [0, *accumulate([len(line) + 1 for line in lines])]


def _strip_line(start: int, line: bytes) -> Piece:
    bare = line.lstrip()
    return start + len(line) - len(bare), bare.rstrip()


def _unfolded_packed(layer: Layer) -> Iterator[Layer]:
    """Lines put together in bytes that were packed, in each piece for itself.

    Yields:
        At most one reading.
    """
    content, starts = layer.content, layer.places()[0]
    made: list[Piece] = []
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        if content.find(b"\n", start + _FOLDED_FROM, end - 1) >= 0:
            lines = content[start : end - 1].split(b"\n")
            folds = _find_folds(lines, inner=True)
            made += [(start + offset, part) for offset, part in _unfold_lines(lines, folds)]
    if made:
        yield _together(layer, made, _FOLDED, packed=False)


def _unfolded(layer: Layer, lines: list[bytes]) -> Iterator[Layer]:
    """Long lines put together with the line after them.

    Yields:
        At most one reading.
    """
    folds = _find_folds(lines, inner=bool(layer.form))
    if folds:
        parts: list[bytes] = []
        before: int | None = None
        for place in folds:
            if before != place - 1:
                parts += [b"\n", lines[place].strip()]
            parts.append(lines[place + 1].strip())
            before = place
        pieces = partial(_unfold_lines, lines, folds)
        yield Layer(b"".join(parts), layer, _FOLDED, pieces, text=False)


def _find_folds(lines: list[bytes], *, inner: bool) -> list[int]:
    """Long lines that the line after them may belong to; inner ones only without spaces."""
    found = []
    for place, line in enumerate(lines[:-1]):
        if len(line) >= _FOLDED_FROM:
            bare = line.strip()
            if len(bare) >= _FOLDED_FROM and _folds(bare, lines[place + 1].strip(), inner=inner):
                found.append(place)
    return found


def _unfold_lines(lines: list[bytes], folds: list[int]) -> list[Piece]:
    """The pieces of lines that are put together."""
    starts = _starts(lines)
    made: list[Piece] = []
    before: int | None = None
    for place in folds:
        if before != place - 1:
            first = _strip_line(starts[place], lines[place])
            made += [(first[0], b"\n"), first]
        made.append(_strip_line(starts[place + 1], lines[place + 1]))
        before = place
    return made


def _folds(line: bytes, following: bytes, *, inner: bool) -> bool:
    """Whether a long line is, with the next one, not of a JSON text over several lines."""
    first = following[:1]
    if first in b"}]" or (line[-1:] in b",{[" and first in b'"{}[]'):
        return False
    if _are_records(line, following):
        return False
    return not (inner and (b" " in line or b" " in following))


_TIMED = re.compile(rb"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
"""What a line of a log begins with."""


def _are_records(line: bytes, following: bytes) -> bool:
    """Whether each is a record of its own: two lines of a log, or two objects of NDJSON.

    One alone may be a record with a value that is folded into the other.
    """
    if line.startswith(b"{"):
        return line.endswith(b"}") and following.startswith(b"{")
    return bool(_TIMED.match(following) and _TIMED.match(line))


def _events(content: bytes, lines: list[bytes]) -> list[Piece]:
    """What consecutive events say at the same place, as one text; what is no JSON as it is."""
    ends = [found.start() for found in _OBJECT_END.finditer(content)]
    if b"data:" in content:
        ends += [found.start() for found in _DATA.finditer(content)]
    if len(ends) < _LEAST_EVENTS:
        return []
    starts = _starts(lines)
    may_be = sorted({bisect_right(starts, end) - 1 for end in ends})
    told: defaultdict[tuple[str | int, ...], list[Piece]] = defaultdict(list)
    for place in may_be:
        offset, line = _strip_line(starts[place], lines[place])
        if b"data:" in line and (event := _EVENT.search(line)):
            line = line[event.end() :]
        elif not (line.startswith(b"{") and line.endswith((b"}", b"},"))):
            continue
        texts = _texts(line.removesuffix(b","))
        # nothing is split over the end of an object, but a part of one may end as objects do
        if texts is None or not line.endswith(b"}"):
            told[()].append((offset, line.rstrip(b"'\"")))
        for path, text in texts or ():
            told[path].append((offset, text))
    return [
        piece
        for pieces in told.values()
        if len(pieces) >= _LEAST_EVENTS
        for piece in (*pieces, (pieces[-1][0], b"\n"))
    ]


_LEAST_EVENTS = 2
_OBJECT_END = re.compile(rb"\},?[ \t\r\v\f]*(?:\n|\Z)")
_DATA = re.compile(rb"data:")
"""What stands in each line that may be an event: only these are looked at."""


def _texts(line: bytes) -> list[tuple[tuple[str | int, ...], bytes]] | None:
    """The texts of a JSON value by path; None of what is no JSON."""
    found: list[tuple[tuple[str | int, ...], bytes]] = []
    try:
        _walk(orjson.loads(line), ("",), found)
    except (orjson.JSONDecodeError, RecursionError):
        return None
    return found


def _walk(
    value: Json, path: tuple[str | int, ...], found: list[tuple[tuple[str | int, ...], bytes]]
) -> None:
    kind = type(value)
    if kind is str:
        found.append((path, value.encode("utf-8", "replace")))
    elif kind is dict:
        for key, item in value.items():
            _walk(item, (*path, key), found)
    elif kind is list:
        for number, item in enumerate(value):
            _walk(item, (*path, number), found)


DEEPEST = 6
"""Codings inside one another that are undone."""

_ROOM = 256 * 1024 * 1024
_TIMES = 8
"""All readings together are at most this many times as large as the content, and the room above."""


def decoded_layers(content: bytes) -> Iterator[Layer]:
    """The content as it is, then with ever more codings undone; the same bytes only once.

    The last one is marked as `cut` when the budget did not reach for all.

    Yields:
        Each reading once.
    """
    room = _ROOM + _TIMES * len(content)
    waiting = deque([Layer(content)])
    seen: set[int] = set()
    while waiting:
        layer = waiting.popleft()
        room -= len(layer.content)
        layer.cut = layer.cut or room < 0
        if room < 0:
            yield layer
            return
        if len(layer.form) < DEEPEST:
            waiting.extend(_inner(layer, seen))
        yield layer


def _inner(layer: Layer, seen: set[int]) -> Iterator[Layer]:
    found = (
        chain(_texts_of(layer), _streams(layer))
        if layer.noise
        else chain(unescaped_layers(layer), unpacked_layers(layer, seen), joined_layers(layer))
    )
    for inner in found:
        mark = hash(inner.content)
        if mark not in seen:
            seen.add(mark)
            yield inner
