import gzip
from typing import Any

import pytest

from mockserver.capture.proxy import Delivery, Message, send_recording
from mockserver.capture.recorder_queue import PreviousCassette
from mockserver.capture.upstream import UrlRewriter, end_to_end
from mockserver.cassettes.replay import IndexedCassette
from mockserver.messages import decode_body
from mockserver.model import (
    Cassette,
    Chunk,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)

TEXT: Header = ("Content-Type", "text/plain")
REWRITING = UrlRewriter("https://a.example", "http://127.0.0.1:1")


class Client:
    """Gets what is sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    async def send(self, message: Message) -> None:
        self.messages.append(dict(message))

    @property
    def bodies(self) -> list[bytes]:
        return [m["body"] for m in self.messages if m["type"] == "http.response.body"]


def delivery(
    client: Client, *headers: Header, rewrites: bool = False, status: int = 200
) -> Delivery:
    return Delivery(
        client.send, status, headers, method="GET", rewriting=REWRITING if rewrites else None
    )


def test_headers_of_the_connection_and_those_it_names_end_here() -> None:
    headers = (("Connection", "close, X-Hop"), ("x-hop", "1"), ("Trailer", "t"), TEXT)
    assert end_to_end(headers) == (TEXT,)


async def test_pieces_go_on_at_once_and_the_end_waits() -> None:
    client = Client()
    sending = delivery(client, TEXT, ("Content-Length", "4"))
    await sending.begin()
    await sending.piece(b"ab")
    assert client.bodies == [b"ab"]
    await sending.piece(b"cd")
    assert client.bodies == [b"ab"]
    await sending.finish("complete")
    assert client.bodies == [b"ab", b"cd"]
    assert client.messages[-1]["more_body"] is False


async def test_the_head_of_an_answer_without_a_body_waits_too() -> None:
    client = Client()
    sending = delivery(client, status=204)
    await sending.begin()
    assert client.messages == []
    await sending.finish("complete")
    assert [message["type"] for message in client.messages] == [
        "http.response.start",
        "http.response.body",
    ]


async def test_an_answer_that_broke_off_has_no_end() -> None:
    client = Client()
    sending = delivery(client, TEXT)
    await sending.begin()
    await sending.piece(b"ab")
    await sending.finish("reset")
    assert all(message.get("more_body", True) for message in client.messages)


async def test_a_rewritten_body_has_the_length_that_it_has() -> None:
    client = Client()
    body = b"see https://a.example/x"
    sending = delivery(client, TEXT, ("Content-Length", str(len(body))), rewrites=True)
    await sending.begin()
    await sending.piece(body)
    await sending.finish("complete")
    headers = dict(client.messages[0]["headers"])
    assert client.bodies == [b"see http://127.0.0.1:1/x"]
    assert headers[b"Content-Length"] == b"24"


@pytest.mark.parametrize("found", [True, False], ids=["rewritten", "as it was"])
async def test_a_coded_body_is_opened_only_to_be_rewritten(found: bool) -> None:
    client = Client()
    body = gzip.compress(b"see https://a.example/x" if found else b"nothing to see", mtime=0)
    sending = delivery(client, TEXT, ("Content-Encoding", "gzip"), rewrites=True)
    await sending.begin()
    await sending.piece(body)
    await sending.finish("complete")
    if found:
        assert gzip.decompress(client.bodies[0]) == b"see http://127.0.0.1:1/x"
    else:
        assert client.bodies == [body]


async def test_a_coded_body_that_broke_off_is_passed_on_as_it_is() -> None:
    client = Client()
    sending = delivery(client, TEXT, ("Content-Encoding", "gzip"), rewrites=True)
    await sending.begin()
    await sending.piece(b"\x1f\x8b")
    await sending.finish("short")
    assert client.bodies == [b"\x1f\x8b"]


async def test_a_stream_is_rewritten_as_it_goes() -> None:
    client = Client()
    sending = delivery(client, ("Content-Type", "text/event-stream"), rewrites=True)
    await sending.begin()
    await sending.piece(b"data: https://a.exa")
    await sending.piece(b"mple/x\n\n")
    await sending.finish("complete")
    assert b"".join(client.bodies) == b"data: http://127.0.0.1:1/x\n\n"
    assert client.bodies[0] == b"data: "


URL = "https://api.example.com"
NO_REWRITING = UrlRewriter(URL, "http://127.0.0.1:1")


async def played(response: RecordedResponse) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: Message) -> None:
        sent.append(dict(message))

    await send_recording(send, response, "GET", NO_REWRITING)
    return sent


def test_a_recording_is_found_and_a_miss_names_the_nearest() -> None:
    recorded = Interaction(RecordedRequest("GET", f"{URL}/a?n=1"), RecordedResponse(200))
    plays = PreviousCassette(IndexedCassette.of(Cassette("orgs.yaml", (recorded,))))
    assert plays.find(RecordedRequest("GET", f"{URL}/a?n=1")) == recorded
    assert plays.find(RecordedRequest("GET", f"{URL}/a?n=2")) == (
        "no recording matches this request;"
        f" nearest: GET {URL}/a?n=1 (#1 of orgs.yaml), differs in query.n"
    )


def test_a_miss_of_an_empty_cassette_has_no_nearest() -> None:
    plays = PreviousCassette(IndexedCassette.of(Cassette("empty.yaml", ())))
    assert plays.find(RecordedRequest("GET", URL)) == "no recording matches this request"


async def test_a_stream_is_played_in_its_pieces() -> None:
    response = RecordedResponse(
        200,
        headers=(("Content-Type", "text/event-stream"),),
        body=b"data: 1\n\ndata: 2\n\n",
        chunks=(Chunk(0.0, 9), Chunk(90.0, 9)),
    )
    bodies = [message["body"] for message in await played(response) if "body" in message]
    assert bodies == [b"data: 1\n\n", b"data: 2\n\n", b""]


async def test_a_coded_body_is_coded_again_and_leads_to_the_proxy() -> None:
    raw = gzip.compress(b"see https://api.example.com/x", 6, mtime=0)
    given = (
        ("Content-Type", "text/plain"),
        ("Content-Encoding", "gzip"),
        ("Content-Length", str(len(raw))),
    )
    head, *rest = await played(RecordedResponse(200, "OK", *decode_body(given, raw)))
    body = b"".join(message["body"] for message in rest)
    headers = dict(head["headers"])
    assert gzip.decompress(body) == b"see http://127.0.0.1:1/x"
    assert headers[b"Content-Encoding"] == b"gzip"
    assert headers[b"Content-Length"] == str(len(body)).encode()
