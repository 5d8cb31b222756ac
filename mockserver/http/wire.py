"""Plain answers as bytes of HTTP/1.1, in the form in which uvicorn writes them."""

from collections import OrderedDict
from collections.abc import Iterable
from functools import lru_cache

from uvicorn.protocols.http.httptools_impl import HEADER_RE, HEADER_VALUE_RE, STATUS_LINE

from mockserver.asgi.requests import Request
from mockserver.http.responses import BODILESS, encode_for, usual_headers
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.response import Header, Response, WholeAnswer

_FRAMING = frozenset({b"connection", b"transfer-encoding"})
_LENGTH = b"content-length"
_FIRST_STATUS = 200
_HEADS_KEPT = 16_384
_LONGEST_KEPT = 4096
_CLOSE = b"connection: close\r\n"
_CHUNKED = b"transfer-encoding: chunked\r\n"
_NO_LINES = b"", None
_UNKNOWN = b"unknown"
"""In place of lines that are not kept; None is kept of what has no lines."""


def header_lines(headers: Iterable[Header]) -> tuple[bytes, bytes | None] | None:
    r"""Headers as lines, and the length that they say, None for none.

    None where the ASGI cycle has to see to them: they say something of the connection, or no HTTP
    header looks like this.

    >>> header_lines([(b"Content-Length", b"2")])
    (b'content-length: 2\r\n', b'2')
    >>> header_lines([(b"connection", b"close")]) is None
    True
    """
    lines: list[bytes] = []
    length = None
    for sent, value in headers:
        name = _written_name(sent)
        if not name or HEADER_VALUE_RE.search(value):
            return None
        if name == _LENGTH:
            if length is not None:
                return None
            length = value
        lines += (name, b": ", value, b"\r\n")
    return b"".join(lines), length


@lru_cache(4096)
def _written_name(sent: bytes) -> bytes:
    """The name of a header in lower case; empty for one that the ASGI cycle has to see to."""
    name = sent.lower()
    return b"" if name in _FRAMING or HEADER_RE.search(name) else name


def _fits(status: int, said: bytes | None, length: int, *, head: bool) -> bool:
    """Whether a client finds the end of an answer by the length that its head says."""
    if status < _FIRST_STATUS or status not in STATUS_LINE:
        return False
    if status in BODILESS:
        return said is None and not length
    if head:
        return said is None or said.isdigit()
    return said is None or said == b"%d" % length


class AnswerWriter:
    """Writes plain answers; the heads that it wrote are kept, those of other dates too."""

    def __init__(self) -> None:
        self._heads: OrderedDict[tuple[object, ...], bytes | None] = OrderedDict()
        self._own_lines: IdentityMemo[tuple[bytes, bytes | None]] = IdentityMemo(_HEADS_KEPT)
        self._defaults: list[Header] = []
        self._default_lines = b""

    def answer_bytes(
        self, response: Response, request: Request, defaults: list[Header], *, keep_alive: bool
    ) -> tuple[bytes, bytes] | None:
        """An answer as head and body; None where it must be sent by the whole ASGI cycle.

        Args:
            response: The answer.
            request: What is answered.
            defaults: The headers that the server adds, such as its date; the same list until they
                change.
            keep_alive: Whether the connection goes on after it.
        """
        if response.delay_ms or response.damage is not None:
            return None
        if defaults is not self._defaults:
            self._default_lines = b"".join(b"%b: %b\r\n" % pair for pair in defaults)
            self._defaults = defaults
        if response.playback is not None:
            whole = response.playback.whole(request)
            if whole is None:
                return None
            known = whole.written and whole.written.get(keep_alive)
            return known or self._write_whole(whole, request, keep_alive=keep_alive)
        body, is_gzip = encode_for(request, response, response.body)
        key = (
            response.status, response.source, response.unproven, response.plain,
            response.content_type, len(body), is_gzip, request.origin, request.head,
        )  # fmt: skip
        lines = self._heads.get(key, _UNKNOWN)
        if lines is _UNKNOWN:
            headers = usual_headers(response, request, len(body), is_gzip=is_gzip)
            found = header_lines(headers)
            if found and not _fits(response.status, found[1], len(body), head=request.head):
                found = None
            lines = self._keep(key, found[0] if found else None)
        if lines is not None and response.headers:
            own = self._own_header_lines(response.headers, request)
            lines = None if own is None else lines + own
        if lines is None:
            return None
        end = b"\r\n" if keep_alive else _CLOSE + b"\r\n"
        head = b"".join((STATUS_LINE[response.status], self._default_lines, lines, end))
        return head, b"" if request.head else body

    def _own_header_lines(self, own: tuple[Header, ...], request: Request) -> bytes | None:
        is_read = request.verb == "GET"  # what a write answers names what is new
        lines = self._heads.get(own, _UNKNOWN) if is_read else _UNKNOWN
        if lines is _UNKNOWN:
            found = header_lines(own)
            # the usual ones say the length where an answer may have one
            lines = found[0] if found and found[1] is None else None
            if is_read:
                self._keep(own, lines)
        return lines

    def _keep(self, key: tuple[object, ...], lines: bytes | None) -> bytes | None:
        if lines is None or len(lines) <= _LONGEST_KEPT:
            if len(self._heads) >= _HEADS_KEPT:
                self._heads.popitem(last=False)
            self._heads[key] = lines
        return lines

    def _write_whole(
        self, whole: WholeAnswer, request: Request, *, keep_alive: bool
    ) -> tuple[bytes, bytes] | None:
        """An answer with headers of its own; in chunks where they do not say its length."""
        status, own, pieces, is_head = whole.status, whole.head, whole.pieces, request.head
        found = self._own_lines.get(own)
        if found is None:
            found = header_lines(own)
            if found is None:
                return None
            if len(found[0]) <= _LONGEST_KEPT:
                self._own_lines.keep(own, found)
        lines, length = found
        body = b"" if is_head else b"".join(pieces)
        if not _fits(status, length, len(body), head=is_head):
            return None
        more = header_lines(whole.extra) if whole.extra else _NO_LINES
        if more is None or more[1] is not None:
            return None
        end = b"" if keep_alive else _CLOSE
        if length is None and not is_head and status not in BODILESS:
            end += _CHUNKED
            chunks = [b"%x\r\n%b\r\n" % (len(each), each) for each in pieces if each]
            body = b"".join((*chunks, b"0\r\n\r\n"))
        first = self._default_lines if whole.is_dated else b""
        made = b"".join((STATUS_LINE[status], first, lines, more[0], end, b"\r\n")), body
        if whole.written is not None:
            copied = 0 if pieces and body is pieces[0] else len(body)
            if len(made[0]) + copied <= _LONGEST_KEPT:
                whole.written[keep_alive] = made
        return made
