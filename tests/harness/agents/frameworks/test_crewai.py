from types import SimpleNamespace
from typing import Any

import pytest

from harness.agents.frameworks.crewai import connect, recognises
from tests.stand_ins import StandIn, said


class Bus:
    def __init__(self) -> None:
        self.handlers: dict[Any, Any] = {}

    def register_handler(self, kind: Any, handler: Any) -> None:
        self.handlers[kind] = handler

    def off(self, kind: Any, _handler: Any) -> None:
        del self.handlers[kind]

    def flush(self) -> None:
        self.flushed = True

    def emit(self, kind: str, number: int | None, **fields: Any) -> None:
        event = SimpleNamespace(type=kind, emission_sequence=number, timestamp=number, **fields)
        next(iter(self.handlers.values()))(None, event)


BUS = Bus()


class Crew:
    def __init__(self, *inputs: str, output: Any = None) -> None:
        self.inputs = set(inputs)
        self.output = output or SimpleNamespace(raw="12 degrees.", pydantic=None, json_dict=None)
        self.asked: list[Any] = []

    def fetch_inputs(self) -> set[str]:
        return self.inputs

    async def kickoff_async(self, asked: Any) -> Any:
        self.asked.append(asked)
        ends = {"tool_name": "look", "tool_args": {"city": "Oslo"}}
        BUS.emit("tool_usage_finished", 3, output='{"degrees": 12}', started_event_id="e2", **ends)
        used = {"prompt_tokens": 3, "completion_tokens": 2}
        BUS.emit("llm_call_completed", 1, usage=used, finish_reason="tool_calls")
        BUS.emit("tool_usage_started", 2, event_id="e2", **ends)
        BUS.emit("tool_usage_started", 4, event_id="e4", **ends)
        BUS.emit("tool_usage_error", 5, error=ValueError("no city"), **ends)
        BUS.emit("tool_usage_error", 6, error="nothing was begun", **ends)
        BUS.emit("llm_call_completed", 7, usage=None, finish_reason="stop")
        BUS.emit("tool_usage_started", 8, event_id="e8", **ends)
        if isinstance(self.output, Exception):
            raise self.output
        return self.output


class Agent(Crew):
    pass


class People:
    is_crew_class = True

    def crew(self) -> Crew:
        return Crew("topic")


@pytest.fixture(autouse=True)
def crewai(stand_in: StandIn) -> None:
    kinds = ("LLMCallCompletedEvent", "ToolUsageErrorEvent", "ToolUsageFinishedEvent")
    events: dict[str, Any] = dict.fromkeys((*kinds, "ToolUsageStartedEvent"), object)
    events |= {name: name for name in events}
    stand_in("crewai", Agent=Agent, Crew=Crew)
    stand_in("crewai.events", crewai_event_bus=BUS, **events)


async def test_tool_calls_are_those_of_the_event_bus() -> None:
    crew = Crew("topic")
    reply = await connect(crew)(said("How warm?"), {})
    look = {"name": "look", "args": {"city": "Oslo"}}
    assert reply["toolCalls"] == [
        {"id": "e2", **look, "step": 0, "status": "ok", "result": {"degrees": 12}},
        {"id": "e4", **look, "step": 0, "status": "error", "result": "no city"},
        {"id": "e8", **look, "step": 1, "status": "unknown"},
    ]
    assert (reply["text"], reply["rounds"], reply["finish"]) == ("12 degrees.", 2, "stop")
    assert reply["usage"] == {"input_tokens": 3, "output_tokens": 2}
    assert crew.asked == [{"topic": "How warm?"}]
    assert BUS.handlers == {}


async def test_a_crew_may_take_what_was_said_before() -> None:
    crew = Crew("question", "history")
    messages = [*said("How warm?"), {"role": "assistant", "content": "12."}, *said("And wet?")]
    await connect(crew)(messages, {})
    assert crew.asked == [{"question": "And wet?", "history": "user: How warm?\nassistant: 12."}]


async def test_an_agent_gets_the_messages() -> None:
    agent = Agent()
    await connect(agent)(said("How warm?"), {})
    assert agent.asked == [said("How warm?")]


class Degrees:
    def model_dump(self, mode: str) -> dict[str, str]:
        return {"b": mode}


@pytest.mark.parametrize(
    ("output", "text", "metadata"),
    [
        (SimpleNamespace(raw="12", pydantic=None, json_dict={"a": 1}), "12", {"a": 1}),
        (
            SimpleNamespace(
                raw="12", pydantic=SimpleNamespace(model_dump=lambda mode: {"b": mode})
            ),
            "12",
            {"b": "json"},
        ),
        ("12 degrees.", "12 degrees.", None),
    ],
)
async def test_an_output_is_a_text_and_a_structured_answer(
    output: Any, text: str, metadata: Any
) -> None:
    reply = await connect(Crew("topic", output=output))(said("Go."), {})
    assert (reply["text"], reply.get("metadata")) == (text, metadata)


@pytest.mark.parametrize("inputs", [(), ("city", "topic")])
def test_a_crew_without_one_input_is_refused(inputs: tuple[str, ...]) -> None:
    with pytest.raises(TypeError, match=", ".join(inputs) or "none"):
        connect(Crew(*inputs))


async def test_what_was_done_before_an_error_is_handed_over() -> None:
    with pytest.raises(RuntimeError) as failed:
        await connect(Crew("topic", output=RuntimeError("no model")))(said("Go."), {})
    assert len(failed.value.understudy_partial["toolCalls"]) == 3  # type: ignore[attr-defined]


async def test_crews_are_told_from_other_things() -> None:
    assert recognises(Crew())
    assert recognises(Agent())
    assert recognises(People())
    assert not recognises(People)
    assert not recognises(said)
    reply = await connect(People())(said("Go."), {})
    assert reply["text"] == "12 degrees."
