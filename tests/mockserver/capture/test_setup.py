from pathlib import Path

import pytest

from mockserver.capture.recordings import RecordMode
from mockserver.capture.setup import (
    capture_proxy,
    capture_redactor,
    capture_rules,
    check_seal,
    client_environment,
    forward_listener,
    open_recorder,
    record_mode,
    reverse_listener,
    seal,
    upstream_options,
)
from mockserver.errors import CaptureError, FormatError, MockServerError
from mockserver.model import CassetteInfo
from mockserver.redaction import Redactor, RuleSet, unseal_secrets
from mockserver.settings import Interception


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")


def test_a_record_mode_has_a_name() -> None:
    assert record_mode("new_episodes") is RecordMode.NEW_EPISODES
    with pytest.raises(MockServerError, match="refresh"):
        record_mode("refersh")


@pytest.mark.parametrize("name", ["a.txt", "file/a.yaml"])
def test_a_cassette_is_a_file_of_its_kind_in_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MockServerError):
        open_recorder(tmp_path / name, "once", None)


def test_the_folder_of_a_cassette_is_made(tmp_path: Path) -> None:
    open_recorder(tmp_path / "new" / "deep" / "a.yaml", "once", None)
    assert (tmp_path / "new" / "deep").is_dir()


def test_a_capture_says_what_it_stood_before(tmp_path: Path) -> None:
    info = CassetteInfo(upstream="https://api.example.com")
    recorder = open_recorder(tmp_path / "a.yaml", "once", None, info=info)
    assert b"upstream: https://api.example.com" in recorder.recording.read_bytes()
    recorder.abandon()


def test_lines_for_the_user_are_redacted(tmp_path: Path) -> None:
    recorder = open_recorder(tmp_path / "a.yaml", "once", None)
    lines: list[str] = []
    proxying = capture_proxy(recorder, lines.append, upstream_options(1.0, None))
    proxying.queue.tell("asked for ann@quillbrook.io")
    proxying.queue.close()
    recorder.abandon()
    assert "quillbrook" not in lines[0]


async def test_a_reverse_proxy_announces_where_it_is() -> None:
    said: list[str] = []
    way, entrance = reverse_listener("127.0.0.1", 0, "https://a.example.com", announce=said.append)
    entrance._ready()
    assert said == [way.own]
    [listener] = entrance.sockets()
    listener.close()


async def test_a_forward_proxy_follows_no_request_to_itself(tmp_path: Path) -> None:
    recorder = open_recorder(tmp_path / "a.yaml", "once", None)
    proxying = capture_proxy(recorder, lambda _: None, upstream_options(1.0, None))
    way, entrance, block = forward_listener("127.0.0.1", 0, proxying, announce=lambda _: None)
    assert block["HTTPS_PROXY"].rpartition("@")[2] in way.own
    assert entrance.sockets() == []
    entrance._listener.close()
    proxying.queue.close()
    recorder.abandon()


def test_the_user_s_own_rules_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")
    rules = tmp_path / "mine.yaml"
    rules.write_text("rules: [{name: ship, kind: ship, fields: [vessel]}]", encoding="utf-8")
    redacted = capture_redactor(rules).redact_json({"vessel": "Nimble Otter"})
    assert redacted != {"vessel": "Nimble Otter"}


def test_one_key_makes_the_same_pseudonyms_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")
    once, again = (capture_redactor(None).redact_text("ann@quillbrook.io") for _ in range(2))
    assert once == again


def test_rules_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        capture_rules(tmp_path / "none.yaml")


def test_without_a_key_nothing_is_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.capture.setup.redaction_key", lambda *, create: None)
    with pytest.raises(CaptureError, match="MOCKSERVER_REDACTION_KEY"):
        capture_redactor(None)


def test_clients_are_told_of_the_proxy_and_whom_to_trust_and_of_nothing_else() -> None:
    files = Interception(Path("/home/ca.pem"), Path("/home/bundle.pem"), Path("/home/node.cjs"))
    block = client_environment("http://127.0.0.1:8766", 8766, files)
    assert block["HTTPS_PROXY"] == "http://capture:x@127.0.0.1:8766"
    assert block["SSL_CERT_FILE"] == "/home/bundle.pem"
    assert not any("MOCK" in name or "GOOGLE" in name or "GCE" in name for name in block)


def _redactor(text: str) -> tuple[Redactor, str]:
    from mockserver.storage.redaction_settings import redaction_key

    redactor = Redactor(RuleSet.default(), redaction_key(create=False) or b"")
    return redactor, redactor.redact_text(text)


def test_the_map_leads_back_and_grows_with_each_capture(tmp_path: Path) -> None:
    path = tmp_path / "map.sealed"
    for number, text in enumerate(("ann@corp-one.io", "bob@corp-two.io"), 1):
        redactor, made = _redactor(text)
        assert seal(path, redactor) >= number
        held = unseal_secrets(path.read_bytes(), _key())
        assert held[made].value == text
    assert path.stat().st_mode & 0o077 == 0
    assert b"corp-one" not in path.read_bytes()


def _key() -> bytes:
    from mockserver.storage.redaction_settings import redaction_key

    return redaction_key(create=False) or b""


def test_another_key_is_told_before_anything_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "map.sealed"
    seal(path, _redactor("ann@corp-one.io")[0])
    check_seal(path)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "another key")
    with pytest.raises(CaptureError, match="another key"):
        check_seal(path)


def test_nothing_asked_for_needs_nothing_and_a_folder_must_be_there(tmp_path: Path) -> None:
    check_seal(None)
    with pytest.raises(CaptureError, match="there is no folder"):
        check_seal(tmp_path / "none" / "map.sealed")
