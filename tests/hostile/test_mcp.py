"""MCP clients that do what none should: each is bounded and told, and others never notice."""

import asyncio
import json
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from mockserver.messages.mcp_calls import McpCall
from tests.mockserver.conftest import write_suite
from tests.mockserver.fronts.mcp.conftest import MODES, Serve, Served, serve
from tests.mockserver.fronts.mcp.test_bad_clients import ACCEPT, HELLO, call, connected
from tests.mockserver.fronts.mcp.test_replay import CALLS, LISTS, text, words, write
from tests.mockserver.fronts.mcp.test_stdio import command
from tests.mockserver.fronts.mcp.test_tools import TOOLS
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.slow

__all__ = ["serve"]

SLOW = {"getWeather": {"delayMs": 60_000}}
LARGE = 10_000_000
ROUNDS = 20


async def weather(served: Served) -> Any:
    async with served.client() as client:
        return (await client.call_tool("getWeather", {"city": "Bonn"})).structured_content


async def hello(http: httpx2.AsyncClient, served: Served) -> dict[str, str]:
    """The header that names a new client's session."""
    opened = await http.post(served.endpoint(), json=HELLO)
    assert opened.status_code == 200, opened.text
    return {"mcp-session-id": opened.headers["mcp-session-id"]}


async def test_clients_that_never_initialise_hold_nothing(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE_S) as http:
        statuses = set()
        for _ in range(ROUNDS):
            several: tuple[dict[str, Any], ...] = (
                {"json": call({"city": "Bonn"})},
                {"json": {"jsonrpc": "2.0", "method": "notifications/initialized"}},
                {"content": b""},
            )
            for sent in several:
                statuses.add((await http.post(served.endpoint(), **sent)).status_code)
            statuses.add((await http.get(served.endpoint())).status_code)
            statuses.add((await http.delete(served.endpoint())).status_code)
    assert statuses == {400}
    assert connected(served) == 0
    assert await weather(served) == {"temp": 7}


async def test_clients_that_only_ever_reconnect_are_limited(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.fronts.mcp.front.MOST_CLIENTS", 5)
    served = await serve(tools=TOOLS)
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE_S) as http:
        known = [await hello(http, served) for _ in range(5)]
        refused = [await http.post(served.endpoint(), json=HELLO) for _ in range(ROUNDS)]
        assert {answer.status_code for answer in refused} == {503}
        assert connected(served) == 5
        assert (await http.delete(served.endpoint(), headers=known[0])).status_code == 200
        await hello(http, served)


async def test_a_call_that_is_cancelled_is_not_made_and_holds_nobody(serve: Serve) -> None:
    served = await serve(tools=TOOLS, mcp={"tools": SLOW})
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE_S) as http:
        named = await hello(http, served)
        waiting = [
            asyncio.ensure_future(
                http.post(
                    served.endpoint(), json={**call({"city": "Bonn"}), "id": number}, headers=named
                )
            )
            for number in range(10, 10 + ROUNDS)
        ]
        await asyncio.sleep(0)
        for number in range(10, 10 + ROUNDS):
            params = {"requestId": number, "reason": "changed my mind"}
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            assert (await http.post(served.endpoint(), json=note, headers=named)).status_code == 202
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        listed = {"jsonrpc": "2.0", "id": 99, "method": "tools/list"}
        answer = await http.post(served.endpoint(), json=listed, headers=named)
    assert '"getWeather"' in answer.text
    assert served.calls(prefix="tools.get") == []


async def test_a_client_that_leaves_in_the_middle_of_its_call_holds_nobody(serve: Serve) -> None:
    served = await serve(tools=TOOLS, mcp={"tools": SLOW})
    for _ in range(3):
        before = connected(served) if served.front._endpoints else 0
        async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE_S) as http:
            named = await hello(http, served)
            asked = http.post(served.endpoint(), json=call({"city": "Bonn"}), headers=named)
            waiting = asyncio.ensure_future(asked)
            assert connected(served) > before
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
    async with served.client() as client:
        assert (await client.list_tools()).tools


@pytest.mark.parametrize("way", ["connected", "stranger"])
async def test_ten_megabytes_are_refused_and_the_client_may_go_on(serve: Serve, way: str) -> None:
    served = await serve(tools=TOOLS)
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE_S) as http:
        named = await hello(http, served) if way == "connected" else {}
        large = call({"city": "x" * LARGE})
        answer = await http.post(served.endpoint(), json=large, headers=named)
        assert answer.status_code == 413
        named = named or await hello(http, served)
        again = await http.post(served.endpoint(), json=call({"city": "Bonn"}), headers=named)
    assert '"temp"' in again.text
    assert [status for _, _, status in served.calls(prefix="tools.get")] == [200]


