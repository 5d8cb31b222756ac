from pathlib import Path

from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import RecorderQueue, Unrecorded, summary_lines
from mockserver.capture.recordings import RecordMode
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from tests.wires import clock, redactor


def captured(path: Path, mode: RecordMode, **answers: int) -> list[str]:
    recorder = Recorder.open(path, redactor=redactor(), clock=clock, mode=mode)
    queue = RecorderQueue(recorder, lambda _: None, lambda: None)
    for name, status in answers.items():
        request = RecordedRequest("GET", f"https://api.example.com/{name}")
        recorder.record(Interaction(request, RecordedResponse(status)))
    recorder.finish()
    queue.close()
    return list(summary_lines(recorder, queue))


def test_a_capture_tells_how_much_it_recorded_and_replaced(tmp_path: Path) -> None:
    lines = captured(tmp_path / "a.yaml", RecordMode.ONCE, a=200)
    assert lines == [
        f"1 interaction recorded into {tmp_path}/a.yaml",
        "0 secrets replaced",
    ]


def test_a_capture_of_nothing_says_so(tmp_path: Path) -> None:
    assert captured(tmp_path / "a.yaml", RecordMode.ONCE)[0].endswith("a.yaml is not written")


def test_a_refreshed_cassette_is_told_by_its_differences(tmp_path: Path) -> None:
    captured(tmp_path / "a.yaml", RecordMode.ONCE, a=200, b=200, c=200)
    lines = captured(tmp_path / "a.yaml", RecordMode.REFRESH, a=200, b=404, d=200)
    assert lines[2:] == [
        "refreshed: 2 as before, 1 changed, 1 added, 0 gone",
        "  GET https://api.example.com/b: status: 200 -> 404",
        "  added: GET https://api.example.com/d",
    ]


def test_what_was_not_recorded_is_named(tmp_path: Path) -> None:
    recorder = Recorder.open(tmp_path / "a.yaml", redactor=redactor(), clock=clock)
    queue = RecorderQueue(recorder, lambda _: None, lambda: None)
    queue.played = 1
    queue.refused = [Unrecorded("GET https://a.example.com/x", "no recording answers")]
    queue.unrecorded = [Unrecorded("GET https://a.example.com/y", "it reset the connection")] * 102
    recorder.abandon()
    queue.close()
    lines = list(summary_lines(recorder, queue))[2:]
    assert lines[:5] == [
        "1 request answered by the cassette",
        "1 request refused, not in the cassette:",
        "  GET https://a.example.com/x: no recording answers",
        "102 requests not recorded:",
        "  GET https://a.example.com/y: it reset the connection",
    ]
    assert lines[-1] == "  and 2 more"
