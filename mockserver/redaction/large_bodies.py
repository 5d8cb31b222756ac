"""Redacts bodies too large to be held: fragment by fragment, as they come.

A body is cut only where that changes nothing: JSON between its elements, texts between lines that
are redacted the same apart as together, bytes outside of what can be read in them. A body with no
such place is refused, and nothing of it is kept.
"""

import io
import re
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator
from typing import Protocol

from typing_extensions import override

from mockserver.messages import charset, is_form, is_json, is_json_lines, media_type
from mockserver.model import LARGEST_TEXT, Header
from mockserver.redaction.bodies import GUARD
from mockserver.redaction.leaks import UNREAD
from mockserver.redaction.sanitizer import UNWRITABLE, InteractionSanitizer, Question, is_opaque

FRAGMENT = 256 * 1024
"""Bytes that are redacted at once."""
WHOLE = LARGEST_TEXT
"""Bytes of a text that may have to be redacted at once, for want of a place where it can be cut."""
WHOLE_ARCHIVE = 16 * 1024 * 1024
"""Bytes of a ZIP archive, whose files can be looked into one by one."""

_SNIFFED = 64 * 1024
_AROUND = 4 * 1024
"""Bytes on each side of a cut that are looked at together."""
_CUTS = 24
"""Places that are tried."""
_BLOCK = 64 * 1024
"""Bytes within which a block that was begun (a key in PEM) must end."""
_LEAST_RUN = 20
"""Characters: in a hundred million random bytes there is hardly a readable stretch as long."""
_SHORT_RUN = 8
_JSON_TYPE = ("Content-Type", "application/json")

_PEM = re.compile(rb"-----(BEGIN|END) ")
_BORDERS: tuple[re.Pattern[bytes], ...] = (
    re.compile(rb"\n(?=\r?\n)"),
    re.compile(rb"\n(?=[^\s])"),
    re.compile(rb"\n"),
    re.compile(rb">(?=<)|&|(?<=[;,}])|(?<= )"),
)
"""Where texts are cut, the best places first."""
_PAIRS = (re.compile(rb"&"),)
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_SCALAR = rb'[^\s,:{}\[\]"]++'
_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/_-]|\\[/nr])++={0,2}")


