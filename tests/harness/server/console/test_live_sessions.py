"""The mock server's pages within the console: what is passed on, and what is not."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from typing_extensions import override

from harness.server import Settings
from tests.harness.conftest import serving as serving_mock
from tests.harness.conftest import write_suite
from tests.harness.server.conftest import Api, serving
from tests.harness.server.console.conftest import PAGE, Markup, page

SESSIONS = "/_mock/console/sessions"
TOKEN = "s3cret"
Received = tuple[str, str, dict[str, str]]


class Upstream(BaseHTTPRequestHandler):
    """What listens where a mock server is looked for, and is none."""

    received: list[Received] = []
    answers: dict[str, tuple[int, str, str]] = {}

    @override
    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.received.append(
            (self.command, self.path, {k.lower(): v for k, v in self.headers.items()})
        )
        status, media, text = self.answers.get(self.path, (200, "application/json", "{}"))
        self.send_response(status)
        self.send_header("content-type", media)
        self.send_header("set-cookie", "a=b")
        self.send_header("content-security-policy", "default-src *")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_POST = do_DELETE = do_GET  # noqa: N815


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, upstream: str) -> Iterator[Api]:
    """A console with a token, before something that is no mock server."""
    runs = tmp_path_factory.mktemp("guarded") / "runs"
    with serving(Settings(runs=runs, suites=runs, server=upstream, token=TOKEN)) as api:
        api.headers["authorization"] = f"Bearer {TOKEN}"
        yield api


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, str]]:
    """A console and the mock server whose sessions it shows."""
    folder = tmp_path_factory.mktemp("both")
    office = write_suite(folder / "suites" / "office")
    settings = Settings(runs=folder / "runs", suites=folder / "suites")
    with serving_mock(office) as (url, _), serving(_at(settings, url)) as api:
        yield api, url


def _at(settings: Settings, url: str) -> Settings:
    return Settings(runs=settings.runs, suites=settings.suites, server=url)


@pytest.mark.slow
def test_sessions_stand_in_one_navigation_with_runs(both: tuple[Api, str]) -> None:
    api, url = both
    opened = api.post("/_mock/sessions", json={"id": "alpha"})
    assert opened.status_code == 201
    assert opened.json()["base_url"].startswith(url)
    assert "alpha" in page(api, "/").text
    for address in (SESSIONS, f"{SESSIONS}/alpha", f"{SESSIONS}/alpha/apis"):
        found = page(api, address)
        assert {"/", "/runs", "/suites", SESSIONS} <= {*found.links()}
        assert "mock server" not in found.text
    assert "/runs" not in Markup(httpx.get(f"{url}{SESSIONS}", headers=PAGE).text).links()
    assert api.get("/_mock/sessions/alpha/journal").json()["entries"] == []
    assert api.get("/_mock/console", headers=PAGE).headers["location"] == SESSIONS


@pytest.mark.slow
def test_what_pages_ask_for_is_there(both: tuple[Api, str]) -> None:
    api, url = both
    files = [attrs.get("src") or attrs.get("href") for tag, attrs in page(api, SESSIONS).elements
             if tag in {"script", "link"}]  # fmt: skip
    assert len(files) == 3
    for name in files:
        ours, theirs = api.get(f"{name}"), httpx.get(f"{url}{name}")
        assert (ours.status_code, ours.content) == (200, theirs.content)


def test_a_request_that_is_tried_is_answered_in_the_journal_alone(both: tuple[Api, str]) -> None:
    api, _ = both
    api.post("/_mock/sessions", json={"id": "tried"})
    answer = api.get("/s/tried/admin.googleapis.com/nowhere?a=1")
    assert (answer.status_code, answer.content) == (204, b"")
    (entry,) = api.get("/_mock/sessions/tried/journal").json()["entries"]
    assert (entry["path"], entry["status"]) == ("/admin.googleapis.com/nowhere", 404)


@pytest.mark.parametrize(
    ("verb", "path", "status"),
    [
        ("GET", "/_mock/health", 200),
        ("POST", "/_mock/sessions", 200),
        ("DELETE", "/_mock/sessions/a/faults", 200),
        ("POST", "/_mock/elsewhere", 405),
        ("POST", "/_mock/sessionsx", 405),
        ("GET", "/_mock/%2e%2e/secret", 404),
        ("POST", "/_mock/sessions/..%2f..%2fx", 404),
        ("GET", "/_mock/console/static/pages.py", 404),
    ],
)
def test_only_what_pages_send_is_passed_on(guarded: Api, verb: str, path: str, status: int) -> None:
    Upstream.received.clear()
    answer = guarded.request(verb, path, json={} if verb == "POST" else None)
    assert answer.status_code == status
    assert [(sent, where) for sent, where, _ in Upstream.received] == [(verb, path)] * (
        status == 200
    )


def test_tokens_and_cookies_stay_where_they_belong(guarded: Api, upstream: str) -> None:
    Upstream.received.clear()
    answer = guarded.get("/_mock/health", headers={"cookie": "console=1", "x-other": "1"})
    assert "set-cookie" not in answer.headers
    cookie = guarded.post("/sign-in", json={"token": TOKEN}).headers["set-cookie"].split(";")[0]
    theirs = {"authorization": "Bearer theirs", "cookie": cookie}
    with httpx.Client(base_url=guarded.base_url, trust_env=False) as browser:
        assert browser.get("/_mock/health").status_code == 401
        assert browser.get("/_mock/health", headers=theirs).status_code == 200
        foreign = {**theirs, "origin": "http://evil.example"}
        assert browser.get("/_mock/health", headers=foreign).status_code == 403
    (_, _, first), (_, _, second) = Upstream.received
    assert "authorization" not in first
    assert second["authorization"] == "Bearer theirs"
    for each in (first, second):
        assert not {"cookie", "origin", "x-other"} & each.keys()
        assert each["host"] == upstream.removeprefix("http://")


def test_another_server_runs_nothing_in_the_console(guarded: Api) -> None:
    Upstream.answers |= {
        "/_mock/console/x": (200, "text/html", "<p>page</p>"),
        "/_mock/x.js": (200, "text/javascript", "alert(1)"),
        "/_mock/away": (307, "text/plain", ""),
    }
    shown = guarded.get("/_mock/console/x", headers=PAGE)
    assert shown.text == "<p>page</p>"
    policy = shown.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "*" not in policy
    assert guarded.get("/_mock/x.js").status_code == 502
    assert guarded.get("/_mock/away").status_code == 502


def test_a_server_that_asks_for_its_token_is_not_asked_around(guarded: Api, tmp_path: Path) -> None:
    Upstream.answers["/_mock/health"] = (200, "application/json", '{"protected": true}')
    Upstream.received.clear()
    found = page(guarded, "/")
    assert [path for _, path, _ in Upstream.received] == ["/_mock/health"]
    assert "shows its sessions to who knows its control token" in " ".join(found.text.split())
    del Upstream.answers["/_mock/health"]
    assert "No mock server answers" in page(guarded, "/").text


def test_a_console_before_itself_ends(tmp_path: Path) -> None:
    with serving(Settings(runs=tmp_path, suites=tmp_path)) as first:
        settings = Settings(runs=tmp_path, suites=tmp_path, server=str(first.base_url))
        with serving(settings) as second:
            assert second.get("/_mock/health").status_code == 404


@pytest.mark.slow
def test_where_no_server_answers_the_page_says_how_to_start_one(tmp_path: Path) -> None:
    settings = Settings(runs=tmp_path, suites=tmp_path, server="http://127.0.0.1:9")
    with serving(settings) as api:
        for address in ("/", SESSIONS):
            assert "understudy serve --port 9" in page(api, address).text
        answer = api.get("/_mock/sessions")
        assert answer.status_code == 503
        assert answer.json()["error"]["message"] == "no mock server answers at http://127.0.0.1:9"
