from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import pytest

from harness.cases.fixtures import (
    MOST_BYTES,
    MOST_FILES,
    Finder,
    SuiteFolder,
    name_fault,
    plain,
    read_workspace,
)
from harness.documents import Findings
from tests.casefiles import put


@pytest.fixture
def finder(tmp_path: Path) -> Finder:
    put(tmp_path / "base" / "all.json", "{}")
    put(tmp_path / "EC-001" / "overrides.json", "{}")
    put(tmp_path / "EC-001" / "extra.json", "{}")
    put(tmp_path / "EC-001" / "net.log", "reset")
    return Finder(SuiteFolder(tmp_path), "EC-001", Findings())


def said(finder: Finder) -> list[str]:
    return [str(problem) for problem in finder.findings.problems]


def test_cassettes_are_those_of_the_suite_each_once(finder: Finder) -> None:
    put(finder.folder.path / "cassettes" / "calls.yaml", "")
    assert finder.cassettes(["calls", "calls"], "here") == ("calls",)
    assert said(finder) == []
    assert finder.cassettes(["call", "calls"], "here") == ("calls",)
    assert said(finder) == ["here: no cassette 'call' in this suite (did you mean 'calls'?)"]


def test_a_suite_without_cassettes_says_where_they_would_be(finder: Finder) -> None:
    assert finder.cassettes(["x"], "here") == ()
    assert "they are in the suite's cassettes/" in said(finder)[0]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (["EC-001"], ("EC-001",)),
        (["EC-001", "EC-001/overrides.json"], ("EC-001",)),
        (["EC-001/extra.json"], ("EC-001/extra.json",)),
    ],
    ids=str,
)
def test_overrides_are_folders_or_files_each_once(
    finder: Finder, written: Iterable[str], found: tuple[str, ...]
) -> None:
    assert finder.overrides([*written], "here") == found
    assert said(finder) == []


@pytest.mark.parametrize(
    ("written", "error"),
    [
        ("EC-01", "here: no override 'EC-01' in {} (did you mean 'EC-001'?)"),
        ("EC-001/nope.json", "here: no override 'EC-001/nope.json' in {} (known: EC-001)"),
        ("/etc", "here: override '/etc' leaves the suite's folder"),
        ("..\\x", "here: override '..\\\\x' leaves the suite's folder"),
        ("", "here: override '' leaves the suite's folder"),
    ],
)
def test_an_override_that_is_not_there_is_told(
    finder: Finder, tmp_path: Path, written: str, error: str
) -> None:
    assert finder.overrides([written], "here") == ()
    assert said(finder) == [error.format(tmp_path)]


def test_links_that_leave_the_suite_are_told(finder: Finder, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    (suite / "EC-002").mkdir(parents=True)
    (suite / "EC-002" / "overrides.json").symlink_to(tmp_path / "EC-001" / "overrides.json")
    (suite / "link.log").symlink_to(tmp_path / "EC-001" / "net.log")
    inner = Finder(SuiteFolder(suite), "EC-002", finder.findings)
    assert inner.overrides(["EC-002"], "here") == ()
    assert inner.files(["link.log"], "here") == ()
    assert said(finder) == [
        "here: override 'EC-002' is a link that leaves the suite",
        "here: file 'link.log' is a link that leaves the suite",
    ]


def test_a_file_that_is_not_there_is_told_with_the_nearest(finder: Finder, tmp_path: Path) -> None:
    assert finder.files(["net.lgo", "net.log", "../x"], "here") == ("EC-001/net.log",)
    assert said(finder) == [
        f"here: no file 'net.lgo' in {tmp_path} (did you mean 'net.log'?)",
        "here: file '../x' leaves the suite's folder",
    ]


def test_a_case_without_a_folder_has_nothing_near(tmp_path: Path) -> None:
    finder = Finder(SuiteFolder(tmp_path), "EC-009", Findings())
    assert finder.files(["net.log"], "here") == ()
    assert said(finder) == [f"here: no file 'net.log' in {tmp_path}"]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("evals/fixtures/EC-001/x.json", "EC-001/x.json"),
        ("fixtures", "fixtures"),
        ("EC-001/evals/x", "EC-001/evals/x"),
    ],
)
def test_prefixes_of_a_chrome_registry_are_the_suite_itself(written: str, path: str) -> None:
    assert plain(written) == PurePosixPath(path)


@pytest.mark.parametrize("path", ["/a", "../a", "a/../../b", "..", "a\\..\\b", ""])
def test_a_path_that_could_climb_out_is_refused(path: str) -> None:
    assert name_fault(PurePosixPath(path)) == "leaves the suite's folder"


@pytest.mark.parametrize("path", ["x" * 256, "é" * 128, "a/" * 1_100 + "b", "a\0b"])
def test_what_is_no_name_of_a_file_is_refused(path: str) -> None:
    assert name_fault(PurePosixPath(path))


@pytest.mark.parametrize("nested", ["", "fixtures/"], ids=["beside", "nested"])
def test_override_folders_stand_beside_the_base(tmp_path: Path, nested: str) -> None:
    """CEP-10, CEP-11."""
    put(tmp_path / f"{nested}base/all.json", "{}")
    put(tmp_path / f"{nested}EC-001/overrides.json", "{}")
    put(tmp_path / f"{nested}EC-002/b.patch.json", "[]")
    put(tmp_path / f"{nested}EC-002/a.patch.json", "[]")
    put(tmp_path / f"{nested}notes/readme.txt", "")
    folder = SuiteFolder(tmp_path)
    assert folder.overrides() == ("EC-001", "EC-002")
    assert [path.name for path in folder.layers("EC-002")] == ["a.patch.json", "b.patch.json"]
    assert folder.has_override("EC-001")
    assert not folder.has_override("base")
    assert not folder.has_override("notes")


def test_one_file_of_a_folder_may_be_named(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    assert folder.layers("EC-001/extra.json") == (tmp_path / "EC-001" / "extra.json",)


def test_a_link_out_of_the_suite_is_not_held_by_it(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt", "")
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "link.txt").symlink_to(secret)
    folder = SuiteFolder(suite)
    assert not folder.holds(suite / "link.txt")
    assert folder.holds(suite / "nothing.txt")


def test_a_folder_that_is_not_there_has_no_overrides(tmp_path: Path) -> None:
    assert SuiteFolder(tmp_path / "nope").overrides() == ()


def test_cassettes_are_named_by_their_files(tmp_path: Path) -> None:
    assert SuiteFolder(tmp_path).cassettes() == ()
    for name in ("b.yaml", "a.json", "notes.md"):
        put(tmp_path / "cassettes" / name, "")
    assert SuiteFolder(tmp_path).cassettes() == ("a", "b")


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
