"""A real chat server that answers what a test tells it, byte for byte."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from harness.agents import Task
from harness.model import Case, Turn


@dataclass
class Seen:
    """One request as the server saw it."""

    headers: dict[str, str]
    body: Any


@dataclass
class ChatServer:
    """Answers requests with `answers`, in order; the last one again and again.

    An answer is raw HTTP, or None to hang up without a word.
    """

    url: str = ""
    answers: list[bytes | None] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            pairs = (line.split(": ", 1) for line in head[1:] if ": " in line)
            headers = {name.lower(): value for name, value in pairs}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.seen.append(Seen(headers, orjson.loads(body or b"null")))
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if answer is not None:
                writer.write(answer)
                await writer.drain()
        finally:
            writer.close()


def http(body: bytes | str, kind: str = "application/json", status: str = "200 OK") -> bytes:
    content = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(content)}\r\n"
    return head.encode() + b"connection: close\r\n\r\n" + content


@pytest.fixture
def answer() -> Callable[..., bytes]:
    return http


@pytest_asyncio.fixture
async def chat() -> AsyncIterator[ChatServer]:
    chat = ChatServer()
    server = await asyncio.start_server(chat.serve, "127.0.0.1", 0)
    chat.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api/chat"
    async with server:
        yield chat


@pytest.fixture
def make_task(tmp_path: Path) -> Callable[..., Task]:
    def make(*prompts: str, **more: Any) -> Task:
        said = prompts or ("Why is it broken?",)
        case = more.pop("case", None) or Case(
            id="EC-001", turns=tuple(Turn(user=prompt) for prompt in said)
        )
        return Task(case=case, prompts=said, folder=lambda: tmp_path, **more)

    return make