async def test_ten_megabytes_on_a_line_are_an_error_of_the_relay(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    asked = command("--url", served.url)
    process = await asyncio.create_subprocess_exec(
        asked.command, *asked.args, env=asked.env, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    line = json.dumps(call({"city": "x" * LARGE})).encode() + b"\n"
    _, told = await asyncio.wait_for(process.communicate(line), PATIENCE_S)
    assert process.returncode == 3
    assert b"a message is over the limit of 4194304 bytes" in told
    assert b"Traceback" not in told


@pytest.mark.parametrize("recorded", [False, True], ids=["prepared", "recorded"])
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("echo", [1], -32602),
        ("echo", "x", -32602),
        ("echo", 7, -32602),
        ("nothing", {}, -32602),
        ("", {}, -32602),
        ("../../etc/passwd", {}, -32602),
        ("x" * 100_000, {}, -32602),
        ({}, {}, -32602),
    ],
    ids=["list", "text", "number", "unknown", "empty", "path", "long", "object"],
)
async def test_calls_that_are_none_are_errors_of_the_protocol(
    serve: Serve, tmp_path: Path, recorded: bool, name: Any, arguments: Any, code: int
) -> None:
    echo = {"echo": {"responses": [{"result": "hello"}]}}
    served = await serve(**({} if recorded else {"tools": echo}))
    write(tmp_path / "suite" / "cassettes" / "words.yaml", *LISTS, *CALLS)
    session = served.open(**({"cassettes": ["words"]} if recorded else {}))
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE_S) as http:
        opened = await http.post(served.endpoint(session), json=HELLO)
        named = {"mcp-session-id": opened.headers["mcp-session-id"]}
        answer = await http.post(
            served.endpoint(session), json=call(arguments, name), headers=named
        )
        good = call({"text": "hello"}, "echo")
        again = await http.post(served.endpoint(session), json=good, headers=named)
    assert f'"code":{code}' in answer.text.replace(" ", ""), answer.text[:300]
    assert "hello" in again.text


@pytest.mark.parametrize("mode", MODES)
async def test_clients_of_two_sessions_never_meet(serve: Serve, tmp_path: Path, mode: str) -> None:
    served = await serve(mcp={"resources": {"doc://a": {"text": "{{ args }}"}}})
    for name in ("one", "two"):
        listed, said = LISTS[0], f"of {name}"
        tool = {"tools": [{"name": name, "inputSchema": {"type": "object"}}]}
        calls = (
            McpCall("tools/list", {}, tool),
            McpCall("tools/call", {"name": name, "arguments": {}}, text(said)),
        )
        write(tmp_path / "suite" / "cassettes" / f"{name}.yaml", listed, *calls, server=name)
    sessions = {name: served.open(cassettes=[name], repeats="last") for name in ("one", "two")}

    async def work(name: str, other: str) -> None:
        async with served.client(sessions[name], mode=mode) as client:
            for _ in range(ROUNDS):
                assert [tool.name for tool in (await client.list_tools()).tools] == [name]
                assert words(await client.call_tool(name, {})) == f"of {name}"
                with pytest.raises(MCPError, match=f"There is no tool '{other}'"):
                    await client.call_tool(other, {})

    await asyncio.gather(*(work(*pair) for pair in (("one", "two"), ("two", "one")) * 2))
    for name, session in sessions.items():
        done = {method for method, _, status in served.calls(session) if status == 200}
        assert done == {"tools.list", f"tools.{name}"}


async def test_a_connection_of_one_session_is_unknown_in_another(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    first, second = served.open(), served.open()
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=PATIENCE_S) as http:
        opened = await http.post(served.endpoint(first), json=HELLO)
        named = {"mcp-session-id": opened.headers["mcp-session-id"]}
        await http.post(served.endpoint(second), json=HELLO)
        sent: dict[str, Any] = {"json": call({"city": "Bonn"}), "headers": named}
        assert (await http.post(served.endpoint(second), **sent)).status_code == 404
        assert '"temp"' in (await http.post(served.endpoint(first), **sent)).text
    assert served.calls(second, "tools.get") == []


async def test_a_world_over_standard_streams_outlives_lines_that_are_none(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", tools=TOOLS)
    asked = command(str(suite))
    process = await asyncio.create_subprocess_exec(
        asked.command, *asked.args, env=asked.env, stdin=PIPE, stdout=PIPE, limit=2**24
    )
    lines = [
        b"{no",
        b"[" * 10_000,
        json.dumps(call({"city": "x" * LARGE})).encode(),
        json.dumps(HELLO).encode(),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        json.dumps(call({"city": "Bonn"})).encode(),
    ]
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n".join(lines) + b"\n")
    heard: list[bytes] = []

    async def listen() -> None:
        assert process.stdout is not None
        while not any(b'"temp' in line for line in heard):
            heard.append(await process.stdout.readline())

    await asyncio.wait_for(listen(), PATIENCE_S)
    process.stdin.close()
    await process.wait()
    assert process.returncode == 0
