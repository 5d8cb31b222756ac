import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mockserver.errors import MockServerError
from mockserver.storage.server_folders import ServerFolder


def later(**further: int) -> datetime:
    return datetime.now(UTC) + timedelta(**further)


def test_a_folder_is_its_server_s_alone_and_goes_with_it(tmp_path: Path) -> None:
    one, other = ServerFolder(tmp_path, later()), ServerFolder(tmp_path, later())
    assert one.path != other.path
    assert one.path.stat().st_mode & 0o777 == 0o700
    assert (one.path / "lock").stat().st_mode & 0o777 == 0o600
    one.close()
    one.close()
    assert not one.path.exists()
    assert other.path.exists()
    other.close()


def test_the_next_server_of_a_name_has_the_same_folder(tmp_path: Path) -> None:
    first = ServerFolder(tmp_path, later(), "127.0.0.1-8765")
    beside = ServerFolder(tmp_path, later(), "127.0.0.1-8765")
    assert (first.is_named, beside.is_named) == (True, False)
    assert first.path != beside.path
    first.close()
    again = ServerFolder(tmp_path, later(), "127.0.0.1-8765")
    assert again.path == first.path
    again.close()
    beside.close()


def test_what_a_killed_server_left_is_removed_and_what_others_have_is_not(tmp_path: Path) -> None:
    code = (
        "import sys; from datetime import UTC, datetime; from pathlib import Path;"
        "from mockserver.storage.server_folders import ServerFolder;"
        "print(ServerFolder(Path(sys.argv[1]), datetime.now(UTC)).path, flush=True);"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        ServerFolder(tmp_path, later(hours=1)).close()
        assert left.exists()
        process.send_signal(signal.SIGKILL)
    ServerFolder(tmp_path, later()).close()
    assert left.exists(), "its server may be about to lock it"
    ServerFolder(tmp_path, later(hours=1)).close()
    assert not left.exists()


def test_a_copy_of_the_process_leaves_it_alone(tmp_path: Path) -> None:
    folder = ServerFolder(tmp_path, later())
    pid = os.fork()
    if not pid:
        folder.close()
        os._exit(0)
    os.waitpid(pid, 0)
    assert folder.path.exists()
    folder.close()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MockServerError, match="set UNDERSTUDY_HOME"):
        ServerFolder(tmp_path / "file" / "servers", later())
