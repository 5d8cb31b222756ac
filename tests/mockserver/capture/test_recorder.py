import json
from pathlib import Path

import pytest

from mockserver.capture.modes import RecordMode
from mockserver.capture.recorder import Recorder
from mockserver.errors import CaptureError, LeakError, MockServerError
from mockserver.model import CassetteInfo, Header, Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, RuleSet
from mockserver.storage.cassettes import read_cassette
from tests.wires import clock, redactor

JSON: tuple[Header, ...] = (("Content-Type", "application/json"),)
MAIL = "ada.lovelace@quillbrook.io"


def asked(path: str, answer: object = None, note: str = "") -> Interaction:
    body = json.dumps(answer if answer is not None else {"at": path, "note": note}).encode()
    return Interaction(
        RecordedRequest("GET", f"https://api.example.com{path}"),
        RecordedResponse(200, "OK", JSON, body),
        "2026-03-02T09:30:00.000+00:00",
        1.5,
    )


def opened(path: Path, mode: str = "once", key: Redactor | None = None) -> Recorder:
    return Recorder.open(
        path, redactor=key or redactor(), clock=clock, mode=RecordMode(mode), info=CassetteInfo()
    )


def record(path: Path, mode: str, *interactions: Interaction) -> Recorder:
    recorder = opened(path, mode)
    for interaction in interactions:
        recorder.record(interaction)
    recorder.finish()
    return recorder


def paths(cassette: Path) -> list[str]:
    return [one.request.url.rpartition("/")[2] for one in read_cassette(cassette).interactions]


@pytest.fixture(params=["a.yaml", "a.json"])
def cassette(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return tmp_path / str(request.param)


def test_each_interaction_is_on_disk_redacted_before_the_next(cassette: Path) -> None:
    recorder = opened(cassette)
    for number in range(3):
        recorder.record(asked(f"/{number}", {"email": MAIL}))
        assert len(read_cassette(recorder.recording).interactions) == number + 1
    assert MAIL.encode() not in recorder.recording.read_bytes()
    assert not cassette.exists()
    recorder.abandon()


def test_a_finished_capture_is_a_cassette_that_says_what_it_is(cassette: Path) -> None:
    recorder = record(cassette, "once", asked("/a"), asked("/b"))
    info = read_cassette(cassette).info
    assert (info.key_id, info.recorded_by.split()[0]) == (redactor().key_id, "mockserver")
    assert info.recorded_at == "2026-03-02T09:30:00.000+00:00"
    assert paths(cassette) == ["a", "b"]
    assert not recorder.recording.exists()
    assert cassette.stat().st_mode & 0o777 == 0o644


def test_a_capture_of_nothing_writes_nothing(cassette: Path) -> None:
    recorder = record(cassette, "once")
    assert not cassette.exists()
    assert not recorder.recording.exists()


def test_once_records_nothing_into_a_cassette_that_is_there(cassette: Path) -> None:
    record(cassette, "once", asked("/a"))
    before = cassette.read_bytes()
    recorder = record(cassette, "once", asked("/b"))
    assert (recorder.records, cassette.read_bytes()) == (False, before)
    assert recorder.tape() is not None


@pytest.mark.parametrize(
    ("mode", "left"),
    [("all", ["b", "b", "c"]), ("new_episodes", ["a", "b", "b", "b", "c"]),
     ("refresh", ["a", "b", "b", "c"])],
)  # fmt: skip
def test_a_mode_says_what_stays_of_the_old_cassette(
    cassette: Path, mode: str, left: list[str]
) -> None:
    record(cassette, "once", asked("/a"), asked("/b"))
    record(cassette, mode, asked("/b"), asked("/b"), asked("/c"))
    assert paths(cassette) == left


def test_mode_none_wants_a_cassette(cassette: Path) -> None:
    with pytest.raises(MockServerError, match="record it first"):
        opened(cassette, "none")


def test_nothing_is_added_to_what_another_key_redacted(cassette: Path) -> None:
    record(cassette, "once", asked("/a"))
    other = Redactor(RuleSet.default(), b"another key, of thirty-two bytes")
    with pytest.raises(MockServerError, match="redacted with key"):
        opened(cassette, "new_episodes", other)
    opened(cassette, "all", other).abandon()


def test_a_capture_that_was_killed_is_not_written_over(cassette: Path) -> None:
    recorder = opened(cassette)
    recorder.record(asked("/a"))
    recorder.abandon()
    with pytest.raises(MockServerError, match="capture finish"):
        opened(cassette)


def test_a_secret_that_is_known_only_later_keeps_the_capture_from_being_saved(
    cassette: Path,
) -> None:
    """What stood in a text before a field named it is found by the gate over the whole file."""
    recorder = opened(cassette)
    recorder.record(asked("/a", {"note": "plum quartz walks by the river"}))
    recorder.record(asked("/b", {"password": "plum quartz walks"}))
    with pytest.raises(LeakError) as caught:
        recorder.finish()
    assert "plum" not in str(caught.value)
    assert "interaction 1" in str(caught.value)
    assert recorder.recording.exists()
    assert not cassette.exists()


def test_a_secret_that_redaction_leaves_is_never_written(
    cassette: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = opened(cassette)
    recorder.record(asked("/a", {"email": MAIL}))
    monkeypatch.setattr(recorder.redactor, "interaction", lambda interaction: interaction)
    with pytest.raises(LeakError, match="response body"):
        recorder.record(asked("/b", {"email": MAIL}))
    assert MAIL.encode() not in recorder.recording.read_bytes()
    with pytest.raises(LeakError, match="withheld"):
        recorder.finish()
    assert not cassette.exists()


def test_a_cassette_that_cannot_be_written_leaves_the_recording(cassette: Path) -> None:
    recorder = opened(cassette)
    recorder.record(asked("/a"))
    cassette.mkdir()
    with pytest.raises(CaptureError, match="capture finish"):
        recorder.finish()
    assert recorder.recording.exists()


def test_secrets_are_counted_by_kind(cassette: Path) -> None:
    recorder = record(cassette, "once", asked("/a", {"email": MAIL, "backup": MAIL}))
    assert recorder.replaced()["email"] >= 1
    assert MAIL not in recorder.line(f"asked for {MAIL}")


def test_requests_are_redacted_as_they_are_recorded(cassette: Path) -> None:
    recorder = opened(cassette)
    recorded = recorder.record(asked(f"/users/{MAIL}"))
    assert recorder.request(asked(f"/users/{MAIL}").request) == recorded.request
    recorder.abandon()
