from typing import Any

import pytest

from mockserver.apis.tools.snapshot import import_snapshot
from mockserver.googleapi import SnapshotImport


def problems(tools: Any) -> list[str]:
    found = SnapshotImport(raw={"tools": tools})
    import_snapshot(found)
    return [problem.where for problem in found.problems]


def test_good_tools_have_no_problems() -> None:
    response = {"when": {"a": {"in": [1]}, "b": {"regex": "x"}, "c": {"d": 1}}, "result": 1}
    schema = {"type": "object", "properties": {"a": {"pattern": "^x"}}}
    assert problems({"t": {"inputSchema": schema, "responses": [response]}}) == []
    assert problems(None) == []


@pytest.mark.parametrize(
    ("tool", "where"),
    [
        pytest.param([], "/tools/t", id="no object"),
        pytest.param({"response": []}, "/tools/t/response", id="unknown key"),
        pytest.param({"zzz": []}, "/tools/t/zzz", id="unlike any key"),
        pytest.param({"inputSchema": {"minimum": ""}}, "/tools/t/inputSchema", id="schema"),
        pytest.param({"inputSchema": {"type": "array"}}, "/tools/t/inputSchema/type", id="type"),
        pytest.param(
            {"inputSchema": {"anyOf": [{"pattern": "("}]}}, "/tools/t/inputSchema", id="pattern"
        ),
        pytest.param({"responses": {}}, "/tools/t/responses", id="responses"),
        pytest.param(
            {"responses": [{"error": {"status": 399}}]},
            "/tools/t/responses/0/error",
            id="low status",
        ),
        pytest.param(
            {"responses": [{"error": {"status": 600}}]},
            "/tools/t/responses/0/error",
            id="high status",
        ),
        pytest.param({"responses": [{}]}, "/tools/t/responses/0", id="neither"),
        pytest.param(
            {"responses": [{"result": 1, "error": {}}]}, "/tools/t/responses/0", id="both"
        ),
        pytest.param(
            {"responses": [{"error": {"status": 200}}]}, "/tools/t/responses/0/error", id="status"
        ),
        pytest.param({"responses": [{"error": 1}]}, "/tools/t/responses/0/error", id="error"),
        pytest.param(
            {"responses": [{"result": 1, "then": 2}]}, "/tools/t/responses/0/then", id="key"
        ),
        pytest.param(
            {"responses": [{"result": 1, "when": []}]}, "/tools/t/responses/0/when", id="when"
        ),
        pytest.param(
            {"responses": [{"result": 1, "when": {"a": {"in": 1}}}]},
            "/tools/t/responses/0/when/a/in",
            id="in",
        ),
        pytest.param(
            {"responses": [{"result": 1, "when": {"a": {"regex": "("}}}]},
            "/tools/t/responses/0/when/a/regex",
            id="regex",
        ),
        pytest.param(
            {"responses": [{"result": 1, "when": {"a": {"present": "no"}}}]},
            "/tools/t/responses/0/when/a/present",
            id="present",
        ),
    ],
)
def test_a_tool_that_cannot_be_served_is_a_problem_in_its_place(tool: Any, where: str) -> None:
    assert problems({"t": tool}) == [where]


@pytest.mark.parametrize(
    ("tool", "where"),
    [
        ({"outputSchema": {"type": "colour"}}, "/tools/t/outputSchema"),
        ({"description": 1}, "/tools/t/description"),
        ({"annotations": []}, "/tools/t/annotations"),
        ({"call": ""}, "/tools/t/call"),
        ({"call": {"params": {}}}, "/tools/t/call"),
        ({"call": {"method": "a.b", "query": {}}}, "/tools/t/call/query"),
        ({"call": {"method": "a.b", "params": {"x": "{{ 1"}}}, "/tools/t/call/params/x"),
        ({"call": "a.b", "result": ["{{ 1"]}, "/tools/t/result/0"),
        ({"call": "a.b", "responses": [{"result": 1}]}, "/tools/t/responses"),
        ({"result": 1}, "/tools/t/result"),
        ({"responses": [{"result": 1, "number": "two"}]}, "/tools/t/responses/0/number"),
        ({"responses": [{"result": 1, "number": True}]}, "/tools/t/responses/0/number"),
        ({"responses": [{"result": 1, "state": "1 +"}]}, "/tools/t/responses/0/state"),
        ({"responses": [{"result": 1, "state": 1}]}, "/tools/t/responses/0/state"),
        ({"responses": [{"result": 1, "template": 1}]}, "/tools/t/responses/0/template"),
        ({"responses": [{"result": "{{ 1", "template": True}]}, "/tools/t/responses/0/result"),
        ({"outputSchema": {"type": "object"}, "responses": [{"result": 1}]},
         "/tools/t/responses/0/result"),
    ],
)  # fmt: skip
def test_further_fields_are_checked_with_their_place(tool: dict[str, Any], where: str) -> None:
    assert problems({"t": tool}) == [where]


def test_a_bound_tool_and_templates_have_no_problems() -> None:
    call = {"method": "travel.bookings.get", "params": {"id": "{{ arguments.id }}"}, "body": None}
    assert problems({
        "a": {"call": "travel.bookings.list", "title": "A", "annotations": {"readOnlyHint": True}},
        "b": {"call": call, "result": "{{ answer.status }}", "outputSchema": {"type": "string"}},
        "c": {"responses": [{"number": {"in": [1, 2]}, "state": "state.a", "template": True,
                             "result": "{{ seq }}"}]},
    }) == []  # fmt: skip


def test_what_follows_a_problem_is_looked_at_too() -> None:
    wrong = {"inputSchema": {"type": "array"}}
    responses = [{}, {"result": 1}, {"error": {"status": 400}}, {"error": {"status": 599}}, 1]
    shown = {"outputSchema": {"type": "object"}, "responses": [
        {"error": {"status": 404}}, {"template": True, "result": "{{ seq }}"},
        {"result": {}}, {"result": [1, 2]}, {"result": 1}]}  # fmt: skip
    assert problems({"a": 1, "b": wrong, "c": 2, "d": {"responses": responses}, "e": shown}) == [
        "/tools/a",
        "/tools/b/inputSchema/type",
        "/tools/c",
        "/tools/d/responses/0",
        "/tools/d/responses/4",
        "/tools/e/responses/3/result",
        "/tools/e/responses/4/result",
    ]
