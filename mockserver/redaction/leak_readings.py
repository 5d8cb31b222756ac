"""The readings of a content: as it is, and with ever more codings undone, each knowing its places.

Single characters written in another way (percent, JSON and YAML escapes, HTML, mail), packed bytes
(base64, hexadecimal, gzip, zlib), and what stands in several pieces (folded lines, events).
"""

import binascii
import html
import re
import zlib
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate, chain, pairwise
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

    >>> outer = Layer(b"ann%40corp")
    >>> inner = Layer(b"ann@corp", outer, "escaped", lambda: [(0, b"ann"), (3, b"@"), (6, b"corp")])
    >>> inner.form, inner.origin(3), inner.origin(5)
    (('escaped',), 3, 7)
    """

    __slots__ = (
        "_pieces", "_places", "content", "cut", "form", "outer", "packed", "text", "written_out",
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
        self.outer = outer
        self._pieces = pieces
        self.packed = packed
        self._places: tuple[list[int], list[int]] | None = None

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
            starts = [0, *accumulate(len(part) for _, part in pieces[:-1])]
            self._places = (starts, [offset for offset, _ in pieces])
        return self._places

    def starts(self) -> Iterator[int]:
        """Where in this reading something packed may begin: with each piece, if it was packed."""
        return iter(self.places()[0] if self.packed else (0,))


_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"0": b"\0"}
_FOLD = rb"\\\r?\n[ \t]*\\?"
_NUMBERS = rb"(?:\\u[0-9a-fA-F]{4})+|\\x[0-9a-fA-F]{2}|\\U[0-9a-fA-F]{8}"
_ESCAPES = re.compile(rb"%b|%b|\\[\"\\/ nrtbf0]" % (_FOLD, _NUMBERS))
_FOLDS = re.compile(_FOLD)
_UNCOMMON = re.compile(rb"%b|\\[rtbf0]" % _NUMBERS)
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
    content = _FOLDS.sub(b"", content.replace(b"\\\\", _BACKSLASH))
    for escaped, meant in _COMMON:
        content = content.replace(escaped, meant)
    content = _UNCOMMON.sub(lambda match: _escape(match[0]), content)
    return content.replace(_BACKSLASH, b"\\")


def _entity(run: bytes) -> bytes:
    return html.unescape(run.decode("ascii")).encode("utf-8", "replace")


def _mail(run: bytes) -> bytes:
    return b"" if run.endswith(b"\n") else bytes.fromhex(run.replace(b"=", b"").decode("ascii"))


def _nothing(_: bytes) -> bytes:
    return b""


def _by_runs(runs: re.Pattern[bytes], meaning: Callable[[bytes], bytes], content: bytes) -> bytes:
    return runs.sub(lambda match: meaning(match[0]), content)


class _Coding(NamedTuple):
    name: str
    sign: re.Pattern[bytes]
    runs: re.Pattern[bytes]
    meaning: Callable[[bytes], bytes]
    at_once: Callable[[bytes], bytes]


def _coding(
    name: str, sign: bytes, runs: bytes | re.Pattern[bytes], meaning: Callable[[bytes], bytes],
    at_once: Callable[[bytes], bytes] | None = None,
) -> _Coding:  # fmt: skip
    pattern = re.compile(runs)
    return _Coding(
        name, re.compile(sign), pattern, meaning, at_once or partial(_by_runs, pattern, meaning)
    )


_ENTITIES = rb"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);"
_EVERYWHERE = (
    _coding("escaped", rb"\\", _ESCAPES, _escape, _escapes_at_once),
    _coding(
        "percent-encoded", rb"%[0-9A-Fa-f]{2}", rb"(?:%[0-9A-Fa-f]{2})+", unquote_to_bytes,
        unquote_to_bytes,
    ),
    _coding("HTML entities", _ENTITIES, _ENTITIES, _entity),
)  # fmt: skip
"""Undone one after the other, all of them for one reading: they stand beside one another."""

_ELSEWHERE = (
    _coding(
        "quoted-printable", rb"(?i)quoted-printable", rb"(?:=[0-9A-F]{2})+|=\r?\n", _mail,
    ),
    _coding(
        "split over chunks", rb"\r\n[0-9a-fA-F]{1,8}\r\n",
        rb"\r\n[0-9a-fA-F]{1,8}(?:;[^\r\n]*)?\r\n",
        _nothing,
    ),
)  # fmt: skip
"""Undone for readings of their own, and once."""


def unescaped(layer: Layer) -> Iterator[Layer]:
    """The readings of a reading in which other ways of writing characters are undone.

    Yields:
        One with all that stands side by side undone, then those that are apart.
    """
    last = layer
    for coding in _EVERYWHERE:
        last = _undone(last, coding)
    if last is not layer:
        layer.written_out = True
        yield last
    for coding in _ELSEWHERE:
        if coding.name not in layer.form and (inner := _undone(layer, coding)) is not layer:
            yield inner


def plain(content: bytes) -> bytes:
    r"""A content with everything undone that may be written anywhere.

    >>> plain(rb"ann\u0040corp%2eexample")
    b'ann@corp.example'
    """
    for coding in _EVERYWHERE:
        content = coding.at_once(content)
    return content


def _undone(layer: Layer, coding: _Coding) -> Layer:
    if not coding.sign.search(layer.content):
        return layer
    content = coding.at_once(layer.content)
    pieces = partial(_pieces, layer.content, coding)
    return (
        layer
        if content == layer.content
        else Layer(content, layer, coding.name, pieces, text=layer.text)
    )


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


def unpacked(layer: Layer, seen: set[int]) -> Iterator[Layer]:
    """The readings of a reading in which one way of packing is undone.

    Args:
        layer: The reading.
        seen: Hashes of what was unpacked before in the same content; it grows.

    Yields:
        One for each way; what is text apart from what is not.
    """
    for coding, pieces in (
        ("base64", _from_base64(layer.content, seen)),
        ("hexadecimal", _from_hexadecimal(layer.content, seen)),
    ):
        text: list[Piece] = []
        other: list[Piece] = []
        for piece in pieces:
            if _SPEAKS.search(piece[1]):
                (text if _is_text(piece[1]) else other).append(piece)
        if text:
            yield _packed(layer, text, coding)
        if other:
            yield _packed(layer, other, coding, text=False)
    streams = [*_from_gzip(layer.content), *_from_zlib(layer)]
    if streams:
        inner = _packed(layer, streams, "gzip")
        inner.cut = any(len(stream) >= LARGEST for _, stream in streams)
        yield inner


def from_base64(run: bytes) -> bytes:
    """What base64 means, of either alphabet, padded or not; a last sign too many says nothing.

    Raises:
        ValueError: There is a sign of padding in the middle of it.

    >>> from_base64(b"Pz8-Pw"), from_base64(b"Pz8+Pw=="), from_base64(b"Pz8_P")
    (b'??>?', b'??>?', b'???')
    """
    whole = run.rstrip(b"=").translate(_TO_STANDARD)
    if len(whole) % 4 == 1:
        whole = whole[:-1]
    return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))


def is_packed(run: bytes) -> bool:
    """Whether a run of base64 is text or a stream that a reading of its own looks into.

    >>> is_packed(b"YW5uQGNvcnAudGVzdA=="), is_packed(b"Zx8Qp0vN3rT6yB1kM9wL4sD7")
    (True, False)
    """
    if len(run.rstrip(b"=")) % 4 == 1:
        return False
    try:
        content = from_base64(run)
    except ValueError:
        return False
    return content.startswith((_GZIP, b"\x78\x9c", b"\x78\xda", b"\x78\x01")) or _is_text(content)


def _packed(layer: Layer, pieces: list[Piece], coding: str, *, text: bool = True) -> Layer:
    apart = [(offset, part + b"\n") for offset, part in pieces]
    content = b"".join(part for _, part in apart)
    return Layer(content, layer, coding, lambda: apart, text=text, packed=True)


def _is_text(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return part.translate(None, _NOT_TEXT) == part


def _from_base64(content: bytes, seen: set[int]) -> Iterator[Piece]:
    """Every run read at all four alignments: what stands before it may look like a part of it.

    Yields:
        Each run four times.
    """
    for offset, run in _new(BASE64, content, seen):
        for skipped in range(4):
            yield offset, from_base64(run[skipped:])


def _from_hexadecimal(content: bytes, seen: set[int]) -> Iterator[Piece]:
    for offset, run in _new(HEXADECIMAL, content, seen):
        for whole in (run[: len(run) & ~1], run[1 : (len(run) - 1 & ~1) + 1]):
            yield offset, binascii.unhexlify(whole)


def _new(runs: re.Pattern[bytes], content: bytes, seen: set[int]) -> Iterator[Piece]:
    for match in runs.finditer(content):
        mark = hash((runs, match[0]))
        if mark not in seen:
            seen.add(mark)
            yield match.start(), match[0]


def _from_gzip(content: bytes) -> Iterator[Piece]:
    offset = content.find(_GZIP)
    while offset >= 0:
        if stream := _inflated(memoryview(content)[offset:], zlib.MAX_WBITS | 16):
            yield offset, stream
        offset = content.find(_GZIP, offset + 1)


def _from_zlib(layer: Layer) -> Iterator[Piece]:
    content = layer.content
    for offset in layer.starts():
        head = content[offset : offset + 2]
        if head[:1] != b"\x78" or int.from_bytes(head, "big") % 31:
            continue
        if stream := _inflated(memoryview(content)[offset:], zlib.MAX_WBITS):
            yield offset, stream


def _inflated(packed: memoryview, window: int) -> bytes:
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


def joined(layer: Layer) -> Iterator[Layer]:
    """The readings of a reading in which lines or events are put together, each way once.

    Yields:
        At most two.
    """
    if b"\n" not in layer.content:
        return
    lines = list(_lines(layer.content))
    if layer.form[-1:] != (_FOLDED,) and (folded := list(_folded(lines, inner=bool(layer.form)))):
        yield _together(layer, folded, _FOLDED, packed=False)
    if _SPLIT not in layer.form and (told := _events(lines)):
        yield _together(layer, told, _SPLIT, packed=True)


def _together(layer: Layer, pieces: list[Piece], coding: str, *, packed: bool) -> Layer:
    # no text as it was written: what stands side by side now may look like a secret
    content = b"".join(part for _, part in pieces)
    return Layer(content, layer, coding, lambda: pieces, text=False, packed=packed)


def _lines(content: bytes) -> Iterator[Piece]:
    offset = 0
    for line in content.split(b"\n"):
        yield offset + len(line) - len(line.lstrip()), line.strip()
        offset += len(line) + 1


def _folded(lines: list[Piece], *, inner: bool) -> Iterator[Piece]:
    """Long lines with the line after them; inside of something else, only lines without spaces.

    Yields:
        Each line of those that are put together.
    """
    folding = False
    for (offset, line), (after, following) in pairwise(lines):
        folds = len(line) >= _FOLDED_FROM and _may_be_one(line, following)
        if not folds or (inner and (b" " in line or b" " in following)):
            folding = False
            continue
        if not folding:
            yield offset, b"\n"
            yield offset, line
        folding = True
        yield after, following


def _may_be_one(line: bytes, following: bytes) -> bool:
    """Whether two lines are not those of a JSON text that is written over several."""
    if not following:
        return False
    return not (line[-1:] in b",{[" and following[:1] in b'"{}[]') and following[:1] not in b"}]"


def _events(lines: list[Piece]) -> list[Piece]:
    """What consecutive events say at the same place, as one text; what is no JSON as it is."""
    told: defaultdict[tuple[str | int, ...], list[Piece]] = defaultdict(list)
    for offset, line in lines:
        if b"data:" in line and (event := _EVENT.search(line)):
            line = line[event.end() :]
        elif not (line.startswith(b"{") and line.endswith((b"}", b"},"))):
            continue
        told[()].append((offset, line.rstrip(b"'\"")))
        for path, text in _texts(line.removesuffix(b",")):
            told[path].append((offset, text))
    return [
        piece
        for pieces in told.values()
        if len(pieces) > 1
        for piece in (*pieces, (pieces[-1][0], b"\n"))
    ]


def _texts(line: bytes) -> Iterator[tuple[tuple[str | int, ...], bytes]]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return
    yield from _walked(value, ("",))


def _walked(
    value: Json, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], bytes]]:
    if isinstance(value, str):
        yield path, value.encode("utf-8", "replace")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _walked(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walked(item, (*path, number))


DEEPEST = 6
"""Codings inside one another that are undone."""

_ROOM = 256 * 1024 * 1024
_TIMES = 8
"""All readings together are at most this many times as large as the content, and the room above."""


def readings(content: bytes) -> Iterator[Layer]:
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
    for inner in chain(unescaped(layer), unpacked(layer, seen), joined(layer)):
        mark = hash(inner.content)
        if mark not in seen:
            seen.add(mark)
            yield inner
