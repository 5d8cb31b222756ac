"""Request heads that came before, byte for byte: what they mean is known without parsing them.

What a head means follows from its bytes alone, so only a head that the parser has accepted as a
whole is kept, and a request is told from the next one as the parser told them.
"""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import httptools

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
_VERSIONS = frozenset({"1.0", "1.1"})
_NEVER = frozenset({b"transfer-encoding", b"expect", b"upgrade"})
"""Headers by which more than the head decides how a request goes on."""


class HotHead(NamedTuple, Generic[Meaning]):
    """A request head that came before.

    Attributes:
        meaning: What the request means.
        length: Bytes of the body that follows it.
        keep_alive: Whether the connection goes on after the answer.
    """

    meaning: Meaning
    length: int
    keep_alive: bool


class HotHeads(Generic[Meaning]):
    """The heads that came lately, of the connections of one application.

    Args:
        meaning_of: What a request means that came before and is answered at once, given its ASGI
            scope; else None.

    Attributes:
        known: What came twice, by its bytes; those of connections over TLS, or of a session's own,
            have that before them.
    """

    def __init__(self, meaning_of: Callable[[Scope], Meaning | None]) -> None:
        self._meaning_of = meaning_of
        self._seen: dict[int, None] = {}
        self._held = 0
        self.known: dict[bytes, HotHead[Meaning]] = {}

    def forget(self) -> None:
        """Learn all heads anew: what they mean has changed."""
        self.known.clear()
        self._held = 0

    def learn(
        self, prefix: bytes, head: bytes, scheme: str, proxied: str | None
    ) -> HotHead[Meaning] | None:
        """Keep a head that came before, once it does again.

        Args:
            prefix: What tells connections like this one from others.
            head: All bytes of the head, with the empty line.
            scheme: `http` or `https`.
            proxied: The session that the connection belongs to, or None.
        """
        if len(head) > LONGEST_HEAD:
            return None
        seen, key = self._seen, prefix + head
        number = hash(key)
        if number not in seen:
            if len(seen) >= _SEEN_KEPT:
                del seen[next(iter(seen))]
            seen[number] = None
            return None
        parsed = _ParsedHead(head)
        if not parsed.is_plain:
            return None
        meaning = self._meaning_of(parsed.scope(scheme, proxied))
        if meaning is None:
            return None
        self._held += len(key)
        while self.known and (len(self.known) >= _KEPT or self._held > _KEPT_BYTES):
            oldest = next(iter(self.known))
            self._held -= len(oldest)
            del self.known[oldest]
        hot = self.known[key] = HotHead(meaning, parsed.length, parsed.keep_alive)
        return hot


class _ParsedHead:
    """A head on its own, parsed as uvicorn would.

    Attributes:
        is_plain: Whether it is one whole head, followed by a body of known length.
        length: How long that is.
        keep_alive: Whether the connection goes on after the answer.
    """

    is_plain = False
    length = 0
    keep_alive = False

    def __init__(self, head: bytes) -> None:
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._steps: list[str] = []
        parser = self._parser = httptools.HttpRequestParser(self)
        try:
            parser.feed_data(head)
            self.is_plain = self._has_plain_body()
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.is_plain = False

    def _has_plain_body(self) -> bool:
        names = [name for name, _ in self._headers]
        if _NEVER.intersection(names) or self._parser.should_upgrade():
            return False
        lengths = [value for name, value in self._headers if name == b"content-length"]
        if lengths and (len(lengths) > 1 or not lengths[0].isdigit()):
            return False
        length = int(lengths[0]) if lengths else 0
        if length > LARGEST_BODY:
            return False
        if length:
            # the parser itself says where the request ends
            if self._steps != ["begin", "head"]:
                return False
            self._parser.feed_data(b"x" * (length - 1))
            if "end" in self._steps:
                return False
            self._parser.feed_data(b"x")
        self.length = length
        return self._steps == ["begin", "head", "end"]

    def scope(self, scheme: str, proxied: str | None) -> dict[str, Any]:
        """What of its ASGI scope says what it means."""
        url = httptools.parse_url(self._url)
        scope: dict[str, Any] = {
            "method": self._parser.get_method().decode("ascii"),
            "scheme": scheme,
            "raw_path": url.path,
            "query_string": url.query or b"",
            "headers": self._headers,
        }
        if proxied is not None:
            scope[PROXIED] = proxied
        return scope

    def on_message_begin(self) -> None:
        self._steps.append("begin")

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        # asked here: once the request is complete, the parser has forgotten
        version = self._parser.get_http_version()
        self.keep_alive = version == "1.1" and self._parser.should_keep_alive()
        self._steps.append("head" if version in _VERSIONS else version)

    def on_message_complete(self) -> None:
        self._steps.append("end")
