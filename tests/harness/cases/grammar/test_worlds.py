from typing import Any

import pytest
from pydantic import ValidationError

from harness.cases.grammar import Expect, ServerBlock


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
