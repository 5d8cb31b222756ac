"""Request heads: plain ones are read here, once, and those that came before not again.

What a head means follows from its bytes alone. uvicorn's parser reads, or refuses, all others; what
is plain means the same to it, and a request is told from the next one as it tells them.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from mockserver.asgi.requests import PROXIED, Scope

Meaning = TypeVar("Meaning")
"""What an application makes of a head."""

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
_NAMES: dict[bytes, bytes] = {}
"""Names of headers as they are sent, with the same in lower case: a client sends few."""

_NAMES_KEPT = 4096


class HotHead(NamedTuple, Generic[Meaning]):
    """A request head that is read.

    Attributes:
        meaning: What the request means.
        length: Bytes of the body that follows it.
        keep_alive: Whether the connection goes on after the answer.
    """

    meaning: Meaning
    length: int
    keep_alive: bool


class HotHeads(Generic[Meaning]):
    """The heads of the connections of one application.

    Args:
        meaning_of: What a request means that is answered at once, given its ASGI scope; else None.

    Attributes:
        known: What came twice, by its bytes; those of connections over TLS, or of a session's own,
            have that before them.
    """

    def __init__(self, meaning_of: Callable[[Scope], Meaning | None]) -> None:
        self._meaning_of = meaning_of
        self._seen = [0] * _SEEN_KEPT
        self._held = 0
        self.known: OrderedDict[bytes, HotHead[Meaning]] = OrderedDict()

    def forget(self) -> None:
        """Learn all heads anew: what they mean has changed."""
        self.known.clear()
        self._held = 0

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
        plain = read_plain_head(head) if len(head) <= LONGEST_HEAD else None
        if plain is None or plain.length > LARGEST_BODY:
            return None
        verb, path, query, headers, length, keep_alive = plain
        scope: Scope = {
            "method": verb,
            "scheme": scheme,
            "raw_path": path,
            "query_string": query,
            "headers": headers,
            PROXIED: proxied,
        }
        meaning = self._meaning_of(scope)
        if meaning is None:
            return None
        hot = HotHead(meaning, length, keep_alive)
        key = prefix + head
        number = hash(key)
        place = number % _SEEN_KEPT
        if self._seen[place] == number:
            self._keep(key, hot)
        else:
            self._seen[place] = number
        return hot

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
    verb = _VERBS.get(parts[0])
    path, _, query = parts[1].partition(b"?")
    if verb is None or path[:1] != b"/" or path[:2] == b"//" or b"#" in parts[1]:
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
