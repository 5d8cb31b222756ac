import json
from pathlib import Path
from typing import Any

import pytest

from harness.cases import read_suite
from harness.cases.suite import Suite, case_hash
from harness.cases.variables import literal_pattern
from harness.model import TextMatches


def suite(folder: Path, variables: Any = None, *, said: Any = None, **case: Any) -> Suite:
    whole = {"id": "a", "prompt": "Is {{ PROJECT_ID }} up?", "expected_strings": ["up"]} | case
    (folder / "a.test.json").write_text(json.dumps([whole]), encoding="utf-8")
    if variables is not None:
        (folder / "variables.json").write_text(json.dumps(variables), encoding="utf-8")
    return read_suite(folder, said or {})


def test_placeholders_are_filled_in_wherever_a_case_has_texts(tmp_path: Path) -> None:
    """SRER-07: prompt and expectations; in patterns a value stands for itself."""
    read = suite(tmp_path, {"PROJECT_ID": "shop.prod"}, expected_strings=["{{PROJECT_ID}} (up)"])
    (case,) = read.cases
    assert case.turns[0].user == "Is shop.prod up?"
    assert case.expect == (TextMatches(patterns=(r"shop\.prod \(up\)",)),)
    assert case.variables == {"PROJECT_ID": "shop.prod"}
    assert read.problems == ()


def test_names_that_stand_for_a_value_are_replaced_as_whole_words(tmp_path: Path) -> None:
    """SRER-07: plain names, as sre files have them."""
    named = {"PROJECT_ID": {"value": "shop-prod", "instead_of": ["my-project", "my-project-id"]}}
    prompt = "Is my-project or my-project-id or my-project-ids or not-my-project up?"
    (case,) = suite(tmp_path, named, prompt=prompt).cases
    said = "Is shop-prod or shop-prod or my-project-ids or not-my-project up?"
    assert case.turns[0].user == said


def test_the_command_line_wins_and_makes_another_case(tmp_path: Path) -> None:
    first = suite(tmp_path, {"PROJECT_ID": "shop-prod"}).cases[0]
    second = suite(tmp_path, said={"PROJECT_ID": "other"}).cases[0]
    assert second.turns[0].user == "Is other up?"
    assert case_hash(first) != case_hash(second)


def test_a_case_s_own_variables_win_over_the_suite_s(tmp_path: Path) -> None:
    case = {
        "eval_id": "a",
        "conversation": [{"user_content": {"parts": [{"text": "In {{REGION}}?"}]},
                          "intermediate_data": {"tool_uses": []}}],
        "session_input": {"state": {"REGION": "eu", "depth": [1]}},
    }  # fmt: skip
    (tmp_path / "a.test.json").write_text(json.dumps({"eval_cases": [case]}), encoding="utf-8")
    (tmp_path / "variables.json").write_text('{"REGION": "us"}', encoding="utf-8")
    (own,) = read_suite(tmp_path).cases
    assert (own.turns[0].user, own.variables) == ("In eu?", {"REGION": "eu", "depth": [1]})
    (said,) = read_suite(tmp_path, {"REGION": "asia"}).cases
    assert (said.turns[0].user, said.variables["REGION"]) == ("In asia?", "asia")


def test_native_cases_have_placeholders_too(tmp_path: Path) -> None:
    text = "id: a\ninput: Is {{PROJECT_ID}} up?\nexpect: {text: {contains: ['{{PROJECT_ID}}']}}\n"
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    (case,) = read_suite(tmp_path, {"PROJECT_ID": "shop-prod"}).cases
    assert case.turns[0].user == "Is shop-prod up?"


@pytest.mark.parametrize(
    ("variables", "said", "told"),
    [
        pytest.param(None, {}, "no value for {{PROJECT_ID}} (give --var PROJECT_ID=", id="none"),
        pytest.param({"PROJECT": "x"}, {}, "did you mean 'PROJECT'", id="near"),
        pytest.param({"PROJECT_ID": "x"}, {"ID": "y"}, "is no variable of this suite", id="idle"),
        pytest.param({"PROJECT_ID": []}, {}, "variables.json#/PROJECT_ID", id="a list"),
        pytest.param({"PROJECT_ID": "x", "a b": "y"}, {}, "no name of a variable", id="name"),
        pytest.param([], {}, "variables.json", id="no object"),
    ],
)
def test_what_cannot_be_filled_in_is_an_error(
    tmp_path: Path, variables: Any, said: Any, told: str
) -> None:
    read = suite(tmp_path, variables, said=said)
    assert any(told in str(problem) for problem in read.errors), read.errors


def test_a_file_that_is_no_json_or_a_link_elsewhere_is_told(tmp_path: Path) -> None:
    home = tmp_path / "suite"
    home.mkdir()
    (home / "variables.json").write_text("{", encoding="utf-8")
    assert "not JSON" in str(suite(home, prompt="Up?").errors[0])
    (home / "variables.json").unlink()
    (tmp_path / "elsewhere.json").write_text("{}", encoding="utf-8")
    (home / "variables.json").symlink_to(tmp_path / "elsewhere.json")
    assert "leaves the suite's folder" in str(suite(home, prompt="Up?").errors[0])


def test_a_pattern_of_a_text_keeps_its_placeholders() -> None:
    assert literal_pattern("{{A}} costs {2} $") == r"{{A}} costs \{2\} \$"
