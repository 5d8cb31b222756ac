from pathlib import Path

import pytest

from mockserver.capture.recordings import RecordMode, finish_recording, merge_cassettes, review_path
from mockserver.cassettes.files import header_block, interaction_block, read_cassette
from mockserver.errors import MockServerError
from mockserver.model import Cassette, CassetteInfo, Interaction, RecordedRequest, RecordedResponse
from tests.wires import redactor


def asked(path: str, status: int = 200, body: bytes = b"") -> Interaction:
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
        tmp_path, asked("a"), asked("b"), torn=interaction_block(asked("c"))[:40]
    )
    cassette, count, *_ = finish_recording(tmp_path / named, RecordMode.ONCE, redactor())
    assert (count, len(read_cassette(cassette).interactions)) == (2, 2)
    assert cassette.name == named.replace(".recording", "")
    assert not recording.exists()


def test_a_cassette_that_is_there_is_replaced_only_when_told(tmp_path: Path) -> None:
    left_behind(tmp_path, asked("a"))
    finish_recording(tmp_path / "orgs.yaml", RecordMode.ONCE, redactor())
    recording = left_behind(tmp_path, asked("b"))
    with pytest.raises(MockServerError, match="is there already"):
        finish_recording(recording, RecordMode.ONCE, redactor())
    cassette, *_ = finish_recording(recording, RecordMode.NEW_EPISODES, redactor())
    assert len(read_cassette(cassette).interactions) == 2


def test_a_recording_of_nothing_is_no_cassette(tmp_path: Path) -> None:
    recording = left_behind(tmp_path, torn=interaction_block(asked("a"))[:40])
    with pytest.raises(MockServerError, match="no whole interaction"):
        finish_recording(recording, RecordMode.ONCE, redactor())


def test_it_is_redacted_once_more(tmp_path: Path) -> None:
    mail = b"grace.hopper@quillbrook.io"
    recording = left_behind(tmp_path, asked("a", body=b"for " + mail))
    cassette, *_ = finish_recording(recording, RecordMode.ONCE, redactor())
    assert mail not in cassette.read_bytes()


def test_what_looks_like_a_secret_is_kept_aside_and_costs_no_other_one(tmp_path: Path) -> None:
    secret = "Zk3Vx9Qm7Lw2Rt8Np5Yb1Hd6"
    recording = left_behind(tmp_path, asked("a", body=f"see {secret}\n".encode()), asked("b"))
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
    old = Cassette("a", (asked("x"), asked("y"), asked("x", 404)), CassetteInfo(recorded_at="1"))
    new = Cassette("b", (asked("x", 201),), CassetteInfo(recorded_at="2"))
    made = merge_cassettes(old, new, RecordMode.REFRESH)
    assert [one.response.status for one in made.interactions] == [200, 201]
    assert (made.name, made.info.recorded_at) == ("a", "2")


def test_new_episodes_keep_what_the_old_cassette_says_of_itself() -> None:
    old = Cassette("a", (asked("x"),), CassetteInfo(recorded_at="1", revisions={"x:v1": "1"}))
    new = Cassette("b", (asked("y"),), CassetteInfo(recorded_at="2", revisions={"y:v1": "2"}))
    info = merge_cassettes(old, new, RecordMode.NEW_EPISODES).info
    assert (info.recorded_at, info.revisions) == ("1", {"x:v1": "1", "y:v1": "2"})
