from pathlib import Path

import pytest

from mockserver.capture.setup import capture_redactor, capture_rules
from mockserver.errors import CaptureError, FormatError


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
