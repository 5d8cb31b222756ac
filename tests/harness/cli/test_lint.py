import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cases import CATEGORIES, json_schema, load_suite
from harness.cli.main import app
from harness.errors import HarnessError
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
    assert lines[-1] == f"  invalid: 1 errors; see understudy lint {suite}"


def test_a_folder_without_suites_is_a_mistake(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["list-suites", str(tmp_path)])
    assert isinstance(result.exception, HarnessError)
    with pytest.raises(HarnessError, match="no suites in"):
        raise result.exception


def test_a_scaffolded_case_is_valid_at_once(tmp_path: Path) -> None:
    """CEP-60."""
    suite = str(tmp_path / "suite")
    result = CliRunner().invoke(app, ["new", suite, "A-1", "--tags", "new-path,units"])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == f"next: understudy lint {suite}"
    linted = CliRunner().invoke(app, ["lint", suite])
    told = linted.output.splitlines()
    assert (linted.exit_code, told[-1]) == (0, "1 case in 1 suite: 0 errors, 1 warning")
    assert "the override 'A-1' changes nothing of the base" in told[1]


SRE = Path(__file__).parents[3] / "fixtures" / "sre"


def test_a_suite_is_converted_with_the_variables_that_are_given(tmp_path: Path) -> None:
    """SRER-07: `--var` reaches the cases."""
    out = tmp_path / "native"
    command = ["import", str(SRE), "--out", str(out), "--var", "PROJECT_ID=other-prod"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert f"21 cases of format sre written to {out}" in result.output
    case = next(case for case in load_suite(out).cases if case.id == "project-number")
    assert case.turns[0].user == "What is the project number of other-prod?"


def test_the_folder_s_name_is_the_suite_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["import", str(SRE / "tool_selection.test.json")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "tool_selection-native" / "cases" / "one-trace.yaml").is_file()


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--to", "junit"], "cannot write format"), (["--var", "x"], "not written NAME=VALUE")],
)
def test_what_makes_no_sense_is_refused(options: list[str], said: str, tmp_path: Path) -> None:
    command = ["import", str(SRE), "--out", str(tmp_path / "out"), *options]
    result = CliRunner().invoke(app, command)
    assert said in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_the_schema_of_native_cases_is_printed() -> None:
    result = CliRunner().invoke(app, ["schema"])
    assert result.exit_code == 0
    assert json.loads(result.output) == json_schema()