class NotRedactableError(Exception):
    """A body cannot be redacted fragment by fragment.

    Attributes:
        reason: Why; nothing of the body is in it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Kind(Protocol):
    """How a body of one kind is cut."""

    def feed(self, content: bytes) -> Iterator[bytes]:
        """What is redacted by now."""
        ...

    def end(self) -> Iterator[bytes]:
        """The rest, redacted."""
        ...


class LargeBody:
    """One body that is redacted as it comes.

    Args:
        sanitizer: Redacts it, and looks through what is left.
        headers: Those beside it.
        part: `request body` or `response body`, for questions.

    Attributes:
        questions: What is in question about it.
        changed: Whether anything was replaced.
        headers: What says of what type it is.
        part: As it was given.
    """

    def __init__(
        self, sanitizer: InteractionSanitizer, headers: Iterable[Header], part: str
    ) -> None:
        self.questions: list[Question] = []
        self.changed = False
        self._sanitizer = sanitizer
        self.headers = tuple(
            (name, value) for name, value in headers if name.lower() == "content-type"
        )
        self.part = part
        self._kind: _Kind | None = None
        self._held = bytearray()

    def feed(self, content: bytes) -> bytes:
        """What comes next.

        Returns:
            What of the body can be kept by now.

        Raises:
            NotRedactableError: It cannot be redacted.
        """
        if self._kind is not None:
            return b"".join(self._kind.feed(content))
        self._held += content
        return b"" if len(self._held) < _SNIFFED else self._begin()

    def end(self) -> bytes:
        """The rest of what can be kept.

        Raises:
            NotRedactableError: It cannot be redacted.
        """
        made = self._begin() if self._kind is None else b""
        return made if self._kind is None else made + b"".join(self._kind.end())

    def _begin(self) -> bytes:
        held = bytes(self._held)
        self._held.clear()
        if not held:
            return b""
        self._kind = self._kind_of(held)
        return b"".join(self._kind.feed(held))

    def _kind_of(self, head: bytes) -> _Kind:
        media = media_type(self.headers)
        packed = self._packed_kind(media, head)
        if packed is not None:
            return packed
        if is_opaque(self.headers, head):
            return _Bytes(self, self._sanitizer, _LEAST_RUN)
        if is_json_lines(media):
            return _Text(self, self._sanitizer)
        guard = GUARD.match(head)
        start = guard.end() if guard else 0
        if is_json(media) or head[start:].lstrip()[:1] in {b"{", b"["}:
            if not _is_lines(head):
                return _JsonText(self, self._sanitizer)
            return _Text(self, self._sanitizer)
        if b"\0" in head or not _is_text(head, charset(self.headers)):
            return _Bytes(self, self._sanitizer, _SHORT_RUN)
        return _Text(self, self._sanitizer, form=is_form(media), sheet=media in _SHEETS)

    def _packed_kind(self, media: str, head: bytes) -> _Kind | None:
        """How what is packed is cut; None for what is not."""
        if head.startswith(_GZIP):
            return _Gzip(self, self._sanitizer, self.part)
        if head.startswith(_ZIP):
            return _Zip(self, self._sanitizer)
        if head.startswith(_WHOLE_MAGIC) or _is_packed(media, head):
            return _Whole(self, WHOLE)
        return None

    def redact_fragment(self, content: bytes, headers: tuple[Header, ...] | None = None) -> bytes:
        """One fragment, fit to be kept.

        Raises:
            NotRedactableError: It could only be replaced whole.
        """
        if not content:
            return content
        asked: list[Question] = []
        given = self.headers if headers is None else headers
        made = self._sanitizer.sanitize_fragment(given, content, self.part, asked)
        if any(question.kind in {UNREAD, UNWRITABLE} for question in asked):
            raise NotRedactableError("what was found in it cannot be written again in its place")
        self.questions = list(dict.fromkeys((*self.questions, *asked))) if asked else self.questions
        self.changed = self.changed or made != content
        return made


_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_WHOLE_MAGIC = (b"%PDF", b"\xff\xfe", b"\xfe\xff")
_PACKED_NAMES = ("protobuf", "grpc", "msgpack", "messagepack", "cbor", "multipart/", "zip")
_SHEETS = frozenset({"text/csv", "application/csv", "text/tab-separated-values"})


def _is_packed(media: str, head: bytes) -> bool:
    """Whether a content is of values or parts, which only the whole of it shows."""
    if any(name in media for name in _PACKED_NAMES):
        return True
    wide = not head[1:2001:2].strip(b"\0") or not head[:2000:2].strip(b"\0")
    mapped = media == "application/octet-stream" and (0x80 <= head[0] <= 0x9F or head[0] in _MAPS)
    return wide or (mapped and not is_opaque((), head))


_MAPS = frozenset({0xDC, 0xDD, 0xDE, 0xDF})
"""What arrays and maps of msgpack begin with, beside those of few items."""


def _is_lines(head: bytes) -> bool:
    """Whether each line is a JSON value."""
    first, newline, rest = head.partition(b"\n")
    return (
        bool(newline)
        and first.rstrip()[-1:] in {b"}", b"]"}
        and (
            rest.lstrip()[:1] in {b"{", b"["} and _WHOLE_VALUE.fullmatch(first.strip()) is not None
        )
    )


def _is_text(head: bytes, coded: str) -> bool:
    for cut in range(4):  # a character may be cut at the end
        try:
            head[: len(head) - cut].decode(coded)
        except UnicodeDecodeError:
            continue
        except LookupError:
            return False
        return True
    return False


class _Whole:
    """What cannot be cut: kept in memory, up to a size."""

    def __init__(self, body: LargeBody, largest: int) -> None:
        self._body = body
        self._largest = largest
        self._held = bytearray()

    def feed(self, content: bytes) -> Iterator[bytes]:
        self._held += content
        if len(self._held) > self._largest:
            raise NotRedactableError(
                f"it is packed, and has more than {self._largest >> 20} MiB: nobody can look into"
                " it piece by piece"
            )
        return iter(())

    def end(self) -> Iterator[bytes]:
        yield self._body.redact_fragment(bytes(self._held))


class _Zip(_Whole):
    """A ZIP archive: a larger one stays as it is where nothing in its files is to be replaced."""

    def __init__(self, body: LargeBody, sanitizer: InteractionSanitizer) -> None:
        super().__init__(body, WHOLE_ARCHIVE)
        self._sanitizer = sanitizer

    @override
    def end(self) -> Iterator[bytes]:
        if len(self._held) <= WHOLE:
            yield from super().end()
            return
        try:
            self._look_into()
        except _UNPACKABLE as error:
            why = "it begins like a ZIP archive, and cannot be opened"
            raise NotRedactableError(why) from error
        yield bytes(self._held)

    def _look_into(self) -> None:
        left = _MOST_UNPACKED
        with zipfile.ZipFile(io.BytesIO(self._held)) as archive:
            names = "\n".join(entry.filename for entry in archive.infolist())
            names += f"\n{archive.comment.decode('utf-8', 'replace')}"
            _check_unchanged(self._sanitizer, iter([names.encode()]), self._body.part, _IN_ZIP)
            for entry in archive.infolist():
                left -= entry.file_size
                if left < 0:
                    raise NotRedactableError("it is packed, and unpacks to more than 1 GiB")
                with archive.open(entry) as opened:
                    pieces = iter(lambda: opened.read(FRAGMENT), b"")
                    _check_unchanged(self._sanitizer, pieces, self._body.part, _IN_ZIP)


def _check_unchanged(
    sanitizer: InteractionSanitizer, pieces: Iterator[bytes], part: str, why: str
) -> None:
    """Look through what is in something that cannot be written again.

    Raises:
        NotRedactableError: Something in it would have to be replaced.
    """
    inner = LargeBody(sanitizer, (), part)
    for piece in pieces:
        inner.feed(piece)
    inner.end()
    if inner.changed or inner.questions:
        raise NotRedactableError(why)


_UNPACKABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
"""What unpacking a damaged or an encrypted archive raises."""
_MOST_UNPACKED = 1024 * 1024 * 1024
_IN_ZIP = "it is a ZIP archive, and something in it would have to be replaced"


class _Gzip:
    """A file of gzip: passed as it is where nothing that is in it would have to be replaced."""

    def __init__(self, body: LargeBody, sanitizer: InteractionSanitizer, part: str) -> None:
        self._body = body
        self._inner = LargeBody(sanitizer, (), part)
        self._opener = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def feed(self, content: bytes) -> Iterator[bytes]:
        rest = content
        try:
            while rest:
                if self._opener.eof:
                    self._opener = zlib.decompressobj(zlib.MAX_WBITS | 16)
                self._inner.feed(self._opener.decompress(rest, FRAGMENT))
                self._check()
                rest = self._opener.unconsumed_tail or self._opener.unused_data
        except zlib.error as error:
            raise NotRedactableError("it begins like gzip, and cannot be opened") from error
        yield content

    def end(self) -> Iterator[bytes]:
        if not self._opener.eof:
            raise NotRedactableError("it begins like gzip, and cannot be opened to its end")
        self._inner.end()
        self._check()
        return iter(())

    def _check(self) -> None:
        if self._inner.changed or self._inner.questions:
            raise NotRedactableError(
                "it is packed with gzip, and something in it would have to be replaced"
            )


class _Bytes:
    """Bytes that are no text: what can be read in them keeps its length, the others stay."""

    def __init__(self, body: LargeBody, sanitizer: InteractionSanitizer, shortest: int) -> None:
        self._body = body
        self._sanitizer = sanitizer
        self._runs = re.compile(rb"[\t\n\r\x20-\x7e]{%d,}" % shortest)
        self._held = bytearray()

    def feed(self, content: bytes) -> Iterator[bytes]:
        self._held += content
        while len(self._held) >= FRAGMENT + 2 * _AROUND:
            place = self._place(bytes(self._held[: FRAGMENT + 2 * _AROUND]))
            yield self._redact_fragment(bytes(self._held[:place]))
            del self._held[:place]

    def end(self) -> Iterator[bytes]:
        yield self._redact_fragment(bytes(self._held))
        self._held.clear()

    def _place(self, buffer: bytes) -> int:
        """Where bytes can be cut: outside of what can be read, and of what is known."""
        place = FRAGMENT
        for _ in range(_CUTS):
            place = len(buffer[:place].rstrip(_READABLE))
            if place < FRAGMENT // 2:
                break
            if not self._sanitizer.knows(buffer[place - _AROUND : place + _AROUND]):
                return place
            place -= 2 * _AROUND
        found = _safe_place(self._sanitizer, (), buffer, _BORDERS)
        if not found:
            raise NotRedactableError("there is no place within 256 KiB where it can be cut")
        return found

    def _redact_fragment(self, fragment: bytes) -> bytes:
        texts = b"\n\n".join(found[0] for found in self._runs.finditer(fragment))
        if self._sanitizer.redact_certain_secrets(texts, self._body.part) != texts:
            fragment = self._runs.sub(lambda found: self._run(found[0]), fragment)
        if self._sanitizer.knows(fragment):
            raise NotRedactableError(_TORN)
        return fragment

    def _run(self, run: bytes) -> bytes:
        made = self._sanitizer.redact_certain_secrets(run, self._body.part)
        if made == run:
            return run
        self._body.changed = True
        if len(made) > len(run):
            raise NotRedactableError(_TORN)
        return made.ljust(len(run))


_READABLE = bytes([9, 10, 13, *range(0x20, 0x7F)])
_TORN = "it is no text, and what would have to be replaced in it would tear it apart"


class _Text:
    """A text, cut between lines."""

    def __init__(
        self,
        body: LargeBody,
        sanitizer: InteractionSanitizer,
        *,
        form: bool = False,
        sheet: bool = False,
    ) -> None:
        self._body = body
        self._sanitizer = sanitizer
        self._form = form
        self._sheet = sheet
        self._names = b""
        self._held = bytearray()
        self._wanted = FRAGMENT

    def feed(self, content: bytes) -> Iterator[bytes]:
        self._held += content
        while len(self._held) >= self._wanted + _AROUND:
            held = bytes(self._held[: self._wanted + _AROUND])
            place = self._place(held)
            if place:
                yield self._redact_fragment(held[:place])
                del self._held[:place]
                self._wanted = FRAGMENT
            elif self._wanted >= WHOLE:
                raise NotRedactableError(
                    f"it is a text with no place within {WHOLE >> 20} MiB where it can be cut"
                )
            else:
                self._wanted *= 2

    def end(self) -> Iterator[bytes]:
        yield self._redact_fragment(bytes(self._held))
        self._held.clear()

    def _redact_fragment(self, content: bytes) -> bytes:
        """A fragment; of a table with the names of its columns before it."""
        made = self._body.redact_fragment(self._names + content)
        if self._sheet and not self._names:
            self._names = content[: content.find(b"\n") + 1]
            return made
        if not made.startswith(self._names):
            raise NotRedactableError("the names of its columns would have to be replaced")
        return made[len(self._names) :]

    def _place(self, buffer: bytes) -> int:
        borders = _BORDERS[1:3] if self._sheet else _BORDERS
        borders = _PAIRS if self._form else borders
        columns = (self._names or buffer[: buffer.find(b"\n") + 1]) if self._sheet else None
        return _safe_place(self._sanitizer, self._body.headers, buffer, borders, columns)


class _PiecePreview(Protocol):
    """What shows how a piece would come out."""

    def preview(self, headers: tuple[Header, ...], content: bytes, /) -> bytes:
        """A piece, redacted by the rules alone."""
        ...


def _safe_place(
    sanitizer: _PiecePreview,
    headers: tuple[Header, ...],
    buffer: bytes,
    borders: Iterable[re.Pattern[bytes]],
    columns: bytes | None = None,
) -> int:
    """Where a text can be cut: both sides come out the same apart as together; 0 for nowhere.

    Args:
        sanitizer: Shows how they come out.
        headers: Those beside the text.
        buffer: The text.
        borders: Where it may be cut, the best first.
        columns: The line that names the columns of a table, and stands before each fragment of it.
    """
    tried = 0
    end = len(buffer) - _AROUND
    for border in borders:
        places = [found.end() for found in border.finditer(buffer, end // 2, end)]
        for place in reversed(places[-_CUTS:]):
            tried += 1
            if _is_safe(sanitizer, headers, buffer, place, columns):
                return place
            if tried >= _CUTS:
                return 0
    return 0


def _is_safe(
    sanitizer: _PiecePreview,
    headers: tuple[Header, ...],
    buffer: bytes,
    place: int,
    columns: bytes | None,
) -> bool:
    if columns is not None and buffer.count(b'"', 0, place) % 2:
        return False
    marks = [found[1] for found in _PEM.finditer(buffer, max(0, place - _BLOCK), place)]
    if marks and marks[-1] == b"BEGIN":
        return False
    before, after = buffer[max(0, place - _AROUND) : place], buffer[place : place + _AROUND]
    names = columns or b""
    shown = sanitizer.preview(headers, names)
    made = [
        sanitizer.preview(headers, names + each).removeprefix(shown)
        for each in (before, after, before + after)
    ]
    return made[0] + made[1] == made[2]


def _nested_json_pattern(deepest: int) -> bytes:
    """What matches a whole JSON array or object, up to a depth."""
    inner = rb'[^{}\[\]"]++|' + _STRING
    made = rb"[{\[](?:" + inner + rb")*+[}\]]"
    for _ in range(deepest - 1):
        made = rb"[{\[](?:" + inner + rb"|" + made + rb")*+[}\]]"
    return made


_VALUE = rb"(?:" + _nested_json_pattern(8) + rb"|" + _STRING + rb"|" + _SCALAR + rb")"
_WHOLE_VALUE = re.compile(_VALUE, re.DOTALL)
_ITEM = re.compile(rb"\s*+" + _VALUE + rb"\s*+(?=[,\]}])", re.DOTALL)
_MEMBER = re.compile(rb"\s*+" + _STRING + rb"\s*+:\s*+" + _VALUE + rb"\s*+(?=[,\]}])", re.DOTALL)
_OPENED = re.compile(rb"\s*+(?:(" + _STRING + rb")\s*+:\s*+)?([{\[])", re.DOTALL)
_LONG = re.compile(rb"\s*+(?:(" + _STRING + rb")\s*+:\s*+)?\"", re.DOTALL)
_SIGN = re.compile(rb"\s*+([,\]}])")
_BRACKET = re.compile(_STRING + rb"|([{\[])", re.DOTALL)
_CLOSERS = {b"{": b"}", b"[": b"]"}
_NO_JSON = "it begins like JSON, and is none"


class _JsonText:
    """A JSON text, cut between elements; each fragment has the names above it around it."""

    def __init__(self, body: LargeBody, sanitizer: InteractionSanitizer) -> None:
        self._body = body
        self._sanitizer = sanitizer
        self._held = b""
        self._stack: list[tuple[bytes, bytes]] = []
        self._begun = False
        self._after = False
        self._string: _LongString | None = None

    def feed(self, content: bytes) -> Iterator[bytes]:
        self._held += content
        if len(self._held) >= 2 * FRAGMENT:
            yield from self._ready(last=False)

    def end(self) -> Iterator[bytes]:
        yield from self._ready(last=True)
        if self._stack or self._string or self._held.strip():
            raise NotRedactableError(_NO_JSON)
        yield self._held

    def _ready(self, *, last: bool) -> Iterator[bytes]:
        """What is redacted by now.

        Yields:
            Fragments, and what stands between them.
        """
        if not self._begun:
            yield self._start()
        while self._stack and (last or len(self._held) >= FRAGMENT):
            before = len(self._held), self._after
            if self._string is not None:
                made, self._held, ended = self._string.feed(self._held, last=last)
                yield made
                if ended:
                    self._string, self._after = None, True
            elif self._after:
                yield self._comma()
            else:
                yield from self._group(last=last)
            if (len(self._held), self._after) == before:
                if last or before[0] > WHOLE:
                    raise NotRedactableError(_NO_JSON)
                return

    def _start(self) -> bytes:
        self._begun = True
        guard = GUARD.match(self._held)
        start = guard.end() if guard else 0
        found = _OPENED.match(self._held, start)
        if found is None or found[1]:
            raise NotRedactableError(_NO_JSON)
        self._stack.append((found[2], b""))
        return self._take(found.end())

    def _take(self, end: int) -> bytes:
        made, self._held = self._held[:end], self._held[end:]
        return made

    def _group(self, *, last: bool) -> Iterator[bytes]:
        """One group of elements, redacted together, and what comes behind it.

        Yields:
            Pieces of the text.
        """
        kind = self._stack[-1][0]
        element = _MEMBER if kind == b"{" else _ITEM
        end = place = 0
        comma = False
        flag = False
        while (end < FRAGMENT or flag) and (found := element.match(self._held, place)):
            end = found.end()
            flag = found[0].lstrip()[:2] == b'"-'
            comma = self._held[end : end + 1] == b","
            if not comma:
                break
            place = end + 1
        if end:
            yield self._redact_in_context(self._take(end))
            if comma:
                yield self._take(1)
                return
        yield from self._border(last=last, grouped=bool(end))

    def _border(self, *, last: bool, grouped: bool) -> Iterator[bytes]:
        """The end of a container, or the beginning of an element that is too large for a group.

        Yields:
            What stands there.
        """
        sign = _SIGN.match(self._held)
        if sign is not None:
            if sign[1] != b"," and sign[1] != _CLOSERS[self._stack[-1][0]]:
                raise NotRedactableError(_NO_JSON)
            if sign[1] == b"," and not grouped:
                raise NotRedactableError(_NO_JSON)
            yield self._take(sign.end())
            if sign[1] != b",":
                self._stack.pop()
                self._after = True
            return
        if len(self._held) < FRAGMENT and not last:
            return
        opened = _OPENED.match(self._held)
        if opened is not None:
            yield self._key(opened[1] or b"", self._take(opened.end()))
            self._stack.append((opened[2], opened[1] or b""))
            return
        long = _LONG.match(self._held)
        if long is not None and not last:
            yield self._key(long[1] or b"", self._take(long.end()))
            self._string = _LongString(self._body, self._sanitizer, long[1] or b"")

    def _comma(self) -> bytes:
        """The comma behind an element that was no part of a group, where one comes."""
        sign = _SIGN.match(self._held)
        if sign is None:
            raise NotRedactableError(_NO_JSON)
        self._after = False
        return self._take(sign.end()) if sign[1] == b"," else b""

    def _key(self, key: bytes, opening: bytes) -> bytes:
        """What opens an element, its key redacted."""
        if not key:
            return opening
        made = self._body.redact_fragment(b"{" + key + b":0}", (_JSON_TYPE,))
        if not made.endswith(b":0}"):
            raise NotRedactableError(_NO_JSON)
        return opening.replace(key, made[1:-3], 1)

    def _redact_in_context(self, group: bytes) -> bytes:
        """A group of elements, redacted with the names of what it stands in."""
        front, back = b"", b""
        for kind, key in self._stack[-_NAMES_ABOVE:]:
            if key and not front:
                front, back = b"{", b"}"
            front += (key + b":" if key else b"") + kind
            back = _CLOSERS[kind] + back
        made = self._body.redact_fragment(front + group + back, (_JSON_TYPE,))
        if made == front + group + back:
            return group
        if not made.endswith(back):
            raise NotRedactableError(_NO_JSON)
        openers = (found.end() for found in _BRACKET.finditer(made) if found[1])
        start = next(end for number, end in enumerate(openers, 1) if number == len(back))
        return made[start : len(made) - len(back)]


_NAMES_ABOVE = 3


class _LongString:
    """A text within JSON that is too large for a group: base64, or words."""

    def __init__(self, body: LargeBody, sanitizer: InteractionSanitizer, key: bytes) -> None:
        self._body = body
        self._sanitizer = sanitizer
        self._key = key
        self._inner: LargeBody | None = None
        self._begun = False
        self._digits = b""

    def feed(self, buffer: bytes, *, last: bool) -> tuple[bytes, bytes, bool]:
        """What is redacted by now, what is left, and whether the text has ended."""
        inside = _INSIDE.match(buffer)
        end = inside.end() if inside else 0
        ended = buffer[end : end + 1] == b'"'
        if not ended and last:
            raise NotRedactableError(_NO_JSON)
        if not self._begun:
            self._begun = True
            if _BASE64.fullmatch(buffer, 0, min(end, _SNIFFED)):
                self._inner = LargeBody(self._sanitizer, (), self._body.part)
        if self._inner is not None:
            self._open(self._inner, buffer[:end], ended=ended)
            return buffer[: end + ended], buffer[end + ended :], ended
        if ended and end < FRAGMENT:
            return self._words(buffer[:end]) + b'"', buffer[end + 1 :], True
        window = buffer[: min(end, FRAGMENT + _AROUND)]
        place = _safe_place(_QuotedText(self._sanitizer), (), window, _SPACES)
        if not place:
            raise NotRedactableError("a single text in it has no place where it can be cut")
        return self._words(buffer[:place]), buffer[place:], False

    def _words(self, text: bytes) -> bytes:
        front = b"{" + (self._key or b'""') + b':"'
        made = self._body.redact_fragment(front + text + b'"}', (_JSON_TYPE,))
        if made == front + text + b'"}':
            return text
        found = _PAIR.fullmatch(made)
        if found is None:
            raise NotRedactableError(_NO_JSON)
        return found[1]

    def _open(self, inner: LargeBody, coded: bytes, *, ended: bool) -> None:
        """Look into base64; it stays as it is where nothing in it would have to be replaced."""
        digits = self._digits + coded.translate(_STANDARD)
        for escape, plain in _ESCAPES:
            digits = digits.replace(escape, plain)
        whole = len(digits) if ended else len(digits) // 4 * 4
        self._digits = digits[whole:]
        try:
            inner.feed(b64decode(digits[:whole] + b"=" * (-whole % 4), validate=True))
        except ValueError as error:
            raise NotRedactableError(
                "a single text in it begins like base64, and is none"
            ) from error
        if ended:
            inner.end()
        if inner.changed or inner.questions:
            raise NotRedactableError(
                "a single text in it is base64, and something in it would have to be replaced"
            )


_STANDARD = bytes.maketrans(b"-_", b"+/")
_ESCAPES = ((b"\\/", b"/"), (b"\\n", b""), (b"\\r", b""))


class _QuotedText:
    """What cuts a text within JSON is held against: it is redacted as a text of JSON."""

    def __init__(self, sanitizer: InteractionSanitizer) -> None:
        self._sanitizer = sanitizer

    def preview(self, _: tuple[Header, ...], text: bytes) -> bytes:
        """A piece of the text, redacted by the rules."""
        return self._sanitizer.preview((_JSON_TYPE,), b'"' + text + b'"')[1:-1]


_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_PAIR = re.compile(rb"\{" + _STRING + rb'\s*:\s*"((?:[^"\\]++|\\.)*+)"\}', re.DOTALL)
_SPACES = (re.compile(rb"\\n"), re.compile(rb" "))
