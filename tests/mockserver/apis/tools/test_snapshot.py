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
        pytest.param({"inputSchema": {"type": "colour"}}, "/tools/t/inputSchema", id="schema"),
        pytest.param(
            {"inputSchema": {"anyOf": [{"pattern": "("}]}}, "/tools/t/inputSchema", id="pattern"
        ),
        pytest.param({"responses": {}}, "/tools/t/responses", id="responses"),
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
