import json

from harness.agents.adk_events import read_events
from harness.agents.chat_completions import ChatChunks, read_completion
from harness.demo.sre.agent import Reply
from harness.demo.sre.toolbox import Use
from harness.demo.sre.wire import adk_events, as_json, chat_chunks, chat_completion

USES = (Use("look", {"n": 1}, result={"found": 2}), Use("ask", {}, "error", {"error": "denied"}))
REPLY = Reply("It is well.", USES)


def test_each_form_says_the_same() -> None:
    chunks = ChatChunks()
    for chunk in chat_chunks(REPLY):
        chunks.take(1, json.dumps(chunk))
    read = [
        read_events(adk_events(REPLY), turn=1, prompt="?"),
        read_completion(chat_completion(REPLY), turn=1, prompt="?"),
        chunks.reply(turn=1, prompt="?"),
    ]
    assert {reply.text.strip() for reply in read} == {"It is well."}
    assert [[(call.name, call.args) for call in reply.tool_calls] for reply in read] == [
        [("look", {"n": 1}), ("ask", {})]
    ] * 3
    assert [call.status for call in read[0].tool_calls] == ["ok", "error"]


def test_a_list_is_an_object_in_an_event_and_no_call_is_no_list() -> None:
    event = adk_events(Reply("x", (Use("look", {}, result="12:00"),)))[1]
    response = event["content"]["parts"][0]["functionResponse"]["response"]
    assert response == {"result": "12:00"}
    assert "tool_calls" not in chat_completion(Reply("x"))["choices"][0]["message"]


def test_the_command_tells_rounds() -> None:
    assert as_json(REPLY)["rounds"] == 3
