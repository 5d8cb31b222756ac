from pathlib import Path

import pytest

from harness.cases import FORMATS, find_suites, load_suite, read_suite
from harness.cases.loading import format_of
from harness.errors import HarnessError, InvalidCasesError
from tests.casefiles import chrome_suite, entry, put


def test_a_suite_is_read_in_the_format_that_recognises_it(tmp_path: Path) -> None:
    put(tmp_path / "native" / "a.yaml", "{id: A, input: Why?, expect: {text: {contains: a1}}}")
    assert load_suite(chrome_suite(tmp_path / "chrome")).format == "chrome"
    assert load_suite(tmp_path / "native").format == "native"
    assert [kind.name for kind in FORMATS] == ["chrome", "native"]
    assert format_of(tmp_path) is None


def test_a_path_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    chrome_suite(tmp_path / "chrome-enterprise")
    with pytest.raises(HarnessError) as caught:
        load_suite(tmp_path / "chrome-enterprize")
    assert caught.value.hint == "did you mean 'chrome-enterprise'?"
    with pytest.raises(HarnessError, match="no suite at"):
        load_suite(tmp_path / "no" / "such")


def test_a_folder_without_cases_is_told(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="no cases in"):
        load_suite(tmp_path)


def test_loading_raises_with_every_error_but_no_warning(tmp_path: Path) -> None:
    """Pitfall: one invalid file neither hides the others nor is skipped."""
    suite = chrome_suite(tmp_path, [entry(id="HERO-001", mode="x"), entry(id="EC-002", repeat=0)])
    with pytest.raises(InvalidCasesError) as caught:
        load_suite(suite)
    assert [problem.level for problem in caught.value.problems] == ["error", "error"]
    assert read_suite(suite).errors == caught.value.problems


def test_suites_are_found_right_below_a_folder(tmp_path: Path) -> None:
    for name in ("b", "a"):
        chrome_suite(tmp_path / name)
    put(tmp_path / "c" / "readme.txt", "")
    assert find_suites(tmp_path) == (tmp_path / "a", tmp_path / "b")
    assert find_suites(tmp_path / "a") == (tmp_path / "a",)
    with pytest.raises(HarnessError, match="no folder"):
        find_suites(tmp_path / "nope")
