import asyncio
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from mockserver.fronts import http2
from mockserver.fronts.http2 import (
    END_STREAM,
    PREFACE,
    FirstCall,
    Http2Refusal,
    RefusalAnswer,
    frame,
    goaway_frame,
    is_grpc,
    refusal_frames,
)
from tests.patience import until

NO = RefusalAnswer(403, 7, "not this one: 100% sure")
HEADERS, DATA, SETTINGS, PING, GOAWAY = 1, 0, 4, 6, 7
GRPC = b"\x10\x0ccontent-type\x10application/grpc"


class Wire(asyncio.Transport):
    """What is written, and whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.closed = False
        self.paused = False

    @override
    def write(self, data: object) -> None:
        assert isinstance(data, bytes)
        self.sent += data

    @override
    def close(self) -> None:
        self.closed = True

    @override
    def pause_reading(self) -> None:
        self.paused = True

    @override
    def resume_reading(self) -> None:
        self.paused = False

    @override
    def is_closing(self) -> bool:
        return self.closed


def frames(data: bytes) -> list[tuple[int, int, int, bytes]]:
    found = []
    while data:
        size = int.from_bytes(data[:3], "big")
        stream = int.from_bytes(data[5:9], "big")
        found.append((data[3], data[4], stream, data[9 : 9 + size]))
        data = data[9 + size :]
    return found


async def spoken(*parts: bytes) -> Wire:
    wire, protocol = Wire(), Http2Refusal(NO)
    protocol.connection_made(wire)
    for part in parts:
        protocol.data_received(part)
    protocol.connection_lost(None)
    return wire


async def test_a_grpc_call_gets_a_status_with_the_reason() -> None:
    wire = await spoken(PREFACE, frame(SETTINGS, 0, 0), frame(HEADERS, 5, 1, GRPC))
    first, ack, answer = frames(wire.sent)
    assert (first[0], ack[:2]) == (SETTINGS, (SETTINGS, 1))
    assert answer[:3] == (HEADERS, 5, 1)
    assert b"grpc-status\x017" in answer[3]
    assert b"not this one: 100%25 sure" in answer[3]
    assert not wire.closed


async def test_another_call_gets_a_response_with_the_reason() -> None:
    wire = await spoken(PREFACE + frame(HEADERS, 5, 3, b"\x82"))
    _, head, body = frames(wire.sent)
    assert head[3].startswith(b"\x08\x03403")
    assert body == (DATA, END_STREAM, 3, b"not this one: 100% sure\n")


async def test_bytes_may_come_one_by_one() -> None:
    whole = PREFACE + frame(PING, 0, 0, b"12345678") + frame(HEADERS, 5, 1, GRPC)
    wire = await spoken(*[bytes([byte]) for byte in whole])
    assert [one[0] for one in frames(wire.sent)] == [SETTINGS, PING, HEADERS]
    assert frames(wire.sent)[1] == (PING, 1, 0, b"12345678")


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        PREFACE + (20_000).to_bytes(3, "big") + bytes(6),
        PREFACE + frame(GOAWAY, 0, 0, bytes(8)),
    ],
    ids=["not HTTP/2", "too large a frame", "goodbye"],
)
async def test_what_leads_nowhere_ends_the_connection(sent: bytes) -> None:
    assert (await spoken(sent)).closed


async def test_calls_without_end_are_not_answered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http2, "_MOST_STREAMS", 2)
    wire = await spoken(PREFACE + frame(HEADERS, 5, 1, GRPC) * 9)
    assert [one[0] for one in frames(wire.sent)] == [SETTINGS, HEADERS, HEADERS, HEADERS, GOAWAY]
    assert wire.closed


async def test_frames_of_any_kind_without_end_end_the_connection() -> None:
    wire = await spoken(PREFACE, frame(PING, 0, 0, b"12345678") * 30_000)
    found = frames(wire.sent)
    assert [kind for kind, *_ in found[1:]] == [PING] * 10_000 + [GOAWAY]
    assert wire.closed


async def test_ten_times_the_frames_take_about_ten_times_as_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http2, "_MOST_FRAMES", 1_000_000)
    many, few = 100_000, 10_000

    async def cpu_s(count: int, repeats: int) -> float:
        data = PREFACE + frame(DATA, 0, 1) * count
        before = process_time()
        for _ in range(repeats):
            await spoken(data)
        return process_time() - before

    reference = await cpu_s(few, 10)
    assert await cpu_s(many, 1) < 4 * reference + 0.02


async def test_who_reads_no_answers_is_not_read_either() -> None:
    wire, protocol = Wire(), Http2Refusal(NO)
    protocol.connection_made(wire)
    protocol.pause_writing()
    assert wire.paused
    protocol.resume_writing()
    assert not wire.paused
    protocol.connection_lost(None)


async def test_a_connection_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http2, "PATIENCE_S", 0.01)
    wire = Wire()
    Http2Refusal(NO).connection_made(wire)
    await until(lambda: wire.closed)


@given(st.binary(max_size=300))
def test_nothing_that_is_sent_breaks_it(data: bytes) -> None:
    asyncio.run(spoken_quietly(PREFACE + data))


async def spoken_quietly(data: bytes) -> None:
    await spoken(data)


@pytest.mark.parametrize(
    ("headers", "grpc"),
    [(GRPC, True), (bytes.fromhex("5f8b1d75d0620d263d4c4d6564"), True), (b"text/html", False)],
    ids=["plain", "Huffman", "other"],
)
def test_grpc_is_known_by_its_content_type(headers: bytes, *, grpc: bool) -> None:
    assert is_grpc(headers) is grpc


def test_long_reasons_are_counted_as_hpack_counts() -> None:
    (answer,) = frames(refusal_frames(RefusalAnswer(403, 7, "x" * 300), 1, grpc=True))
    assert b"\x7f\xad\x01" + b"x" * 300 in answer[3]


def test_frames_that_refuse_a_call_or_end_a_connection() -> None:
    kinds = [(kind, flags, stream) for kind, flags, stream, _ in frames(
        refusal_frames(RefusalAnswer(403, 7, "no"), 5, grpc=False)
    )]  # fmt: skip
    assert kinds == [(HEADERS, 4, 5), (0, 1, 5)]
    assert goaway_frame(5).hex() == "0000080700000000000000000500000000"
    told = refusal_frames(RefusalAnswer(403, 7, "no"), 5, grpc=False)
    assert told == frame(HEADERS, 4, 5, b"\x08\x03403\x10\x0ccontent-type\x0atext/plain") + frame(
        0, 1, 5, b"no\n"
    )


BEFORE = PREFACE + frame(SETTINGS, 0, 0) + frame(PING, 0, 0, b"12345678")


@pytest.mark.parametrize("step", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("call", "grpc"), [(frame(HEADERS, 5, 3, GRPC), True), (frame(HEADERS, 5, 3, b"\x82"), False)]
)
def test_the_first_call_shows_whether_it_is_grpc(call: bytes, step: int, *, grpc: bool) -> None:
    first, sent, out = FirstCall(), BEFORE + call + b"more", b""
    for at in range(0, len(sent), step):
        out += first.feed(sent[at : at + step])
    assert (first.grpc, first.stream) == (grpc, 3)
    assert out == (sent if grpc else BEFORE)


def test_too_large_a_frame_is_the_listeners_to_refuse() -> None:
    first, sent = FirstCall(), PREFACE + (20_000).to_bytes(3, "big") + bytes(6)
    assert first.feed(sent) == sent
    assert first.grpc
