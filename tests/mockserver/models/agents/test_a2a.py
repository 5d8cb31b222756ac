"""Scripts that answer as agents over A2A, for its official client and without it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.mockserver.declared.worlds import Declared, declared
from tests.mockserver.models.suites import write_script

SCRIPT = """
model: desk
agent:
  description: Books rooms.
  version: 2.1.0
  skills: [{id: book, description: Books a room., tags: [rooms]}]
replies:
  - {user: report, text: "## Report", task: {artifact: report}}
  - {user: book, text: Which day?, task: input_required}
  - user: Monday
    turn: 1
    text: Booked, as you said {{ messages[0].text }}.
    task: {artifact: room}
  - {user: wait, text: I am at it., task: working}
  - {user: broken, text: It failed., task: failed}
  - {user: look, calls: {look: {place: Bern}}}
  - {user: again, turn: 1, text: You said it before.}
  - {user: limit, error: rate_limit}
  - {user: hello, text: Good morning.}
"""
RPC = "/agents/a2a/desk"


def message(text: str, **fields: Any) -> dict[str, Any]:
    return {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": text}], **fields}


async def call(world: Declared, method: str, params: Any, id: Any = 7) -> Any:
    body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return await world.ask("POST", RPC, json=body)


async def say(world: Declared, text: str, **fields: Any) -> Any:
    answer = (await call(world, "SendMessage", {"message": message(text, **fields)})).json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    return answer["result"]


def in_world(
    folder: Path, check: Callable[[Declared], Awaitable[None]], text: str = SCRIPT
) -> None:
    async def run() -> None:
        async with declared(write_script(folder, text)) as world:
            await check(world)

    asyncio.run(run())


def test_the_official_client_finds_asks_and_follows_an_agent(tmp_path: Path) -> None:
    pytest.importorskip("a2a.client", reason="understudy[a2a] is not installed")
    from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
    from a2a.types import (
        CancelTaskRequest,
        GetTaskRequest,
        ListTasksRequest,
        Message,
        Part,
        Role,
        SendMessageRequest,
        TaskState,
    )

    async def check(world: Declared) -> None:
        base = f"{world.client.base_url}agents/a2a/desk"
        card = await A2ACardResolver(world.client, base).get_agent_card()
        assert (card.name, card.version) == ("desk", "2.1.0")
        assert [each.name for each in card.skills] == ["book"]
        for binding in ("JSONRPC", "HTTP+JSON"):
            for streaming in (False, True):
                config = ClientConfig(httpx_client=world.client, streaming=streaming,
                                      supported_protocol_bindings=[binding])  # fmt: skip
                client = ClientFactory(config).create(card)

                async def ask(text: str, task: str = "", client: Any = client) -> list[Any]:
                    sent = Message(message_id="m", role=Role.ROLE_USER, parts=[Part(text=text)],
                                   task_id=task)  # fmt: skip
                    request = SendMessageRequest(message=sent)
                    return [each async for each in client.send_message(request)]

                [said] = await ask("hello")
                assert said.message.parts[0].text == "Good morning."
                events = await ask("a report")
                if streaming:
                    kinds = [each.WhichOneof("payload") for each in events]
                    assert kinds == ["task", "status_update", "artifact_update", "status_update"]
                    assert events[2].artifact_update.artifact.parts[0].text == "## Report"
                task = await client.get_task(GetTaskRequest(id=events[0].task.id))
                assert task.status.state == TaskState.TASK_STATE_COMPLETED
                assert task.artifacts[0].name == "report"
                [*_, last] = await ask("book a room")
                named = last.status_update.task_id if streaming else last.task.id
                [first, *_] = await ask("Monday", named)
                assert first.task.id == named
                booked = await client.get_task(GetTaskRequest(id=named))
                assert booked.artifacts[0].parts[0].text == "Booked, as you said book a room."
                [first, *_] = await ask("wait")
                gone = await client.cancel_task(CancelTaskRequest(id=first.task.id))
                assert gone.status.state == TaskState.TASK_STATE_CANCELED
                listed = await client.list_tasks(ListTasksRequest(page_size=2))
                assert listed.tasks[0].id == gone.id
        methods = {entry["method_id"] for entry in world.journal}
        assert methods == {"a2a.agentCard.get", "a2a.message.send", "a2a.message.stream",
                           "a2a.tasks.get", "a2a.tasks.cancel", "a2a.tasks.list"}  # fmt: skip

    in_world(tmp_path, check)


def test_a_context_is_one_conversation(tmp_path: Path) -> None:
    async def check(world: Declared) -> None:
        context = (await say(world, "hello"))["message"]["contextId"]
        again = await say(world, "again", contextId=context)
        assert again["message"]["parts"] == [{"text": "You said it before."}]
        elsewhere = await call(world, "SendMessage", {"message": message("again")})
        assert elsewhere.status_code == 404
        assert "is nearest" in elsewhere.json()["error"]["message"]
        calls = await say(world, "look")
        assert calls["message"]["parts"] == [
            {"data": {"name": "look", "arguments": {"place": "Bern"}}}
        ]

    in_world(tmp_path, check)


def test_a_task_stands_as_the_script_says(tmp_path: Path) -> None:
    async def check(world: Declared) -> None:
        failed = (await say(world, "broken"))["task"]
        assert failed["status"]["state"] == "TASK_STATE_FAILED"
        assert failed["status"]["message"]["parts"] == [{"text": "It failed."}]
        waiting = (await say(world, "book"))["task"]
        context = {"contextId": waiting["contextId"], "includeArtifacts": "true"}
        listed = (await call(world, "ListTasks", context)).json()["result"]
        assert [each["id"] for each in listed["tasks"]] == [waiting["id"]]
        by_state = (await call(world, "ListTasks", {"status": "TASK_STATE_FAILED"})).json()
        assert by_state["result"]["totalSize"] == 1
        pages = (await call(world, "ListTasks", {"pageSize": 1})).json()["result"]
        assert pages["nextPageToken"] == "1"
        rest = (await call(world, "ListTasks", {"pageSize": 1, "pageToken": "1"})).json()["result"]
        assert (rest["tasks"][0]["id"], rest["nextPageToken"]) == (failed["id"], "")
        assert rest["tasks"][0]["history"] == []
        short = await call(world, "GetTask", {"id": failed["id"], "historyLength": 1})
        assert len(short.json()["result"]["history"]) == 1
        whole = await call(world, "GetTask", {"id": failed["id"]})
        assert len(whole.json()["result"]["history"]) == 2

    in_world(tmp_path, check)


@pytest.mark.parametrize(
    ("method", "params", "code", "said"),
    [
        ("SendMessage", {}, -32602, "message: expected an object, got nothing"),
        ("SendMessage", [], -32602, "message: expected an object, got nothing"),
        ("SendMessage", {"message": {"role": "ROLE_USER"}}, -32602, "message.parts"),
        ("SendMessage", {"message": message("a", taskId="T")}, -32001, "Task 'T' not found."),
        ("GetTask", {"id": "T"}, -32001, "Task 'T' not found."),
        ("GetTask", [], -32602, "params: expected an object, got a list"),
        ("ListTasks", {"pageSize": "many"}, -32602, "pageSize: expected a number, got 'many'"),
        ("CreateTaskPushNotificationConfig", {}, -32003, "not supported"),
        ("message/send", {}, -32601, "there are SendMessage"),
    ],
)
def test_what_cannot_be_is_an_error_of_json_rpc(
    tmp_path: Path, method: str, params: Any, code: int, said: str
) -> None:
    async def check(world: Declared) -> None:
        answer = await call(world, method, params)
        body = answer.json()
        assert (answer.status_code, body["id"], body["error"]["code"]) == (200, 7, code)
        assert said in body["error"]["message"]

    in_world(tmp_path, check)


def test_a_task_that_has_ended_stays_so(tmp_path: Path) -> None:
    async def check(world: Declared) -> None:
        ended = (await say(world, "report"))["task"]["id"]
        for method, params, code in (
            ("SendMessage", {"message": message("more", taskId=ended)}, -32004),
            ("CancelTask", {"id": ended}, -32002),
            ("SubscribeToTask", {"id": ended}, -32004),
        ):
            answer = (await call(world, method, params)).json()
            assert answer["error"]["code"] == code, method
        other = message("Monday", taskId=(await say(world, "book"))["task"]["id"], contextId="c")
        wrong = (await call(world, "SendMessage", {"message": other})).json()
        assert "message.contextId" in wrong["error"]["message"]

    in_world(tmp_path, check)


def test_a_path_of_its_own_has_errors_of_its_own(tmp_path: Path) -> None:
    async def check(world: Declared) -> None:
        answer = await world.ask("GET", f"{RPC}/tasks/T")
        assert answer.status_code == 404
        assert answer.json()["error"]["details"][0]["reason"] == "TASK_NOT_FOUND"
        limited = await world.ask("POST", f"{RPC}/message:send", json={"message": message("limit")})
        assert (limited.status_code, limited.json()["error"]["code"]) == (429, 429)
        over_rpc = await call(world, "SendMessage", {"message": message("limit")})
        assert (over_rpc.status_code, over_rpc.json()["error"]["code"]) == (429, -32603)
        for verb, path in (("GET", "message:send"), ("POST", "tasks"), ("DELETE", "tasks/T")):
            assert (await world.ask(verb, f"{RPC}/{path}")).status_code == 404

    in_world(tmp_path, check)


def test_the_first_agent_that_is_described_answers_without_a_name(tmp_path: Path) -> None:
    async def check(world: Declared) -> None:
        card = (await world.ask("GET", "/agents/a2a/.well-known/agent-card.json")).json()
        assert card["supportedInterfaces"][0]["url"].endswith("/s/s1/agents/a2a/desk")
        other = await world.ask("GET", "/agents/a2a/other/.well-known/agent-card.json")
        assert other.status_code == 404
        assert "an agent 'other'" in other.json()["error"]["message"]

    in_world(tmp_path, check)


def test_an_agent_of_any_name_needs_no_description(tmp_path: Path) -> None:
    async def check(world: Declared) -> None:
        card = (await world.ask("GET", "/agents/a2a/.well-known/agent-card.json")).json()
        assert (card["name"], card["skills"]) == ("agent", [])
        stream = {"message": message("hello")}
        answer = await world.ask("POST", "/agents/a2a/message:stream", json=stream)
        assert answer.text.startswith('data: {"message":{')

    in_world(tmp_path, check, "replies: [{text: Hi.}]")


def test_a_stream_may_end_with_an_error(tmp_path: Path) -> None:
    fault = {"method": "a2a.*", "error": "overloaded", "after_events": 1}

    async def run() -> None:
        async with declared(write_script(tmp_path, SCRIPT), faults=(fault,)) as world:
            answer = await call(world, "SendStreamingMessage", {"message": message("report")})
            *_, last = answer.text.strip().split("\n\n")
            assert last.startswith("event: error\ndata: ")
            assert '"code":-32603' in last

    asyncio.run(run())


def test_the_oldest_tasks_are_forgotten() -> None:
    from mockserver.models.conversations import Tasks

    tasks = Tasks(most_bytes=100)
    for number in range(5):
        tasks.keep({"id": str(number), "x": "x" * 20})
    tasks.keep({"id": "3", "x": "y" * 20})
    assert [each["id"] for each in tasks.all()] == ["3", "4"]
    assert tasks.find("0") is None
