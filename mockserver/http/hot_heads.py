"""Request heads: plain ones are read here, once, and those that came before not again.

What a head means follows from its bytes alone. uvicorn's parser reads, or refuses, all others; what
is plain means the same to it, and a request is told from the next one as it tells them.

Tracing and SDKs give each request a head of its own. Most lines of it came before nevertheless, and
most of what is new in it decides nothing: such a head means what an earlier one like it meant.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from mockserver.asgi.requests import DECIDING, PROXIED, HeaderLines, Request

Meaning = TypeVar("Meaning")
"""What an application makes of a request."""

LONGEST_HEAD = 8 * 1024
"""Bytes of a head that may be kept."""

LARGEST_BODY = 32 * 1024 - 1
"""Bytes of a body that is answered at once; longer ones are read beside the event loop."""

_KEPT = 16_384
_KEPT_BYTES = 16 * 1024 * 1024
_SEEN_KEPT = 32_768
_NEVER = frozenset({b"transfer-encoding", b"expect", b"upgrade", b"proxy-connection"})
"""Headers by which more than the head decides how a request goes on."""

_KEEPS_ALIVE = {b"keep-alive": True, b"close": False}
_VERBS = {
    verb.encode(): verb for verb in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
}
_PRINTABLE = bytes(range(0x20, 0x7F))
_TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9a-z]+")
_PARTS = 3
_DIGITS = 8
_NAMES_KEPT = 4096
_NAMES: dict[bytes, bytes] = {}
"""Names of headers as they are sent, with the same in lower case: a client sends few."""

_LINE = rb"[^\r]++"
"""What decides is that of an earlier head, which was read as a whole: any other is not found."""

_WITH_QUERY = rb"([^?]++)\?([!\"$-~]*+) HTTP/1\.1"
_WITHOUT_QUERY = rb"(%b)" % _LINE
_VALUE = rb"[!-~][ -~]*+(?<! )"
_LENGTH = rb"[1-9][0-9]{0,%d}|0" % (_DIGITS - 1)
_DECIDING = DECIDING | {b"connection"}

_LONGEST_ALIKE = 1024
"""Bytes of a head that others may be like, so that what is kept stays small."""

_SHAPES_KEPT = 32
"""A client has one or two for each kind of request."""

HotHead = tuple[Request, Meaning, int, bool]
"""A request head that is read: the head, what the request means, how many bytes of a body follow,
and whether the connection goes on after the answer."""


class _Shape(Generic[Meaning]):
    """The names of a head's headers in their order, as a client sends them with each request.

    Attributes:
        names: As sent.
        has_query: Whether a query is sent, be it empty.
        match: Whether a head has them, and is plain in all that decides nothing.
        deciding: What the match has of verb, path, and the headers that decide something.
        length: Which part of the match is the length of the body; None where none follows.
        alike: Earlier heads by what decides; those of connections that have something before
            theirs by both.

    Args:
        names: As sent, of a head that is plain.
        has_query: Whether that has a query.
    """

    __slots__ = ("alike", "deciding", "has_query", "length", "match", "names")

    def __init__(self, names: tuple[bytes, ...], *, has_query: bool) -> None:
        self.names = names
        self.has_query = has_query
        self.alike: dict[object, HotHead[Meaning]] = {}
        pattern = _WITH_QUERY if has_query else _WITHOUT_QUERY
        part = 2 if has_query else 1
        deciding, follows = [1], False
        self.length: int | None = None
        for sent in names:
            name, escaped = sent.lower(), re.escape(sent)
            if name == b"content-length":
                part += 1
                self.length = part
                pattern += rb"\r\n%b: (%b)" % (escaped, _LENGTH)
            elif name not in _DECIDING:
                pattern += rb"\r\n%b: %b" % (escaped, _VALUE)
            elif follows:  # all in a row are one part
                pattern = pattern[:-1] + rb"\r\n%b: %b)" % (escaped, _LINE)
            else:
                part += 1
                deciding.append(part)
                pattern += rb"\r\n(%b: %b)" % (escaped, _LINE)
            follows = name in _DECIDING and name != b"content-length"
        self.match = re.compile(pattern + rb"\r\n\r\n").fullmatch
        self.deciding = itemgetter(*deciding)


class HotHeads(Generic[Meaning]):
    """The heads of the connections of one application.

    Args:
        meaning_of: What a request means that is answered at once; None for another one. It may
            go by the verb, the path, `DECIDING` headers, and what the query says of sessions.

    Attributes:
        known: What came twice, by its bytes; those of connections over TLS, or of a session's own,
            have that before them.
    """

    def __init__(self, meaning_of: Callable[[Request], Meaning | None]) -> None:
        self._meaning_of = meaning_of
        self._seen = [0] * _SEEN_KEPT
        self._held = 0
        self._shapes: list[_Shape[Meaning]] = []
        self._alike_held = 0
        self._values: dict[bytes, bytes] = {}
        self.known: OrderedDict[bytes, HotHead[Meaning]] = OrderedDict()

    def forget(self) -> None:
        """Learn all heads anew: what they mean has changed."""
        self.known.clear()
        self._held = 0
        self._forget_alike()

    def _forget_alike(self) -> None:
        for shape in self._shapes:
            shape.alike.clear()
        self._alike_held = 0

    def read(
        self, prefix: bytes, head: bytes, scheme: str, proxied: str | None
    ) -> HotHead[Meaning] | None:
        """Read a head that is not known, and keep it when it comes for the second time.

        Args:
            prefix: What tells connections like this one from others.
            head: All bytes of the head, with the empty line.
            scheme: `http` or `https`.
            proxied: The session that the connection belongs to, or None.

        Returns:
            None where uvicorn's cycle must see to it.
        """
        hot = self._read_like_earlier(prefix, head) if len(head) <= _LONGEST_ALIKE else None
        if hot is None:
            hot = self._read_anew(prefix, head, scheme, proxied)
            if hot is None:
                return None
        key = prefix + head
        number = hash(key)
        place = number % _SEEN_KEPT
        if self._seen[place] == number:
            self._keep(key, hot)
        else:
            self._seen[place] = number
        return hot

    def _read_like_earlier(self, prefix: bytes, head: bytes) -> HotHead[Meaning] | None:
        """Read a head that differs from an earlier one in what decides nothing."""
        shapes = self._shapes
        for shape in shapes:
            found = shape.match(head)
            if found is not None:
                deciding = shape.deciding(found)
                earlier = shape.alike.get((prefix, deciding) if prefix else deciding)
                if earlier is not None:
                    break
        else:
            return None
        if shape is not shapes[0]:  # the next head is of the same client, more often than not
            shapes.remove(shape)
            shapes.insert(0, shape)
        query, length = b"", 0
        if shape.has_query:
            query = found[2]
        if shape.length is not None:
            length = int(found[shape.length])
        if length > LARGEST_BODY or query.find(b"_token=") >= 0:  # `in` raises and catches first
            return None
        request, meaning, _, keep_alive = earlier
        request = request.again(query, HeaderLines(head), has_body=length > 0)
        return request, meaning, length, keep_alive

    def _read_anew(
        self, prefix: bytes, head: bytes, scheme: str, proxied: str | None
    ) -> HotHead[Meaning] | None:
        plain = read_plain_head(head) if len(head) <= LONGEST_HEAD else None
        if plain is None or plain.length > LARGEST_BODY:
            return None
        request = Request({
            "method": plain.verb,
            "scheme": scheme,
            "raw_path": plain.path,
            "query_string": plain.query,
            "headers": [
                (name, self._shared(value) if name in _DECIDING else value)
                for name, value in plain.headers
            ],
            PROXIED: proxied,
        })  # fmt: skip
        request.path = self._shared(request.path)
        meaning = self._meaning_of(request)
        if meaning is None:
            return None
        hot = request, meaning, plain.length, plain.keep_alive
        if len(head) <= _LONGEST_ALIKE and b"_token=" not in plain.query:
            self._keep_alike(prefix, head, hot)
        return hot

    def _keep_alike(self, prefix: bytes, head: bytes, hot: HotHead[Meaning]) -> None:
        first, *lines = head.split(b"\r\n")[:-2]
        kind = (tuple(line.partition(b": ")[0] for line in lines), b"?" in first)
        known = (each for each in self._shapes if (each.names, each.has_query) == kind)
        shape = next(known, None)
        if shape is None:
            number = hash(kind)
            place = number % _SEEN_KEPT
            if self._seen[place] != number:
                self._seen[place] = number
                return  # making a shape takes longer than reading a few heads
            if len(self._shapes) >= _SHAPES_KEPT:
                self._shapes.clear()
                self._alike_held = 0
            shape = _Shape(kind[0], has_query=kind[1])
            self._shapes.append(shape)
        found = shape.match(head)
        if found is None:
            return
        kept = sum(len(each.alike) for each in self._shapes)
        if kept >= _KEPT or self._alike_held > _KEPT_BYTES:
            self._forget_alike()
        deciding = shape.deciding(found)
        if isinstance(deciding, tuple):
            deciding = tuple(map(self._shared, deciding))
        shape.alike[(prefix, deciding) if prefix else deciding] = hot
        self._alike_held += len(prefix) + len(head)

    def _shared(self, value: bytes) -> bytes:
        """The same bytes, one object for all heads: what sessions have in common stays at hand."""
        if len(self._values) >= _KEPT:
            self._values.clear()
        return self._values.setdefault(value, value)

    def _keep(self, key: bytes, hot: HotHead[Meaning]) -> None:
        self._held += len(key)
        while self.known and (len(self.known) >= _KEPT or self._held > _KEPT_BYTES):
            self._held -= len(self.known.popitem(last=False)[0])
        self.known[key] = hot


class PlainHead(NamedTuple):
    """A head as nearly every client writes it.

    Attributes:
        verb: The HTTP method.
        path: As sent.
        query: As sent, without the question mark.
        headers: Names in lower case, in order.
        length: Bytes of the body that follows.
        keep_alive: Whether the connection goes on after the answer.
    """

    verb: str
    path: bytes
    query: bytes
    headers: list[tuple[bytes, bytes]]
    length: int
    keep_alive: bool


def read_plain_head(head: bytes) -> PlainHead | None:
    r"""Read a head; None for one that is not plain, which a whole parser must read or refuse.

    Plain are fewer heads than HTTP allows, and each means the same to llhttp: HTTP/1.1, printable
    ASCII, a path, one space after each colon and none at an end, no header by which more than the
    head decides how the request goes on.

    Args:
        head: All bytes of the head, with the empty line.

    >>> read_plain_head(b"GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n")[1:4]
    (b'/a', b'b', [(b'host', b'h')])
    >>> read_plain_head(b"GET /a HTTP/1.1\r\nHost : h\r\n\r\n")
    """
    lines = head.split(b"\r\n")
    if head.translate(None, _PRINTABLE) != b"\r\n" * (len(lines) - 1):
        return None
    parts = lines[0].split(b" ")
    if len(parts) != _PARTS or parts[2] != b"HTTP/1.1":
        return None
    sent_verb, target, _ = parts
    verb = _VERBS.get(sent_verb)
    path, _, query = target.partition(b"?")
    if verb is None or path[:1] != b"/" or path[:2] == b"//" or b"#" in target:
        return None
    headers = []
    length, keep_alive = None, None
    for line in lines[1:-2]:
        sent, _, value = line.partition(b": ")
        name = _NAMES.get(sent) or _plain_name(sent)
        if not name or not value or value.strip() != value:
            return None
        if name == b"content-length":
            if length is not None or not value.isdigit() or len(value) > _DIGITS:
                return None
            length = int(value)
        elif name == b"connection":
            keep_alive = _KEEPS_ALIVE.get(value.lower()) if keep_alive is None else None
            if keep_alive is None:
                return None
        headers.append((name, value))
    return PlainHead(verb, path, query, headers, length or 0, keep_alive is not False)


def _plain_name(sent: bytes) -> bytes:
    """The name of a header in lower case, or an empty one where it is not plain."""
    name = sent.lower()
    if not _TOKEN.fullmatch(name) or name in _NEVER:
        return b""
    if len(_NAMES) < _NAMES_KEPT:
        _NAMES[sent] = name
    return name
