"""Recorded responses made ready for the wire."""

import gzip
from collections.abc import MutableMapping
from typing import Any
from unittest import mock

import pytest
from typing_extensions import override

from mockserver.asgi.requests import Request
from mockserver.messages import decode_body
from mockserver.model import (
    Chunk,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
    ResponseEnd,
)
from mockserver.sources.playback import (
    Piece,
    Playback,
    Rendition,
    RenditionCache,
    ResponseRenditions,
    _value,
    accepts,
)
from mockserver.sources.recorded_requests import RecordedAddress
from mockserver.sources.response import Schedule, WholeAnswer
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


THREE = (Piece(0.0, b"a"), Piece(80.0, b"b"), Piece(200.0, b"c"))


class Pauses(Schedule):
    """Notes gaps in seconds, and lets none pass."""

    @override
    async def pause(self, seconds: float) -> None:
        NOTED.append(f"wait {seconds:g}")


NOTED: list[str] = []
PLACE: dict[str, Any] = {"headers": [], "query_string": b"", "raw_path": b"/"}


async def sent(playback: Playback, *, head: bool = False) -> list[str]:
    """What a client gets of an answer: pieces with `...` where more are to come, and gaps."""
    NOTED.clear()

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            NOTED.append(f"{message['status']} {len(message['headers'])}")
        else:
            NOTED.append(message["body"].decode() + "..." * message.get("more_body", False))

    request = Request({"method": "HEAD" if head else "GET", **PLACE})
    with mock.patch("mockserver.sources.playback.Schedule", Pauses):
        try:
            await playback.send(request, {}, mock.AsyncMock(), send)
        except ConnectionResetError:
            NOTED.append("broken off")
    return NOTED


@pytest.mark.parametrize(
    ("pieces", "how", "expected"),
    [
        (THREE, {}, ["a...", "wait 0.08", "b...", "wait 0.12", "c"]),
        (THREE, {"pace": 0.5}, ["a...", "wait 0.04", "b...", "wait 0.06", "c"]),
        (THREE, {"pace": 0.0}, ["a...", "b...", "c"]),
        (THREE, {"ended": "timeout"},
         ["a...", "wait 0.08", "b...", "wait 0.12", "c...", "wait 0.3", "broken off"]),
        (THREE, {"ended": "reset"},
         ["a...", "wait 0.08", "b...", "wait 0.12", "c...", "broken off"]),
        (THREE[:1], {}, ["a"]), (THREE[1:2], {}, ["wait 0.08", "b"]), ((), {}, [""]),
        (THREE[:1], {"ended": "short"}, ["a...", "broken off"]),
    ],
)  # fmt: skip
async def test_an_answer_comes_in_its_pieces_with_their_gaps(
    pieces: tuple[Piece, ...], how: dict[str, Any], expected: list[str]
) -> None:
    rendition = Rendition(200, [(b"a", b"b")], pieces)
    playback = Playback(
        rendition, **{"ended": "complete", "pace": 1.0, "duration_ms": 500.0, **how}
    )
    assert await sent(playback) == ["200 1", *expected]
    whole = ["wait 0.5"] if how.get("ended") == "timeout" else []
    end = "broken off" if "broken off" in expected else ""
    assert await sent(playback, head=True) == ["200 1", *whole, end]


@pytest.mark.parametrize(
    ("pieces", "how", "contents"),
    [
        (THREE, {}, None), (THREE, {"pace": 0.0}, (b"a", b"b", b"c")), (THREE[:1], {}, (b"a",)),
        (THREE[:1], {"ended": "reset"}, None), ((), {}, ()),
    ],
)  # fmt: skip
def test_what_has_no_gaps_is_sent_at_once(
    pieces: tuple[Piece, ...], how: dict[str, Any], contents: tuple[bytes, ...] | None
) -> None:
    rendition = Rendition(200, [(b"a", b"b")], pieces)
    values = {"ended": "complete", "pace": 1.0, "duration_ms": 0.0, "extra": ((b"x", b"y"),), **how}
    playback = Playback(rendition, **values)
    get, head = (Request({"method": verb, **PLACE}) for verb in ("GET", "HEAD"))
    for _ in range(2):
        asked_head = playback.whole(head)
        found = playback.whole(get)
        assert found is playback.whole(get)
        if contents is None:
            assert found is None
        else:
            assert found == WholeAnswer(200, [(b"a", b"b")], ((b"x", b"y"),), contents, {})
        is_broken = "ended" in how
        assert (asked_head and asked_head.pieces) == (None if is_broken else ())


async def test_a_piece_that_comes_late_makes_none_behind_it_later() -> None:
    schedule = Schedule()
    moments = iter((10.0, 12.5, 12.5, 13.25))
    schedule._due, schedule._time = 10.0, lambda: next(moments)
    with mock.patch("asyncio.sleep") as sleep:
        for _ in range(4):
            await schedule.pause(1.0)
    assert [call.args[0] for call in sleep.await_args_list] == [1.0, 0.0, 0.5, 0.75]
