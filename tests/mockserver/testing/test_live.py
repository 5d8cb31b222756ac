"""Live answers that are recorded for clients of every kind, and played the next time."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import urllib3
from typing_extensions import override

from mockserver.errors import MockServerError
from mockserver.testing import mock
from mockserver.testing.transports import routes
from tests.patience import PATIENCE_S


class _Live(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[str]

    def do_GET(self) -> None:
        if self.path == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
            return
        _Live.asked.append(self.path)
        body = b"x" * 20_000 if self.path == "/large" else b'{"ok": true}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A live API of this machine, which is not left alone as such."""
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key of these tests")
    monkeypatch.setattr("mockserver.testing.live.is_loopback", lambda host: host == "localhost")
    _Live.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Live) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_what_any_client_is_answered_is_recorded_once(live: str, tmp_path: Path) -> None:
    file = tmp_path / "cassettes" / "tape.yaml"
    with mock(cassette=file, record="once") as world:
        assert requests.get(f"{live}/a?b=1", timeout=PATIENCE_S).json() == {"ok": True}
        assert len(urllib3.PoolManager().request("GET", f"{live}/large").data) == 20_000
        with pytest.raises(MockServerError, match="live answers are recorded"):
            _ = world.id
        assert world.summary() == "mock: live answers were recorded"
    assert _Live.asked == ["/a?b=1", "/large"]
    text = file.read_text(encoding="utf-8")
    assert "/a?b=1" in text
    assert routes.active_route() is None


def test_new_episodes_are_recorded_and_known_ones_played(live: str, tmp_path: Path) -> None:
    file = tmp_path / "tape.yaml"
    for paths in (["/a"], ["/a", "/b"]):
        with mock(cassette=file, record="new_episodes"):
            for path in paths:
                assert httpx.get(f"{live}{path}").status_code == 200
    assert _Live.asked == ["/a", "/b"]


def test_an_api_that_breaks_off_breaks_off_for_the_client(live: str, tmp_path: Path) -> None:
    with mock(cassette=tmp_path / "tape.yaml", record="all"), pytest.raises(httpx.TransportError):
        httpx.get(f"{live}/broken")


def test_an_api_that_is_not_there_is_an_error_of_the_client(live: str, tmp_path: Path) -> None:
    with mock(cassette=tmp_path / "tape.yaml", record="all"), pytest.raises(httpx.TransportError):
        httpx.get("http://127.0.0.1:9/nothing")


def test_tunnelled_hosts_are_not_recorded(live: str, tmp_path: Path) -> None:
    with mock(cassette=tmp_path / "tape.yaml", record="all", tunnel=["127.*"]):
        assert httpx.get(f"{live}/a").status_code == 200
    assert (
        "/a" not in (tmp_path / "tape.yaml").read_text()
        if (tmp_path / "tape.yaml").exists()
        else True
    )
