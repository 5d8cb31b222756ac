"""Exchanges of HTTP are taken apart into requests of MCP, and recorded redacted."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest

from mockserver.capture.mcp.recording import McpRecorder, response_messages, server_name
from mockserver.capture.recorder import Recorder
from mockserver.cassettes.files import read_cassette
from mockserver.messages.mcp_calls import mcp_call
from mockserver.model import BodyFile, Chunk, Interaction, RecordedRequest, RecordedResponse
from tests.mcp_program import EMAIL
from tests.mockserver.conftest import NOW
from tests.wires import redactor

JSON = (("Content-Type", "application/json"),)
EVENTS = (("content-type", "text/event-stream"),)
URL = "http://127.0.0.1:9/mcp"


def exchange(
    asked: Any,
    told: Any,
    *,
    session: str = "",
    url: str = URL,
    verb: str = "POST",
    **response: Any,
) -> Interaction:
    headers = (*JSON, ("Mcp-Session-Id", session)) if session else JSON
    body = told if isinstance(told, bytes) else orjson.dumps(told)
    answer = RecordedResponse(**{"status": 200, "headers": JSON, "body": body, **response})
    return Interaction(RecordedRequest(verb, url, headers, orjson.dumps(asked)), answer, "", 9.0)


def call(number: int, name: str) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name}}


def record(folder: Path, *exchanges: Interaction) -> tuple[list[Any], list[str]]:
    """What a cassette has of some exchanges, and what was told."""
    path, lines = folder / "Words of.yaml", list[str]()
    recorder = Recorder.open(path, redactor=redactor(), clock=lambda: NOW)
    queue = McpRecorder(recorder, lines.append, lambda: None, path="/mcp", clock=lambda: NOW)

    async def feed() -> None:
        await asyncio.gather(*(queue.record(each) for each in exchanges))

    asyncio.run(feed())
    queue.close()
    recorder.finish()
    found = read_cassette(path).interactions if path.exists() else ()
    return [(each.request.url, mcp_call(each)) for each in found], lines


def test_the_messages_of_a_stream_come_with_their_times() -> None:
    body = b'event: message\r\ndata: {"a": 1}\r\n\r\n: ping\n\n'
    body += b'data: {"b":\nid: 7\ndata: 2}\n\ndata: {no\n\n'
    response = RecordedResponse(
        200, headers=EVENTS, body=body, chunks=(Chunk(1.0, 34), Chunk(5.0, 20))
    )
    assert list(response_messages(response, 9.0)) == [({"a": 1}, 1.0), ({"b": 2}, 9.0)]


def test_each_request_is_a_recording_of_its_own_without_secrets(tmp_path: Path) -> None:
    note = {"method": "notifications/message", "params": {"data": "works"}}
    stream = b"".join(
        b"data: %b\n\n" % orjson.dumps(each)
        for each in (note, {"id": 1, "result": {"content": [{"type": "text", "text": EMAIL}]}})
    )
    found, lines = record(
        tmp_path,
        exchange(call(1, "a b"), stream, session="s", headers=EVENTS),
        exchange({"id": 1, "method": "ping"}, {"id": 1, "result": {}}, session="s"),
        exchange({"method": "notifications/initialized"}, b"", status=202),
        exchange({}, b"", verb="GET", headers=EVENTS),
        exchange({"client_secret": "x"}, {"access_token": "y"}, url="http://127.0.0.1:9/token"),
    )
    [(url, first)] = found
    assert url == "mcp://words-of/tools/call/a%20b"
    assert first.events == ({**note, "atMs": 9.0},)
    assert EMAIL not in str(first.result)
    assert "example.com" in str(first.result)
    assert [line.split()[:3] for line in lines] == [["POST", url, "200"]]


def test_exchanges_of_one_session_do_not_get_into_each_other(tmp_path: Path) -> None:
    several = [
        exchange(call(number, f"t{number}"), {"id": number, "result": {"n": number}}, session="s")
        for number in range(20)
    ]
    found, lines = record(tmp_path, *several)
    assert sorted(each.result["n"] for _, each in found) == list(range(20))
    assert len(lines) == 20


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ({"told": b"", "status": 400}, "the server answered HTTP 400"),
        ({"told": b"", "ended": "reset"}, "its answer broke off"),
        ({"told": b"{"}, "it was not answered"),
        ({"told": b"", "file": BodyFile("0" * 64, 9_000_000)}, "more than 4 MiB"),
    ],
    ids=["refused", "broken", "unreadable", "large"],
)
def test_what_is_not_recorded_is_named(tmp_path: Path, made: dict[str, Any], why: str) -> None:
    found, [line] = record(tmp_path, exchange(call(1, "a"), **made))
    assert found == []
    assert "not recorded: " in line
    assert why in line


@pytest.mark.parametrize(
    ("file", "name"), [("a.yaml", "a"), ("Wörter 2.json", "w-rter-2"), ("ü.yaml", "server")]
)
def test_a_server_is_called_as_its_cassette_is(file: str, name: str) -> None:
    assert server_name(Path(file)) == name
