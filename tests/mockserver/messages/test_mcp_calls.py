"""Requests of MCP as recordings: what is written is read back, nothing else is one."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from mockserver.messages.mcp_calls import McpCall, is_mcp, mcp_call, mcp_interaction, plain_params
from mockserver.model import Interaction

CALL = McpCall(
    "tools/call", {"name": "add", "arguments": {"a": 1}}, {"content": []}, events=({"method": "n"},)
)
REFUSED = McpCall("tools/list", {"cursor": "x"}, None, {"code": -32602, "message": "no"})
FAILED = McpCall("prompts/get", {"name": "a/b"}, None, {"code": -32603, "message": "no"})


def recorded(call: McpCall = CALL, **changes: Any) -> Interaction:
    made = mcp_interaction("words", call, reads=False, recorded_at="", duration_ms=1.0)
    return replace(made, response=replace(made.response, **changes))


@pytest.mark.parametrize(
    ("call", "url", "status"),
    [
        (CALL, "mcp://words/tools/call/add", 200),
        (REFUSED, "mcp://words/tools/list", 400),
        (FAILED, "mcp://words/prompts/get/a%2Fb", 500),
    ],
    ids=["result", "refusal", "failure"],
)
def test_a_call_is_read_back_as_it_was_written(call: McpCall, url: str, status: int) -> None:
    made = recorded(call)
    assert (made.request.url, made.response.status, made.request.method) == (url, status, "POST")
    assert is_mcp(made)
    assert mcp_call(made) == call
    assert mcp_call(replace(made, response=recorded().response), made.response.body) == call


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ({"body": b"{}"}, None),
        ({"body": b"[]"}, None),
        ({"headers": ()}, None),
        ({"body": b'{"result": {}, "error": {}}'}, None),
        ({"body": b'{"result": {}, "events": 1}'}, None),
        ({}, {"params": {}}),
        ({}, {"method": "a", "params": []}),
        ({"body": b"{"}, None),
    ],
)
def test_what_is_written_otherwise_is_refused(answer: dict[str, Any], asked: Any) -> None:
    made = recorded(**answer)
    if asked is not None:
        made = replace(made, request=replace(made.request, body=orjson.dumps(asked)))
    with pytest.raises(ValueError, match=r"mcp://words|unexpected end|EOF|column"):
        mcp_call(made)


@pytest.mark.parametrize(
    ("method", "params", "plain"),
    [
        ("initialize", {"clientInfo": {"name": "me"}}, {}),
        ("tools/list", None, {}),
        ("tools/list", {"cursor": None, "_meta": {}}, {}),
        ("tools/call", {"arguments": {"_meta": 1}}, {"arguments": {"_meta": 1}}),
    ],
)
def test_nothing_of_who_asks_tells_requests_apart(method: str, params: Any, plain: Any) -> None:
    assert plain_params(method, params) == plain
