"""Hands an answer on to the client of the proxy: at once where it can be, whole where it must."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from mockserver.capture.rewriting import Rewriting, StreamRewriter, may_hold_urls
from mockserver.capture.streams import is_stream
from mockserver.messages import decoded, encoded, header, with_header, without
from mockserver.model import Ended, Header

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

HOPS = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
"""Headers of one connection."""

_WITHOUT_BODY = frozenset({204, 304})
LARGEST_HELD = 4 * 1024 * 1024
"""Bytes of a text that are held back until all its URLs are rewritten. Of a larger one they are
rewritten as it comes, where it is not coded."""


def end_to_end(headers: tuple[Header, ...]) -> tuple[Header, ...]:
    """Headers without those of the connection, and without those that it names."""
    named = {name.strip().lower() for name in header(headers, "connection").split(",")}
    return without(headers, HOPS | named)


class Delivery:
    """One answer on its way to the client.

    What makes the answer whole is held back until `finish`, so that a client has never seen the
    end of what is not yet recorded.

    Args:
        send: The client.
        head: Status and headers as they came.
        method: The request's method.
        rewriting: What becomes of absolute URLs; None leaves them.
    """

    def __init__(
        self,
        send: Send,
        head: tuple[int, tuple[Header, ...]],
        method: str,
        rewriting: Rewriting | None,
    ) -> None:
        self._send = send
        self._status, headers = head
        self._raw = headers
        self._headers = end_to_end(headers)
        self._rewriting = rewriting
        if rewriting is not None:
            self._headers = rewriting.headers(self._headers)
        bodiless = method == "HEAD" or self._status in _WITHOUT_BODY
        length = header(headers, "content-length").strip()
        self._left = int(length) if length.isdigit() and not bodiless else None
        texts = rewriting is not None and not bodiless and may_hold_urls(headers)
        coded = header(headers, "content-encoding").lower() not in {"", "identity"}
        self._whole = texts and (self._left is not None or (coded and not is_stream(headers)))
        if self._whole and self._left is not None and self._left > LARGEST_HELD:
            # not held as a whole: its length is not known before it was sent
            self._whole = False
            if not coded:
                self._left = None
                self._headers = without(self._headers, ["content-length"])
        streams = rewriting if texts and not self._whole and not coded else None
        self._rewriter = StreamRewriter(streams) if streams is not None else None
        self._without_body = bodiless or self._left == 0
        self._held = bytearray()

    async def begin(self) -> None:
        """Send the head, where nothing of it depends on the body."""
        if not (self._whole or self._without_body):
            await self._head(self._headers)

    async def piece(self, content: bytes) -> None:
        """Send a piece."""
        if self._whole:
            self._held += content
            if len(self._held) > LARGEST_HELD:
                await self._let_go()
            return
        if self._left is not None:
            self._left -= len(content)
            if self._left <= 0:
                self._held += content
                return
        ready = content if self._rewriter is None else self._rewriter.feed(content)
        if ready:
            await self._body(ready)

    async def finish(self, ended: Ended) -> None:
        """Send what was held back, and the end where it came to its end."""
        if self._whole:
            await self._finish_whole(complete=ended == "complete")
        else:
            if self._without_body:
                await self._head(self._headers)
            self._held += b"" if self._rewriter is None else self._rewriter.end()
            await self._body(bytes(self._held), last=ended == "complete")

    async def _let_go(self) -> None:
        """Send what was held because its URLs were to be rewritten: it is too large for that."""
        self._whole = False
        held = bytes(self._held)
        self._held.clear()
        await self._head(self._headers)
        if self._left is not None:
            self._left -= len(held)
        await self._body(held)

    async def _finish_whole(self, *, complete: bool) -> None:
        body = bytes(self._held)
        headers = self._headers
        if complete:
            body = self._rewritten(body)
            if self._left is not None:
                headers = with_header(headers, "Content-Length", str(len(body)))
        await self._head(headers)
        await self._body(body, last=complete)

    def _rewritten(self, body: bytes) -> bytes:
        _, content, coding = decoded(self._raw, body)
        changed = content if self._rewriting is None else self._rewriting.whole(content)
        return body if changed == content else encoded(changed, coding)

    async def _head(self, headers: tuple[Header, ...]) -> None:
        sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": self._status, "headers": sent})

    async def _body(self, content: bytes, *, last: bool = False) -> None:
        if content or last:
            await self._send({"type": "http.response.body", "body": content, "more_body": not last})
