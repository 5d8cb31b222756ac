import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from tests.casefiles import chrome_suite, entry, put

POLICY = "policy: {pass_hat: 3, min: 0.5}"


def linted(*suites: Path) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["lint", *map(str, suites)])
    return result.exit_code, result.output.splitlines()


def test_a_sound_suite_has_nothing_to_tell(tmp_path: Path) -> None:
    assert linted(chrome_suite(tmp_path)) == (0, ["1 case in 1 suite: 0 errors, 0 warnings"])


def test_errors_and_warnings_of_all_suites_are_told(tmp_path: Path) -> None:
    """CEP-50, CEP-70: everything at once, warnings beside errors."""
    leading = chrome_suite(tmp_path / "a", [entry(required_evidence=["enrollment fail"])])
    broken = chrome_suite(tmp_path / "b", [entry(id="EC-1")])
    code, lines = linted(leading, broken, tmp_path / "c")
    assert code == 2
    told = [line.split(":")[0] for line in lines[:-1]]
    assert told == ["case EC-001", "  warning", "case EC-1", "  error", "error"]
    assert lines[-1] == "1 case in 3 suites: 2 errors, 1 warning"


def test_a_suite_with_only_warnings_is_valid(tmp_path: Path) -> None:
    """CEP-71."""
    suite = chrome_suite(tmp_path, [entry(required_evidence=["policy", "handshake"])])
    code, lines = linted(suite)
    assert code == 0
    assert "is too generic" in lines[1]
    assert CliRunner().invoke(app, ["lint", str(suite), "--strict"]).exit_code == 2


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("base/all.json", '{"orgUnits": [}', "not JSON"),
        ("EC-001/overrides.json", '{"orgUnit": []}', "orgUnit"),
    ],
    ids=["broken", "unknown collection"],
)
def test_what_is_wrong_in_the_snapshots_is_told_too(
    tmp_path: Path, name: str, text: str, error: str
) -> None:
    suite = chrome_suite(tmp_path)
    put(suite / "base" / "all.json", "{}")
    put(suite / name, text)
    code, lines = linted(suite)
    assert code == 2
    assert any(error in line for line in lines)


def test_broken_files_are_told_once_and_all_together(tmp_path: Path) -> None:
    suite = chrome_suite(tmp_path, files={"base/all.json": "{", "EC-001/overrides.json": "["})
    code, lines = linted(suite)
    assert code == 2
    assert [line.replace(f"{suite}/", "").split(":")[:2] for line in lines[:-1]] == [
        ["error", " base/all.json"],
        ["case EC-001"],
        ["  error", " EC-001/overrides.json"],
    ]
    put(suite / "registry.json", "{")
    assert [line.count("registry.json") for line in linted(suite)[1][:-1]] == [1, 0, 0]


def test_the_findings_of_a_case_stand_together_also_as_json(tmp_path: Path) -> None:
    put(tmp_path / "base" / "all.json", '{"capturedAt": "2999-01-01T00:00:00Z"}')
    expect = "expect: {text: {contains: [up], evidence: [user]}}"
    put(tmp_path / "B.yaml", f"id: B\ninput: Is it up?\n{expect}\nrepeat: 2\n{POLICY}\n")
    put(tmp_path / "A.yaml", f"id: A\ninput: Is it down?\n{expect}\n")
    put(tmp_path / "C.yaml", "id: c\ninput: Is {{IT}} up?\n" + expect)
    result = CliRunner().invoke(app, ["lint", str(tmp_path), "--json"])
    (suite,) = json.loads(result.stdout)["suites"]
    assert (result.exit_code, suite["cases"]) == (2, 2)
    assert [each["case"] for each in suite["problems"]] == ["", "A", "B", "c"]
    levels = [[item["level"] for item in each["findings"]] for each in suite["problems"]]
    assert levels == [["warning"], ["warning"], ["warning"] * 2, ["warning", "error"]]
    last = suite["problems"][-1]["findings"][-1]
    assert last["where"].endswith("C.yaml:1")
    assert last["message"] == "no value for {{IT}}"
    lines = linted(tmp_path)[1]
    assert lines[-1] == "2 cases in 1 suite: 1 error, 5 warnings"
    assert [line for line in lines if line.startswith("case")] == ["case A", "case B", "case c"]


def test_the_bundled_suite_is_sound() -> None:
    code, lines = linted(Path(__file__).parents[3] / "fixtures" / "chrome-enterprise")
    assert (code, [line for line in lines if line.startswith("error")]) == (0, [])


def test_placeholders_are_filled_in_from_the_command_line(tmp_path: Path) -> None:
    """SRER-07."""
    text = "id: A\ninput: Is {{PROJECT_ID}} up?\nexpect: {text: {contains: [up]}}\n"
    put(tmp_path / "a.yaml", text)
    put(tmp_path / "base" / "all.json", "{}")
    assert linted(tmp_path)[0] == 2
    command = ["lint", str(tmp_path), "--var", "PROJECT_ID=shop"]
    assert CliRunner().invoke(app, command).exit_code == 0
