"""Request heads: plain ones mean the same to the parser; those that came before are kept."""

from typing import Any

import httptools
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.asgi.requests import Request
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


def heads(seen: list[Request] | None = None) -> HotHeads[str]:
    def meaning_of(request: Request) -> str | None:
        if seen is not None:
            seen.append(request)
        return None if request.path == b"/unknown" else "known"

    return HotHeads(meaning_of)


def told(request: Request) -> dict[str, Any]:
    names = {*Request.__slots__, "sent_headers"} - {"_sent", "headers"}
    return {name: getattr(request, name) for name in names} | {"headers": dict(request.headers)}


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
    found = read(head)
    assert found is not None
    assert found[1:] == ("known", length, keep_alive)


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


@pytest.mark.slow
@given(FIRST, st.lists(LINES, max_size=5), st.data())
@settings(max_examples=300)
def test_what_is_plain_means_the_same_to_the_parser(
    first: str, lines: list[str], data: st.DataObject
) -> None:
    head = "\r\n".join([first, *lines, "", ""]).encode("latin-1")
    known = heads()
    for _ in range(2):  # its names are known then, and others may be like it
        known.read(b"", head, "http", None)
    if data.draw(st.booleans()):  # a byte of it is another one
        place = data.draw(st.integers(0, len(head) - 5))
        head = head[:place] + bytes([data.draw(st.integers(0, 255))]) + head[place + 1 :]
    plain = read_plain_head(head) if head.find(b"\r\n\r\n") == len(head) - 4 else None
    again = known.read(b"", head, "http", None)
    if plain is None:
        assert again is None or head.find(b"\r\n\r\n") != len(head) - 4
    else:
        assert again is not None
        request, _, length, keep_alive = again
        assert plain == PlainHead(
            request.sent_verb, request.path, request.query, request.sent_headers, length,
            keep_alive,
        )  # fmt: skip
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
    seen: list[Request] = []
    known = heads(seen)
    for _ in range(2):
        known.read(b"s", PLAIN, "https", "a")
    told_of = [(one.scheme, one.path, one.query, one.host, one.proxied) for one in seen]
    assert told_of == [("https", b"/a", b"b=c", b"h", "a")] * 2
    assert list(known.known) == [b"s" + PLAIN]
    known.forget()
    assert not known.known
    known.read(b"s", PLAIN, "https", "a")
    assert len(seen) == 3


TOLD = [
    "Host: h", "Authorization: Bearer mock~s1~0", "X-Mock-Session: s2", "X-Mock-Session: s6",
    "X-Mock-Session: s7", "User-Agent: a",
    "X-Goog-Api-Client: b", "Accept-Encoding: gzip", "X-HTTP-Method-Override: PATCH",
    "Origin: http://a", "Sec-Fetch-Site: none", "Baggage: mock.session=s3",
]  # fmt: skip
UNTOLD = st.sampled_from(["X-Request-Id", "traceparent", "If-None-Match", "Content-Length"])
ASKED = st.tuples(
    st.sampled_from(["GET", "HEAD", "POST"]),
    st.sampled_from(["/s/s4/a", "/a", "/_mock"]),
    st.sampled_from(["", "?b", "?access_token=mock~s5~0", "?oauth_token=c&d"]),
    st.lists(st.sampled_from(TOLD), max_size=2, unique=True),
    st.dictionaries(UNTOLD, st.integers(0, 3).map(str), max_size=2),
)


@pytest.mark.slow
@given(st.lists(ASKED, min_size=2, max_size=8))
@settings(max_examples=300)
def test_a_head_like_an_earlier_one_is_read_as_by_itself(asked: list[Any]) -> None:
    known = heads()
    for verb, path, query, lines, more in asked:
        headers = [*lines, *(f"{name}: {value}" for name, value in more.items())]
        first = f"{verb} {path}{query} HTTP/1.1"
        found = known.read(b"", "\r\n".join([first, *headers, "", ""]).encode(), "http", None)
        assert found is not None
        pairs = [each.split(": ") for each in headers]
        alone = {
            "method": verb, "scheme": "http", "raw_path": path.encode(),
            "query_string": query[1:].encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in pairs],
        }  # fmt: skip
        assert told(found[0]) == told(Request(alone))


def test_heads_of_many_sessions_share_what_they_have_in_common(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_KEPT", 50)
    known = heads()
    found = []
    for number in range(9):
        head = b"GET /s/%d/units HTTP/1.1\r\nHost: h.example.com\r\nUser-Agent: a/1\r\n\r\n"
        hot = known.read(b"", head % number, "http", None)
        assert hot is not None
        found.append(hot[0])
    for name in ("path", "host", "client"):
        assert len({id(getattr(each, name)) for each in found}) == 1
    assert len({each.session for each in found}) == 9
    [shape] = known._shapes
    first, second = [key for key in shape.alike if isinstance(key, tuple)][-2:]
    assert [one is other for one, other in zip(first, second, strict=True)] == [False, True]
    for number in range(200):
        known.read(b"", b"GET /%d HTTP/1.1\r\n\r\n" % number, "http", None)
        assert len(known._values) <= 50


def test_what_is_kept_of_heads_that_others_are_like_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_KEPT", 3)
    monkeypatch.setattr(module, "_SHAPES_KEPT", 4)
    known = heads()
    for number in range(200):
        for _ in range(2):
            head = b"GET /%d HTTP/1.1\r\nX-%d: y\r\n\r\n" % (number, number // 5)
            known.read(b"", head, "http", None)
        assert sum(len(shape.alike) for shape in known._shapes) <= 3
        assert len(known._shapes) <= 4
    monkeypatch.setattr(module, "_KEPT_BYTES", 20)
    for number in range(5):
        known.read(b"", b"GET /%d HTTP/1.1\r\nX-39: y\r\n\r\n" % number, "http", None)
        assert sum(len(shape.alike) for shape in known._shapes) <= 2


def test_heads_of_two_clients_are_like_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Request] = []
    known = heads(seen)
    for number in range(5):
        for host in (b"a", b"b"):
            for names in (b"A: %d\r\nHost: %b", b"Host: %b\r\nA: %d"):
                values = (number, host) if names[:1] == b"A" else (host, number)
                head = b"GET /?%d HTTP/1.1\r\n%b\r\n\r\n" % (number, names % values)
                found = known.read(b"", head, "http", None)
                assert found is not None
                assert (found[0].host, found[0].query) == (host, b"%d" % number)
    # each client's first request, and its second one, by which its names are known
    assert len(seen) <= 2 * 2 * 2


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
