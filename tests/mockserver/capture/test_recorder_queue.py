import asyncio
import zlib
from gzip import compress
from random import Random
from threading import current_thread
from typing import Any

import pytest

from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import (
    IncomingBody,
    Pieces,
    RecorderQueue,
    decode_request,
    is_stream,
    summary_lines,
)
from mockserver.capture.redaction_process import UNREADABLE, RefusedBody, too_large
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.body_files import read_body
from mockserver.errors import CaptureError
from mockserver.model import (
    LARGEST_BYTES,
    Chunk,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction.large_bodies import FRAGMENT
from tests.wires import clock, redactor

ASKED = Interaction(
    RecordedRequest("GET", "https://api.example.com/a"),
    RecordedResponse(200, body=b"ab", chunks=(Chunk(0.0, 1), Chunk(9.0, 1)), ended="timeout"),
    duration_ms=12.0,
)


@pytest.fixture
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    path = tmp_path_factory.mktemp("recorder") / "a.yaml"
    return Recorder.open(path, redactor=redactor(), clock=clock)


class Told:
    """What was reported, and whether the capture was stopped."""

    def __init__(self, recorder: Recorder) -> None:
        self.lines: list[str] = []
        self.stopped = 0
        self.queue = RecorderQueue(recorder, self.lines.append, self.stop)

    def stop(self) -> None:
        self.stopped += 1


async def test_what_is_recorded_is_reported_in_a_line(recorder: Recorder) -> None:
    told = Told(recorder)
    await told.queue.record(ASKED)
    told.queue.close()
    recorder.abandon()
    assert told.lines == ["GET https://api.example.com/a 200 2 bytes in 2 pieces, timeout (12 ms)"]


async def test_answers_of_models_that_are_no_good_recordings_are_told(recorder: Recorder) -> None:
    asked = RecordedRequest(
        "POST", "https://api.openai.com/v1/chat/completions", (), b'{"model": "m", "messages": []}'
    )
    told = Told(recorder)
    for response in (
        RecordedResponse(401, body=b"{}"),
        RecordedResponse(200, body=b'data: {"choices": []}\n\n'),
    ):
        await told.queue.record(Interaction(asked, response))
    told.queue.close()
    lines = list(summary_lines(recorder, told.queue))
    recorder.abandon()
    assert lines[0] == f"1 interaction recorded into {recorder.path}"
    assert lines[-4:] == [
        "1 request not recorded:",
        f"  POST {asked.url}: the model refused the key with status 401; set OPENAI_API_KEY to a"
        " valid one",
        "1 answer of models recorded with a defect:",
        f"  POST {asked.url}: the reply of the model breaks off before its end",
    ]


@pytest.mark.slow
async def test_large_interactions_are_recorded_in_one_thread_however_they_are_coded(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record(interaction: Interaction) -> Interaction | RefusedBody:
        threads.append(current_thread().name)
        return record_beside(interaction)

    threads: list[str] = []
    record_beside = recorder.record_beside
    monkeypatch.setattr(recorder, "record_beside", record)
    told = Told(recorder)
    large = b"hello world " * 40_000
    coded = RecordedResponse(200, headers=(("content-encoding", "gzip"),), body=compress(large))
    for response in (RecordedResponse(200, body=large), coded):
        await told.queue.record(Interaction(ASKED.request, response))
    told.queue.close()
    recorder.abandon()
    assert len(threads) == 2
    assert len(set(threads)) == 1


@pytest.mark.slow
async def test_a_small_body_that_grows_when_it_is_opened_is_kept_in_a_file(
    recorder: Recorder,
) -> None:
    told = Told(recorder)
    noise = Random(1).randbytes(1000) * 6000
    headers = (("content-encoding", "gzip"), ("content-length", "9"))
    response = RecordedResponse(200, headers=headers, body=compress(noise))
    await told.queue.record(Interaction(ASKED.request, response))
    damaged = RecordedResponse(200, headers=headers, body=compress(noise)[:-9])
    await told.queue.record(Interaction(ASKED.request, damaged))
    told.queue.close()
    [one] = read_cassette(recorder.recording).interactions
    recorder.abandon()
    assert one.response.file is not None
    assert read_body(one.response.file) == noise
    assert (one.response.coding, dict(one.response.headers)) == (
        "gzip", {"content-length": "6000000"}
    )  # fmt: skip
    assert [note.reason for note in told.queue.unrecorded] == [UNREADABLE]


async def test_a_capture_that_cannot_go_on_is_stopped(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Interaction) -> Interaction:
        raise CaptureError("the disk is full")

    told = Told(recorder)
    monkeypatch.setattr(recorder, "record", full)
    await told.queue.record(ASKED)
    await told.queue.record(ASKED)
    told.queue.close()
    recorder.abandon()
    assert told.stopped == 2
    assert told.lines[0] == "not recorded: the disk is full"
    assert "has ended" in told.lines[1]
    assert [note.reason for note in told.queue.unrecorded] == ["the capture has ended"]


async def test_a_defect_is_told_without_what_it_says(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Interaction) -> Interaction:
        raise ValueError("a secret")

    told = Told(recorder)
    monkeypatch.setattr(recorder, "record", fail)
    await told.queue.record(ASKED)
    told.queue.close()
    recorder.abandon()
    assert isinstance(told.queue.failed, CaptureError)
    assert "ValueError" in told.lines[0]
    assert "a secret" not in told.lines[0]


async def test_what_is_not_recorded_is_named_with_its_reason(recorder: Recorder) -> None:
    told = Told(recorder)
    url = "https://api.example.com/users/ann@quillbrook.io?access_token=ya29.abcdefghijk12345678"
    await told.queue.report_unrecorded("GET", url, "it reset the connection")
    await told.queue.report_refused("POST", "https://api.example.com/b", "not there")
    told.queue.close()
    recorder.abandon()
    [note], [refused] = told.queue.unrecorded, told.queue.refused
    assert note.request.startswith("GET https://api.example.com/users/user-")
    assert "quillbrook" not in "".join(told.lines)
    assert "ya29.abc" not in "".join(told.lines)
    assert (note.reason, refused.request) == (
        "it reset the connection", "POST https://api.example.com/b",
    )  # fmt: skip


async def test_without_a_cassette_nothing_is_found(recorder: Recorder) -> None:
    told = Told(recorder)
    assert not told.queue.plays
    assert told.queue.records
    assert await told.queue.find(ASKED.request) == "there is no cassette"
    told.queue.close()
    recorder.abandon()


def test_a_request_is_opened_where_it_can_be() -> None:
    request = RecordedRequest("POST", "https://a", (("content-encoding", "gzip"),), b"no gzip")
    assert decode_request(request) == request


KEPT: Any = "kept"


class Queue:
    """What bodies are handed to, as lists of what was done with them."""

    def __init__(self, refused: RefusedBody | None = None) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.refused = refused

    def new_body(self) -> int:
        return 7

    def _future(self, *done: Any) -> asyncio.Future[RefusedBody | None]:
        self.done.append(done)
        made: asyncio.Future[RefusedBody | None] = asyncio.get_running_loop().create_future()
        made.set_result(self.refused)
        return made

    def begin_body(self, *given: Any) -> asyncio.Future[RefusedBody | None]:
        return self._future("begin", *given)

    def feed_body(self, *given: Any) -> asyncio.Future[RefusedBody | None]:
        return self._future("feed", *given)

    def drop_body(self, number: int) -> None:
        self.done.append(("drop", number))

    async def end_body(self, number: int) -> Any:
        self.done.append(("end", number))
        return KEPT


OCTETS: tuple[Header, ...] = (("Content-Type", "application/octet-stream"),)
NOISE = Random(4).randbytes(LARGEST_BYTES + 1)
LIMIT = 2 * LARGEST_BYTES


async def incoming(queue: Any, *pieces: bytes, drops: bool = False) -> tuple[IncomingBody, str]:
    made = IncomingBody(queue, OCTETS, "request body", LIMIT)
    for piece in pieces:
        await made.add(piece, 0.0)
    if drops:
        made.drop()
    return made, await made.end()


async def test_a_small_body_stays_in_memory() -> None:
    queue = Queue()
    made, why = await incoming(queue, NOISE[:9], NOISE[9:LARGEST_BYTES])
    assert (made.body(), why, made.kept, queue.done) == (NOISE[:LARGEST_BYTES], "", None, [])


async def test_a_large_body_is_handed_on_in_fragments() -> None:
    queue = Queue()
    made, why = await incoming(queue, NOISE, b"ab", NOISE[:FRAGMENT], b"c")
    assert (made.body(), why, made.kept) == (b"", "", KEPT)
    assert queue.done == [
        ("begin", 7, OCTETS, "request body", LIMIT), ("feed", 7, NOISE),
        ("feed", 7, b"ab" + NOISE[:FRAGMENT]), ("feed", 7, b"c"), ("end", 7),
    ]  # fmt: skip


async def test_a_body_is_too_large_by_one_byte() -> None:
    queue = Queue()
    rest = NOISE[: LIMIT - len(NOISE)]
    assert (await incoming(queue, NOISE, rest))[1] == ""
    assert queue.done[-1] == ("end", 7)
    made, why = await incoming(queue, NOISE, rest, b"x", b"more")
    assert (made.body(), why, made.kept) == (b"", too_large(LIMIT), None)
    assert queue.done[-1] == ("drop", 7)


async def test_what_is_refused_keeps_its_first_reason() -> None:
    refused = RefusedBody("it is no text")
    for drops in (False, True):
        queue = Queue(refused)
        made, why = await incoming(queue, NOISE, NOISE[:FRAGMENT], b"more", drops=drops)
        assert (made.body(), why) == (b"", "it is no text")
        assert [done[0] for done in queue.done] == ["begin", "drop"]
    for pieces in ((b"a",), ()):
        queue = Queue()
        made, why = await incoming(queue, *pieces, drops=True)
        assert (made.body(), why, queue.done) == (b"", "nobody answered", [])


EVENTS: tuple[Header, ...] = (("Content-Type", "text/event-stream"),)
JSON: tuple[Header, ...] = (("Content-Type", "application/json"),)


def gathered(*pieces: tuple[float, bytes]) -> Pieces:
    made = Pieces()
    for at_ms, piece in pieces:
        made.add(piece, at_ms)
    return made


@pytest.mark.parametrize(
    ("media", "found"),
    [
        ("text/event-stream", True), ("application/x-ndjson; charset=utf-8", True),
        ("application/json", False),
    ],
)  # fmt: skip
def test_some_media_types_are_streams(media: str, found: bool) -> None:
    assert is_stream([("content-type", media)]) is found


def test_each_piece_of_a_stream_is_kept_with_its_time() -> None:
    pieces = gathered((0.0, b"one"), (0.1, b"four"), (30.0, b"x"))
    assert pieces.chunks(EVENTS) == (Chunk(0.0, 3), Chunk(0.1, 4), Chunk(30.0, 1))


def test_what_came_together_is_no_stream() -> None:
    assert gathered((0.0, b"a"), (0.2, b"b"), (1.0, b"c")).chunks(JSON) == ()


def test_pauses_are_kept_even_in_what_is_no_stream_by_its_type() -> None:
    pieces = gathered((0.0, b"a"), (0.2, b"b"), (60.0, b"c"))
    assert pieces.chunks(JSON) == (Chunk(0.0, 2), Chunk(60.0, 1))


def test_a_body_whose_length_was_told_is_no_stream() -> None:
    headers = (*JSON, ("Content-Length", "2"))
    assert gathered((0.0, b"a"), (60.0, b"c")).chunks(headers) == ()


def test_pieces_of_a_coded_stream_are_sized_as_they_are_without() -> None:
    coder = zlib.compressobj(wbits=31)
    first = coder.compress(b"event one") + coder.flush(zlib.Z_SYNC_FLUSH)
    second = coder.compress(b"two") + coder.flush()
    headers = (*EVENTS, ("Content-Encoding", "gzip"))
    found = gathered((0.0, first), (9.0, second)).chunks(headers)
    assert found == (Chunk(0.0, 9), Chunk(9.0, 3))


def test_a_coding_that_hides_its_pieces_leaves_none() -> None:
    headers = (*EVENTS, ("Content-Encoding", "br"))
    assert gathered((0.0, b"\x0b\x02"), (9.0, b"\x80")).chunks(headers) == ()
