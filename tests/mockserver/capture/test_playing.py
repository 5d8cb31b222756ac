import gzip
from typing import Any

from mockserver.capture.proxy import Message, send_recording
from mockserver.capture.recorder_queue import PreviousCassette
from mockserver.capture.upstream import UrlRewriter
from mockserver.cassettes.replay import IndexedCassette
from mockserver.messages import decode_body
from mockserver.model import (
    Cassette,
    Chunk,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)

URL = "https://api.example.com"
REWRITING = UrlRewriter(URL, "http://127.0.0.1:1")


async def played(response: RecordedResponse) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: Message) -> None:
        sent.append(dict(message))

    await send_recording(send, response, "GET", REWRITING)
    return sent


def test_a_recording_is_found_and_a_miss_names_the_nearest() -> None:
    recorded = Interaction(RecordedRequest("GET", f"{URL}/a?n=1"), RecordedResponse(200))
    plays = PreviousCassette(IndexedCassette.of(Cassette("orgs.yaml", (recorded,))))
    assert plays.find(RecordedRequest("GET", f"{URL}/a?n=1")) == recorded
    missed = plays.find(RecordedRequest("GET", f"{URL}/a?n=2"))
    assert isinstance(missed, str)
    assert "nearest" in missed
    assert "n" in missed


def test_a_miss_of_an_empty_cassette_has_no_nearest() -> None:
    missed = PreviousCassette(IndexedCassette.of(Cassette("empty.yaml", ()))).find(
        RecordedRequest("GET", URL)
    )
    assert isinstance(missed, str)
    assert "nearest" not in missed


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
