"""What workers agree on, and who may read their logs."""

import stat
from pathlib import Path

import pytest

from mockserver.errors import MockServerError
from mockserver.googleapi import signing_key
from mockserver.settings import Settings
from mockserver.shared import worker as module
from mockserver.shared.file_log import FileLog
from mockserver.shared.memory_log import MemoryLog
from mockserver.shared.worker import agree, served_digest


@pytest.fixture
def pem() -> bytes:
    return signing_key().pem.encode()


async def test_all_sign_with_the_key_of_the_first_one(pem: bytes, suite: Path) -> None:
    log, settings = MemoryLog(), Settings(fixtures=suite)
    await agree(log, settings, pem)
    await agree(log, settings, b"another key, which is not used")
    assert signing_key().pem.encode() == pem


async def test_servers_of_another_version_are_refused(
    pem: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = MemoryLog()
    await agree(log, Settings(), pem)
    monkeypatch.setattr(module, "FORMAT", 99)
    with pytest.raises(MockServerError, match=r"of version .* \(format 1\), and this one is"):
        await agree(log, Settings(), pem)


async def test_servers_of_other_files_are_refused(pem: bytes, suite: Path) -> None:
    log = MemoryLog()
    await agree(log, Settings(fixtures=suite), pem)
    (suite / "base" / "more.json").write_text("{}", encoding="utf-8")
    with pytest.raises(MockServerError, match="with other content"):
        await agree(log, Settings(fixtures=suite), pem)


def test_what_is_hidden_in_a_suite_does_not_count(suite: Path) -> None:
    before = served_digest(Settings(fixtures=suite))
    (suite / ".cache").mkdir()
    (suite / ".cache" / "x").write_text("1", encoding="utf-8")
    assert served_digest(Settings(fixtures=suite)) == before
    assert served_digest(Settings(cassettes=(suite / "base" / "tenant.json",))) != before


async def test_logs_are_for_their_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    log = FileLog(tmp_path / "open")
    await log.start()
    await log.agree("x", b"1")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "open").iterdir()}
    await log.stop()
    assert modes == {0o600}
