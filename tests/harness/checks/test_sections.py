from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from harness.checks.expect_block import Expect, expectations
from harness.checks.limits import BUDGET, STOP, Phases
from harness.checks.patterns import PATTERNS, WrittenPattern
from harness.checks.phrases import TextBlock
from harness.checks.quality import RubricBlock
from harness.checks.reply_schema import ReplyBlock
from harness.checks.reviews import ObservationCount, ServiceBlock
from harness.checks.sections import Phrase, checked_matchers
from harness.checks.server import ServerBlock
from harness.checks.tools import ToolsBlock
from harness.model import MATCHERS, Json, Judge, Milestones, Minefields, Patterns
from tests.casefiles import yaml_suite


@pytest.mark.parametrize("needle", ["a", "402", "\u65e5\u672c\u8a9e", "a-b"])
def test_a_needle_holds_a_letter_or_a_digit(needle: str) -> None:
    assert TypeAdapter(Phrase).validate_python(needle) == needle


@given(st.text(alphabet=" \t\n-_.,:;!?\"'()[]{}$+"))
def test_punctuation_alone_is_no_needle(text: str) -> None:
    with pytest.raises(ValidationError, match="is an empty needle"):
        TypeAdapter(Phrase).validate_python(text)


GOOD: list[Json] = [
    {"any_of": [1, {"glob": "a*"}]},
    {"regex": "^a"},
    {"number": 1.5, "tolerance": 0},
    {"present": False},
    {"absent": True},
    {"schema": {"type": "object"}},
    {"glob": "*"},
    {"contains": {"id": 1}},
    {"equals": {"regex": "("}},
]


@pytest.mark.parametrize("value", GOOD, ids=str)
def test_what_can_be_used_is_taken(value: Json) -> None:
    assert checked_matchers({"a": [value, 1, None]}) == {"a": [value, 1, None]}


def test_every_matcher_is_looked_at() -> None:
    assert {next(iter(value)) for value in GOOD} == MATCHERS


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"any_of": []}, "'any_of' needs a list"),
        ({"any_of": "a"}, "'any_of' needs a list"),
        ({"any_of": [{"regex": "("}]}, "not a regular expression"),
        ({"regex": ".*"}, "even an empty one"),
        ({"regex": 1}, "'regex' needs a text"),
        ({"number": True}, "need numbers"),
        ({"number": 1, "tolerance": -1}, "'tolerance' is below 0"),
        ({"present": "yes"}, "need true or false"),
        ({"absent": None}, "need true or false"),
        ({"schema": {"type": "nothing"}}, "not a JSON Schema"),
        ({"schema": []}, "'schema' needs a JSON Schema"),
        ({"glob": ""}, "'glob' needs a text"),
        ({"contains": ""}, "needs something to look for"),
        ({"contains": {"regex": "("}}, "not a regular expression"),
        ({"a": [{"b": {"regex": "("}}]}, "not a regular expression"),
    ],
    ids=str,
)
def test_what_could_never_be_used_is_refused(value: Json, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        checked_matchers(value)


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"contains": []}, "at least 1 item"),
        ({"contains": ["  "]}, "'  ' is an empty needle"),
        ({"evidence": "--"}, "'--' is an empty needle"),
        ({"regex": "("}, r"'\(' is not a regular expression"),
        ({"regex": "(?=a"}, "is not a regular expression"),
        ({"regex": ".*"}, r"'\.\*' matches every reply, even an empty one"),
        ({"unless": ["not"]}, "'unless' does nothing without 'forbidden_evidence'"),
        ({"match": "any", "evidence": "a1"}, "'match' does nothing without"),
    ],
    ids=str,
)
def test_text_that_could_not_fail_is_refused(block: dict[str, Any], error: str) -> None:
    """An empty needle is an authoring error (pitfall of matching everything)."""
    with pytest.raises(ValidationError, match=error):
        TextBlock.model_validate(block)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (["diagnosis"], ("diagnosis",)),
        ({"type": "object"}, {"type": "object"}),
        ("python:app.models:Reply", "python:app.models:Reply"),
    ],
    ids=["fields", "schema", "model"],
)
def test_a_reply_is_built_of_fields_or_by_a_schema_or_by_a_model(written: Any, found: Any) -> None:
    """CEP-06, CEP-53."""
    assert ReplyBlock.model_validate({"schema": written}).schema_ == found


