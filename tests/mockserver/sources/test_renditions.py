"""Recorded responses made ready for the wire."""

import gzip

import pytest

from mockserver.messages import decode_body
from mockserver.model import (
    Chunk,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
    ResponseEnd,
)
from mockserver.sources.playback import RenditionCache, ResponseRenditions, _value, accepts
from mockserver.sources.recorded_requests import RecordedAddress
from tests.tapes import JSON, ORIGIN

BODY = b'{"next": "https://api.example.com/v1/units?page=2"}'


def lengths(response: RecordedResponse) -> list[bytes]:
    head = ResponseRenditions(response).best(b"").head
    return [value for name, value in head if name == b"content-length"]


@pytest.mark.parametrize(
    ("said", "status", "ended", "chunked", "sent"),
    [
        ("51", 200, "complete", False, [b"51"]),
        ("", 200, "complete", False, [b"51"]),
        ("", 200, "complete", True, []),
        ("9", 200, "complete", True, [b"51"]),
        ("", 200, "reset", False, []),
        ("51", 200, "reset", False, []),
        ("99", 200, "short", False, [b"99"]),
        ("51", 204, "complete", False, []),
    ],
)
def test_a_length_is_said_where_it_is_right_or_was_a_lie(
    said: str, status: int, ended: ResponseEnd, chunked: bool, sent: list[bytes]
) -> None:
    headers: tuple[Header, ...] = (JSON, *([("Content-Length", said)] if said else []))
    chunks = (Chunk(0, 30), Chunk(1, 21)) if chunked else ()
    response = RecordedResponse(status, "", headers, BODY, chunks=chunks, ended=ended)
    assert lengths(response) == sent


@pytest.mark.parametrize(
    ("accepted", "coding", "taken"),
    [
        (b"*", "gzip", True), (b"*;q=0", "gzip", False), (b"br, gzip;q=0.5", "gzip", True),
        (b"br", "gzip, br", False), (b"gzip,br", "gzip, br", True), (b"gzip; q=0.0", "gzip", False),
        (b"GZIP ;q=0.001", "gzip", True), (b"*;q=0, br", "br", True), (b"", "gzip", False),
    ],
)  # fmt: skip
def test_a_client_takes_what_it_says(accepted: bytes, coding: str, taken: bool) -> None:
    assert accepts(accepted, coding) is taken


def test_each_rendition_is_made_once() -> None:
    head, body, coding = decode_body([JSON, ("Content-Encoding", "gzip")], gzip.compress(BODY * 9))
    made = ResponseRenditions(RecordedResponse(200, "", head, body, coding))
    assert made.best(b"gzip") is made.best(b"gzip, br")
    assert made.best(b"") is made.best(b"br")
    assert made.best(b"gzip") is not made.best(b"")


def test_chunks_that_do_not_add_up_are_one_piece() -> None:
    response = RecordedResponse(200, "", (JSON,), BODY, chunks=(Chunk(0, 7),))
    assert [piece.content for piece in ResponseRenditions(response).best(b"").pieces] == [BODY]


@pytest.mark.parametrize("status", [204, 304])
def test_what_has_no_body_is_sent_without_one(status: int) -> None:
    """A browser saves the page that it had kept with the 304 that it was answered."""
    response = RecordedResponse(status, "", (JSON,), BODY, coding="gzip", chunks=(Chunk(0, 51),))
    sent = ResponseRenditions(response).best(b"gzip")
    assert b"".join(piece.content for piece in sent.pieces) == b""
    assert not [name for name, _ in sent.head if name in {b"content-length", b"content-encoding"}]


def test_links_are_relocated_for_those_who_came_another_way() -> None:
    made = Interaction(
        RecordedRequest("GET", f"{ORIGIN}/v1/units"), RecordedResponse(200, "", (JSON,), BODY)
    )
    plain = Interaction(made.request, RecordedResponse(200, "", (JSON,), b"{}"))
    rendering = RenditionCache()
    direct, moved = (
        RecordedAddress("", ORIGIN, ""),
        RecordedAddress("", ORIGIN, "http://127.0.0.1:1/s/a"),
    )
    assert rendering.of(made, direct).response is made.response
    assert b"http://127.0.0.1:1/s/a/v1/units?page=2" in rendering.of(made, moved).response.body
    assert rendering.of(made, moved) is rendering.of(made, moved)
    assert rendering.of(plain, moved).response is plain.response


@pytest.mark.parametrize("code", [*range(32), 127, 33])
def test_a_header_has_no_control_characters_but_tabs(code: int) -> None:
    shown = "\t" if code == 9 else "!" if code == 33 else " "
    assert _value(f" a{chr(code)}b{chr(code)}") == f"a{shown}b{shown}".strip().encode()
    assert _value("é€") == b"\xe9\\u20ac"
