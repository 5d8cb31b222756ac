"""Messages as frameworks write them, read as a whole."""

from typing import Any

import pytest

from mockserver.traces.chat_messages import ChatMessage, MessageCall, MessageResult, read_chat

USER = {"role": "user", "content": "Hello"}
HELLO, BRIEF = ChatMessage("user", "Hello"), ChatMessage("system", "Be\nbrief.")
PARTS = [{"type": "text", "text": "Be"}, {"text": "brief."}]
ROW = {"text": "x", **dict.fromkeys("abcd", 1)}
LOOK = {"name": "look", "arguments": "{}"}


def gave(value: Any, id: str = "c", name: str = "", *, failed: bool = False) -> ChatMessage:
    return ChatMessage("tool", results=(MessageResult(id, name, value, failed),))


def asked(*calls: MessageCall, text: str = "") -> ChatMessage:
    return ChatMessage("assistant", text, calls)


def tool_result(output: Any) -> dict[str, Any]:
    part = {"type": "tool-result", "toolCallId": "c", "toolName": "look", "output": output}
    return {"role": "tool", "content": [part]}


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ({"role": "tool", "tool_call_id": "c", "name": "look", "content": "12 degrees"},
         [gave("12 degrees", name="look")]),
        ({"role": "tool", "tool_call_id": "c", "content": '{"a": 1}'}, [gave({"a": 1})]),
        ({"role": "tool", "tool_call_id": "c", "content": [{"name": "a"}]},
         [gave([{"name": "a"}])]),
        ({"role": "tool", "tool_call_id": "c", "content": [ROW]}, [gave([ROW])]),
        ({"role": "tool", "tool_call_id": "c", "content": PARTS}, [gave("Be\nbrief.")]),
        (tool_result({"type": "json", "value": {"a": 1}}), [gave({"a": 1}, name="look")]),
        (tool_result({"type": "error-text", "value": "no"}),
         [gave("no", name="look", failed=True)]),
        ({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c", "is_error": True,
             "content": [{"type": "text", "text": '{"a": 1}'}]},
            {"type": "text", "text": "Why?"}]},
         [ChatMessage("user", "Why?", (), (MessageResult("c", "", {"a": 1}, failed=True),))]),
        ({"role": "assistant", "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c", "name": "look", "input": {}}],
          "tool_calls": [{"id": "c", "function": LOOK}, {"id": "d", "function": LOOK}]},
         [asked(MessageCall("look", {}, "c"), MessageCall("look", {}, "d"), text="I look.")]),
        ({"role": "assistant", "content": None,
          "function_call": {"name": "look", "arguments": "no JSON"}},
         [asked(MessageCall("look", "no JSON"))]),
        ({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}]},
         [asked(text="Yes.")]),
        ({"role": "assistant", "content": ""}, []),
        ({"system": PARTS, "messages": [USER]}, [BRIEF, HELLO]),
        ({"instructions": PARTS, "input": [USER]}, [BRIEF, HELLO]),
        ({"system": "", "messages": [USER]}, [HELLO]),
        ({"contents": [
            {"role": "model", "parts": [
                {"text": "I look."}, {"functionCall": {"name": "look", "args": {"n": 1}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "look", "response": {"a": 1}}}]}]},
         [asked(MessageCall("look", {"n": 1}), text="I look."), gave({"a": 1}, "", "look")]),
        ([{"type": "function_call", "call_id": "c", "id": "x", **LOOK},
          {"type": "function_call_output", "call_id": "c", "output": "ok"}],
         [asked(MessageCall("look", {}, "c")), gave("ok")]),
    ],
)  # fmt: skip
def test_messages_are_read_in_whole(value: Any, messages: list[ChatMessage]) -> None:
    assert read_chat(value) == messages
