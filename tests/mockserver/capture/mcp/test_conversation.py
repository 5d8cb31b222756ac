"""Messages of MCP become requests with their answers and what was said in between."""

from typing import Any

import pytest

from mockserver.capture.mcp.conversation import Conversation, FinishedCall
from mockserver.messages.mcp_calls import McpCall


def asked(number: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def note(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params}


def answered(number: Any, **told: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, **told}


def hear(conversation: Conversation, *messages: Any) -> list[FinishedCall]:
    """What both say in turn: `>` before what the client says."""
    finished: list[FinishedCall] = []
    for number, (who, message) in enumerate(messages):
        if who == ">":
            conversation.hear_client(message, float(number))
        else:
            finished += conversation.hear_server(message, float(number))
    return finished


def test_a_request_and_its_answer_are_one_call_without_ids_and_meta() -> None:
    [found] = hear(
        Conversation(),
        (">", asked(7, "tools/call", name="add", arguments={"a": 1}, _meta={"progressToken": 7})),
        ("<", answered(7, result={"content": []})),
    )
    params = {"name": "add", "arguments": {"a": 1}}
    assert found.call == McpCall("tools/call", params, {"content": []})
    assert (found.reads, found.began_ms, found.ended_ms) == (False, 0.0, 1.0)


def test_what_the_server_says_before_an_answer_belongs_to_its_request_in_order() -> None:
    conversation = Conversation()
    found = hear(
        conversation,
        (">", asked(1, "tools/call", name="a", _meta={"progressToken": "t"})),
        (">", asked(2, "tools/call", name="b")),
        ("<", note("progress", progressToken="t", progress=1)),
        ("<", note("message", data="of the latest")),
        ("<", note("progress", progressToken="of nobody", progress=9)),
        ("<", answered(2, result={})),
        ("<", asked("q", "elicitation/create", message="How many?")),
        (">", answered("q", result={"action": "accept"})),
        ("<", answered(1, result={})),
        ("<", note("message", data="of nobody")),
    )
    assert [each.call.params["name"] for each in found] == ["b", "a"]
    assert found[0].call.events == (
        {"method": "notifications/message", "params": {"data": "of the latest"}, "atMs": 2.0},
    )
    assert found[1].call.events == (
        {"method": "notifications/progress", "params": {"progress": 1}, "atMs": 2.0},
        {
            "method": "elicitation/create",
            "params": {"message": "How many?"},
            "atMs": 6.0,
            "answer": {"result": {"action": "accept"}},
        },
    )


def test_ids_of_one_name_and_another_type_are_apart() -> None:
    found = hear(
        Conversation(),
        (">", [asked(1, "tools/list"), asked("1", "prompts/list")]),
        ("<", [answered("1", result={"prompts": []}), answered(1, result={"tools": []})]),
    )
    assert [each.call.method for each in found] == ["prompts/list", "tools/list"]


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ({"error": {"code": -32602, "message": "no"}}, {"code": -32602, "message": "no"}),
        ({"result": 7}, {"code": -32603, "message": "neither a result nor an error"}),
    ],
)
def test_a_refusal_is_recorded_as_one(told: dict[str, Any], error: dict[str, Any]) -> None:
    [found] = hear(Conversation(), (">", asked(1, "tools/list")), ("<", answered(1, **told)))
    assert (found.call.result, found.call.error) == (None, error)


def test_tools_that_say_so_only_read_from_then_on() -> None:
    reader = {"name": "get", "annotations": {"readOnlyHint": True}}
    found = hear(
        Conversation(),
        (">", asked(1, "tools/call", name="get")),
        ("<", answered(1, result={})),
        (">", asked(2, "tools/list")),
        ("<", answered(2, result={"tools": [reader, {"name": "put"}, 3]})),
        (">", asked(3, "tools/call", name="get")),
        ("<", answered(3, result={})),
        (">", asked(4, "tools/call", name="put")),
        ("<", answered(4, result={})),
    )
    assert [each.reads for each in found] == [False, True, True, False]


def test_what_has_no_answer_is_named() -> None:
    conversation = Conversation()
    found = hear(
        conversation,
        (">", asked(1, "tools/call", name="a")),
        (">", asked(2, "tools/list")),
        (">", asked(3, "ping")),
        (">", note("cancelled", requestId=1)),
        ("<", answered(1, result={})),
        ("<", "no object"),
        (">", None),
    )
    conversation.end("the client left")
    assert found == []
    assert conversation.unanswered == [
        ("tools/call", "it was cancelled"),
        ("tools/list", "the client left"),
    ]


def test_no_client_makes_it_grow_without_end() -> None:
    conversation = Conversation()
    for number in range(1500):
        conversation.hear_client(asked(number, "tools/list"), 0.0)
        conversation.hear_client(answered(number, result={}), 0.0)
    conversation.end("the end")
    assert len(conversation.unanswered) == 1000
