import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockserver.capture.recordings import RecordingFile, recording_path
from mockserver.errors import CaptureError, MockServerError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return recording_path(tmp_path / "orgs.yaml")


@pytest.fixture
def small_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_recording_is_its_owner_s_alone(path: Path) -> None:
    RecordingFile.create(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_recording_that_is_there_is_never_written_over(path: Path) -> None:
    path.write_bytes(b"kept")
    with pytest.raises(MockServerError, match="capture finish"):
        RecordingFile.create(path)
    assert path.read_bytes() == b"kept"


def test_a_block_that_finds_no_room_leaves_nothing_of_itself(path: Path, small_files: None) -> None:
    file = RecordingFile.create(path)
    file.append(b"a" * 900)
    with pytest.raises(CaptureError, match="may not grow"):
        file.append(b"b" * 200)
    file.append(b"c")
    file.close()
    assert path.read_bytes() == b"a" * 900 + b"c"


def test_a_full_disk_is_said_to_be_full(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "x", os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(CaptureError, match="the disk is full"):
        file.append(b"x")
    file.close()


def test_nobody_takes_over_what_is_being_written(path: Path) -> None:
    writing = RecordingFile.create(path)
    with pytest.raises(MockServerError, match="being written"):
        RecordingFile.take_over(path)
    writing.close()
    RecordingFile.take_over(path).close()


def test_what_is_not_there_cannot_be_taken_over_nor_made_in_no_folder(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="cannot open"):
        RecordingFile.take_over(tmp_path / "x")
    with pytest.raises(MockServerError, match="cannot write"):
        RecordingFile.create(tmp_path / "none" / "x")
