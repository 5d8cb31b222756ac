"""What a program asks of models is recorded beside it, unless an answer is no good recording."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from typing_extensions import override

from mockserver.capture.model_recorder import ModelRecorder
from mockserver.capture.recordings import SavedCassette, review_path
from mockserver.cassettes.files import read_cassette
from mockserver.errors import MockServerError
from tests.captures import KEY

CHAT = {"choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi"}]}
CHUNK = b'data: {"choices": [{"delta": {"content": "H"}, "finish_reason": null}]}\n\n'
SECRET = "sk-live-0a9b8c7d6e5f4a3b"
RANDOM = "Zx8Qp0vN3rT6yB1kM9wL4sD7"


class Answers(BaseHTTPRequestHandler):
    """Answers with what the last message says: a status and a body, or a stream that is cut."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wanted = json.loads(asked["messages"][-1]["content"])
        body = CHUNK if wanted.get("cut") else json.dumps(wanted["body"]).encode()
        self.send_response(wanted.get("status", 200))
        self.send_header(
            "content-type", "text/event-stream" if wanted.get("cut") else "application/json"
        )
        self.send_header(
            "content-length", str(len(body) + (99 if wanted.get("cut") == "short" else 0))
        )
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def live() -> Iterator[dict[str, str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    yield {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": SECRET}
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)


def ask(recorder: ModelRecorder, wanted: object) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": json.dumps(wanted)}]}
    headers = {"authorization": f"Bearer {SECRET}"}
    try:
        url = f"{recorder.block['OPENAI_BASE_URL']}/chat/completions"
        httpx.post(url, json=body, headers=headers)
    except httpx.RemoteProtocolError:
        return


def test_what_a_model_answers_is_recorded(live: dict[str, str], tmp_path: Path) -> None:
    recorder = ModelRecorder(tmp_path / "a.yaml", live)
    assert recorder.block["OPENAI_API_KEY"] == SECRET
    ask(recorder, {"body": CHAT})
    ask(recorder, {"status": 429, "body": {"error": {"code": "rate_limit_exceeded"}}})
    assert recorder.stop() == 2
    found = read_cassette(tmp_path / "a.yaml").interactions
    assert [each.response.status for each in found] == [200, 429]
    assert SECRET not in (tmp_path / "a.yaml").read_text()
    assert recorder.held_back == ()


def test_what_is_held_back_is_told(live: dict[str, str], tmp_path: Path) -> None:
    recorder = ModelRecorder(tmp_path / "a.yaml", live)
    ask(recorder, {"body": CHAT, "note": RANDOM})
    recorder.stop()
    told = "\n".join(recorder.held_back)
    assert told.startswith(f"1 in question, kept redacted in {review_path(tmp_path / 'a.yaml')}:")
    assert f"understudy capture review {tmp_path / 'a.yaml'} --accept 1" in told
    assert RANDOM not in told


def test_what_the_leak_gate_leaves_out_is_told(
    live: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = SavedCassette(0, ("POST /b",))
    monkeypatch.setattr("mockserver.capture.recorder.save_cassette", lambda *_: saved)
    recorder = ModelRecorder(tmp_path / "a.yaml", live)
    ask(recorder, {"body": CHAT})
    recorder.stop()
    assert recorder.held_back == ("left out: POST /b",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"status": 401, "body": {"error": {"message": f"{SECRET} is expired"}}},
         "the model refused the key with status 401; set OPENAI_API_KEY to a valid one"),
        ({"body": MESSAGE},
         "openai.chat.completions.create was asked for, and the answer has the form of messages"),
        ({"cut": "short"}, "the reply of the model breaks off before its end"),
        ({"cut": "whole"}, "the reply of the model breaks off before its end"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_good_recording_leaves_the_cassette_as_it_was(
    live: dict[str, str], tmp_path: Path, wanted: object, words: str
) -> None:
    path = tmp_path / "a.yaml"
    first = ModelRecorder(path, live)
    ask(first, {"body": CHAT})
    first.stop()
    before = path.read_bytes()
    again = ModelRecorder(path, live)
    ask(again, {"body": CHAT})
    ask(again, wanted)
    with pytest.raises(MockServerError) as raised:
        again.stop()
    assert words in str(raised.value)
    assert SECRET not in str(raised.value)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.yaml"]
