"""What security.md claims and no room of its own tries: real attempts of each."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.agents import DriverOptions, Task, Transcript
from harness.agents.command import CommandAgent
from harness.model import Case, Turn
from harness.runner.workspace import workspace
from mockserver.fronts.authorities import KeptAuthority

NOW = datetime(2026, 3, 2, tzinfo=UTC)
NOBODY = 65534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of this machine may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def read_as_nobody(path: Path) -> subprocess.CompletedProcess[str]:
    def become_nobody() -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    return subprocess.run(
        ["/bin/cat", str(path)],
        preexec_fn=become_nobody,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_reads_no_key_and_no_workspace(open_folder: Path) -> None:
    readable = open_folder / "readable"
    readable.write_text("x", encoding="utf-8")
    assert read_as_nobody(readable).stdout == "x"
    KeptAuthority(open_folder / "home", lambda: NOW).prepare()
    with workspace(texts={"answer.txt": "mine"}) as place:
        folder = place.folder()
        for path in (open_folder / "home" / "ca-key-and-cert.pem", folder / "answer.txt"):
            assert path.exists()
            attempt = read_as_nobody(path)
            assert (attempt.returncode, attempt.stdout) == (1, "")
            assert "Permission denied" in attempt.stderr
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_link_in_a_workspace_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret", encoding="utf-8")
    with workspace() as place:
        folder = place.folder()
        (folder / "link.txt").symlink_to(secret)
        (folder / "folder").symlink_to(tmp_path)
        (folder / "own.txt").write_text("own", encoding="utf-8")
        assert list(place.contents()) == ["own.txt"]


async def test_without_a_sandbox_an_agent_reads_what_its_user_can(tmp_path: Path) -> None:
    key = tmp_path / "id_ed25519"
    key.write_text("a key", encoding="utf-8")
    task = Task(
        case=Case(id="A", turns=(Turn(user="Go"),)), prompts=("Go",), folder=lambda: tmp_path
    )
    transcript = Transcript()
    driver = CommandAgent(f"{sys.executable} -c 'print(open(\"{key}\").read())'", DriverOptions())
    await driver.converse(task, transcript)
    assert transcript.replies[0].text == "a key"
