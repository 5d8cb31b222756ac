from typing import Any

import pytest
from pydantic import ValidationError

from harness.cases.sre.suite import ListedCase, listed_case, listed_reference
from harness.checks import check
from harness.model import (
    ExpectedCall,
    ForbiddenTools,
    ReferenceCall,
    ReferenceTurn,
    TextMatches,
    ToolCalls,
)
from tests.harness.records import record, reply

WHOLE = {
    "id": "list-projects",
    "prompt": "Which projects are there?",
    "expected_tools": ["list_projects"],
    "forbidden_tools": ["delete_project", "x[1]"],
    "expected_strings": ["shop-prod (EU)"],
    "description": "Projects are listed",
}


def written(**changes: Any) -> ListedCase:
    return ListedCase.model_validate(WHOLE | changes)


def test_every_field_of_a_case_is_read_and_checked() -> None:
    """SRE-05, SRE-06, SRE-07, SRE-08, SRE-09: prompt, tools, strings, description."""
    case = listed_case(written())
    assert [turn.user for turn in case.turns] == ["Which projects are there?"]
    assert case.title == "Projects are listed"
    assert case.expect == (
        ToolCalls(calls=(ExpectedCall(name="list_projects"),)),
        ForbiddenTools(globs=("delete_project", "x[[]1]")),
        TextMatches(patterns=(r"shop-prod \(EU\)",)),
    )


def test_only_id_and_prompt_are_needed() -> None:
    case = listed_case(ListedCase.model_validate({"id": "a", "prompt": "Hello"}))
    assert case.expect == ()


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        pytest.param("It was OOMKilled (5.1 %).", True, id="part of a word"),
        pytest.param("it was oomkilled (5.1 %)", True, id="letter case"),
        pytest.param("OOMKill (5x1 %)", False, id="a dot is a dot"),
        pytest.param("nothing", False, id="missing"),
    ],
)
def test_an_expected_string_is_a_part_of_the_reply(text: str, passes: bool) -> None:
    """SRE-08: substrings, all of them."""
    (expected,) = listed_case(
        written(expected_tools=[], forbidden_tools=[], expected_strings=["OOMKill", "(5.1 %)"])
    ).expect
    result = check(record(text), expected)
    assert (result.status == "pass") is passes


def test_tools_may_come_in_any_order_with_others_between() -> None:
    """SRE-06, SRE-10: every listed tool must be called."""
    expected = listed_case(written(expected_tools=["a", "b"])).expect[0]
    assert check(record(reply("!", "b", "x", "a")), expected).status == "pass"
    assert check(record(reply("!", "b", "x")), expected).status == "fail"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"prompt": " "}, "prompt", id="blank prompt"),
        pytest.param({"id": ""}, "id", id="no id"),
        pytest.param({"expected_strings": [""]}, "empty needle", id="empty string"),
        pytest.param({"expected_tools": ["a", "a"]}, "names a tool twice", id="twice"),
        pytest.param({"forbidden_tools": ["list_projects"]}, "both expected and", id="both"),
        pytest.param({"expected_tool": ["a"]}, "expected_tool", id="unknown key"),
    ],
)
def test_what_could_not_be_meant_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        written(**changes)


def test_a_reference_calls_the_expected_tools_unless_it_names_its_own() -> None:
    case = listed_case(written())
    own = ReferenceTurn(answer="b", reports=(ReferenceCall(name="other"),))
    first, second = listed_reference(case, (ReferenceTurn(answer="a"), own))
    assert first.reports == (ReferenceCall(name="list_projects"),)
    assert second == own
