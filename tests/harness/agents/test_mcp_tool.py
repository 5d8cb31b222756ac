"""Against servers that the official SDK makes."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from harness.agents import (
    AgentFailedError,
    AgentUnreachableError,
    Destinations,
    DriverOptions,
    Task,
    Transcript,
    agent_url,
    build_driver,
    starts_program,
)
from harness.agents.mcp_tool import Target, _value, find_argument, parse_target
from harness.errors import HarnessError
from harness.model import Case, Reply, Turn
from tests.asgi_servers import served as serve
from tests.harness.agents.mcp_agent import Seen, make_server
from tests.patience import until
from tests.ports import free_port

MakeTask = Callable[..., Task]
PROGRAM = Path(__file__).parent / "mcp_agent.py"
DYING = Path(__file__).parent / "dying_mcp_program.py"
ECHO = Path(__file__).parents[2] / "mcp_program.py"


@dataclass
class Served:
    url: str
    seen: Seen


@pytest.fixture(scope="module")
def running() -> Iterator[Served]:
    port, seen = free_port(), Seen()
    app = make_server(seen).streamable_http_app()

    def refuse(request: Request) -> Response:
        return Response(status_code=request.path_params["status"])

    routes = [Route("/refuse/{status:int}", refuse, methods=["POST"]), Mount("/", app)]
    application = Starlette(routes=routes, lifespan=app.router.lifespan_context)
    with serve(application, port, "on"):
        yield Served(f"http://127.0.0.1:{port}", seen)


@pytest.fixture
def served(running: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.setattr("harness.agents.transport.FIRST_PAUSE_S", 0.001)
    for seen in (running.seen.headers, running.seen.messages, running.seen.cancelled):
        seen.clear()
    return running


async def converse(
    spec: str, task: Task, transcript: Transcript | None = None, **options: Any
) -> list[Reply]:
    driver, transcript = build_driver(spec, DriverOptions(**options)), transcript or Transcript()
    try:
        await driver.converse(task, transcript)
    finally:
        await driver.close()
    return transcript.replies


def about(city: str) -> Case:
    return Case(id="EC-001", turns=(Turn(user="Go"),), variables={"city": city, "other": "x"})


async def test_a_tool_at_a_url_is_asked_with_the_session_in_each_request(
    served: Served, make_task: MakeTask
) -> None:
    env = {"GOOGLE_API_BASE_URL": "http://127.0.0.1:1/s"}
    task = make_task("Trains in", case=about("Oslo"), session="s1", token="t1", env=env)
    transcript = Transcript()
    [reply] = await converse(f"mcp:{served.url}/mcp#ask", task, transcript)
    assert (reply.text, reply.metadata, reply.reports_calls) == ("Trains in Oslo.", None, False)
    assert reply.duration_ms >= (reply.first_byte_ms or 0) > 0
    assert transcript.startup_ms > 0
    [headers] = served.seen.headers
    assert (headers["x-mock-session"], headers["authorization"]) == ("s1", "Bearer t1")


@pytest.mark.slow
async def test_a_command_has_the_environment_of_the_session(make_task: MakeTask) -> None:
    transcript = Transcript()
    task = make_task("ENV", "again", env={"MOCK_SESSION": "s1"})
    spec = f"mcp:{sys.executable} {PROGRAM}#ask"
    replies = await converse(spec, task, transcript)
    assert [each.text for each in replies] == ["s1 nowhere.", "again nowhere."]
    assert transcript.stderr_tail.startswith("starting")


async def test_a_command_is_started_once_for_all_turns(make_task: MakeTask) -> None:
    spec = f"mcp:{sys.executable} -S {ECHO}#echo?argument=text"
    one, other = await converse(spec, make_task("One", "Two"))
    assert (one.text, other.text) == (
        "One of ann.lee@travel-corp.com",
        "Two of ann.lee@travel-corp.com",
    )


@pytest.mark.parametrize(
    ("tool", "answer", "question", "text"),
    [
        ("book", "12", "Which seat?", "Go: seat=12"),
        ("book", '{"seat": 3}', "Which seat?", "Go: seat=3"),
        ("book", "the window", "Which seat?", "Go: decline"),
        ("plan", '{"city": "Oslo", "days": 2}', "Where to?", "Go: city='Oslo' days=2"),
    ],
)
async def test_a_question_of_the_tool_is_answered_by_the_next_turn(
    make_task: MakeTask, served: Served, tool: str, answer: str, question: str, text: str
) -> None:
    asked, done = await converse(f"mcp:{served.url}/mcp#{tool}", make_task("Go", answer))
    assert (asked.text, asked.finish) == (question, "input-required")
    assert (done.text, done.finish) == (text, "")


async def test_a_question_that_nobody_answers_is_the_last_reply(
    served: Served, make_task: MakeTask
) -> None:
    [reply] = await converse(f"mcp:{served.url}/mcp#book", make_task("Go"))
    assert reply.text == "Which seat?"


async def test_a_question_of_several_fields_wants_an_object(
    served: Served, make_task: MakeTask
) -> None:
    with pytest.raises(AgentFailedError, match=r"asks for city, days: a turn .* is a JSON object"):
        await converse(f"mcp:{served.url}/mcp#plan", make_task("Go", "Oslo"))


async def test_a_tool_that_takes_messages_gets_the_conversation(
    served: Served, make_task: MakeTask
) -> None:
    one, other = await converse(f"mcp:{served.url}/mcp#chat", make_task("One", "Two"))
    assert (one.text, other.text) == ("1 said.", "3 said.")
    assert ([each.name for each in one.tool_calls], one.rounds) == (["look"], 2)
    assert [each["content"] for each in served.seen.messages[1]] == ["One", "1 said.", "Two"]


async def test_a_conversation_that_a_result_names_is_handed_back(
    served: Served, make_task: MakeTask
) -> None:
    one, other = await converse(f"mcp:{served.url}/mcp#follow", make_task("One", "Two"))
    assert (one.text, other.text) == ("One in none", "Two in t7")
    assert one.metadata == {"answer": "One in none", "thread_id": "t7"}


FAILURES = [
    ("/mcp#fail", AgentFailedError, "the tool reports an error: .*no Go"),
    ("/mcp#page", AgentFailedError, "the tool reports an error: .*decline"),
    ("/mcp#nothing", AgentUnreachableError, "no tool 'nothing'; it has ask, book, plan, wait"),
    ("/mcp", AgentUnreachableError, "has these tools: ask, book, .*; add #TOOL"),
    ("/mcp#pair", AgentFailedError, "no argument .* is one for prompts; it has left, right"),
    ("/mcp#pair?argument=left", AgentFailedError, "also requires right: give the case variables"),
    ("/nowhere#ask", AgentUnreachableError, "/nowhere: HTTP 404 .check the agent's URL"),
    ("/refuse/401#ask", AgentUnreachableError, "/401: HTTP 401 .check"),
    ("/refuse/503#ask", AgentUnreachableError, "/503: HTTP 503$"),
]


@pytest.mark.parametrize(("path", "kind", "said"), FAILURES)
async def test_what_goes_wrong_is_told(
    served: Served, make_task: MakeTask, path: str, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        await converse(f"mcp:{served.url}{path}", make_task("Go"), retries=1)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mcp:http://127.0.0.1:{port}/mcp#ask", "/mcp: connection refused at 127.0.0.1:{port}"),
        ("mcp:true#ask", "no MCP server at true: "),
        (f"mcp:{sys.executable} -S {DYING} --new#ask", "python[^ ]*: no such method"),
    ],
)
async def test_nobody_is_unreachable(make_task: MakeTask, spec: str, said: str) -> None:
    port = str(free_port())
    with pytest.raises(AgentUnreachableError, match=said.replace("{port}", port)):
        await converse(spec.replace("{port}", port), make_task("Go"), retries=0)


async def test_a_trial_that_is_stopped_stops_the_call(served: Served, make_task: MakeTask) -> None:
    going = asyncio.ensure_future(converse(f"mcp:{served.url}/mcp#wait", make_task("Go")))
    await until(lambda: served.seen.headers)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    await until(lambda: served.seen.cancelled)


async def test_a_server_that_dies_in_a_call_fails(make_task: MakeTask) -> None:
    transcript = Transcript()
    with pytest.raises(AgentFailedError, match="Connection closed"):
        await converse(f"mcp:{sys.executable} -S {DYING}#ask", make_task("Go"), transcript)
    assert transcript.stderr_tail.endswith("out of memory\n")


async def test_a_reply_has_a_limit(served: Served, make_task: MakeTask) -> None:
    with pytest.raises(AgentFailedError, match="longer than 5 bytes"):
        await converse(f"mcp:{served.url}/mcp#ask", make_task("Trains"), max_reply_bytes=5)


async def test_only_places_that_are_allowed_are_reached(
    served: Served, make_task: MakeTask
) -> None:
    allowed = Destinations()
    spec = f"mcp:{served.url}/mcp#ask"
    [reply] = await converse(spec, make_task("Trains"), destinations=allowed)
    assert reply.text == "Trains nowhere."
    with pytest.raises(AgentUnreachableError, match="may not be reached there"):
        await converse(
            "mcp:http://169.254.1.1/mcp#ask", make_task("Go"), destinations=allowed, retries=0
        )


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mcp:", "names no server"),
        ("mcp:#ask", "names no server"),
        ("mcp:desk#ask?prompt=a", "have no option 'prompt'"),
        ("mcp:'desk#ask", "cannot split"),
        ("mcp:http://#ask", "is no URL"),
        ("mcp:nosuchprogram#ask", "no program 'nosuchprogram' in PATH"),
        ("mcp:/no/such/program#ask", "no program '/no/such/program' at this path"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(spec: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        build_driver(spec, DriverOptions())


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(HarnessError, match="need mcp") as caught:
        build_driver("mcp:python#ask", DriverOptions())
    assert caught.value.hint == "pip install 'understudy[mcp]'"


def test_a_url_runs_already_and_a_command_is_started() -> None:
    assert starts_program("mcp:desk#ask")
    assert not starts_program("mcp:http://localhost:1/mcp#ask")
    assert agent_url("mcp:http://localhost:1/mcp#ask") == "http://localhost:1/mcp"
    assert parse_target("http://localhost:1/mcp") == Target("http://localhost:1/mcp")


_TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"properties": {"a": _TEXT, "query": _TEXT}}, "query"),
        ({"properties": {"a": {"anyOf": [{"type": "null"}, {"type": "string"}]}, "b": True}}, "a"),
        (
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]},
            "b",
        ),
    ],
)
def test_the_argument_of_a_prompt_is_found(schema: Any, name: str) -> None:
    assert find_argument(schema) == name


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "boolean"}, "Yes, please", True),
        ({"type": "boolean"}, "no", False),
        ({"type": "boolean"}, "perhaps", None),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "string", "enum": ["Aisle", "Window"]}, "window", "Window"),
        ({"type": "string"}, "By the window", "By the window"),
    ],
)
def test_an_answer_is_a_value_of_the_schema(schema: Any, text: str, value: Any) -> None:
    assert _value(schema, text, text.lower()) == value
