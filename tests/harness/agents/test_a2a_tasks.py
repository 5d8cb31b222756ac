from typing import Any

import pytest

from harness.agents.a2a_tasks import TaskReader
from harness.model import Reply


def read(*events: Any) -> Reply:
    reader = TaskReader()
    for event in events:
        reader.take(event)
    return reader.reply(turn=1, prompt="Go.")


def status(state: str, text: str = "", **more: Any) -> dict[str, Any]:
    message = {"message": {"role": "ROLE_AGENT", "parts": [{"text": text}]}} if text else {}
    update = {"taskId": "t", "contextId": "c", "status": {"state": f"TASK_STATE_{state}"} | message}
    return {"statusUpdate": update | more}


def artifact(*parts: Any, id: str = "a", **more: Any) -> dict[str, Any]:
    return {
        "artifactUpdate": {"taskId": "t", "artifact": {"artifactId": id, "parts": [*parts]}} | more
    }


TEXTS = [
    pytest.param([{"message": {"parts": [{"text": "a"}, {"text": "b"}]}}], "a\nb", id="a message"),
    pytest.param(
        [status("WORKING", "Hm."), status("COMPLETED", "Done.")], "Done.", id="last words"
    ),
    pytest.param([status("WORKING", "12."), status("COMPLETED")], "12.", id="words before the end"),
    pytest.param(
        [artifact({"text": "A"}), status("COMPLETED", "Done.")],
        "A\n\nDone.",
        id="an artifact first",
    ),
    pytest.param(
        [artifact({"text": "Same."}), status("COMPLETED", "Same.")], "Same.", id="the same twice"
    ),
    pytest.param(
        [
            artifact({"text": "1"}),
            artifact({"text": "2"}, append=True),
            artifact({"text": "3"}, id="b"),
        ],
        "12\n\n3",
        id="pieces",
    ),
    pytest.param(
        [artifact({"text": "1"}), artifact({"data": {}}, append=True), artifact({"text": "2"})],
        "2",
        id="an artifact that is made again",
    ),
    pytest.param(
        [artifact({"url": "https://example.com/a.pdf"})], "https://example.com/a.pdf", id="a file"
    ),
    pytest.param(
        [
            {
                "message": {
                    "parts": [{"text": "hm", "metadata": {"adk_thought": True}}, {"text": "a"}]
                }
            }
        ],
        "a",
        id="a thought",
    ),
    pytest.param(
        [{"artifactUpdate": {"taskId": "t", "artifact": None}}, {"new": 1}], "", id="nothing"
    ),
    pytest.param(
        [
            {
                "task": {
                    "id": "t",
                    "status": {"state": "TASK_STATE_COMPLETED"},
                    "history": [
                        {"role": "ROLE_USER", "parts": [{"text": "Go."}]},
                        {"role": "ROLE_AGENT", "parts": [{"text": "Gone."}]},
                    ],
                }
            }
        ],
        "Gone.",
        id="history",
    ),
]


@pytest.mark.parametrize(("events", "text"), TEXTS)
def test_the_text_is_that_of_artifacts_and_of_the_last_message(
    events: list[Any], text: str
) -> None:
    assert read(*events).text == text


def test_data_is_the_structured_answer() -> None:
    found = read(artifact({"data": {"a": 1}}), artifact({"data": {"b": 2}}, {"data": [3]}, id="b"))
    assert found.metadata == {"a": 1, "b": 2}
    assert read(artifact({"text": "a"})).metadata is None


def test_what_agents_of_adk_say_of_tools_are_tool_calls() -> None:
    def part(kind: str, **data: Any) -> dict[str, Any]:
        return {"data": data, "metadata": {"adk_type": kind}}

    used = {"adk_usage_metadata": {"promptTokenCount": 7, "candidatesTokenCount": 2}}
    working = status("WORKING", metadata=used)
    working["statusUpdate"]["status"]["message"] = {
        "parts": [
            part("function_call", id="1", name="weather", args={"city": "Oslo"}),
            part("function_response", id="1", name="weather", response={"result": 12}),
            part("function_call", id="2", name="tides", args=None),
            part("function_response", id="2", name="tides", response={"error": "no sea"}),
            part("function_call", name="stars", args={}),
            part("code_execution_result", output="1"),
        ]
    }
    reply = read(working, status("COMPLETED", "12 degrees."))
    calls = [(each.name, each.args, each.status) for each in reply.tool_calls]
    assert calls == [
        ("weather", {"city": "Oslo"}, "ok"),
        ("tides", {}, "error"),
        ("stars", {}, "unknown"),
    ]
    assert reply.reports_calls
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 2)
    assert reply.metadata is None
    assert not read(status("COMPLETED", "12 degrees.")).reports_calls


@pytest.mark.parametrize(
    ("state", "is_open"),
    [("SUBMITTED", True), ("WORKING", True), ("INPUT_REQUIRED", False), ("COMPLETED", False)],
)
def test_a_task_is_open_while_the_agent_works(state: str, is_open: bool) -> None:
    reader = TaskReader()
    reader.take(status(state))
    assert (reader.is_open, reader.task, reader.context) == (is_open, "t", "c")