@pytest.mark.parametrize(
    ("written", "error"),
    [
        ([], "at least 1 item"),
        ({}, "at least 1 item"),
        ({"type": "objekt"}, "not a JSON Schema"),
        ("app.models:Reply", "names no model: expected 'python:package.module:Model'"),
        (3, "valid tuple"),
    ],
    ids=str,
)
def test_another_schema_is_refused(written: Any, error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        ReplyBlock.model_validate({"schema": written})


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"min_score": 3, "criteria": ["a1"]}, "min_score 3 cannot be reached with 1 criteria"),
        ({"min_score": 0, "criteria": ["a1"]}, "greater than or equal to 1"),
        (
            {"min_score": 1, "criteria": ["a1"], "synonyms": {"b1": ["c1"]}},
            "synonyms for what is no criterion: b1",
        ),
    ],
    ids=["too high", "cannot fail", "idle synonyms"],
)
def test_a_rubric_that_decides_nothing_is_refused(block: dict[str, Any], error: str) -> None:
    """CEP-56: a gate that no score can fail, or none can pass, is a mistake."""
    with pytest.raises(ValidationError, match=error):
        RubricBlock.model_validate(block)


def test_a_synonym_may_be_one_phrase() -> None:
    """CEP-57, CEPR-08."""
    block = {"min_score": 1, "criteria": ["next"], "synonyms": {"next": "then"}}
    assert RubricBlock.model_validate(block).synonyms == {"next": ("then",)}


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"mode": "any_order"}, "no trajectory could fail this"),
        ({"calls": [{"name": "a", "optional": True}]}, "no trajectory could fail this"),
        ({"require_success": True}, "no trajectory could fail this"),
        ({"mode": "exact", "calls": [{"unordered": ["a"]}]}, "at least 2 items"),
        ({"mode": "exact", "extra": {"max": 1}}, "'exact' allows no extra calls"),
        ({"calls": ["deleteUser"], "forbidden": ["delete*"]}, "'deleteUser' is both expected"),
        ({"min": {"search": 1}, "forbidden": ["*"]}, "'search' is both expected and forbidden"),
        ({"min": {"a": 2}, "max": {"a": 1}}, "'a' is expected 2 times, and at most 1 times"),
        ({"calls": ["a", "a"], "max": {"a": 1}}, "'a' is expected 2 times, and at most 1 times"),
        ({"min": {"search": 0}}, "greater than or equal to 1"),
        ({"mode": "set", "calls": ["a"]}, "'any_order', 'subset' or 'superset'"),
        ({"mode": "subset", "calls": ["a"], "extra": {"max": 1}}, "'subset' allows no extra calls"),
        ({"mode": "superset", "calls": ["a"], "extra": {"max": 1}}, "use 'any_order' to limit"),
        ({"ignore": ["a"]}, "no trajectory could fail this"),
        ({"calls": [{"name": "a", "count": {"min": 0}}]}, "no trajectory could fail this"),
        ({"calls": ["search"], "ignore": ["s*"]}, "'search' is both expected and ignored"),
        ({"calls": ["a"], "defaults": {"b": {}}}, "defaults of tools that are not expected: b"),
        ({"calls": [{"unordered": ["a", "b"]}]}, "'unordered' does nothing in mode 'any_order'"),
        ({"calls": [{"name": "a", "args_mode": "exact"}]}, "nothing without 'args'"),
        ({"calls": [{"name": "a", "args": {}, "args_mode": "ignore"}]}, "'args' does nothing with"),
        ({"calls": [{"name": "a", "optional": True, "count": 2}]}, "exclude each other"),
        ({"calls": [{"name": "a", "count": 0}]}, "greater than or equal to 1"),
        ({"calls": [{"name": "a", "count": True}]}, "Count"),
        ({"calls": [{"name": "a", "args": {"x": {"regex": "("}}}]}, "not a regular expression"),
        ({"calls": [{"name": "a", "result": {"number": "3"}}]}, "need numbers"),
        (
            {"calls": [{"name": "a", "args": {"type": "x"}, "args_mode": "schema"}]},
            "not a JSON Schema",
        ),
        ({"forbidden": [{"name": "a", "args": {"x": {"absent": 1}}}]}, "need true or false"),
    ],
    ids=str,
)
def test_tools_that_decide_nothing_are_refused(block: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        ToolsBlock.model_validate(block)


@pytest.mark.parametrize(
    "block",
    [
        {"mode": "exact", "calls": []},
        {"extra": {"max": 0}},
        {"forbidden": "delete_*"},
        {"calls": ["a"], "forbidden": ["b"]},
        {"calls": ["a"], "forbidden": [{"name": "a", "args": {"force": True}}]},
        {"mode": "subset", "calls": []},
        {"calls": [{"name": "a", "count": {"min": 0, "max": 3}}]},
        {"mode": "in_order", "calls": ["a", {"unordered": ["b", "c"]}], "ignore": "think*"},
        {"calls": [{"name": "a", "args_mode": "ignore"}], "defaults": {"a": {"n": 1}}},
    ],
    ids=str,
)
def test_forbidding_is_enough(block: dict[str, Any]) -> None:
    assert ToolsBlock.model_validate(block).model_fields_set == set(block)


@pytest.mark.parametrize(
    ("model", "block", "error"),
    [
        (BUDGET.form, {}, "needs one of 'rounds', 'tokens', 'cost_usd', 'seconds'"),
        (BUDGET.form, {"rounds": 3, "input_price": 1}, "prices do nothing without 'cost_usd'"),
        (STOP.form, {}, "needs 'any' or 'all'"),
        (STOP.form, {"any": [{}]}, "give exactly one of 'content', 'tool', 'rounds', 'cost_usd'"),
        (STOP.form, {"any": [{"tool": "a", "rounds": 1}]}, "give exactly one of"),
        (STOP.form, {"all": [{"rounds": 1, "last": True}]}, "'last' needs 'tool'"),
    ],
    ids=str,
)
def test_limits_and_stops_that_say_nothing_are_refused(
    model: type[BaseModel], block: dict[str, Any], error: str
) -> None:
    """CEP-72 to CEP-76 as far as authors can get them wrong."""
    with pytest.raises(ValidationError, match=error):
        model.model_validate(block)


@pytest.mark.parametrize(
    ("phases", "error"),
    [
        ([{"first": 2, "last": 1, "tools": ["a"]}], "phase 0: 'last' is before 'first'"),
        (
            [{"first": 0, "last": 2, "tools": ["a"]}, {"first": 2, "tools": ["a"]}],
            "phase 1: phases must follow one another",
        ),
        (
            [{"first": 0, "tools": ["a"]}, {"first": 3, "tools": ["a"]}],
            "phase 0: phases must follow one another",
        ),
    ],
    ids=["reversed", "overlapping", "open in the middle"],
)
def test_phases_follow_one_another(phases: list[dict[str, Any]], error: str) -> None:
    """CEP-77."""
    with pytest.raises(ValidationError, match=error):
        Expect.model_validate({"phases": phases})


def test_phases_may_leave_steps_out() -> None:
    phases = [{"first": 0, "last": 2, "tools": ["get*"]}, {"first": 6, "tools": ["*"]}]
    (found,) = expectations(Expect.model_validate({"phases": phases}))
    assert isinstance(found, Phases)
    assert len(found.phases) == 2


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({}, "needs 'status' or 'observations'"),
        ({"status": "success", "code": "X"}, "'code' needs"),
        ({"observations": {"max": 1}, "code": "X"}, "'code' needs"),
        ({"status": "client_error", "observations": {"max": 1}}, "an error has no observations"),
        ({"observations": {}}, "no review could fail this"),
        ({"observations": {"min": 0}}, "no review could fail this"),
        ({"observations": {"min": 3, "max": 2}}, "below the 3"),
        ({"observations": {"max": 0, "refs": ["A"]}}, "below the 1"),
        ({"status": "server_error"}, "client_error"),
    ],
    ids=str,
)
def test_what_cannot_fail_or_cannot_hold_is_refused(written: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ServiceBlock.model_validate(written)


@pytest.mark.parametrize(
    ("written", "counted"),
    [({"min": 1}, True), ({"max": 0}, True), ({"refs": "A"}, False)],
    ids=str,
)
def test_a_count_is_asked_for_by_a_bound(written: dict[str, Any], counted: bool) -> None:
    found = expectations(Expect.model_validate({"service": {"observations": written}}))
    assert any(isinstance(each, ObservationCount) for each in found) == counted


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({}, "needs 'requests' or 'state'"),
        ({"allow_others": False}, "'allow_others' needs 'requests'"),
        ({"state": {}}, "needs 'expect', 'unchanged' or 'allow'"),
        (
            {"state": {"expect": [{"collection": "u", "where": {"a": {"regex": "("}}}]}},
            "not a regular",
        ),
        (
            {"state": {"allow": [{"collection": "u", "kinds": ["added"], "fields": ["/a"]}]}},
            "'fields' needs kind 'changed'",
        ),
        ({"requests": [{"method": "a", "params": {"a": {"any_of": []}}}]}, "'any_of' needs"),
        ({"requests": [{"method": "a.*", "min": 0}]}, "no journal could fail 'a.*'"),
        ({"requests": [{"method": "a.*", "min": 2, "max": 1}]}, "'max' is below 'min'"),
    ],
    ids=str,
)
def test_a_server_block_that_decides_nothing_is_refused(block: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        ServerBlock.model_validate(block)


@pytest.mark.parametrize(
    "block",
    [
        {"requests": ["directory.*"]},
        {"requests": [{"method": "a", "min": 0, "max": 0}]},
        {"requests": ["a", {"method": "oauth2.*", "min": 0}], "allow_others": False},
        {"state": {"unchanged": "*"}},
        {"state": {"allow": []}},
        {"state": {"allow": "users"}},
    ],
    ids=str,
)
def test_a_server_block_that_can_fail_is_taken(block: dict[str, Any]) -> None:
    assert ServerBlock.model_validate(block).model_fields_set == set(block)


@pytest.mark.parametrize(
    ("file", "error"),
    [
        ("/etc/passwd", "'/etc/passwd' leaves the workspace"),
        ({"path": "a/../../b"}, "leaves the workspace"),
        ({"path": "..\\b"}, "leaves the workspace"),
        ({"path": "a", "absent": True, "contains": ["x"]}, "cannot be absent and contain"),
    ],
    ids=str,
)
def test_a_file_stays_in_the_workspace(file: Any, error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        Expect.model_validate({"files": [file]})


M = {"name": "m", "call": "a"}


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"milestones": [M, M]}, "milestone 'm' is there twice"),
        ({"milestones": [{**M, "after": "x"}]}, "'m' is after 'x', which is none"),
        ({"milestones": [{**M, "after": "m"}]}, "milestones wait for each other: m"),
        (
            {"milestones": [{"name": "end", "state": "users"}, {**M, "after": "end"}]},
            "'m' is after 'end', which is seen at the end alone",
        ),
        (
            {"milestones": [{"name": "m", "call": {"name": "a", "args": {"x": {"regex": "("}}}}]},
            "not a regular expression",
        ),
        (
            {"minefields": [{"call": {"name": "a", "args": {"type": 1}, "args_mode": "schema"}}]},
            "not a JSON Schema",
        ),
        ({"minefields": [{"request": {"method": "a", "params": {"x": {"any_of": 1}}}}]}, "any_of"),
        ({"minefields": [{"changed": {"collection": "a", "where": {"glob": ""}}}]}, "glob"),
        ({"minefields": [{"call": "a", "state": "b"}]}, "give exactly one of"),
        ({"grounding": {"patterns": ["("]}}, "not a regular expression"),
        ({"routing": {"to": "a"}}, "give either 'among' or 'field'"),
        ({"loops": {"generate": "a", "evaluate": "b"}}, "no trajectory could fail this"),
        ({"witnesses": {"tool": "a"}}, "Extra inputs are not permitted"),
    ],
    ids=str,
)
def test_conduct_that_cannot_be_judged_is_refused(block: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        Expect.model_validate(block)


def test_a_text_stands_for_what_it_names() -> None:
    written = {
        "milestones": [
            M,
            {"name": "n", "request": "b.c", "after": "m"},
            {"name": "o", "state": "x"},
        ],
        "minefields": ["delete*", {"changed": "users"}],
    }
    found = Expect.model_validate(written)
    milestones, minefields = expectations(found)
    assert isinstance(milestones, Milestones)
    assert isinstance(minefields, Minefields)
    assert milestones.milestones[1].after == ("m",)
    assert [mine.call and mine.call.name for mine in minefields.mines] == ["delete*", None]


def test_one_question_or_several_at_a_turn_or_of_all() -> None:
    one = Expect.model_validate({"judge": {"question": "q"}})
    assert expectations(one, 2) == (Judge(question="q", turn=2),)
    two = Expect.model_validate({"judge": [{"question": "q"}, {"question": "p"}]})
    assert [each.question for each in expectations(two) if isinstance(each, Judge)] == ["q", "p"]


def test_a_question_that_could_not_fail_is_refused_where_it_is_written() -> None:
    with pytest.raises(ValidationError, match="no verdict would fail"):
        Expect.model_validate({"judge": {"question": "q", "accept": ["pass", "fail"]}})


PATTERN: TypeAdapter[str] = TypeAdapter(WrittenPattern)


@pytest.mark.parametrize("written", ["regex:a+", "contains:a", "not_contains:a", "a", "a: b"])
def test_a_sound_pattern_stays_as_it_is_written(written: str) -> None:
    assert PATTERN.validate_python(written) == written


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("regex:(?<!a)*", "matches every output"),
        ("regex:(", "is not a regular expression: missing )"),
        ("regex:a*", "matches every output"),
        ("not_contains:", "nothing to look for"),
    ],
)
def test_a_pattern_that_decides_nothing_is_refused(written: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said.replace(")", "\\)")):
        PATTERN.validate_python(written)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("one", Patterns(patterns=("one",))),
        ("[one, 'regex:t.o']", Patterns(patterns=("one", "regex:t.o"))),
        (
            "{patterns: [one, two], match: any, required: false}",
            Patterns(patterns=("one", "two"), match="any", required=False),
        ),
        ("[]", Patterns()),
    ],
)
def test_patterns_are_written_in_yaml_too(tmp_path: Path, written: str, read: Patterns) -> None:
    text = f"id: A\ninput: Why?\nexpect: {{patterns: {written}, exit_code: 0}}\n"
    found = yaml_suite(tmp_path, text)
    assert found.errors == ()
    assert found.cases[0].expect[0] == read


@pytest.mark.parametrize(
    "block",
    [
        {"patterns": ["a", "not_contains:a"]},
        {"patterns": ["a", "not_contains:a"], "match": "any"},
    ],
    ids=str,
)
def test_patterns_that_clash_are_refused(block: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(PATTERNS.form).validate_python(block)


def test_a_native_case_has_a_workspace_required_tools_and_weights(tmp_path: Path) -> None:
    text = """\
id: A
input: Why?
required_tools: [run_command]
weights: {exit_code: 3}
fixtures: {workspace: {src/a.py: "x = 1"}}
expect: {exit_code: 3}
reference: {answer: So., exit_code: 3}
"""
    case = yaml_suite(tmp_path, text).cases[0]
    assert case.required_tools == ("run_command",)
    assert case.weights == {"exit_code": 3}
    assert case.fixtures.workspace == {"src/a.py": "x = 1"}
    assert case.reference[0].exit_code == 3
