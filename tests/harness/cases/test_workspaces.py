from pathlib import Path

import pytest

from harness.cases.folder import SuiteFolder
from harness.cases.workspaces import MOST_BYTES, MOST_FILES, read_workspace
from harness.documents import Findings
from tests.casefiles import put


def problems(folder: Path, written: str | dict[str, str]) -> list[str]:
    findings = Findings()
    read_workspace(written, SuiteFolder(folder), "here", findings)
    return [item.message for item in findings.problems]


def test_a_folder_is_read_with_all_that_is_below_it(tmp_path: Path) -> None:
    put(tmp_path / "start" / "a.txt", "a")
    put(tmp_path / "start" / "b" / "c.txt", "c")
    put(tmp_path / "start" / "__pycache__" / "a.pyc", "")
    findings = Findings()
    found = read_workspace("start", SuiteFolder(tmp_path), "here", findings)
    assert (found, findings.problems) == ({"a.txt": "a", "b/c.txt": "c"}, [])


def test_nothing_is_linked_into_a_workspace(tmp_path: Path) -> None:
    put(tmp_path / "start" / "a.txt", "a")
    (tmp_path / "start" / "b.txt").symlink_to("/etc/hostname")
    (tmp_path / "start" / "c").symlink_to("/etc")
    assert problems(tmp_path, "start") == [
        f"start/{name} is a link; a workspace holds files" for name in ("b.txt", "c")
    ]


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "start").mkdir()
    assert problems(tmp_path, "start") == ["workspace 'start' holds no file"]
    (tmp_path / "start" / "a.bin").write_bytes(b"\xff\x00")
    assert problems(tmp_path, "start") == ["'a.bin' is not UTF-8 text"]
    (tmp_path / "start" / "a.bin").write_bytes(b"a" * (MOST_BYTES + 1))
    assert problems(tmp_path, "start") == ["'a.bin' is larger than 1024 KiB"]


def test_a_workspace_has_bounds(tmp_path: Path) -> None:
    many = {str(number): "" for number in range(MOST_FILES + 1)}
    assert "at most 200 and 1024 KiB" in problems(tmp_path, many)[0]
    for name in many:
        put(tmp_path / "start" / name, "")
    assert "201 files" in problems(tmp_path, "start")[0]
    half = "x" * (MOST_BYTES // 2 + 1)
    assert "2 files" in problems(tmp_path, {"a": half, "b": half})[0]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("../up", "workspace '../up' leaves the suite's folder"),
        ({"a": "", "a/b": ""}, "'a' is both a file and a folder"),
        ({"a\0b": ""}, "the workspace's file 'a\\x00b' leaves the workspace"),
        ({"a\\b": ""}, "the workspace's file 'a\\\\b' leaves the workspace"),
        ({"a/": ""}, "the workspace's file 'a/' leaves the workspace"),
    ],
    ids=str,
)
def test_no_path_of_a_workspace_leads_elsewhere(
    tmp_path: Path, written: str | dict[str, str], said: str
) -> None:
    assert problems(tmp_path, written) == [said]
