"""Recordings as an httpx transport and as a side effect of respx."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import respx

from mockserver import testing
from mockserver.errors import ReplayMissError
from mockserver.model import CassetteInfo, Chunk, Match, RecordedResponse
from mockserver.testing import CassettePlayer, ReplaySideEffect, ReplayTransport
from tests.tapes import JSON, ORIGIN, cassette, recorded, written

PIECES = (b'{"n": 1}\n', b'{"n": 2}\n', b'{"n": 3}\n')
LINES = RecordedResponse(
    200, "Fine", (("Content-Type", "application/x-ndjson"),), b"".join(PIECES),
    chunks=tuple(Chunk(5.0 * n, len(piece)) for n, piece in enumerate(PIECES)),
)  # fmt: skip
BROKEN = RecordedResponse(200, "OK", (JSON,), b'{"n"', ended="reset")


def test_a_client_is_answered_from_a_cassette(tmp_path: Path) -> None:
    transport = ReplayTransport(written(tmp_path, [recorded()]))
    with httpx.Client(transport=transport, base_url=ORIGIN) as client:
        answer = client.get("/v1/units", headers={"user-agent": "another"})
    assert answer.json() == {"name": "first"}
    assert (answer.reason_phrase, answer.headers["x-mock-source"]) == ("OK", "cassette")
    assert transport.player.leftovers() == ""


async def test_an_asynchronous_client_is_answered_too() -> None:
    made = cassette(recorded("POST", sent=b'{"a": 1}'))
    async with httpx.AsyncClient(transport=ReplayTransport(made), base_url=ORIGIN) as client:
        assert (await client.post("/v1/units", json={"a": 1})).status_code == 200


def test_a_stream_comes_in_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    transport = ReplayTransport(cassette(recorded(response=LINES)), pace=2.0)
    with (
        httpx.Client(transport=transport, base_url=ORIGIN) as client,
        client.stream("GET", "/v1/units") as answer,
    ):
        assert tuple(answer.iter_raw()) == PIECES
    assert waits == [0.01, 0.01]


async def test_a_stream_comes_in_its_pieces_asynchronously() -> None:
    transport = ReplayTransport(cassette(recorded(response=LINES)), pace=0.01)
    async with (
        httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client,
        client.stream("GET", "/v1/units") as answer,
    ):
        assert [piece async for piece in answer.aiter_raw()] == list(PIECES)


def test_what_broke_off_breaks_off() -> None:
    transport = ReplayTransport(cassette(recorded(response=BROKEN)))
    client = httpx.Client(transport=transport, base_url=ORIGIN)
    with client, pytest.raises(httpx.ReadError, match="broke off"):
        client.get("/v1/units")


def test_a_miss_is_an_error_that_says_what_is_near() -> None:
    transport = ReplayTransport(cassette(recorded(), recorded(path="/v1/other")))
    client = httpx.Client(transport=transport, base_url=ORIGIN)
    with client, pytest.raises(ReplayMissError, match=r"tape\.yaml") as miss:
        client.get("/v1/units?page=2")
    assert miss.value.differs == ("query.page",)
    left = transport.player.leftovers().splitlines()
    assert [line.partition(":")[0] for line in left] == ["no recording", "unused", "unused"]


def test_what_varies_is_refused_where_only_the_same_counts() -> None:
    info = CassetteInfo(match=Match(varies=("/query/trace",)))
    tape = replace(cassette(recorded(path="/v1/units?trace=a1b2")), info=info)
    for exact, status in ((False, 200), (True, 0)):
        transport = ReplayTransport(tape, exact=exact)
        with httpx.Client(transport=transport, base_url=ORIGIN) as client:
            try:
                answered = client.get("/v1/units?trace=c3d4").status_code
            except ReplayMissError:
                answered = 0
        assert answered == status


def test_routes_of_respx_are_answered_from_a_cassette() -> None:
    replaying = ReplaySideEffect(cassette(recorded()))
    with respx.mock(base_url=ORIGIN) as routes:
        routes.get("/v1/units").mock(side_effect=replaying)
        assert httpx.get(f"{ORIGIN}/v1/units").json() == {"name": "first"}
    assert replaying.player.unused() == ()


def test_an_earlier_cassette_answers_first() -> None:
    one, two = cassette(recorded()), cassette(recorded(body=b"{}"), name="b.yaml")
    player = CassettePlayer(one, two)
    assert [one.name for one in player.cassettes] == ["tape.yaml", "b.yaml"]
    assert player.play(recorded().request).interaction.response.body == b'{"name": "first"}'


def test_the_package_has_no_other_doors() -> None:
    with pytest.raises(AttributeError, match="Nothing"):
        _ = testing.Nothing
