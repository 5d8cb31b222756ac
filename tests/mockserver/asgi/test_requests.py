"""The head of a request, and its body."""

from collections.abc import Sequence
from typing import Any

import pytest

from mockserver.asgi.requests import (
    MAX_BODY_BYTES,
    BodyTooLargeError,
    CallerGoneError,
    Request,
    read_body,
)


def request(path: str = "/v1/x", query: str = "", verb: str = "GET", **headers: str) -> Request:
    pairs = [
        (name.replace("_", "-").encode(), value.encode("latin-1"))
        for name, value in headers.items()
    ]
    return Request({
        "method": verb, "raw_path": path.encode(), "query_string": query.encode(), "headers": pairs,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("path", "session", "rest"),
    [
        ("/s/a/v1/x", "a", b"/v1/x"),
        ("/s/a", "a", b"/"),
        ("/s/a//x", "a", b"//x"),
        ("/s//v1/x", "", b"/v1/x"),
        ("/v1/s/a", None, b"/v1/s/a"),
        ("/", None, b"/"),
    ],
)
def test_the_session_prefix_is_taken_off_the_path(
    path: str, session: str | None, rest: bytes
) -> None:
    found = request(path)
    assert (found.session, found.path) == (session, rest)


def test_the_path_names_the_session_before_the_header_does() -> None:
    assert request("/s/a/x", x_mock_session="b").session == "a"
    assert request("/x", x_mock_session="b").session == "b"


@pytest.mark.parametrize(
    ("query", "header", "token"),
    [
        ("", "Bearer abc", "abc"),
        ("", "bearer  abc ", "abc"),
        ("", "Basic abc", ""),
        ("access_token=q1", None, "q1"),
        ("$oauth_token=x&oauth_token=q2", None, "q2"),
        ("access_token=q1", "Bearer abc", "abc"),
        ("", None, ""),
    ],
)
def test_the_token_is_in_the_header_or_in_the_query(
    query: str, header: str | None, token: str
) -> None:
    headers = {} if header is None else {"authorization": header}
    assert request(query=query, **headers).token == token


def test_an_override_replaces_the_verb_and_head_asks_like_get() -> None:
    assert request(verb="POST", x_http_method_override="get").verb == "GET"
    head = request(verb="HEAD")
    assert (head.verb, head.head) == ("GET", True)


def test_the_client_is_what_google_clients_say_before_the_user_agent() -> None:
    assert request(user_agent="curl/8").client == b"curl/8"
    assert request(user_agent="x", x_goog_api_client="gdcl/2").client == b"gdcl/2"


def test_a_form_is_known_by_its_content_type() -> None:
    assert request(content_type="Application/X-WWW-Form-Urlencoded; charset=UTF-8").is_form
    assert not request(content_type="application/json").is_form


@pytest.mark.parametrize(
    ("headers", "expected"),
    [({}, False), ({"content_length": "0"}, False), ({"content_length": "5"}, True),
     ({"transfer_encoding": "chunked"}, True)],
)  # fmt: skip
def test_a_body_is_announced_by_length_or_encoding(headers: dict[str, str], expected: bool) -> None:
    assert request(**headers).has_body == expected


class Sender:
    """Hands out chunks as a server does, and counts them."""

    def __init__(self, chunks: Sequence[bytes]) -> None:
        self.chunks = list(chunks)
        self.taken = 0

    async def __call__(self) -> dict[str, Any]:
        chunk = self.chunks[self.taken]
        self.taken += 1
        return {
            "type": "http.request",
            "body": chunk,
            "more_body": self.taken < len(self.chunks),
        }


async def test_a_body_in_chunks_is_joined() -> None:
    found = await read_body(request(transfer_encoding="chunked"), Sender([b"ab", b"", b"c"]))
    assert found == b"abc"


async def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    sender = Sender([b"x"])
    with pytest.raises(BodyTooLargeError):
        await read_body(request(content_length=str(MAX_BODY_BYTES + 1)), sender)
    assert sender.taken == 0


async def test_a_body_that_becomes_too_large_is_read_no_further() -> None:
    sender = Sender([b"x" * (MAX_BODY_BYTES // 2 + 1)] * 5)
    with pytest.raises(BodyTooLargeError):
        await read_body(request(transfer_encoding="chunked"), sender)
    assert sender.taken == 2


async def test_a_body_whose_sender_left_is_no_body() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    with pytest.raises(CallerGoneError):
        await read_body(request(content_length="5"), receive)
