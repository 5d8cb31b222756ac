import pytest

from mockserver.capture.recorder import Recorder
from mockserver.capture.taking import Taking, opened
from mockserver.errors import CaptureError, LeakError
from mockserver.model import Chunk, Interaction, RecordedRequest, RecordedResponse
from tests.wires import clock, redactor

ASKED = Interaction(
    RecordedRequest("GET", "https://api.example.com/a"),
    RecordedResponse(200, body=b"ab", chunks=(Chunk(0.0, 1), Chunk(9.0, 1)), ended="timeout"),
    duration_ms=12.0,
)


@pytest.fixture
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    path = tmp_path_factory.mktemp("taking") / "a.yaml"
    return Recorder.open(path, redactor=redactor(), clock=clock)


class Told:
    """What was reported, and whether the capture was stopped."""

    def __init__(self, recorder: Recorder) -> None:
        self.lines: list[str] = []
        self.stopped = 0
        self.taking = Taking(recorder, self.lines.append, self.stop)

    def stop(self) -> None:
        self.stopped += 1


async def test_what_is_recorded_is_reported_in_a_line(recorder: Recorder) -> None:
    told = Told(recorder)
    await told.taking.take(ASKED)
    told.taking.close()
    recorder.abandon()
    assert told.lines == ["GET https://api.example.com/a 200 2 bytes in 2 pieces, timeout (12 ms)"]


async def test_a_capture_that_cannot_go_on_is_stopped(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Interaction) -> Interaction:
        raise CaptureError("the disk is full")

    told = Told(recorder)
    monkeypatch.setattr(recorder, "record", full)
    await told.taking.take(ASKED)
    await told.taking.take(ASKED)
    told.taking.close()
    recorder.abandon()
    assert told.stopped == 2
    assert told.lines[0] == "not recorded: the disk is full"
    assert "has ended" in told.lines[1]


async def test_a_defect_is_told_without_what_it_says(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Interaction) -> Interaction:
        raise ValueError("a secret")

    told = Told(recorder)
    monkeypatch.setattr(recorder, "record", fail)
    await told.taking.take(ASKED)
    told.taking.close()
    recorder.abandon()
    assert isinstance(told.taking.failed, CaptureError)
    assert "ValueError" in told.lines[0]
    assert "a secret" not in told.lines[0]


async def test_a_leak_is_told_and_the_capture_goes_on(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leak(_: Interaction) -> Interaction:
        raise LeakError("left", ["line 3: email"])

    told = Told(recorder)
    monkeypatch.setattr(recorder, "record", leak)
    await told.taking.take(ASKED)
    told.taking.close()
    recorder.abandon()
    assert (told.taking.failed, told.stopped) == (None, 0)
    assert "line 3: email" in told.lines[0]


async def test_without_a_cassette_nothing_is_found(recorder: Recorder) -> None:
    told = Told(recorder)
    assert not told.taking.plays
    assert told.taking.records
    assert await told.taking.find(ASKED.request) == "there is no cassette"
    told.taking.close()
    recorder.abandon()


def test_a_request_is_opened_where_it_can_be() -> None:
    request = RecordedRequest("POST", "https://a", (("content-encoding", "gzip"),), b"no gzip")
    assert opened(request) == request
