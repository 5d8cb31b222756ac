from pathlib import Path

import pytest

from mockserver.capture.setup import check_seal, seal
from mockserver.errors import CaptureError
from mockserver.redaction import Redactor, RuleSet, unseal_secrets


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")


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
