import json

from harness.demo.agent import Reply
from harness.demo.answers import Answer
from harness.demo.investigation import ToolUse
from harness.demo.stream import events, parts

REPLY = Reply(
    Answer("It is " + "so " * 100, evidence=["a"]),
    (
        ToolUse("listOrgUnits", {}, "ok", 0, {"orgUnits": []}),
        ToolUse("listDLPRules", {"x": 1}, "error", 1, {"error": "No.", "status": 403}),
    ),
)


def test_each_tool_is_a_step_and_the_text_is_the_last() -> None:
    kinds = [part["type"] for part in parts(REPLY)]
    tool = ["start-step", "tool-input-available", "tool-output-available", "finish-step"]
    failed = [*tool[:2], "tool-output-error", tool[3]]
    assert kinds[:9] == ["start", *tool, *failed]
    assert kinds[9:11] == ["start-step", "text-start"]
    assert kinds[-4:] == ["text-end", "finish-step", "message-metadata", "finish"]


def test_the_pieces_are_the_text() -> None:
    pieces = [part["delta"] for part in parts(REPLY) if part["type"] == "text-delta"]
    assert len(pieces) > 1
    assert "".join(pieces) == REPLY.answer.text()


def test_events_are_data_lines_up_to_done() -> None:
    sent = list(events(REPLY))
    assert all(line.startswith("data: ") and line.endswith("\n\n") for line in sent)
    assert json.loads(sent[0].removeprefix("data: ")) == {"type": "start"}
    assert sent[-1] == "data: [DONE]\n\n"
