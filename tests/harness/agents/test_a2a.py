"""Against servers that the official SDK makes."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from a2a.helpers import new_task_from_user_message, new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part
from a2a.utils.errors import InternalError, VersionNotSupportedError
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from harness.agents import (
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
    build_driver,
)
from harness.agents.a2a import TaskReader
from harness.agents.protocol import AgentDriver
from harness.errors import HarnessError
from harness.model import Reply
from tests.asgi_servers import served as serve
from tests.patience import until
from tests.ports import free_port

MakeTask = Callable[..., Task]


@dataclass
class Agent(AgentExecutor):  # type: ignore[misc]
    """Does what its prompt says, by the SDK's own means."""

    headers: list[dict[str, str]] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    async def execute(self, context: Any, event_queue: Any) -> Any:
        self.headers.append(context.call_context.state["headers"])
        self.messages.append(context.message)
        prompt = context.get_user_input()
        if prompt == "message":
            said = new_text_message("Hello.", context_id=context.context_id)
            return await event_queue.enqueue_event(said)
        if prompt == "crash":
            raise InternalError("it broke")
        if prompt == "version":
            raise VersionNotSupportedError
        task = context.current_task or new_task_from_user_message(context.message)
        if context.current_task is None:
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work(updater.new_agent_message([Part(text="Let me see.")]))
        ends = {
            "fail": updater.failed,
            "reject": updater.reject,
            "ask": updater.requires_input,
            "sign in": updater.requires_auth,
        }
        if prompt in ends:
            return await ends[prompt](updater.new_agent_message([Part(text=f"I {prompt}.")]))
        if prompt == "linger":
            await asyncio.to_thread(self.released.wait)
        await updater.add_artifact([Part(text=f"About {prompt}: ")], artifact_id="a")
        await updater.add_artifact([Part(text="done.")], artifact_id="a", append=True)
        return await updater.complete()

    async def cancel(self, context: Any, event_queue: Any) -> None:
        self.cancelled.append(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


@dataclass
class Served:
    url: str
    agent: Agent


def application(url: str, agent: Agent) -> Starlette:
    """Agents of several kinds, each at a path of its own."""
    routes: list[BaseRoute] = []
    for path, binding, version, streams in (
        ("/stream", "JSONRPC", "1.0", True),
        ("/plain", "JSONRPC", "1.0", False),
        ("/rest", "HTTP+JSON", "1.0", True),
        ("/old", "JSONRPC", "0.3", True),
        ("/grpc", "GRPC", "1.0", True),
    ):
        card = AgentCard(
            name="desk",
            description="A desk",
            version="1",
            default_input_modes=["text/plain"],
            default_output_modes=["text/plain"],
            skills=[AgentSkill(id="a", name="a", description="a", tags=["a"])],
            capabilities=AgentCapabilities(streaming=streams),
            supported_interfaces=[
                AgentInterface(
                    url=f"{url}{path}/rpc", protocol_binding=binding, protocol_version=version
                )
            ],
        )
        handler = DefaultRequestHandler(
            agent_executor=agent, task_store=InMemoryTaskStore(), agent_card=card
        )
        routes += create_agent_card_routes(card, card_url=f"{path}/.well-known/agent-card.json")
        if binding == "JSONRPC":
            rpc = f"{path}/rpc"
            routes += create_jsonrpc_routes(handler, rpc, enable_v0_3_compat=version == "0.3")
        elif binding == "HTTP+JSON":
            routes += create_rest_routes(handler, path_prefix=f"{path}/rpc")
    gone = {
        "name": "gone",
        "supportedInterfaces": [
            {"url": f"http://127.0.0.1:{free_port()}", "protocolBinding": "JSONRPC"}
        ],
    }
    lost = {"supportedInterfaces": [{"url": f"{url}/503", "protocolBinding": "JSONRPC"}]}
    for path, answer in {
        "/no-card/.well-known/agent-card.json": Response("<html>", status_code=200),
        "/list/.well-known/agent-card.json": JSONResponse([]),
        "/busy/.well-known/agent-card.json": Response(status_code=503),
        "/moved/.well-known/agent-card.json": RedirectResponse("/elsewhere"),
        "/broken/.well-known/agent-card.json": Response(status_code=500),
        "/gone/.well-known/agent-card.json": JSONResponse(gone),
        "/lost/.well-known/agent-card.json": JSONResponse(lost),
    }.items():
        routes.append(Route(path, lambda _request, answer=answer: answer))
    routes.append(Route("/503", lambda _request: Response(status_code=500), methods=["POST"]))
    return Starlette(
        routes=sorted(routes, key=lambda each: isinstance(each, Mount))
    )  # it takes all


@pytest.fixture(scope="module")
def running() -> Iterator[Served]:
    port = free_port()
    url, agent = f"http://127.0.0.1:{port}", Agent()
    with serve(application(url, agent), port):
        yield Served(url, agent)


@pytest.fixture
def served(running: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr("harness.agents.transport.FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr("harness.agents.a2a._FIRST_POLL_S", 0.01)
    for seen in (running.agent.headers, running.agent.messages, running.agent.cancelled):
        seen.clear()
    running.agent.released.clear()
    yield running
    running.agent.released.set()


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The state after each event that came."""
    found: list[str] = []
    take_status = TaskReader._take_status

    def note(reader: TaskReader, holder: Any) -> None:
        take_status(reader, holder)
        found.append(reader.state)

    monkeypatch.setattr(TaskReader, "_take_status", note)
    return found


async def converse(
    driver: AgentDriver, task: Task, transcript: Transcript | None = None
) -> list[Reply]:
    transcript = transcript or Transcript()
    try:
        await driver.converse(task, transcript)
    finally:
        await driver.close()
    return transcript.replies


def driver(url: str, **options: Any) -> AgentDriver:
    return build_driver(f"a2a:{url}", DriverOptions(**options))


@pytest.mark.parametrize("path", ["/stream", "/plain", "/rest", "/old"])
async def test_turns_are_one_conversation_over_every_binding(
    served: Served, make_task: MakeTask, path: str
) -> None:
    first, second = await converse(driver(served.url + path), make_task("trains", "boats"))
    assert (first.text, first.finish) == ("About trains: done.", "completed")
    assert second.text == "About boats: done."
    assert first.duration_ms >= (first.first_byte_ms or 0) > 0
    assert not first.reports_calls
    one, other = served.agent.messages
    assert one.context_id == other.context_id != ""
    assert one.task_id != other.task_id
    assert (one.message_id, other.message_id) == ("EC-001-1", "EC-001-2")


@pytest.mark.parametrize("path", ["/stream", "/plain"])
async def test_a_task_that_needs_input_gets_the_next_turn(
    served: Served, make_task: MakeTask, path: str
) -> None:
    asked, done = await converse(driver(served.url + path), make_task("ask", "trains"))
    assert (asked.text, asked.finish) == ("I ask.", "input-required")
    assert (done.text, done.finish) == ("About trains: done.", "completed")
    one, other = served.agent.messages
    assert one.task_id == other.task_id


async def test_an_agent_is_told_its_session_in_every_request(
    served: Served, make_task: MakeTask
) -> None:
    env = {"GOOGLE_API_BASE_URL": "http://127.0.0.1:1/s"}
    task = make_task("message", session="s1", token="t1", env=env)
    [reply] = await converse(driver(f"{served.url}/stream", headers={"X-Team": "a"}), task)
    assert reply.text == "Hello."
    [headers] = served.agent.headers
    assert headers["x-mock-session"] == "s1"
    assert headers["x-mock-url"] == env["GOOGLE_API_BASE_URL"]
    assert (headers["authorization"], headers["x-team"]) == ("Bearer t1", "a")
    assert served.agent.messages[0].message_id == "s1-1"


async def test_a_card_may_be_named_itself(served: Served, make_task: MakeTask) -> None:
    url = f"{served.url}/stream/.well-known/agent-card.json?v=1"
    [reply] = await converse(driver(url), make_task("message"))
    assert reply.text == "Hello."


async def test_a_task_that_goes_on_is_asked_for(
    served: Served, make_task: MakeTask, states: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from a2a.client import ClientConfig

    def polling(**more: Any) -> Any:
        return ClientConfig(**more | {"polling": True})

    monkeypatch.setattr("a2a.client.ClientConfig", polling)
    going = asyncio.ensure_future(converse(driver(f"{served.url}/plain"), make_task("linger")))
    await until(lambda: len(states) > 1)
    served.agent.released.set()
    [reply] = await going
    assert (reply.text, reply.finish) == ("About linger: done.", "completed")


async def test_a_refusal_is_an_answer(served: Served, make_task: MakeTask) -> None:
    [reply] = await converse(driver(f"{served.url}/stream"), make_task("reject"))
    assert (reply.text, reply.finish) == ("I reject.", "rejected")


async def test_a_trial_that_is_stopped_cancels_the_task(
    served: Served, make_task: MakeTask, states: list[str]
) -> None:
    going = asyncio.ensure_future(converse(driver(f"{served.url}/stream"), make_task("linger")))
    await until(lambda: "working" in states)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert served.agent.cancelled == [served.agent.messages[0].task_id]


FAILURES = [
    pytest.param("/stream", "fail", AgentFailedError, "task is failed: I fail.", id="failed"),
    pytest.param("/stream", "crash", AgentFailedError, "reports an error: it broke", id="an error"),
    pytest.param(
        "/plain", "crash", AgentFailedError, "reports an error: it broke", id="in one answer"
    ),
    pytest.param(
        "/stream",
        "sign in",
        AgentUnreachableError,
        "wants credentials .*: I sign in.",
        id="credentials",
    ),
    pytest.param(
        "/stream", "version", AgentUnreachableError, "does not speak this A2A", id="version"
    ),
    pytest.param(
        "/grpc", "a", AgentUnreachableError, "desk offers GRPC; spoken here: JSONRPC", id="gRPC"
    ),
    pytest.param(
        "/none",
        "a",
        AgentUnreachableError,
        "/none/.well-known/agent-card.json: HTTP 404",
        id="no card",
    ),
    pytest.param(
        "/no-card", "a", AgentUnreachableError, "no agent card at .*: Expecting value", id="HTML"
    ),
    pytest.param(
        "/list", "a", AgentUnreachableError, "no agent card at .*: .*JSON object", id="a list"
    ),
    pytest.param("/busy", "a", AgentUnreachableError, "HTTP 503", id="busy"),
    pytest.param("/moved", "a", AgentUnreachableError, "HTTP 307", id="moved"),
    pytest.param("/broken", "a", AgentUnreachableError, "no agent card at .*HTTP 500", id="broken"),
    pytest.param(
        "/gone",
        "a",
        AgentUnreachableError,
        "connection refused at 127.0.0.1:\\d+",
        id="nobody",
    ),
    pytest.param(
        "/lost", "a", AgentFailedError, "the agent answered HTTP 500", id="a server error"
    ),
]


@pytest.mark.parametrize(("path", "prompt", "kind", "said"), FAILURES)
async def test_what_goes_wrong_is_told(
    served: Served, make_task: MakeTask, path: str, prompt: str, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        await converse(driver(served.url + path, retries=1), make_task(prompt))


async def test_what_a_task_said_before_it_failed_is_kept(
    served: Served, make_task: MakeTask
) -> None:
    transcript = Transcript()
    with pytest.raises(AgentFailedError):
        await converse(driver(f"{served.url}/stream"), make_task("fail"), transcript)
    assert [each.text for each in transcript.replies] == ["I fail."]
    assert [each.error for each in transcript.attempts] == ["the agent's task is failed: I fail."]


async def test_nobody_at_the_url_is_unreachable(make_task: MakeTask) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    transcript = Transcript()
    with pytest.raises(AgentUnreachableError, match=f"{url}: connection refused at 127.0.0.1:"):
        await converse(driver(url, retries=0), make_task("a"), transcript)
    assert len(transcript.attempts) == 1


async def test_a_reply_has_a_limit(served: Served, make_task: MakeTask) -> None:
    with pytest.raises(AgentFailedError, match="longer than 20 bytes"):
        await converse(driver(f"{served.url}/stream", max_reply_bytes=20), make_task("trains"))


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "a2a.client", None)
    with pytest.raises(HarnessError, match="need a2a-sdk") as caught:
        driver("http://127.0.0.1:1")
    assert caught.value.hint == "pip install 'understudy[a2a]'"
    with pytest.raises(HarnessError, match="'desk' is no URL"):
        driver("desk")


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
