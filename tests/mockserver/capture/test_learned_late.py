"""What waits on disk holds nothing that was learned since."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from mockserver.capture.recorder import Recorder, WordFilter, _copy_range, words_of
from mockserver.capture.recordings import RecordingFile
from mockserver.cassettes.files import read_cassette
from mockserver.errors import CaptureError, MockServerError
from tests.mockserver.capture.test_recorder import asked, opened

IDS = [f"usr_8Ye{number}KqZ" for number in range(12)]


def taught(recorder: Recorder, which: str) -> None:
    recorder.record(asked("/people", {"id": which, "email": f"{which}@corp-nine.io"}))


def test_an_id_that_is_learned_late_is_gone_from_what_was_written_before(tmp_path: Path) -> None:
    recorder = opened(tmp_path / "a.yaml")
    for number, each in enumerate(IDS):
        recorder.record(asked(f"/users/{each}", {"at": number}))
        recorder.record(asked(f"/x/{number}", {"note": f"done\nfor\n{each}", "at": number}))
    held = recorder.recording
    assert all(each.encode() in held.read_bytes() for each in IDS)
    for number, each in enumerate(IDS):
        taught(recorder, each)
        assert each.encode() not in held.read_bytes()
        assert sum(other.encode() in held.read_bytes() for other in IDS) == 11 - number
        assert held.stat().st_mode & 0o777 == 0o600
        assert [path.name for path in tmp_path.iterdir()] == [held.name]
    with pytest.raises(MockServerError, match="being written"):
        RecordingFile.take_over(held)
    before = read_cassette(held).interactions
    recorder.finish()
    after = read_cassette(tmp_path / "a.yaml").interactions
    assert after == before
    assert [json.loads(each.response.body)["at"] for each in after[:24:2]] == list(range(12))
    paths = [each.request.url.rpartition("/")[2] for each in after[:24:2]]
    assert paths == [json.loads(each.response.body)["id"] for each in after[24:]]


def test_a_long_capture_is_not_written_anew_for_each_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits is replaced as soon as the recording has grown enough."""
    monkeypatch.setattr("mockserver.capture.recorder._FREE", 1500)
    monkeypatch.setattr("mockserver.capture.recorder._AGAIN", 2)
    written: list[int] = []
    write = RecordingFile.write_anew

    def counted(self: RecordingFile, pieces: Iterable[bytes]) -> None:
        write(self, pieces)
        written.append(self.size)

    monkeypatch.setattr(RecordingFile, "write_anew", counted)
    recorder = opened(tmp_path / "a.yaml")
    for each in IDS:
        recorder.record(asked(f"/users/{each}", {"at": 1}))
    for each in IDS:
        taught(recorder, each)
    assert 0 < len(written) < 12
    assert sum(written) <= 1500 + 2 * recorder.recording.stat().st_size
    for number in range(4):
        recorder.record(asked(f"/large/{number}", {"text": f"{number} " * 9000}))
    assert not any(each.encode() in recorder.recording.read_bytes() for each in IDS)
    recorder.finish()


def test_a_recording_that_cannot_be_written_anew_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = opened(tmp_path / "a.yaml")
    recorder.record(asked(f"/users/{IDS[0]}"))
    before = recorder.recording.read_bytes()

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mockserver.capture.recordings.os.write", full)
    with pytest.raises(CaptureError, match="capture finish"):
        taught(recorder, IDS[0])
    monkeypatch.undo()
    assert recorder.recording.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [recorder.recording.name]
    recorder.abandon()


def test_a_part_of_a_file_is_copied_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"0123456789")
    with path.open("rb") as file:
        for start, end in ((0, 10), (3, 6), (4, 4), (8, 99)):
            copied = b"".join(_copy_range(file.fileno(), start, end))
            assert copied == b"0123456789"[start:end]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"/users/usr_8Ye", {b"users", b"usr", b"8Ye"}),
        (rb"a\nusr_8Ye\u00fcller %2Fabc", {b"usr", b"8Ye", b"ller", b"abc"}),
        (b"ab c -- %41", set()),
    ],
)
def test_words_of_any_coding(content: bytes, words: set[bytes]) -> None:
    assert words_of(content) == words


def test_words_that_were_there_are_known() -> None:
    words = WordFilter()
    words.add(b"plum quartz walks")
    assert words.may_have([b"plum", b"walks"])
    assert not words.may_have([b"plum", b"river"])
