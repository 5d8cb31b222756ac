"""A recorded call of a model: time before the first chunk of its stream, inside the server."""

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from mockserver.http.application import Application
from mockserver.http.server import real_time
from mockserver.model import Chunk, Interaction, RecordedRequest, RecordedResponse, SessionSpec
from mockserver.settings import Settings
from tests.benchmarks.figures import Figure
from tests.tapes import JSON, written

TURNS, ROUNDS = 20, 15
EVENT = b'data: {"choices": [{"delta": {"content": "word "}}]}\n\n'
HEADERS = [(b"host", b"127.0.0.1:8765"), (b"content-type", b"application/json")]
SCOPE = {"type": "http", "method": "POST", "scheme": "http", "query_string": b"",
         "path": "/models/openai/v1/chat/completions", "http_version": "1.1",
         "raw_path": b"/models/openai/v1/chat/completions", "client": ("127.0.0.1", 1),
         "server": ("127.0.0.1", 8765)}  # fmt: skip


def conversation(turns: int) -> bytes:
    """A request of some turns, 200 characters each."""
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": f"{at} " + "words " * 33} for at in range(turns)]
    return json.dumps({"model": "gpt-5", "stream": True, "messages": messages}).encode()


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        chunks = tuple(Chunk(5.0 * at, len(EVENT)) for at in range(50))
        stream = (("content-type", "text/event-stream"),)
        response = RecordedResponse(200, "OK", stream, EVENT * 50, chunks=chunks)
        url = "https://api.openai.com/v1/chat/completions"
        tape = [Interaction(RecordedRequest("POST", url, (JSON,), conversation(turns)), response)
                for turns in range(TURNS + 1)]  # fmt: skip
        file = written(Path(folder), tape)
        default = SessionSpec(cassettes=("tape",), pace=0)
        settings = Settings(cassettes=(file,), default=default)
        yield Figure(
            "before the first chunk of a recorded stream",
            median(_round_ms(settings) for _ in range(ROUNDS)),
            1.0,
            " ms",
        )


def _round_ms(settings: Settings) -> float:
    """Of a server that has seen none of the requests before."""
    return asyncio.run(_first_chunk_ms(Application(settings, real=real_time)))


async def _first_chunk_ms(application: Application) -> float:
    """The mean of all turns of a conversation, after a first request, which loads the APIs."""
    took = []
    for turns in range(TURNS + 1):
        body = conversation(turns)
        first: list[float] = []

        async def receive(body: bytes = body) -> dict[str, object]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, object], first: list[float] = first) -> None:
            if message["type"] == "http.response.start" and message["status"] != 200:
                raise SystemExit(f"the recording was not found: {message}")
            if message["type"] == "http.response.body":
                first.append(perf_counter())

        began = perf_counter()
        length = (b"content-length", b"%d" % len(body))
        scope = {**SCOPE, "headers": [*HEADERS, length]}
        await application(scope, receive, send)  # type: ignore[arg-type]
        took.append((first[0] - began) * 1000)
    return sum(took[1:]) / TURNS
