"""Request heads: plain ones mean the same to the parser; those that came before are kept."""

from typing import Any

import httptools
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.asgi.requests import PROXIED
from mockserver.http import hot_heads as module
from mockserver.http.hot_heads import (
    LARGEST_BODY,
    LONGEST_HEAD,
    HotHead,
    HotHeads,
    PlainHead,
    read_plain_head,
)

PLAIN = b"GET /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n"


def heads(seen: list[Any] | None = None) -> HotHeads[str]:
    def meaning_of(scope: Any) -> str | None:
        if seen is not None:
            seen.append(scope)
        return None if scope["raw_path"] == b"/unknown" else "known"

    return HotHeads(meaning_of)


def read(head: bytes) -> HotHead[str] | None:
    return heads().read(b"", head, "http", None)


def post(length: str, more: str = "") -> bytes:
    return f"POST /a HTTP/1.1\r\nContent-Length: {length}\r\n{more}\r\n".encode()


@pytest.mark.parametrize(
    ("head", "length", "keep_alive"),
    [
        (PLAIN, 0, True),
        (b"HEAD / HTTP/1.1\r\n\r\n", 0, True),
        (b"GET / HTTP/1.1\r\nConnection: Close\r\n\r\n", 0, False),
        (b"GET / HTTP/1.1\r\nConnection: Keep-Alive\r\n\r\n", 0, True),
        (post("0"), 0, True),
        (post("1"), 1, True),
        (post("007"), 7, True),
        (post(str(LARGEST_BODY)), LARGEST_BODY, True),
    ],
)
def test_a_plain_head_is_read(head: bytes, length: int, keep_alive: bool) -> None:
    assert read(head) == HotHead("known", length, keep_alive)


@pytest.mark.parametrize(
    "head",
    [
        b"\r\n" + PLAIN,
        b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        b"GET / HTTP/1.1\r\nConnection: keep-alive, close\r\n\r\n",
        b"GET / HTTP/1.1\r\nProxy-Connection: close\r\n\r\n",
        post(str(LARGEST_BODY + 1)),
        post("9" * 30),
        post("+5"),
        post("5 5"),
        post("5", "Content-Length: 5\r\n"),
        post("5", "Transfer-Encoding: chunked\r\n"),
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        post("5", "Expect: 100-continue\r\n"),
        b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
        b"GET / HTTP/1.1\nHost: a\n\r\n\r\n",
        b"GET / HTTP/1.1\r\nA : b\r\n\r\n",
        b"GET / HTTP/1.1\r\nA:  b\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b \r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\rc: d\n\r\n\r\n",
        b"GET / HTTP/1.1\r\n: b\r\n\r\n",
        b"GET //a HTTP/1.1\r\n\r\n",
        b"GET /a#b HTTP/1.1\r\n\r\n",
        b"GET http://a/ HTTP/1.1\r\n\r\n",
        b"GET /\r\n\r\n",
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET /unknown HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"x" * LONGEST_HEAD + b"\r\n\r\n",
    ],
)
def test_any_other_head_is_left_to_the_parser(head: bytes) -> None:
    assert read(head) is None


class Parsed:
    """A head as uvicorn's parser reads it."""

    def __init__(self, head: bytes) -> None:
        self.url, self.ended, self.begun = b"", False, 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.parser = httptools.HttpRequestParser(self)
        self.parser.feed_data(head)

    def on_message_begin(self) -> None:
        self.begun += 1

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.keep_alive = self.parser.should_keep_alive()

    def on_message_complete(self) -> None:
        self.ended = True

    def plain(self) -> PlainHead:
        url = httptools.parse_url(self.url)
        lengths = [int(value) for name, value in self.headers if name == b"content-length"]
        verb = self.parser.get_method().decode()
        length = sum(lengths)
        return PlainHead(verb, url.path, url.query or b"", self.headers, length, self.keep_alive)


NAMES = [
    "Host", "a", "X-Long-Name", "Content-Length", "content-length", "Connection", "Upgrade",
    "Transfer-Encoding", "Proxy-Connection", "Keep-Alive", "TE", "Expect",
]  # fmt: skip
VALUES = ["", "0", "5", "05", "close", "keep-alive", "chunked", "h2c", "a b", " c", "d ", "\t", ":"]
LINES = st.tuples(
    st.sampled_from([*NAMES, "B ", "", "\u00e4"]),
    st.sampled_from([": ", ":", " : ", ":  "]),
    st.sampled_from([*VALUES, "e, f", "\u00e4", "100-continue"]) | st.text("ab:, \t", max_size=5),
).map("".join)
FIRST = st.tuples(
    st.sampled_from(["GET", "POST", "HEAD", "OPTIONS", "PUT", "get", "CONNECT", "PRI"]),
    st.sampled_from(["/", "/a?b=c", "/?", "//a", "/a?b?c", "*", "/a#b", '/%41"{}|\\^`<>', "a"]),
    st.sampled_from(["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1", ""]),
).map(" ".join)


@given(FIRST, st.lists(LINES, max_size=5), st.data())
@settings(max_examples=300)
def test_what_is_plain_means_the_same_to_the_parser(
    first: str, lines: list[str], data: st.DataObject
) -> None:
    head = "\r\n".join([first, *lines, "", ""]).encode("latin-1")
    if data.draw(st.booleans()):  # a byte of it is another one
        place = data.draw(st.integers(0, len(head) - 5))
        head = head[:place] + bytes([data.draw(st.integers(0, 255))]) + head[place + 1 :]
    plain = read_plain_head(head) if head.find(b"\r\n\r\n") == len(head) - 4 else None
    if plain is not None:
        parsed = Parsed(head)
        assert plain == parsed.plain()
        assert parsed.begun == 1
        assert parsed.ended == (not plain.length)
        assert not parsed.parser.should_upgrade()
        if plain.length:
            parsed.parser.feed_data(b"x" * (plain.length - 1))
            assert not parsed.ended
            parsed.parser.feed_data(b"x")
            assert parsed.ended


def test_a_head_is_kept_when_it_comes_again() -> None:
    seen: list[Any] = []
    known = heads(seen)
    for _ in range(2):
        known.read(b"s", PLAIN, "https", "a")
    assert seen == 2 * [
        {"method": "GET", "scheme": "https", "raw_path": b"/a", "query_string": b"b=c",
         "headers": [(b"host", b"h")], PROXIED: "a"}
    ]  # fmt: skip
    assert list(known.known) == [b"s" + PLAIN]
    known.forget()
    assert not known.known


def test_no_more_is_kept_than_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 3)
    known = heads()
    made = [b"GET /%d HTTP/1.1\r\n\r\n" % number for number in range(6)]
    for head in made:
        for _ in range(2):
            known.read(b"", head, "http", None)
    assert list(known.known) == made[3:]
    monkeypatch.setattr(module, "_KEPT_BYTES", 2 * len(made[0]))
    for _ in range(2):
        known.read(b"", PLAIN[:5] + b"9 HTTP/1.1\r\n\r\n", "http", None)
    assert len(known.known) == 2
