from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.model import Case, Fixtures, Turn
from harness.runner import fixture_files
from harness.runner.workspace import LONGEST_TEXT, contents, workspace


def case(*files: str) -> Case:
    return Case(id="C-1", turns=(Turn(user="Why?"),), fixtures=Fixtures(files=files))


def test_a_workspace_holds_copies_and_is_gone_afterwards(tmp_path: Path) -> None:
    (tmp_path / "C-1").mkdir()
    (tmp_path / "C-1" / "net.log").write_text("ERR", encoding="utf-8")
    with workspace(fixture_files(tmp_path, case("C-1/net.log"))) as folder:
        assert (folder / "net.log").read_text(encoding="utf-8") == "ERR"
        (folder / "net.log").write_text("changed", encoding="utf-8")
    assert not folder.exists()
    assert (tmp_path / "C-1" / "net.log").read_text(encoding="utf-8") == "ERR"


def test_a_workspace_is_listed_with_sizes_and_short_texts(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "note.txt").write_text("done", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    (tmp_path / "long").write_text("x" * (LONGEST_TEXT + 1), encoding="utf-8")
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "up").symlink_to("/etc", target_is_directory=True)
    shown = {name: (file.size, file.text) for name, file in contents(tmp_path).items()}
    assert shown == {
        "out/note.txt": (4, "done"),
        "binary": (2, None),
        "long": (LONGEST_TEXT + 1, None),
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [("../secret", "outside the suite"), ("/etc/hostname", "outside"), ("none.txt", "no file")],
)
def test_a_file_that_is_not_the_suites_is_refused(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        fixture_files(tmp_path, case(name))


def test_a_workspace_starts_with_the_files_that_the_case_says() -> None:
    """CTXR-09: in the trial's own folder, never in that of the process."""
    with workspace(texts={"src/a.py": "x = 1\n", "b.txt": ""}) as folder:
        assert (folder / "src" / "a.py").read_text(encoding="utf-8") == "x = 1\n"
        assert {name: file.size for name, file in contents(folder).items()} == {
            "b.txt": 0,
            "src/a.py": 6,
        }


@pytest.mark.parametrize("name", ["../up.txt", "/tmp/up.txt", "a/../../up.txt"])
def test_no_file_is_written_outside_of_the_workspace(name: str) -> None:
    with pytest.raises(HarnessError, match="leaves the workspace"), workspace(texts={name: "x"}):
        pass


def test_a_file_cannot_be_a_folder_too() -> None:
    with (
        pytest.raises(HarnessError, match="cannot write 'a/b'"),
        workspace(texts={"a": "", "a/b": ""}),
    ):
        pass


def test_a_folder_that_the_agent_removed_holds_nothing() -> None:
    with workspace() as folder:
        folder.rmdir()
        assert contents(folder) == {}
    assert not folder.exists()
