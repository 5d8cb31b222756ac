from typing import Any

import pytest

from harness.checks.calls import args_difference, exactness, mismatch
from harness.checks.matchers import InvalidMatcherError
from harness.model import ExpectedCall, JsonObject, ToolCall
from tests.harness.records import call

BOTH: JsonObject = {"folderId": "f1", "depth": 1}


@pytest.mark.parametrize(
    ("args", "mode", "made", "expected"),
    [
        pytest.param(None, "subset", BOTH, True, id="ignored"),
        pytest.param({"depth": 1}, "subset", BOTH, True, id="subset"),
        pytest.param({"depth": 1}, "exact", BOTH, False, id="exact"),
        pytest.param({}, "exact", BOTH, False, id="no-arguments-wanted"),
        pytest.param({"depth": 2}, "subset", BOTH, False, id="another-value"),
        pytest.param({"id": "1", "reason": "x"}, "subset", {}, False, id="empty-is-not-enough"),
        pytest.param(None, "subset", "not json", True, id="malformed-ignored"),
        pytest.param({"a": 1}, "subset", "not json", False, id="malformed"),
        pytest.param({"a": 1}, "ignore", "not json", True, id="ignored-although-given"),
        pytest.param({**BOTH, "page": 1}, "superset", BOTH, True, id="superset"),
        pytest.param({"depth": 1}, "superset", BOTH, False, id="not-a-superset"),
        pytest.param({"required": ["depth"]}, "schema", BOTH, True, id="schema"),
        pytest.param({"required": ["page"]}, "schema", BOTH, False, id="against-the-schema"),
        pytest.param({"number": 7}, "subset", {"number": 7}, True, id="no-matcher-as-a-whole"),
        pytest.param({"contains": "x"}, "exact", {"contains": "y"}, False, id="nor-another-value"),
        pytest.param({"page": None}, "exact", {"page": None}, True, id="null-is-a-value"),
        pytest.param({"page": None}, "exact", {}, False, id="null-is-not-absent"),
        pytest.param({"page": None}, "exact", {"page": 0}, False, id="null-is-not-zero"),
        pytest.param({"depth": {"number": 1.4, "tolerance": 0.5}}, "subset", BOTH, True, id="near"),
    ],
)
def test_arguments_are_held_as_the_case_says(
    args: JsonObject | None, mode: str, made: JsonObject | str, expected: bool
) -> None:
    wanted = ExpectedCall.model_validate({"name": "t", "args": args, "args_mode": mode})
    assert (mismatch(wanted, ToolCall(name="t", args=made)) is None) is expected
    assert mismatch(wanted, ToolCall(name="T", args=made)) is not None


WANTED = {"name": "t", "args": {"folderId": "f1", "depth": 1}}


@pytest.mark.parametrize(
    ("wanted", "made", "code"),
    [
        (WANTED, call("other"), "name"),
        (WANTED, call("t", folderId="f2", depth=2), "args.folderId"),
        (WANTED, call("t", folderId="f1"), "args.depth"),
        (WANTED, ToolCall(name="t", args="x" * 100), "malformed arguments"),
        ({"name": "t", "turn": 2}, call("t"), "turn"),
        ({"name": "t", "status": "ok"}, call("t", status="error"), "failed call"),
        ({"name": "t", "status": "error"}, call("t", status="ok"), "went well"),
        ({"name": "t", "status": "ok"}, call("t"), "status"),
        ({"name": "t", "result": {"rows": 1}}, call("t"), "result"),
        (
            {"name": "t", "result": {"rows": 1}},
            ToolCall(name="t", result={"rows": 2}),
            "result.rows",
        ),
        (
            {"name": "t", "args_mode": "schema", "args": {"properties": {"a": {"type": "null"}}}},
            call("t", a=1),
            "args.a",
        ),
    ],
    ids=str,
)
def test_the_reason_names_what_is_wrong(wanted: Any, made: ToolCall, code: str) -> None:
    reason = mismatch(ExpectedCall.model_validate(wanted), made)
    assert reason is not None
    assert (reason.code, reason.unknown) == (code, code in {"status", "result"})
    assert len(reason.sentence) < 120


def test_the_reason_reads_well() -> None:
    wanted = ExpectedCall(name="t", args={"folderId": "f1"})
    reason = mismatch(wanted, call("t", folderId="f2"))
    assert reason is not None
    assert reason.sentence == "'t' was called, but args.folderId is 'f2', expected 'f1'"


def test_a_schema_that_is_none_is_told_so() -> None:
    wanted = ExpectedCall(name="t", args={"type": "nothing"}, args_mode="schema")
    with pytest.raises(InvalidMatcherError, match="JSON Schema"):
        mismatch(wanted, call("t"))


def test_exact_arguments_are_better_than_those_that_will_do() -> None:
    wanted = ExpectedCall(name="t", args={"a": 1, "b": {"any_of": [1, 2]}})
    assert exactness(wanted, call("t", a=1, b=2)) == 1
    assert exactness(ExpectedCall(name="t", args={"a": 1}), call("t", a=1)) == 7
    assert exactness(ExpectedCall(name="t"), call("t", a=1)) == 0
    assert exactness(wanted, ToolCall(name="t", args="x")) == 0


def test_without_wanted_arguments_none_differ() -> None:
    assert args_difference(None, call("t")) is None
    assert str(args_difference({"a": 1}, call("t"))) == "args.a is absent, expected 1"
