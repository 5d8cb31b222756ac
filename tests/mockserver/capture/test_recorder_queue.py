from gzip import compress
from random import Random
from threading import current_thread

import pytest

from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import RecorderQueue, decode_request
from mockserver.capture.redaction_process import UNREADABLE, RefusedBody
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.body_files import read_body
from mockserver.errors import CaptureError
from mockserver.model import Chunk, Interaction, RecordedRequest, RecordedResponse
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
    await told.queue.tell_unrecorded("GET", url, "it reset the connection")
    await told.queue.tell_refused("POST", "https://api.example.com/b", "not there")
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
