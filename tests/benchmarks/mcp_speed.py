"""Calls of a tool over MCP against the SDK with a constant tool: one client, one connection."""

import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import orjson

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import free_port, mock_server, process
from tests.mockserver.conftest import write_suite

ROUNDS = 7
COUNT = 400
TOOL = {
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
    "responses": [{"when": {"city": "Bonn"}, "result": {"temp": 7}}],
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "getWeather", "arguments": {"city": "Bonn"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Client:
    """A connection of a client that has begun."""

    def __init__(self, port: int, path: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port)
        self._path = path
        self._headers = dict(ACCEPT)
        session, _ = self._ask(HELLO)
        self._headers["Mcp-Session-Id"] = session
        self._ask({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _ask(self, message: object) -> tuple[str, bytes]:
        self._connection.request("POST", self._path, orjson.dumps(message), self._headers)
        answer = self._connection.getresponse()
        return answer.headers.get("mcp-session-id", ""), answer.read()

    def per_second(self) -> float:
        started = time.perf_counter()
        for _ in range(COUNT):
            _, body = self._ask(CALL)
            assert b'"temp":7' in body, body
        return COUNT / (time.perf_counter() - started)


def figures() -> Iterator[Figure]:
    own = free_port()
    command = (sys.executable, "-m", "tests.benchmarks.mcp_reference", str(own))
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", tools={"getWeather": TOOL})
        with (
            mock_server(suite, "--no-proxy") as (port, _),
            process(*command, port=own, path="/health"),
        ):
            ours, theirs = Client(port, "/mcp"), Client(own, "/mcp/")
            rates = [(ours.per_second(), theirs.per_second()) for _ in range(ROUNDS)]
    measured = ratio([mine for mine, _ in rates], [other for _, other in rates])
    yield Figure("tool calls over MCP / SDK with a constant tool", measured, 0.8, at_least=True)
