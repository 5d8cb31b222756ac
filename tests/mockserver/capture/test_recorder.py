import gzip
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from mockserver.capture.recorder import Recorder
from mockserver.capture.recordings import RecordMode
from mockserver.capture.review import answer_question, open_questions, question_lines
from mockserver.cassettes.files import read_cassette
from mockserver.errors import CaptureError, MockServerError
from mockserver.model import CassetteInfo, Header, Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, RuleSet
from mockserver.storage.redaction_settings import redaction_rules
from tests.wires import clock, redactor

JSON: tuple[Header, ...] = (("Content-Type", "application/json"),)
RANDOM = "Zk3Vx9Qm7Lw2Rt8Np5Yb1Hd6"
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
    assert recorder.indexed_cassette() is not None


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


def test_a_secret_that_is_known_only_later_is_replaced_before_the_file_gets_its_name(
    cassette: Path,
) -> None:
    """What stood in a text before a field named it is replaced there, too."""
    recorder = opened(cassette)
    recorder.record(asked("/a", {"note": "plum quartz walks by the river"}))
    recorder.record(asked("/b", {"password": "plum quartz walks"}))
    recorder.finish()
    first, second = read_cassette(cassette).interactions
    stand_in = json.loads(second.response.body)["password"]
    assert json.loads(first.response.body)["note"] == f"{stand_in} by the river"
    assert b"plum" not in cassette.read_bytes()


