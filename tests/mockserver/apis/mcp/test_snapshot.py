"""What stands under `mcp` in a snapshot, and what is told of mistakes there."""

from typing import Any

import pytest

from mockserver.apis.mcp import import_snapshot
from mockserver.apis.mcp.methods import variables_of
from mockserver.googleapi import SnapshotImport


@pytest.mark.parametrize(
    ("block", "where", "told"),
    [
        ({"nam": "x"}, "/mcp/nam", "did you mean 'name'?"),
        ({"pageSize": 0}, "/mcp/pageSize", "greater than or equal to 1"),
        ({"tools": {"a/b": {"loq": []}}}, "/mcp/tools/a~1b/loq", "did you mean 'log'?"),
        (
            {"tools": {"a": {"elicit": [{"message": "m", "uness": []}]}}},
            "/mcp/tools/a/elicit/0/uness",
            "did you mean 'unless'?",
        ),
        (
            {"prompts": {"p": {"arguments": [{"nam": "x"}]}}},
            "/mcp/prompts/p/arguments/0/nam",
            "did you mean 'name'?",
        ),
        ({"resources": {"a:b": {"text": "x", "blob": "y"}}}, "/mcp/resources/a:b", "keep one"),
        (
            {"prompts": {"p": {"messages": [{"text": "{{ x"}]}}},
            "/mcp/prompts/p/messages/0/text",
            "unexpected",
        ),
        ({"tools": []}, "/mcp/tools", "must be an object"),
        ([], "/mcp", "must be an object"),
    ],
)
def test_a_mistake_is_told_with_its_pointer(block: Any, where: str, told: str) -> None:
    found = SnapshotImport(raw={"mcp": block})
    import_snapshot(found)
    problems = {problem.where: str(problem) for problem in found.problems}
    assert where in problems
    assert told in problems[where]


def test_results_that_are_to_be_blocks_of_content_are_checked() -> None:
    block: dict[str, Any] = {"tools": {"a": {"content": True}}}
    responses = [{"result": [{"type": "text", "text": "x"}]}, {"result": [{"type": "txt"}]}]
    found = SnapshotImport(raw={"mcp": block, "tools": {"a": {"responses": responses}}})
    import_snapshot(found)
    assert [problem.where for problem in found.problems] == ["/tools/a/responses/1/result/0"]


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("a://{b}/c", "a://x/c", {"b": "x"}),
        ("a://{b}/c", "a://x/y/c", None),
        ("a://{+b}/c", "a://x/y/c", {"b": "x/y"}),
        ("a://b.c", "a://b-c", None),
        ("a://{b}", "a://" + "x" * 10_000, None),
    ],
)
def test_a_uri_gives_the_variables_of_its_template(
    template: str, uri: str, values: dict[str, str] | None
) -> None:
    assert variables_of(template, uri) == values
