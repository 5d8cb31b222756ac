import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cases import FORMATS, find_suites, load_suite, read_suite
from harness.cases.chrome.registry import RegistryCase
from harness.cases.formats import format_of
from harness.cases.native import NativeCase
from harness.errors import HarnessError, InvalidCasesError
from tests.casefiles import chrome_suite, entry, put


def test_a_suite_is_read_in_the_format_that_recognises_it(tmp_path: Path) -> None:
    put(tmp_path / "native" / "a.yaml", "{id: A, input: Why?, expect: {text: {contains: a1}}}")
    assert load_suite(chrome_suite(tmp_path / "chrome")).format == "chrome"
    assert load_suite(tmp_path / "native").format == "native"
    assert {kind.name for kind in FORMATS} >= {"chrome", "native", "review"}
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


KEYS = sorted({*RegistryCase.model_fields, *NativeCase.model_fields, "cases", "evals", "text"})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
ENTRIES = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)


@given(ENTRIES)
def test_whatever_stands_in_an_entry_is_told_and_never_raised(fields: dict[str, Any]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        suite = chrome_suite(folder, [entry()])
        put(folder / "registry.json", json.dumps([entry(**fields)]))
        assert isinstance(read_suite(suite).problems, tuple)


@given(ENTRIES | VALUES)
def test_whatever_stands_in_a_yaml_file_is_told_and_never_raised(value: Any) -> None:
    with TemporaryDirectory() as name:
        put(Path(name) / "case.yaml", json.dumps(value))
        suite = read_suite(Path(name))
        assert suite.cases or suite.errors


@given(st.text(max_size=60), st.sampled_from(["case.yaml", "registry.json", "cases/EC-001-a.md"]))
def test_whatever_text_a_file_holds_is_told_and_never_raised(text: str, file: str) -> None:
    with TemporaryDirectory() as name:
        folder = chrome_suite(Path(name), [entry(case_file="cases/EC-001-a.md")])
        path = folder / file
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        read_suite(path if file == "case.yaml" else folder)
