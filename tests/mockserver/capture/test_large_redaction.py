import json
import os
import signal
import socket
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from mockserver.capture import bodies, redaction_process
from mockserver.capture.recorder import Recorder
from mockserver.capture.recordings import RecordMode, finish_recording, write_redacted
from mockserver.capture.redaction_process import KeptBody, RefusedBody
from mockserver.capture.review import answer_question, open_questions
from mockserver.cassettes.files import body_files, read_cassette, write_cassette
from mockserver.cassettes.files.body_files import (
    BodyFileError,
    BodyWriter,
    body_path,
    files_of,
    read_body,
)
from mockserver.cassettes.foreign import read_foreign
from mockserver.cassettes.leaks import file_leaks
from mockserver.children import child_command
from mockserver.cli.main import app
from mockserver.errors import LeakError
from mockserver.model import (
    BodyFile,
    CassetteInfo,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction import RuleSet
from tests.tapes import cassette
from tests.wires import clock, redactor

NOISE = Random(3).randbytes(700_000)
BYTES: tuple[Header, ...] = (("Content-Type", "application/octet-stream"),)
TEXT: tuple[Header, ...] = (("Content-Type", "text/plain"),)
JSON: tuple[Header, ...] = (("Content-Type", "application/json"),)
PASSWORD = "Wq8zRt5Lm2Vx7Np4Kc9"
RANDOM = "Zk3Vx9Qm7Lw2Rt8Np5Yb1Hd6"
PROSE = "".join(f"line {number} walks by the river\n" for number in range(9_000))
CHECKSUM = ("X-Goog-Hash", "md5=1B2M2Y8AsgTpgAmY7PhCfg==")


def kept(folder: Path, content: bytes) -> BodyFile:
    writer = BodyWriter(folder)
    writer.write(content)
    return writer.finish()


def asked(path: str, file: BodyFile | None, headers: tuple[Header, ...] = TEXT) -> Interaction:
    return Interaction(
        RecordedRequest("GET", f"https://api.example.com{path}"),
        RecordedResponse(200, "OK", headers, b"" if file else b"small", file=file),
        "2026-03-02T09:30:00.000+00:00",
        1.5,
    )


def opened(path: Path) -> Recorder:
    return Recorder.open(
        path, redactor=redactor(), clock=clock, mode=RecordMode.ALL, info=CassetteInfo()
    )


def recorded_body(recorder: Recorder, content: bytes, headers: tuple[Header, ...]) -> KeptBody:
    assert recorder.begin_body(1, headers, "response body", 1 << 30) is None
    for start in range(0, len(content), 300_000):
        assert recorder.feed_body(1, content[start : start + 300_000]) is None
    found = recorder.end_body(1)
    assert isinstance(found, KeptBody)
    return found


def told(path: str) -> Interaction:
    body = json.dumps({"password": PASSWORD}).encode()
    return replace(asked(path, None), response=RecordedResponse(200, "OK", JSON, body))


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_what_is_learned_later_is_replaced_before_the_cassette_gets_its_name(
    tmp_path: Path,
) -> None:
    recorder = opened(tmp_path / "a.yaml")
    text = f"{PROSE}so said {PASSWORD} to all\n{PROSE}".encode()
    first = recorded_body(recorder, text, TEXT)
    assert read_body(first.file) == text  # nobody knew
    recorder.record(asked("/text", first.file, (*TEXT, CHECKSUM)))
    recorder.record(told("/told"))
    recorder.finish()
    one, two = read_cassette(tmp_path / "a.yaml").interactions
    assert one.response.file is not None
    made = json.loads(two.response.body)["password"]
    assert read_body(one.response.file) == text.replace(PASSWORD.encode(), made.encode())
    assert CHECKSUM not in one.response.headers
    assert PASSWORD.encode() not in everything(tmp_path)
    assert len(list((tmp_path / "a.bodies").iterdir())) == 1


def test_an_interaction_whose_bytes_would_be_torn_by_what_is_learned_later_is_left_out(
    tmp_path: Path,
) -> None:
    recorder = opened(tmp_path / "a.yaml")
    bytes_ = NOISE + PASSWORD.encode() + NOISE
    recorder.record(asked("/bytes", recorded_body(recorder, bytes_, BYTES).file, BYTES))
    recorder.record(told("/told"))
    recorder.finish()
    [left_out] = recorder.dropped
    assert left_out.startswith("GET https://api.example.com/bytes: it is no text")
    assert len(read_cassette(tmp_path / "a.yaml").interactions) == 1
    assert PASSWORD.encode() not in everything(tmp_path)
    assert not (tmp_path / "a.bodies").exists()


@pytest.mark.slow
def test_what_was_learned_before_is_found_in_a_body(tmp_path: Path) -> None:
    recorder = opened(tmp_path / "a.yaml")
    recorder.record(told("/told"))
    made = recorded_body(recorder, f"{PROSE}so said {PASSWORD} to all\n".encode(), TEXT)
    assert PASSWORD.encode() not in read_body(made.file)
    assert made.changed
    recorder.abandon()


def test_what_a_body_teaches_is_found_in_what_comes_later(tmp_path: Path) -> None:
    recorder = opened(tmp_path / "a.yaml")
    content = json.dumps({"password": PASSWORD, "text": PROSE}).encode()
    recorded_body(recorder, content, JSON)
    made = recorder.record(replace(asked("/a", None), response=RecordedResponse(
        200, "OK", TEXT, f"so said {PASSWORD}".encode())))  # fmt: skip
    assert PASSWORD.encode() not in made.response.body
    recorder.abandon()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, "has ended"), (signal.SIGSTOP, "does not answer")],
)
def test_a_body_of_a_process_that_does_not_answer_is_refused_and_the_next_one_is_not(
    number: signal.Signals, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redaction_process, "child_command", child_command)
    recorder = opened(tmp_path / "a.yaml")
    assert recorder.begin_body(1, TEXT, "response body", 1 << 30) is None
    process = recorder._process._process
    assert process is not None
    process.send_signal(number)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    connection = recorder._process._connection
    assert connection is not None
    with (
        monkeypatch.context() as patched,
        socket.socket(fileno=os.dup(connection.fileno())) as near,
    ):
        redaction_process.limit_waits(near, 0.1)
        patched.setattr(redaction_process, "_STOP_WITHIN_S", 0.1)
        found = recorder.feed_body(1, PROSE.encode())
    assert isinstance(found, RefusedBody)
    assert said in found.reason
    recorded_body(recorder, PROSE.encode(), TEXT)
    recorder.abandon()


