import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import RecorderQueue, Unrecorded, summary_lines
from mockserver.capture.recordings import (
    RecordingFile,
    RecordMode,
    finish_recording,
    merge_cassettes,
    recording_path,
    review_path,
    sort_interactions,
)
from mockserver.cassettes.files import header_block, interaction_block, read_cassette
from mockserver.errors import CaptureError, MockServerError
from mockserver.model import Cassette, CassetteInfo, Interaction, RecordedRequest, RecordedResponse
from tests.wires import clock, redactor


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return recording_path(tmp_path / "orgs.yaml")


@contextmanager
def small_files() -> Iterator[None]:
    """No file of this process grows: pytest's own log neither, so the test must have ended it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_recording_is_its_owner_s_alone(path: Path) -> None:
    RecordingFile.create(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_recording_that_is_there_is_never_written_over(path: Path) -> None:
    path.write_bytes(b"kept")
    with pytest.raises(MockServerError, match="capture finish"):
        RecordingFile.create(path)
    assert path.read_bytes() == b"kept"


def test_a_block_that_finds_no_room_leaves_nothing_of_itself(path: Path) -> None:
    file = RecordingFile.create(path)
    file.append(b"a" * 900)
    with small_files(), pytest.raises(CaptureError, match="may not grow"):
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


@pytest.mark.parametrize(
    ("mode", "there", "plays", "records"),
    [
        pytest.param("none", True, True, False, id="none plays"),
        pytest.param("once", False, False, True, id="once records where nothing is"),
        pytest.param("once", True, True, False, id="once plays what is there"),
        pytest.param("new_episodes", False, False, True, id="new episodes of nothing"),
        pytest.param("new_episodes", True, True, True, id="new episodes plays and records"),
        pytest.param("all", True, False, True, id="all never plays"),
        pytest.param("refresh", True, False, True, id="refresh never plays"),
    ],
)
def test_a_mode_says_what_is_played_and_what_is_recorded(
    mode: str, there: bool, plays: bool, records: bool
) -> None:
    found = RecordMode(mode)
    assert (found.plays(there=there), found.records(there=there)) == (plays, records)


def interaction(path: str, status: int = 200, body: bytes = b"") -> Interaction:
    return Interaction(
        RecordedRequest("GET", f"https://api.example.com/{path}"),
        RecordedResponse(status, body=body),
    )


def left_behind(folder: Path, *interactions: Interaction, torn: bytes = b"") -> Path:
    path = folder / "orgs.recording.yaml"
    blocks = b"".join(map(interaction_block, interactions))
    path.write_bytes(header_block(CassetteInfo(key_id=redactor().key_id)) + blocks + torn)
    return path


@pytest.mark.parametrize("named", ["orgs.recording.yaml", "orgs.yaml", "orgs.json"])
def test_what_a_killed_capture_left_becomes_its_cassette(tmp_path: Path, named: str) -> None:
    recording = left_behind(
        tmp_path, interaction("a"), interaction("b"), torn=interaction_block(interaction("c"))[:40]
    )
    cassette, count, *_ = finish_recording(tmp_path / named, RecordMode.ONCE, redactor())
    assert (count, len(read_cassette(cassette).interactions)) == (2, 2)
    assert cassette.name == named.replace(".recording", "")
    assert not recording.exists()


def test_a_cassette_that_is_there_is_replaced_only_when_told(tmp_path: Path) -> None:
    left_behind(tmp_path, interaction("a"))
    finish_recording(tmp_path / "orgs.yaml", RecordMode.ONCE, redactor())
    recording = left_behind(tmp_path, interaction("b"))
    with pytest.raises(MockServerError, match="is there already"):
        finish_recording(recording, RecordMode.ONCE, redactor())
    cassette, *_ = finish_recording(recording, RecordMode.NEW_EPISODES, redactor())
    assert len(read_cassette(cassette).interactions) == 2


def test_a_recording_of_nothing_is_no_cassette(tmp_path: Path) -> None:
    recording = left_behind(tmp_path, torn=interaction_block(interaction("a"))[:40])
    with pytest.raises(MockServerError, match="no whole interaction"):
        finish_recording(recording, RecordMode.ONCE, redactor())


@pytest.mark.parametrize("size", [0, 1, 20, 45])
def test_a_recording_that_was_cut_off_in_its_head_holds_nothing(tmp_path: Path, size: int) -> None:
    recording = left_behind(tmp_path)
    recording.write_bytes(recording.read_bytes()[:size])
    with pytest.raises(MockServerError, match="no whole interaction"):
        finish_recording(recording, RecordMode.ONCE, redactor())


def test_it_is_redacted_once_more(tmp_path: Path) -> None:
    mail = b"grace.hopper@quillbrook.io"
    recording = left_behind(tmp_path, interaction("a", body=b"for " + mail))
    cassette, *_ = finish_recording(recording, RecordMode.ONCE, redactor())
    assert mail not in cassette.read_bytes()


def test_what_looks_like_a_secret_is_kept_aside_and_costs_no_other_one(tmp_path: Path) -> None:
    secret = "Zk3Vx9Qm7Lw2Rt8Np5Yb1Hd6"
    recording = left_behind(
        tmp_path, interaction("a", body=f"see {secret}\n".encode()), interaction("b")
    )
    cassette, count, questioned, _ = finish_recording(recording, RecordMode.ONCE, redactor())
    assert (count, questioned) == (2, 1)
    [sound] = read_cassette(cassette).interactions
    [kept] = read_cassette(review_path(cassette)).interactions
    assert (sound.request.url, kept.request.url) == (
        "https://api.example.com/b", "https://api.example.com/a",
    )  # fmt: skip
    assert kept.review[0]["kind"] == "random"
    assert not recording.exists()
    assert all(secret.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_what_is_asked_again_takes_the_place_of_all_its_old_recordings() -> None:
    old = Cassette(
        "a",
        (interaction("x"), interaction("y"), interaction("x", 404)),
        CassetteInfo(recorded_at="1"),
    )
    new = Cassette("b", (interaction("x", 201),), CassetteInfo(recorded_at="2"))
    made = merge_cassettes(old, new, RecordMode.REFRESH)
    assert [one.response.status for one in made.interactions] == [200, 201]
    assert (made.name, made.info.recorded_at) == ("a", "2")


def test_new_episodes_keep_what_the_old_cassette_says_of_itself() -> None:
    old = Cassette("a", (interaction("x"),), CassetteInfo(recorded_at="1", revisions={"x:v1": "1"}))
    new = Cassette("b", (interaction("y"),), CassetteInfo(recorded_at="2", revisions={"y:v1": "2"}))
    info = merge_cassettes(old, new, RecordMode.NEW_EPISODES).info
    assert (info.recorded_at, info.revisions) == ("1", {"x:v1": "1", "y:v1": "2"})


def test_interactions_are_sorted_where_all_tell_when_they_were_recorded() -> None:
    late, soon = (replace(interaction(at), recorded_at=at) for at in ("2026-02", "2026-01"))
    assert sort_interactions([late, soon]) == (soon, late)
    assert sort_interactions([late, soon, interaction("x")]) == (late, soon, interaction("x"))


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
