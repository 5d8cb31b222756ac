import gzip
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typing_extensions import override
from vcr.persisters.filesystem import CassetteNotFoundError

from mockserver.capture.google.transport import RecordingHttp

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
PACKED = gzip.compress(b'{"kind": "packed"}', mtime=0)


class Upstream(BaseHTTPRequestHandler):
    """Answers with a cookie twice, packed, or with a redirect."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        moved = self.path == "/moved"
        self.send_response(302 if moved else 200, "Moved" if moved else "Fine")
        if moved:
            self.send_header("Location", "/elsewhere")
        self.send_header("Set-Cookie", "a=1")
        self.send_header("Set-Cookie", "b=2")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(PACKED)))
        self.end_headers()
        self.wfile.write(PACKED)

    do_POST = do_GET  # noqa: N815  (the standard library's name)

    @override
    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


class Tokens:
    """Credentials that are always good."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def before_request(
        self, request: object, method: str, url: str, headers: dict[str, str]
    ) -> None:
        self.asked.append(url)
        headers["authorization"] = "Bearer not-a-token"


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def http(monkeypatch: pytest.MonkeyPatch) -> RecordingHttp:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return RecordingHttp(Tokens(), lambda: NOW)


def test_what_is_sent_and_answered_is_heard_as_it_was(upstream: str, http: RecordingHttp) -> None:
    answer, content = http.request(f"{upstream}/v1/things?a=1", headers={"x-one": "1"})
    assert (answer.status, content) == (200, b'{"kind": "packed"}')
    heard = http.take()
    assert heard is not None
    assert (heard.request.method, heard.request.url) == ("GET", f"{upstream}/v1/things?a=1")
    assert ("authorization", "Bearer not-a-token") in heard.request.headers
    assert (heard.response.status, heard.response.reason) == (200, "Fine")
    cookies = [value for name, value in heard.response.headers if name.lower() == "set-cookie"]
    assert cookies == ["a=1", "b=2"]
    assert (heard.response.body, heard.response.coding[:4]) == (b'{"kind": "packed"}', "gzip")
    assert heard.recorded_at == "2026-11-20T09:00:00.000Z"
    assert heard.duration_ms > 0


def test_bodies_that_are_sent_are_heard(upstream: str, http: RecordingHttp) -> None:
    http.request(f"{upstream}/v1/things:list", "POST", '{"a": "ü"}')
    heard = http.take()
    assert heard is not None
    assert heard.request.body == '{"a": "ü"}'.encode()


def test_an_interaction_is_taken_once(upstream: str, http: RecordingHttp) -> None:
    http.request(upstream)
    http.request(upstream)
    assert http.take() is not None
    assert http.take() is None


def test_redirects_are_not_followed_with_the_credentials(
    upstream: str, http: RecordingHttp
) -> None:
    answer, _ = http.request(f"{upstream}/moved")
    assert answer.status == 302


def test_nothing_is_heard_where_nobody_answers(http: RecordingHttp) -> None:
    with pytest.raises(OSError, match="refused"):
        http.request("http://127.0.0.1:9/")
    assert http.take() is None


def test_vcrpy_writes_nothing(
    upstream: str, http: RecordingHttp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    http.request(upstream)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CassetteNotFoundError):
        http.load_cassette("heard", None)
