"""Against a server that answers what a real one did; `tests/clients` has the real one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from harness.agents import (
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
    agent_url,
    build_driver,
    starts_program,
)
from harness.agents.langgraph_server import RunReader
from harness.errors import HarnessError
from harness.model import Case, Reply, Turn
from tests.asgi_servers import served as serve
from tests.patience import until
from tests.ports import free_port

MakeTask = Callable[..., Task]
TEXT = {"type": "string"}


@dataclass
class Platform:
    """A server with two assistants; runs do what their prompt says."""

    url: str = ""
    assistants: list[dict[str, str]] = field(default_factory=list)
    schema: Any = None
    thread: Any = field(default_factory=dict)
    runs: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    async def search(self, _request: Request) -> Response:
        return JSONResponse(self.assistants)

    async def schemas(self, _request: Request) -> Response:
        return JSONResponse({"input_schema": self.schema})

    async def threads(self, _request: Request) -> Response:
        return JSONResponse(self.thread)

    async def cancel(self, request: Request) -> Response:
        self.cancelled.append(request.path_params["run"])
        return Response("not JSON", 202)

    async def run(self, request: Request) -> Response:
        asked = await request.json()
        self.runs.append(asked)
        self.headers.append(dict(request.headers))
        if "422" in str(asked):
            return JSONResponse({"detail": "no such field"}, 422)
        return StreamingResponse(self.events(asked), media_type="text/event-stream")

    async def events(self, asked: Any) -> AsyncIterator[bytes]:
        def event(name: str, value: Any) -> bytes:
            return f"event: {name}\r\ndata: {json.dumps(value)}\r\n\r\n".encode()

        yield event("metadata", {"run_id": "r1"})
        if "resume" in asked.get("command", {}):
            yield event("values", {"answer": f"{asked['command']['resume']}"})
            return
        prompt = asked["input"].get("question") or asked["input"]["messages"][0]["content"]
        if prompt == "hang":
            await asyncio.Event().wait()
        if prompt == "crash":
            yield event("error", {"error": "ValueError", "message": "no city"})
        if prompt in {"ask", "ask twice"}:
            waiting = [{"id": "i1", "value": "Who?"}, {"id": "i2", "value": "When?"}]
            few = waiting[: 1 if prompt == "ask" else 2]
            yield event("updates", {"__interrupt__": few})
            return
        message = {"type": "ai", "id": "m", "content": f"About {prompt}."}
        yield event("updates", {"ask": {"messages": [message]}})
        yield event("values", {"messages": [message]})


@pytest.fixture(scope="module")
def running() -> Iterator[Platform]:
    port, platform = free_port(), Platform()
    post = ["POST"]
    routes = [
        Route("/assistants/search", platform.search, methods=post),
        Route("/assistants/{id}/schemas", platform.schemas),
        Route("/threads", platform.threads, methods=post),
        Route("/threads/t/runs/stream", platform.run, methods=post),
        Route("/threads/t/runs/{run}/cancel", platform.cancel, methods=post),
    ]
    platform.url = f"http://127.0.0.1:{port}"
    with serve(Starlette(routes=routes), port):
        yield platform


@pytest.fixture
def platform(running: Platform) -> Platform:
    running.assistants = [
        {"assistant_id": "a1", "graph_id": "agent", "name": "agent"},
        {"assistant_id": "b1", "graph_id": "other", "name": "Other"},
    ]
    running.schema, running.thread = {"properties": {"messages": {}}}, {"thread_id": "t"}
    for seen in (running.runs, running.headers, running.cancelled):
        seen.clear()
    return running


async def converse(
    url: str, task: Task, transcript: Transcript | None = None, **options: Any
) -> list[Reply]:
    transcript = transcript or Transcript()
    driver = build_driver(f"langgraph:{url}", DriverOptions(**options))
    try:
        await driver.converse(task, transcript)
    finally:
        await driver.close()
    return transcript.replies


@pytest.mark.parametrize(("name", "id"), [("agent", "a1"), ("Other", "b1"), ("b1", "b1")])
async def test_turns_are_runs_on_one_thread(
    platform: Platform, make_task: MakeTask, name: str, id: str
) -> None:
    case = Case(id="A", turns=(Turn(user="a"),), variables={"user_id": "u1"})
    task = make_task("trains", "boats", case=case, session="s1", token="t1", env={"A": "b"})
    transcript = Transcript()
    url = f"{platform.url}/?assistant={name}"
    one, other = await converse(url, task, transcript)
    assert (one.text, other.text) == ("About trains.", "About boats.")
    assert one.duration_ms >= (one.first_byte_ms or 0) > 0
    assert transcript.startup_ms > 0
    assert [each["assistant_id"] for each in platform.runs] == [id, id]
    assert platform.runs[1]["input"]["messages"] == [{"role": "user", "content": "boats"}]
    configurable = platform.runs[0]["config"]["configurable"]
    assert configurable == {"user_id": "u1", "mock_session": "s1", "mock_env": {"A": "b"}}
    assert platform.headers[0]["x-mock-session"] == "s1"
    assert platform.headers[0]["authorization"] == "Bearer t1"


@pytest.mark.parametrize(
    ("asking", "answer", "resumed"),
    [
        ("ask", "Bea", "Bea"),
        ("ask", '{"decisions": [1]}', {"decisions": [1]}),
        ("ask", "{Bea}", "{Bea}"),
        ("ask twice", "Bea", {"i1": "Bea", "i2": "Bea"}),
    ],
)
async def test_an_interrupt_goes_on_with_the_next_turn(
    platform: Platform, make_task: MakeTask, asking: str, answer: str, resumed: Any
) -> None:
    platform.assistants = platform.assistants[:1]
    platform.schema = {"properties": {"question": TEXT, "n": {}}, "required": ["question"]}
    asked, done = await converse(platform.url, make_task(asking, answer))
    assert asked.text.startswith("Who?")
    assert (asked.finish, done.text) == ("input-required", str(resumed))
    assert platform.runs[1]["command"] == {"resume": resumed}


async def test_the_url_may_name_the_input(platform: Platform, make_task: MakeTask) -> None:
    platform.schema = None
    url = f"{platform.url}?assistant=agent&input=question"
    await converse(url, make_task("trains"))
    assert platform.runs[0]["input"] == {"question": "trains"}


async def test_a_trial_that_is_stopped_cancels_the_run(
    platform: Platform, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.agents.langgraph_server import RunReader

    runs: list[str] = []
    take = RunReader.take

    def note(reader: RunReader, name: str, line: int, data: str) -> None:
        take(reader, name, line, data)
        runs.append(reader.run)

    monkeypatch.setattr(RunReader, "take", note)
    url = f"{platform.url}?assistant=agent"
    going = asyncio.ensure_future(converse(url, make_task("hang")))
    await until(lambda: runs)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert platform.cancelled == ["r1"]


FAILURES = [
    ("?assistant=agent", "crash", {}, AgentFailedError, "the run failed: ValueError: no city"),
    ("?assistant=agent", "422", {}, AgentFailedError, "HTTP 422: .*no such field"),
    ("?assistant=x", "a", {}, AgentUnreachableError, "no assistant 'x'; it has agent, other"),
    ("", "a", {}, AgentUnreachableError, "has these assistants: agent, other:"),
    ("", "a", {"assistants": []}, AgentUnreachableError, "has these assistants: none:"),
    ("", "a", {"assistants": {}}, AgentFailedError, "no list of assistants"),
    ("?assistant=agent", "a", {"thread": []}, AgentFailedError, "a thread without an id"),
    ("?assistant=agent", "a", {"schema": {"properties": {"n": {}}}}, AgentFailedError, "has n: a"),
    ("/elsewhere", "a", {}, AgentUnreachableError, "/elsewhere/assistants/search: HTTP 404"),
]


@pytest.mark.parametrize(("rest", "prompt", "more", "kind", "said"), FAILURES)
async def test_what_goes_wrong_is_told(
    platform: Platform,
    make_task: MakeTask,
    rest: str,
    prompt: str,
    more: dict[str, Any],
    kind: type[Exception],
    said: str,
) -> None:
    for name, value in more.items():
        setattr(platform, name, value)
    with pytest.raises(kind, match=said):
        await converse(platform.url + rest, make_task(prompt), retries=0)


async def test_what_a_run_did_before_it_failed_is_kept(
    platform: Platform, make_task: MakeTask
) -> None:
    transcript = Transcript()
    with pytest.raises(AgentFailedError):
        await converse(f"{platform.url}?assistant=agent", make_task("crash"), transcript)
    assert [each.prompt for each in transcript.replies] == ["crash"]


async def test_a_reply_has_a_limit(platform: Platform, make_task: MakeTask) -> None:
    url = f"{platform.url}?assistant=agent"
    with pytest.raises(AgentFailedError, match="longer than 20 bytes"):
        await converse(url, make_task("a"), max_reply_bytes=20)


async def test_nobody_at_the_url_is_unreachable(make_task: MakeTask) -> None:
    with pytest.raises(AgentUnreachableError, match=r"/assistants/search: .*connection"):
        await converse(f"http://127.0.0.1:{free_port()}", make_task("a"), retries=0)


def test_a_url_is_a_server_and_anything_else_a_graph() -> None:
    assert agent_url("langgraph:http://localhost:2024") == "http://localhost:2024"
    assert not starts_program("langgraph:http://localhost:2024")
    assert starts_program("langgraph:my_agent:graph")
    with pytest.raises(HarnessError, match="is no URL"):
        build_driver("langgraph:http://", DriverOptions())


ASKED = {
    "type": "ai",
    "id": "m1",
    "content": "",
    "tool_calls": [{"name": "look", "args": {"city": "Oslo"}, "id": "1"}],
    "invalid_tool_calls": [{"name": "look", "args": "{", "id": "2"}],
    "usage_metadata": {"input_tokens": 3, "output_tokens": 2},
    "response_metadata": {"finish_reason": "tool_calls"},
}
LOOKED = {"type": "tool", "name": "look", "tool_call_id": "1", "content": '{"degrees": 12}'}
FAILED = {"type": "tool", "tool_call_id": "2", "content": [{"text": "no"}], "status": "error"}
SAID = {"type": "ai", "id": "m2", "content": [{"type": "text", "text": "12 degrees."}]}


def read(*events: tuple[str, Any]) -> Reply:
    reader = RunReader()
    for line, (name, value) in enumerate(events, start=1):
        reader.take(name, line, json.dumps(value))
    return reader.reply(turn=1, prompt="How warm?")


def test_messages_of_nodes_are_tool_calls_and_rounds() -> None:
    reply = read(
        ("metadata", {"run_id": "r"}),
        ("updates|tools:1", {"ask": {"messages": [ASKED]}}),
        ("updates", {"ask": {"messages": [ASKED]}}),
        ("updates", {"tools": [{"messages": [LOOKED]}, {"messages": [FAILED]}]}),
        ("updates", {"ask": {"messages": SAID}}),
        ("values|tools:1", {"messages": []}),
        ("values", {"messages": [ASKED, SAID], "structured_response": {"degrees": 12}}),
        ("custom", "working"),
    )
    calls = [(each.name, each.args, each.status, each.result) for each in reply.tool_calls]
    assert calls == [
        ("look", {"city": "Oslo"}, "ok", {"degrees": 12}),
        ("look", "{", "error", "no"),
    ]
    assert (reply.text, reply.rounds, reply.finish) == ("12 degrees.", 2, "")
    assert reply.metadata == {"degrees": 12}
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3, 2)


@pytest.mark.parametrize(
    ("events", "text"),
    [
        pytest.param([("values", {"question": "a", "answer": "b"})], "b", id="an answer"),
        pytest.param([("values", {"a": 1, "__interrupt__": []})], '{"a": 1}', id="a state"),
        pytest.param([("values", {})], "", id="an empty state"),
        pytest.param([("values", [1])], "", id="no object"),
        pytest.param([("updates", None), ("updates", {"a": None})], "", id="nothing"),
        pytest.param([("updates", {"a": {"m": {"type": "ai", "content": "b"}}})], "b", id="no id"),
        pytest.param(
            [("updates", {"a": {"m": SAID}}), ("values", {"a": 1})], "12 degrees.", id="no messages"
        ),
    ],
)
def test_the_text_is_the_last_word_or_the_answer_in_the_state(events: Any, text: str) -> None:
    assert read(*events).text == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Who asks?", "Who asks?"),
        ({"question": "Who?", "id": 1}, "Who?"),
        ({"tool": "book"}, '{"tool": "book"}'),
    ],
)
def test_an_interrupt_is_a_question(value: Any, text: str) -> None:
    waiting = {"__interrupt__": [{"id": "i1", "value": value}]}
    reply = read(("updates|a", waiting), ("updates", waiting), ("values", waiting))
    assert (reply.text, reply.finish) == (text, "input-required")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("error", '{"error": "ValueError", "message": "no city"}', "ValueError: no city"),
        ("error", '"gone"', "gone"),
        ("values", "{", "line 7: "),
    ],
)
def test_a_run_that_fails_is_told(name: str, data: str, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        RunReader().take(name, 7, data)
