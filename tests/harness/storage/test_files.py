import subprocess
import sys
from pathlib import Path

import pytest

from harness.storage.files import flush_folder, write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"old")
    write_whole(path, b"new")
    flush_folder(tmp_path)
    assert path.read_bytes() == b"new"
    assert [item.name for item in tmp_path.iterdir()] == ["a.json"]


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_whole(tmp_path / "none" / "a.json", b"")


def test_a_writer_that_is_killed_leaves_whole_files_only(tmp_path: Path) -> None:
    """Rule 4: a crash at any moment leaves the old file, the new one, or none."""
    script = (
        "import itertools,sys; from pathlib import Path; from harness.storage.files import *\n"
        "for n in itertools.count():\n"
        "    write_whole(Path(sys.argv[1]) / f'{n % 3}.json', b'[' + b'7' * 100_000 + b']')\n"
        "    print(n, flush=True)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    for lines in (1, 2, 5, 9):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            for _ in range(lines):
                writer.stdout.readline()
            writer.kill()
    for path in tmp_path.glob("*.json"):
        assert path.read_bytes() == b"[" + b"7" * 100_000 + b"]"
