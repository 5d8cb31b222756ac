"""Answers on their way out."""

import zlib
from typing import Any

import pytest

from mockserver.asgi.requests import Request
from mockserver.http.responses import send_response
from mockserver.model import Miss
from mockserver.sources.response import Response, diagnostic_headers, header_pairs

BODY = b'{"a": "' + b"x" * 2000 + b'"}'


async def sent(body: bytes, *, status: int = 200, verb: str = "GET", accept: str = "") -> list[Any]:
    response = Response()
    response.status, response.body = status, body
    request = Request({
        "method": verb, "raw_path": b"/", "query_string": b"",
        "headers": [(b"accept-encoding", accept.encode())],
    })  # fmt: skip
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing more is read")

    await send_response(response, request, receive, send)
    return [messages[0]["status"], dict(messages[0]["headers"]), messages[1]["body"]]


async def test_an_answer_carries_the_headers_that_google_sends() -> None:
    status, headers, body = await sent(b"{}")

    assert (status, body) == (200, b"{}")
    assert headers[b"content-type"] == b"application/json; charset=UTF-8"
    assert headers[b"server"] == b"ESF"
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"content-length"] == b"2"
    assert headers[b"x-mock-source"] == b"state"


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
async def test_a_long_body_is_compressed_for_who_takes_it(*, again: bool) -> None:
    if again:
        await sent(BODY, accept="gzip")
    _, headers, body = await sent(BODY, accept="gzip, deflate")

    assert headers[b"content-encoding"] == b"gzip"
    assert zlib.decompress(body, 31) == BODY
    assert headers[b"content-length"] == str(len(body)).encode()


async def test_a_very_long_body_is_compressed_too() -> None:
    _, _, body = await sent(BODY * 100, accept="gzip")
    assert zlib.decompress(body, 31) == BODY * 100


@pytest.mark.parametrize(
    ("body", "accept"), [(b"{}", "gzip"), (BODY, "br")], ids=["short", "not taken"]
)
async def test_other_bodies_are_sent_as_they_are(body: bytes, accept: str) -> None:
    _, headers, found = await sent(body, accept=accept)
    assert found == body
    assert b"content-encoding" not in headers


async def test_head_gets_the_length_and_no_body() -> None:
    _, headers, body = await sent(BODY, verb="HEAD")
    assert (headers[b"content-length"], body) == (str(len(BODY)).encode(), b"")


@pytest.mark.parametrize("status", [204, 304])
async def test_a_status_without_body_says_nothing_of_length_or_type(status: int) -> None:
    _, headers, _ = await sent(b"", status=status)
    assert not {b"content-length", b"content-type"} & headers.keys()


def response(*, ignored: tuple[str, ...] = (), miss: Miss | None = None) -> Response:
    found = Response()
    found.ignored, found.miss = ignored, miss
    return found


def test_header_values_stay_on_one_line() -> None:
    assert header_pairs({"X-Why": "a\r\nb: c"}) == ((b"x-why", b"a b: c"),)
    assert diagnostic_headers(response(ignored=("a", "b"))) == ((b"x-mock-ignored", b"a, b"),)
    assert diagnostic_headers(response()) == ()


def test_a_miss_says_whose_fault_it_is_and_what_is_near() -> None:
    miss = Miss(blame="fixture_gap", reason="-", nearest="/Eng\u00fc\u65e5")
    told = ((b"x-mock-miss", b"fixture_gap; nearest=/Eng\xfc\\u65e5"),)
    assert diagnostic_headers(response(miss=miss)) == told
    plain = response(miss=Miss(blame="not_emulated", reason="-"))
    assert diagnostic_headers(plain)[0][1] == b"not_emulated"
