from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import pytest

from harness.cases.fixtures import Finder, name_fault, plain
from harness.cases.folder import SuiteFolder
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