def test_what_redaction_leaves_is_replaced_before_it_is_written(
    cassette: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = opened(cassette)
    recorder.record(asked("/a", {"email": MAIL}))
    monkeypatch.setattr(recorder.redactor, "redact_interaction", lambda interaction: interaction)
    recorder.record(asked("/b", {"email": MAIL}))
    assert MAIL.encode() not in recorder.recording.read_bytes()
    recorder.finish()
    one, two = read_cassette(cassette).interactions
    assert json.loads(one.response.body)["email"] == json.loads(two.response.body)["email"]


def test_what_is_in_question_costs_no_other_interaction(cassette: Path) -> None:
    recorder = opened(cassette)
    recorder.record(asked("/a"))
    recorder.record(asked("/b", {"receipt": RANDOM}))
    recorder.record(asked("/c"))
    assert RANDOM.encode() not in recorder.recording.read_bytes()
    recorder.finish()
    assert paths(cassette) == ["a", "c"]
    assert paths(recorder.review) == ["b"]
    [(request, question)] = recorder.questions
    assert request == "GET https://api.example.com/b"
    assert RANDOM not in str(question)


def test_what_is_accepted_is_put_back_and_joins_the_cassette_in_its_place(
    cassette: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cassette.parent)
    recorder = opened(cassette)
    for number, name in enumerate("abc"):
        receipt = {"receipt": RANDOM} if name == "b" else {}
        moment = f"2026-03-02T09:30:0{number}.000+00:00"
        recorder.record(replace(asked(f"/{name}", {"at": name, **receipt}), recorded_at=moment))
    recorder.finish()
    rules = cassette.parent / "redaction.yaml"
    done = answer_question(cassette, 1, redactor(), rules, secret=False)
    assert (done.moved, done.left) == (1, 0)
    assert paths(cassette) == ["a", "b", "c"]
    assert json.loads(read_cassette(cassette).interactions[1].response.body)["receipt"] == RANDOM
    assert not recorder.review.exists()
    allowing = redactor(redaction_rules(rules))
    again = opened(cassette, "all", allowing)
    assert again.record(asked("/b", {"receipt": RANDOM[::-1]})).review == ()
    again.abandon()


def test_what_is_a_secret_stays_replaced_and_is_found_by_its_field_from_then_on(
    cassette: Path,
) -> None:
    recorder = record(cassette, "once", asked("/b", {"receipt": RANDOM}))
    rules = cassette.parent / "redaction.yaml"
    answer_question(cassette, 1, redactor(), rules, secret=True)
    [kept] = read_cassette(cassette).interactions
    stand_in = json.loads(kept.response.body)["receipt"]
    assert stand_in != RANDOM
    knowing = redactor(redaction_rules(rules))
    assert json.loads(
        knowing.redact_interaction(asked("/b", {"receipt": RANDOM})).response.body
    ) == {"receipt": stand_in}
    assert not recorder.review.exists()


def test_an_answer_to_one_question_puts_back_nothing_of_another(cassette: Path) -> None:
    other = "Qw8Zr3Ty6Mn1Vb5Kx9Lp2Hd4"
    both = {"receipt": RANDOM, "voucher": other}
    recorder = record(cassette, "once", asked("/b", both), asked("/c", {"voucher": other}))
    rules = cassette.parent / "redaction.yaml"
    done = answer_question(cassette, 1, redactor(), rules, secret=False)
    assert (done.moved, done.left, paths(recorder.review)) == (0, 2, ["b", "c"])
    body = json.loads(read_cassette(recorder.review).interactions[0].response.body)
    assert (body["receipt"], body["voucher"] == other) == (RANDOM, False)
    done = answer_question(cassette, 1, redactor(), rules, secret=True)
    assert (done.moved, done.left, paths(cassette)) == (2, 0, ["b", "c"])
    assert json.loads(read_cassette(cassette).interactions[0].response.body) == body


def test_questions_are_told_with_the_commands_that_answer_them(cassette: Path) -> None:
    recorder = record(cassette, "once", *(asked(f"/{at}", {"receipt": RANDOM}) for at in range(5)))
    lines = list(question_lines(cassette, open_questions(cassette)))
    assert lines[0].startswith("  1. response body 'receipt': random (as it is), like [A-Za-z0-9]{")
    assert lines[1] == "       GET https://api.example.com/0"
    assert lines[4] == "       and 2 more"
    assert lines[5].endswith(f"understudy capture review {cassette} --accept 1")
    assert RANDOM not in "".join(lines)
    with pytest.raises(MockServerError, match="no question 2"):
        answer_question(cassette, 2, redactor(), cassette.parent / "r.yaml", secret=False)
    assert recorder.questioned == 5


def test_a_cassette_that_cannot_be_written_leaves_the_recording(cassette: Path) -> None:
    recorder = opened(cassette)
    recorder.record(asked("/a"))
    cassette.mkdir()
    with pytest.raises(CaptureError, match="capture finish"):
        recorder.finish()
    assert recorder.recording.exists()


def test_secrets_are_counted_by_kind(cassette: Path) -> None:
    recorder = record(cassette, "once", asked("/a", {"email": MAIL, "backup": MAIL}))
    assert recorder.count_replaced()["email"] >= 1
    assert MAIL not in recorder.redact_line(f"asked for {MAIL}")


def test_requests_are_redacted_as_they_are_recorded(cassette: Path) -> None:
    recorder = opened(cassette)
    recorded = recorder.record(asked(f"/users/{MAIL}"))
    assert recorder.redact_request(asked(f"/users/{MAIL}").request) == recorded.request
    recorder.abandon()


def test_large_bytes_are_saved_whatever_they_look_like_in_some_coding(tmp_path: Path) -> None:
    recorder = opened(tmp_path / "a.yaml")
    recorder.record(asked("/a", {"email": MAIL}))
    body = Random(3).randbytes(200_000) + b"\x1f\x8b\x08" + Random(4).randbytes(200_000)
    octets: tuple[Header, ...] = (("Content-Type", "application/octet-stream"),)
    response = RecordedResponse(200, "OK", octets, body)
    recorder.record(Interaction(RecordedRequest("GET", "https://api.example.com/b"), response))
    recorder.finish()
    assert read_cassette(tmp_path / "a.yaml").interactions[1].response.body == body


def test_what_cannot_be_read_to_its_end_costs_no_other_interaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.redaction.encodings.LARGEST", 1000)
    recorder = opened(tmp_path / "a.yaml")
    recorder.record(asked("/a"))
    bomb = RecordedResponse(200, "OK", (), gzip.compress(bytes(100_000)))
    recorder.record(Interaction(RecordedRequest("GET", "https://api.example.com/b"), bomb))
    recorder.finish()
    assert paths(tmp_path / "a.yaml") == ["a"]
    assert [question.kind for _, question in recorder.questions] == ["unread"]


@pytest.mark.slow
def test_a_large_interaction_is_recorded_beside_others_and_with_what_they_taught(
    tmp_path: Path,
) -> None:
    recorder = opened(tmp_path / "a.yaml")
    recorder.record(asked("/a", {"password": "plum quartz walks"}))
    large = {"note": "plum quartz walks by the river", "email": MAIL, "more": "x " * 200_000}
    made = recorder.record_beside(asked("/b", large))
    assert isinstance(made, Interaction)
    assert made.review == ()
    recorder.record(asked("/c", {"text": f"for {MAIL}"}))
    recorder.finish()
    one, two, three = (json.loads(each.response.body) for each in interactions_of(recorder))
    assert two["note"] == f"{one['password']} by the river"
    assert three["text"] == f"for {two['email']}"


def interactions_of(recorder: Recorder) -> tuple[Interaction, ...]:
    return read_cassette(recorder.path).interactions
