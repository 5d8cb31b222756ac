"""Heads that came before: only those that the parser took as a whole are known."""

from typing import Any

import pytest

from mockserver.asgi.requests import PROXIED
from mockserver.http import hot_heads as module
from mockserver.http.hot_heads import LARGEST_BODY, LONGEST_HEAD, HotHead, HotHeads

PLAIN = b"GET /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n"


def heads(seen: list[Any] | None = None) -> HotHeads[str]:
    def meaning_of(scope: Any) -> str | None:
        if seen is not None:
            seen.append(scope)
        return None if scope["raw_path"] == b"/unknown" else "known"

    return HotHeads(meaning_of)


def learned(head: bytes) -> HotHead[str] | None:
    known = heads()
    assert known.learn(b"", head, "http", None) is None  # the first time
    return known.learn(b"", head, "http", None)


def post(length: str, more: str = "") -> bytes:
    return f"POST /a HTTP/1.1\r\nContent-Length: {length}\r\n{more}\r\n".encode()


@pytest.mark.parametrize(
    ("head", "length", "keep_alive"),
    [
        (PLAIN, 0, True),
        (b"\r\n" + PLAIN, 0, True),
        (b"HEAD / HTTP/1.1\r\n\r\n", 0, True),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 0, False),
        (b"GET / HTTP/1.0\r\n\r\n", 0, False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 0, False),
        (post("0"), 0, True),
        (post("1"), 1, True),
        (post("007"), 7, True),
        (post(str(LARGEST_BODY)), LARGEST_BODY, True),
    ],
)
def test_a_plain_head_is_known_the_second_time(head: bytes, length: int, keep_alive: bool) -> None:
    assert learned(head) == HotHead("known", length, keep_alive)


@pytest.mark.parametrize(
    "head",
    [
        post(str(LARGEST_BODY + 1)),
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
        b"GET /\r\n\r\n",
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET /unknown HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"x" * LONGEST_HEAD + b"\r\n\r\n",
    ],
)
def test_any_other_head_never_is(head: bytes) -> None:
    assert learned(head) is None


def test_what_a_head_means_follows_from_its_scope() -> None:
    seen: list[Any] = []
    known = heads(seen)
    for _ in range(2):
        known.learn(b"s", PLAIN, "https", "a")
    assert seen == [
        {"method": "GET", "scheme": "https", "raw_path": b"/a", "query_string": b"b=c",
         "headers": [(b"host", b"h")], PROXIED: "a"}
    ]  # fmt: skip
    assert list(known.known) == [b"s" + PLAIN]
    known.forget()
    assert not known.known


def test_no_more_is_kept_than_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 3)
    monkeypatch.setattr(module, "_SEEN_KEPT", 4)
    known = heads()
    made = [b"GET /%d HTTP/1.1\r\n\r\n" % number for number in range(6)]
    for head in made:
        for _ in range(2):
            known.learn(b"", head, "http", None)
    assert list(known.known) == made[3:]
    monkeypatch.setattr(module, "_KEPT_BYTES", 2 * len(made[0]))
    for _ in range(2):
        known.learn(b"", PLAIN[:5] + b"9 HTTP/1.1\r\n\r\n", "http", None)
    assert len(known.known) == 2