@pytest.mark.slow
def test_a_mode_that_replaces_the_cassette_deletes_the_bodies_of_the_old_one(
    tmp_path: Path,
) -> None:
    for content in (NOISE, NOISE[::-1]):
        recorder = opened(tmp_path / "a.yaml")
        recorder.record(asked("/a", recorded_body(recorder, content, BYTES).file, BYTES))
        recorder.finish()
    [file] = files_of(read_cassette(tmp_path / "a.yaml").interactions)
    assert read_body(file) == NOISE[::-1]
    assert [path.name for path in (tmp_path / "a.bodies").iterdir()] == [body_path(file).name]


@pytest.mark.slow
def test_what_a_killed_capture_left_is_redacted_once_more(tmp_path: Path) -> None:
    recorder = opened(tmp_path / "a.yaml")
    recorder.record(asked("/a", recorded_body(recorder, PROSE.encode(), TEXT).file))
    recorder.record(asked("/b", recorded_body(recorder, NOISE, BYTES).file, BYTES))
    recorder.abandon()
    body_path(next(files_of([read_cassette(recorder.recording).interactions[1]]))).unlink()
    (tmp_path / "a.bodies" / ("." + "0" * 16 + ".part")).write_bytes(b"half")
    made = finish_recording(recorder.recording, RecordMode.ONCE, redactor())
    assert (made.recorded, len(made.dropped)) == (1, 1)
    assert "cannot be read" in made.dropped[0]
    [file] = files_of(read_cassette(tmp_path / "a.yaml").interactions)
    assert [path.name for path in (tmp_path / "a.bodies").iterdir()] == [body_path(file).name]


@pytest.mark.slow
def test_an_answer_puts_values_back_in_a_body(tmp_path: Path) -> None:
    recorder = opened(tmp_path / "a.yaml")
    text = json.dumps({"text": PROSE, "receipt": RANDOM}).encode()
    found = recorded_body(recorder, text, JSON)
    assert RANDOM.encode() not in read_body(found.file)
    review = tuple(question.as_json() for question in found.questions)
    recorder.record(replace(asked("/a", found.file, JSON), review=review))
    recorder.finish()
    assert not (tmp_path / "a.yaml").exists()
    assert len(open_questions(tmp_path / "a.yaml")) == 1
    answer_question(tmp_path / "a.yaml", 1, redactor(), tmp_path / "rules.yaml", secret=False)
    [file] = files_of(read_cassette(tmp_path / "a.yaml").interactions)
    assert json.loads(read_body(file)) == json.loads(text)
    assert [path.name for path in (tmp_path / "a.bodies").iterdir()] == [body_path(file).name]


