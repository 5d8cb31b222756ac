from pathlib import Path

import pytest

from mockserver.errors import MockServerError
from mockserver.storage.redaction_settings import VARIABLE, redaction_key


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_variable_holds_the_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " the key of a team \n")
    assert redaction_key(create=True) == b"the key of a team"
    assert not home.exists()


def test_a_replay_makes_no_key(home: Path) -> None:
    assert redaction_key(create=False) is None
    assert not home.exists()


def test_a_capture_makes_a_private_key_once(home: Path) -> None:
    key = redaction_key(create=True)
    assert key is not None
    assert len(key) >= 32
    assert redaction_key(create=True) == redaction_key(create=False) == key
    assert (home / "redaction.key").stat().st_mode & 0o777 == 0o600


def test_a_key_that_others_may_read_is_refused(home: Path) -> None:
    redaction_key(create=True)
    (home / "redaction.key").chmod(0o644)
    with pytest.raises(MockServerError, match="may be read by others"):
        redaction_key(create=False)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff\xfe\xff\xfe\xff\xfe\xff\xfe"])
def test_a_file_that_holds_no_key_is_refused(home: Path, content: bytes) -> None:
    home.mkdir()
    (home / "redaction.key").write_bytes(content)
    (home / "redaction.key").chmod(0o600)
    with pytest.raises(MockServerError, match="redaction key"):
        redaction_key(create=True)


def test_a_key_that_is_too_short_is_never_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "hunter2")
    with pytest.raises(MockServerError, match="fewer than 8") as raised:
        redaction_key(create=False)
    assert "hunter2" not in str(raised.value)
