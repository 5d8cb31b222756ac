"""What the best known mock server of models ships as examples takes no more lines here."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from mockserver.cli.main import app
from tests.captures import KEY
from tests.clients.packages import packages_of
from tests.mockserver.declared.worlds import Declared, declared
from tests.mockserver.fronts.mcp.conftest import served_suite
from tests.mockserver.models.suites import write_script
from tests.mockserver.sources.sockets import served_sockets

EXAMPLES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("mock_server_examples.yaml").read_text(encoding="utf-8")
)
TOOLS = [{"type": "function", "function": {"name": "look"}}]


async def chat(world: Declared, *messages: dict[str, Any], stream: bool = False) -> Any:
    body = {"model": "m", "messages": messages, "tools": TOOLS, "stream": stream}
    return await world.ask("POST", "/models/openai/v1/chat/completions", json=body)


async def say(world: Declared, text: str) -> tuple[str, Any]:
    """What the model says: its text, or its calls as `name(arguments)`; and the message."""
    answer = (await chat(world, {"role": "user", "content": text})).json()
    message = answer["choices"][0]["message"]
    calls = [
        f"{each['function']['name']}({_sorted(each['function']['arguments'])})"
        for each in message.get("tool_calls", [])
    ]
    return message["content"] or " ".join(calls), message


def _sorted(arguments: str) -> str:
    return json.dumps(json.loads(arguments), sort_keys=True, separators=(",", ":"))


async def holds(world: Declared, example: dict[str, Any]) -> None:
    for text, said in example.get("says", {}).items():
        found, message = await say(world, text)
        assert found == said
        for name, then in example.get("then", {}).items():
            assert message["tool_calls"][0]["function"]["name"] == name
            result = {
                "role": "tool",
                "tool_call_id": message["tool_calls"][0]["id"],
                "content": "ok",
            }
            answer = await chat(world, {"role": "user", "content": text}, message, result)
            assert answer.json()["choices"][0]["message"]["content"] == then
    for text, vector in example.get("embeds", {}).items():
        answer = await world.ask("POST", "/v1/embeddings", json={"model": "m", "input": text})
        assert answer.json()["data"][0]["embedding"] == vector
    for text, kinds in example.get("blocks", {}).items():
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        answer = await world.ask("POST", "/models/anthropic/v1/messages", json=body)
        assert [each["type"] for each in answer.json()["content"]] == kinds
    for text, (status, code, message) in example.get("fails", {}).items():
        answer = await chat(world, {"role": "user", "content": text})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["message"]) == (status, code, message)
    first, *others = example.get("sequence", [""])
    assert [(await say(world, first))[0] for _ in others] == others
    for text, said in example.get("streams", {}).items():
        answer = await chat(world, {"role": "user", "content": text}, stream=True)
        events = [json.loads(line[6:]) for line in answer.text.splitlines()
                  if line.startswith("data: {")]  # fmt: skip
        deltas = [each["choices"][0]["delta"].get("content") or "" for each in events]
        assert "".join(deltas) == said
        assert max(map(len, deltas)) == 4


async def answers_as_an_agent(world: Declared, example: dict[str, Any]) -> None:
    for name, skills in example.get("agent", {}).items():
        card = (await world.ask("GET", f"/agents/a2a/{name}/.well-known/agent-card.json")).json()
        assert [each["id"] for each in card["skills"]] == skills
        for text, said in example["messages"].items():
            answer = (await message(world, name, "send", text)).json()
            found = answer["task"]["artifacts"][0] if "task" in answer else answer["message"]
            assert found["parts"] == [{"text": said}]
        for text, events in example.get("tasks", {}).items():
            stream = sse_events((await message(world, name, "stream", text)).text)
            assert [_task_event(each) for each in stream] == events
    for text, events in example.get("runs", {}).items():
        run = {"threadId": "t", "runId": "r", "tools": [{"name": "look"}],
               "messages": [{"id": "m", "role": "user", "content": text}]}  # fmt: skip
        stream = sse_events((await world.ask("POST", "/agents/agui/page", json=run)).text)
        assert [each.get("delta") or each["type"] for each in stream[1:-1]] == events


async def finds(world: Declared, example: dict[str, Any]) -> None:
    for each in example.get("finds", []):
        answer = await world.ask("POST", each["path"], json=each["asks"])
        assert (answer.status_code, answer.json()) == (200, each["answer"])


async def message(world: Declared, agent: str, how: str, text: str) -> Any:
    said = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}
    return await world.ask("POST", f"/agents/a2a/{agent}/message:{how}", json={"message": said})


def sse_events(text: str) -> list[dict[str, Any]]:
    return [json.loads(each.removeprefix("data: ")) for each in text.strip().split("\n\n")]


def _task_event(event: dict[str, Any]) -> str:
    if "artifactUpdate" in event:
        return str(event["artifactUpdate"]["artifact"]["name"])
    state: str = next(iter(event.values()))["status"]["state"]
    return state.removeprefix("TASK_STATE_").lower()


async def speaks_mcp(suite: Path, example: dict[str, Any]) -> None:
    async with served_suite(suite) as server, server.client() as client:
        for name, result in example["tools"].items():
            assert [each.name for each in (await client.list_tools()).tools] == [name]
            [said] = (await client.call_tool(name, {"query": "it"})).content
            assert said.model_dump()["text"] == result
        for uri, text in example["resources"].items():
            [content] = (await client.read_resource(uri)).contents
            assert content.model_dump()["text"] == text
        for name, text in example.get("prompts", {}).items():
            [prompt] = (await client.get_prompt(name, {"text": "a story"})).messages
            assert prompt.content.model_dump()["text"] == text


async def talks_live(suite: Path, talk: list[Any]) -> None:
    """Hold a conversation: what the client says, and lists of what it is then told."""
    path = "/v1/live/sessions?model=gpt-live-1"
    async with served_sockets(suite) as server, server.connect(path) as socket:
        last: dict[str, Any] = {}
        for each in talk:
            if isinstance(each, dict):
                last = each
                await socket.send(json.dumps(each))
                continue
            for kind in each:
                told = json.loads(await socket.recv())
                assert told["type"] == kind
                assert told.get("client_event_id") in {None, last.get("event_id")}


async def count_faults(world: Declared, calls: int) -> int:
    for _ in range(calls):
        with suppress(ConnectionResetError):  # no connection to reset in process
            await chat(world, {"role": "user", "content": "hello"})
    return sum(bool(entry["fault"]) for entry in world.journal)


def test_every_example_is_there() -> None:
    assert len(EXAMPLES) == len({each["example"] for each in EXAMPLES}) == 24


@pytest.mark.parametrize("example", EXAMPLES, ids=[each["example"] for each in EXAMPLES])
def test_an_example_takes_no_more_lines(example: dict[str, Any], tmp_path: Path) -> None:
    written = [example.get(name, "") for name in ("script", "base", "api", "command")]
    assert 0 < sum(len(each.splitlines()) for each in written) <= example["lines"]
    if script := example.get("script"):
        write_script(tmp_path, script)
    for folder, name in (("base", "base.json"), ("apis", "api.yaml")):
        (tmp_path / folder).mkdir()
        if text := example.get(Path(name).stem):
            (tmp_path / folder / name).write_text(text, encoding="utf-8")

    async def run() -> None:
        async with declared(tmp_path) as world:
            if wanted := example.get("faults"):
                met = await count_faults(world, wanted["calls"])
                assert wanted["least"] <= met <= wanted["most"]
            else:
                await holds(world, example)
                await answers_as_an_agent(world, example)
                await finds(world, example)
        if "tools" in example:
            await speaks_mcp(tmp_path, example)
        if "live" in example:
            await talks_live(tmp_path, example["live"])

    asyncio.run(run())


def test_the_options_of_commands_are_there() -> None:
    commands = [example["command"].split() for example in EXAMPLES if "command" in example]
    assert {each[1] for each in commands} == {"record", "serve"}
    for _, name, *arguments in commands:
        text = CliRunner().invoke(app, [name, "--help"]).output
        options = takewhile(lambda each: each != "--", arguments)
        assert all(each in text for each in options if each.startswith("--"))


AGENT = """
import json, os, urllib.request
message = {"role": "user", "content": "hello"}
for base, path, kept in (("OPENAI_BASE_URL", "/chat/completions", "choices"),
                         ("ANTHROPIC_BASE_URL", "/v1/messages", "content")):
    body = {"model": "m", "max_tokens": 9, "messages": [message]}
    request = urllib.request.Request(os.environ[base] + path, json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        print(json.loads(answer.read())[kept])
"""


@pytest.mark.slow
async def test_the_official_client_of_qdrant_finds_what_is_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = packages_of("qdrant-1", "qdrant-client==1.20.0")
    if isinstance(folder, str):
        pytest.skip(folder)
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    from qdrant_client import QdrantClient

    [example] = [each for each in EXAMPLES if "vector-config" in each["example"]]
    for kind, name in (("base", "base.json"), ("api", "apis/api.yaml")):
        path = tmp_path / (name if "/" in name else f"{kind}/{name}")
        path.parent.mkdir()
        path.write_text(example[kind], encoding="utf-8")
    async with served_suite(tmp_path) as server:

        def query() -> list[tuple[Any, float]]:
            client = QdrantClient(url=server.url, check_compatibility=False)
            found = client.query_points("documents", query=[0.6, 0.5, 0.4], limit=1).points
            return [(each.payload, each.score) for each in found]

        assert await asyncio.to_thread(query) == [({"title": "All functions"}, 1.0)]


@pytest.mark.slow
async def test_two_providers_are_recorded_by_one_command(tmp_path: Path) -> None:
    [command] = [each["command"] for each in EXAMPLES if "record" in each["example"]]
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    live = write_script(tmp_path / "live", "replies: [{text: Good morning!}]")
    (live / "base").mkdir()

    async def run(text: str, **environ: str) -> tuple[int | None, str]:
        words = [sys.executable, "-m", "mockserver", *text.split()[1:]]
        words = [sys.executable if each == "python" else each for each in words]
        process = await asyncio.create_subprocess_exec(
            *words, cwd=tmp_path, env={**os.environ, "MOCKSERVER_REDACTION_KEY": KEY, **environ},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        out, _ = await process.communicate()
        return process.returncode, out.decode()

    async with served_suite(live) as server:
        addresses = {"OPENAI_BASE_URL": f"{server.url}/models/openai/v1",
                     "ANTHROPIC_BASE_URL": f"{server.url}/models/anthropic"}  # fmt: skip
        first = await run(command, **addresses)
    assert (first[0], first[1].count("Good morning!")) == (0, 2)
    assert await run("understudy replay --cassette recordings/cassette.yaml") == first


def test_the_same_seed_draws_the_same_faults(tmp_path: Path) -> None:
    [example] = [each for each in EXAMPLES if "faults" in each]
    write_script(tmp_path, example["script"])
    fault = {"method": "models.*", "status": 500, "share": 0.3}

    async def statuses(seed: int) -> list[int]:
        async with declared(tmp_path, faults=(fault,), seed=seed) as world:
            await count_faults(world, 40)
            return [entry["status"] for entry in world.journal]

    first, again, other = (asyncio.run(statuses(seed)) for seed in (1, 1, 2))
    assert first == again != other
