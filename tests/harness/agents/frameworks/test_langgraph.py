from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from harness.agents.frameworks.langgraph import _content, connect, recognises
from tests.stand_ins import StandIn, said

MESSAGES = {"properties": {"messages": {"type": "array"}}}


class StateGraph:
    def compile(self) -> "Graph":
        return Graph()


def ai(text: str, *calls: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(
        type="ai",
        text=text,
        tool_calls=list(calls),
        invalid_tool_calls=[],
        usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
        response_metadata={"finish_reason": "stop"},
    )


class Graph:
    """What a compiled graph does, as far as the adapter sees it."""

    def __init__(self, schema: Any = None, checkpointer: Any = None, steps: Any = None) -> None:
        self.schema = schema or MESSAGES
        self.checkpointer = checkpointer
        self.steps = steps
        self.inputs: list[Any] = []

    def get_input_jsonschema(self) -> Any:
        return self.schema

    async def ainvoke(self, given: Any, config: Any) -> Any:
        self.inputs.append(given)
        [watch] = config["callbacks"]
        return await self.steps(given, watch)


@pytest.fixture(autouse=True)
def langchain(stand_in: StandIn) -> None:
    stand_in("langchain_core.callbacks", AsyncCallbackHandler=type("AsyncCallbackHandler", (), {}))
    stand_in("langgraph.graph", StateGraph=StateGraph)
    stand_in("langgraph.pregel.protocol", PregelProtocol=Graph)


async def speak(watch: Any, message: Any) -> None:
    generation = SimpleNamespace(message=message)
    await watch.on_llm_end(SimpleNamespace(generations=[[generation, SimpleNamespace()]]))


async def with_tools(given: Any, watch: Any) -> Any:
    asked = ai(
        "",
        {"id": "c1", "name": "weather", "args": {"city": "Bonn"}},
        {"id": "c2", "name": "weather", "args": {"city": "Nowhere"}},
        {"id": "c3", "name": "unknown", "args": {}},
    )
    await speak(watch, asked)
    first, second, own, lost = uuid4(), uuid4(), uuid4(), uuid4()
    start = watch.on_tool_start
    await start({"name": "weather"}, "", run_id=first, tool_call_id="c1")
    await start({"name": "weather"}, "", run_id=second)
    blocks = [{"type": "text", "text": '{"degrees": 12}'}]
    await watch.on_tool_end(SimpleNamespace(content=blocks), run_id=first)
    await watch.on_tool_error(ValueError("no such city"), run_id=second)
    await start({"name": "log"}, "x", run_id=own)
    failed = SimpleNamespace(content="{broken", status="error")
    await watch.on_tool_end(failed, run_id=own)
    await watch.on_tool_end("", run_id=lost)
    await watch.on_tool_error(ValueError(), run_id=lost)
    last = ai("12 degrees.")
    await speak(watch, last)
    return {"messages": [*given["messages"], asked, last]}


async def test_tool_calls_are_those_that_callbacks_tell() -> None:
    graph = Graph(steps=with_tools)
    converse = connect(graph)
    reply = await converse(said("How warm is it?"), {})
    calls = [
        (each["name"], each["args"], each["status"], each.get("result"))
        for each in reply["toolCalls"]
    ]
    assert calls == [
        ("weather", {"city": "Bonn"}, "ok", {"degrees": 12}),
        ("weather", {"city": "Nowhere"}, "error", "ValueError: no such city"),
        ("unknown", {}, "unknown", None),
        ("log", {"input": "x"}, "error", "{broken"),
    ]
    assert [each["step"] for each in reply["toolCalls"]] == [0, 0, 0, 1]
    assert (reply["text"], reply["rounds"], reply["finish"]) == ("12 degrees.", 2, "stop")
    assert reply["usage"] == {"input_tokens": 6, "output_tokens": 4}
    await converse(said("Thanks."), {})
    assert len(graph.inputs[1]["messages"]) == 4


async def test_a_graph_with_a_checkpointer_remembers_by_itself() -> None:
    graph = Graph(checkpointer=object(), steps=with_tools)
    converse = connect(graph)
    await converse(said("How warm is it?"), {})
    await converse(said("Thanks."), {})
    assert graph.inputs[1] == {"messages": said("Thanks.")}


@pytest.mark.parametrize(
    ("state", "text", "metadata"),
    [
        pytest.param({"answer": "Bonn."}, "Bonn.", None, id="answer"),
        pytest.param({"city": "Bonn"}, '{"city": "Bonn"}', None, id="any state"),
        pytest.param("Bonn.", "Bonn.", None, id="no state"),
        pytest.param({"messages": []}, "", None, id="no words"),
        pytest.param(
            {"messages": [], "structured_response": {"a": 1}}, "", {"a": 1}, id="structured"
        ),
    ],
)
async def test_a_graph_of_another_state_gets_the_prompt_as_its_text(
    state: Any, text: str, metadata: Any
) -> None:
    async def steps(_given: Any, _watch: Any) -> Any:
        return state

    schema = {"properties": {"question": {"type": "string"}, "n": {"type": "integer"}}}
    graph = Graph(schema, steps=steps)
    reply = await connect(graph)(said("Where?"), {})
    assert graph.inputs == [{"question": "Where?"}]
    assert (reply["text"], reply.get("metadata")) == (text, metadata)


def test_a_graph_without_a_place_for_a_prompt_is_refused() -> None:
    with pytest.raises(TypeError, match="its input has n: a prompt goes into 'messages'"):
        connect(Graph({"properties": {"n": {"type": "integer"}}}))


async def test_what_was_done_before_an_error_is_handed_over() -> None:
    async def steps(given: Any, watch: Any) -> Any:
        await with_tools(given, watch)
        raise RuntimeError("recursion limit")

    with pytest.raises(RuntimeError) as failed:
        await connect(Graph(steps=steps))(said("Go."), {})
    partial = failed.value.understudy_partial  # type: ignore[attr-defined]
    assert (partial["text"], len(partial["toolCalls"])) == ("12 degrees.", 4)


def test_a_graph_may_be_compiled_or_not() -> None:
    assert recognises(Graph())
    assert recognises(StateGraph())
    assert not recognises(connect)
    assert connect(StateGraph())


@pytest.mark.parametrize(
    ("output", "content"),
    [
        ("plain", "plain"),
        ("12", "12"),
        ('{"a": 1}', {"a": 1}),
        (" [1]", [1]),
        ("{no", "{no"),
        (SimpleNamespace(content='{"a": 1}'), {"a": 1}),
        ([{"text": "a"}, {"text": "b"}, {}], "a\nb\n"),
        ([{"text": "a"}, "b"], [{"text": "a"}, "b"]),
        (7, 7),
        (None, None),
    ],
)
def test_what_a_tool_gave_is_its_content(output: Any, content: Any) -> None:
    assert _content(output) == content