class Replacing:
    """A sanitizer that knows one word, and puts another one in its place."""

    def knows(self, content: bytes) -> bool:
        return b"pseudonym" in content

    def is_clean_text(self, content: bytes) -> bool:
        return not self.knows(content)

    def sanitize_fragment_again(self, content: bytes, part: str) -> bytes:
        assert part == "response body"
        return content.replace(b"pseudonym", b"what was there")


@pytest.mark.parametrize("headers", [TEXT, BYTES])
def test_a_word_is_found_in_a_file_across_every_border(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, headers: tuple[Header, ...]
) -> None:
    monkeypatch.setattr(body_files, "STEP", 32)
    monkeypatch.setattr(bodies, "_OVERLAP", 16)
    sanitizer: Any = Replacing()
    clean = kept(tmp_path, bytes(range(128, 228)))
    assert bodies.is_clean_file(sanitizer, headers, clean)
    for place in range(100):
        content = bytes(range(128, 128 + place)) + b"pseudonym" + bytes(range(128 + place, 228))
        made = asked("/a", kept(tmp_path, content), headers)
        assert made.response.file is not None
        assert not bodies.is_clean_file(sanitizer, headers, made.response.file)
        restored = bodies.restore_body_files(made, sanitizer, tmp_path).response.file
        assert restored is not None
        assert read_body(restored) == content.replace(b"pseudonym", b"what was there")


def test_an_imported_cassette_has_its_bodies_redacted_beside_it(tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    text = json.dumps({"text": PROSE, "password": PASSWORD}).encode()
    folder = tmp_path / "from" / "a.bodies"
    given = cassette(
        asked("/text", kept(folder, text), JSON),
        asked("/gone", kept(folder, b"gone"), BYTES),
        replace(asked("/inline", None, BYTES), response=RecordedResponse(200, body=NOISE * 2)),
    )
    (folder / body_path(next(files_of(given.interactions[1:]))).name).unlink()
    made = write_redacted(given, tmp_path / "b.yaml", redactor())
    assert [line.partition(":")[0] for line in made.dropped] == ["GET https"]
    files = list(files_of(read_cassette(tmp_path / "b.yaml").interactions))
    assert [Path(file.folder).name for file in files] == ["b.bodies"] * 2
    assert PASSWORD.encode() not in read_body(files[0])
    assert read_body(files[1]) == NOISE * 2


def test_a_secret_in_a_body_is_told_by_lint(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    text = json.dumps({"text": PROSE, "password": PASSWORD}).encode()
    write_cassette(cassette(asked("/a", kept(tmp_path / "a.bodies", text), JSON)), path)
    [leak] = file_leaks(path, RuleSet.default())
    assert leak.where.startswith("interaction 1, response body in ")
    result = CliRunner().invoke(app, ["cassette", "lint", str(path)])
    assert isinstance(result.exception, LeakError)
    clean = cassette(asked("/a", kept(tmp_path / "a.bodies", PROSE.encode())))
    write_cassette(clean, path)
    assert file_leaks(path, RuleSet.default()) == ()
    body_path(next(files_of(clean.interactions))).unlink()
    with pytest.raises(BodyFileError):
        file_leaks(path, RuleSet.default())


def test_commands_tell_of_bodies_and_take_them_along(tmp_path: Path) -> None:
    def run(*arguments: object) -> str:
        result = CliRunner().invoke(app, ["cassette", *map(str, arguments)])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.output

    path = tmp_path / "a.yaml"
    first = cassette(asked("/a", kept(tmp_path / "a.bodies", NOISE), BYTES))
    write_cassette(first, path)
    assert "700000 bytes in a file" in run("show", path)
    assert f"a.bodies/{next(files_of(first.interactions)).digest}.bin" in run("show", path, 1)
    other = cassette(asked("/a", kept(tmp_path / "b.bodies", NOISE[::-1]), BYTES))
    write_cassette(other, tmp_path / "b.yaml")
    assert "body: 700000 bytes, SHA-256 " in run("diff", path, tmp_path / "b.yaml")
    assert "1 same, 0 changed" in run("diff", path, path)
    (tmp_path / "to").mkdir()
    run("export", path, "--to", tmp_path / "to" / "a.har")
    assert list((tmp_path / "to" / "a.bodies").iterdir()) != []
    [entry] = read_foreign(tmp_path / "to" / "a.har")[0].interactions
    assert entry.response.body == NOISE
    run("export", path, "--to", tmp_path / "to" / "c.json")
    [file] = files_of(read_cassette(tmp_path / "to" / "c.json").interactions)
    assert read_body(file) == NOISE
