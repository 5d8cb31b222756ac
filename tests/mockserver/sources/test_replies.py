"""Answers on their way out."""

import zlib
from typing import Any

import pytest

from mockserver.asgi.requests import Request
from mockserver.model import Miss
from mockserver.sources.replies import Reply, header_pairs, ignored_header, miss_header, send_reply

BODY = b'{"a": "' + b"x" * 2000 + b'"}'


async def sent(reply: Reply, body: bytes, *, verb: str = "GET", accept: str = "") -> list[Any]:
    request = Request({
        "method": verb, "raw_path": b"/", "query_string": b"",
        "headers": [(b"accept-encoding", accept.encode())],
    })  # fmt: skip
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    await send_reply(reply, body, request, send)
    return [messages[0]["status"], dict(messages[0]["headers"]), messages[1]["body"]]


async def test_an_answer_carries_the_headers_that_google_sends() -> None:
    status, headers, body = await sent(Reply(200, "state"), b"{}")

    assert (status, body) == (200, b"{}")
    assert headers[b"content-type"] == b"application/json; charset=UTF-8"
    assert headers[b"server"] == b"ESF"
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"content-length"] == b"2"
    assert headers[b"x-mock-source"] == b"state"


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
async def test_a_long_body_is_compressed_for_who_takes_it(*, again: bool) -> None:
    if again:
        await sent(Reply(200), BODY, accept="gzip")
    _, headers, body = await sent(Reply(200), BODY, accept="gzip, deflate")

    assert headers[b"content-encoding"] == b"gzip"
    assert zlib.decompress(body, 31) == BODY
    assert headers[b"content-length"] == str(len(body)).encode()


async def test_a_very_long_body_is_compressed_too() -> None:
    _, _, body = await sent(Reply(200), BODY * 100, accept="gzip")
    assert zlib.decompress(body, 31) == BODY * 100


@pytest.mark.parametrize(
    ("body", "accept"), [(b"{}", "gzip"), (BODY, "br")], ids=["short", "not taken"]
)
async def test_other_bodies_are_sent_as_they_are(body: bytes, accept: str) -> None:
    _, headers, found = await sent(Reply(200), body, accept=accept)
    assert found == body
    assert b"content-encoding" not in headers


async def test_head_gets_the_length_and_no_body() -> None:
    _, headers, body = await sent(Reply(200), BODY, verb="HEAD")
    assert (headers[b"content-length"], body) == (str(len(BODY)).encode(), b"")


@pytest.mark.parametrize("status", [204, 304])
async def test_a_status_without_body_says_nothing_of_length_or_type(status: int) -> None:
    _, headers, _ = await sent(Reply(status), b"")
    assert not {b"content-length", b"content-type"} & headers.keys()


def test_header_values_stay_on_one_line() -> None:
    assert header_pairs({"X-Why": "a\r\nb: c"}) == ((b"x-why", b"a b: c"),)
    assert ignored_header(["a", "b"]) == ((b"x-mock-ignored", b"a, b"),)
    assert ignored_header([]) == ()


def test_a_miss_says_whose_fault_it_is_and_what_is_near() -> None:
    miss = Miss(blame="fixture_gap", reason="-", nearest="/Eng\u00fc\u65e5")
    assert miss_header(miss) == ((b"x-mock-miss", b"fixture_gap; nearest=/Eng\xfc\\u65e5"),)
    assert miss_header(Miss(blame="not_emulated", reason="-"))[0][1] == b"not_emulated"
