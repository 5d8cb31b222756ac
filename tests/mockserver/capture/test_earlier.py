"""Recordings that captures of earlier versions left behind, unfinished (`earlier/`)."""

import shutil
from pathlib import Path

import pytest

from mockserver.capture.recordings import RecordMode, finish_recording
from mockserver.cassettes.files import read_cassette
from tests.wires import redactor

EARLIER = sorted(Path(__file__).with_name("earlier").glob("*.yaml"))


@pytest.mark.parametrize("left", EARLIER, ids=lambda path: path.stem)
def test_a_recording_becomes_a_cassette(tmp_path: Path, left: Path) -> None:
    """Of six interactions the last was being written."""
    recording = Path(shutil.copy(left, tmp_path / "library.recording.yaml"))
    made = finish_recording(recording, RecordMode.ONCE, redactor())
    assert (made.recorded, made.asked, recording.exists()) == (5, 0, False)
    written = read_cassette(made.cassette)
    assert written.info.recorded_by == "mockserver 0.1.0"
    assert [each.request.url.rpartition("/")[2] for each in written.interactions] == [
        "books?limit=2&q=caf%C3%A9", "loans", "BK1", "events", "members",
    ]  # fmt: skip
