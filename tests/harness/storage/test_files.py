import os
from pathlib import Path

import pytest

from harness.storage.files import read_whole, write_whole

CONTENT = bytes(range(256)) * 3


@pytest.mark.parametrize("most", [1, 7, 1 << 20])
@pytest.mark.parametrize("content", [b"", b"x", CONTENT])
def test_a_file_is_whole_however_little_the_system_takes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, most: int
) -> None:
    read, write = os.read, os.write
    monkeypatch.setattr(os, "read", lambda handle, size: read(handle, min(size, most)))
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:most]))
    write_whole(tmp_path / "a", content)
    assert read_whole(tmp_path / "a") == content
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("size", [0, 5, len(CONTENT) + 9])
def test_a_file_that_changes_its_size_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    earlier = os.stat_result((*os.stat(tmp_path / "a")[:6], size, 0, 0, 0))  # noqa: PTH116
    with monkeypatch.context() as patched:
        patched.setattr(os, "fstat", lambda _: earlier)
        found = read_whole(tmp_path / "a")
    assert found == CONTENT


def test_what_cannot_be_read_or_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_whole(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        read_whole(tmp_path)
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "a", b"x")
