"""An endpoint that answers as providers of models do, over real HTTP, what it is told to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

Said = str | dict[str, Any] | int | bytes
"""A text; the arguments of a call of `verdict`; a status to fail with; or the whole body."""


@dataclass
class Endpoint:
    """A running endpoint: where it is, what it says, what it was asked."""

    say: Callable[[str], Said]
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        return {
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "ANTHROPIC_BASE_URL": self.url,
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "OPENAI_API_KEY": "key-1",
        }


def verdict(said: str, reason: str = "because") -> dict[str, Any]:
    return {"reason": reason, "verdict": said}


@contextmanager
def endpoint(say: Callable[[str], Said] | Said) -> Iterator[Endpoint]:
    """Serve on a free port of this machine.

    Args:
        say: What is answered, or a function of the whole question (instructions and material).
    """
    told = Endpoint(say if callable(say) else lambda _: say)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append(body)
            told.headers.append({name.lower(): value for name, value in self.headers.items()})
            said = told.say(json.dumps(body, ensure_ascii=False))
            status = said if isinstance(said, int) else 200
            answer = (
                {"error": {"message": "no"}} if isinstance(said, int) else _shape(self.path, said)
            )
            data = said if isinstance(said, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        @override
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    told.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()


def _shape(path: str, said: Any) -> dict[str, Any]:
    if path.endswith("/chat/completions"):
        return _openai(said)
    return _anthropic(said) if path.endswith("/messages") else _google(said)


def _openai(said: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said}
    if isinstance(said, dict):
        call = {"name": "verdict", "arguments": json.dumps(said)}
        calls = [{"id": "c1", "type": "function", "function": call}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {
        "id": "r1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }  # fmt: skip


def _anthropic(said: Any) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "text", "text": said}
    if isinstance(said, dict):
        part = {"type": "tool_use", "id": "c1", "name": "verdict", "input": said}
    return {
        "id": "r1", "type": "message", "role": "assistant", "model": "m", "content": [part],
        "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }  # fmt: skip


def _google(said: Any) -> dict[str, Any]:
    part: dict[str, Any] = {"text": said}
    if isinstance(said, dict):
        part = {"functionCall": {"name": "verdict", "args": said}}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18},
        "modelVersion": "m",
    }
