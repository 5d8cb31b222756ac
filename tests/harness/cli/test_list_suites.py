from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cases import CATEGORIES
from harness.cli.main import app
from harness.errors import HarnessError
from tests.casefiles import chrome_suite, entry, put

NATIVE = "{id: A, tags: [fast], input: Why, expect: {text: {contains: a1}}}"


def listed(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["list-suites", *arguments])
    return result.exit_code, result.output.splitlines()


def test_suites_are_listed_with_cases_per_category(tmp_path: Path) -> None:
    """CEP-05, CEP-61: counts, and the categories without a case."""
    entries = [
        entry(id=f"EC-{number:03}", category=name) for number, name in enumerate(CATEGORIES[:-1], 1)
    ]
    chrome_suite(tmp_path / "a", [*entries, entry(id="EC-099", category="policy")])
    put(tmp_path / "b" / "case.yaml", NATIVE)
    code, lines = listed(str(tmp_path), "--tags")
    assert code == 0
    assert lines[0] == f"{tmp_path / 'a'}  chrome  15 cases"
    assert lines[1].startswith("  categories: policy 2, dlp 1,")
    assert lines[2:4] == ["  no case for: updates", "  tags: (none)"]
    assert lines[4:] == [
        f"{tmp_path / 'b'}  native  1 cases",
        "  categories: (none) 1",
        "  tags: fast 1",
    ]


def test_an_invalid_suite_is_listed_and_exits_with_2(tmp_path: Path) -> None:
    suite = chrome_suite(tmp_path, [entry(), entry(id="EC-002", mode="x")])
    code, lines = listed(str(suite))
    assert code == 2
    assert lines[-1] == f"  invalid: 1 errors; see harness lint {suite}"


def test_a_folder_without_suites_is_a_mistake(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["list-suites", str(tmp_path)])
    assert isinstance(result.exception, HarnessError)
    with pytest.raises(HarnessError, match="no suites in"):
        raise result.exception
