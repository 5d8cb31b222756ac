"""Pages of other origins in a real browser: whatever they send, nothing has changed afterwards."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import httpx
import pytest
from typing_extensions import override

from harness.server import Settings
from tests.harness.conftest import write_suite
from tests.harness.server.conftest import Api, serving
from tests.patience import PATIENCE_S

PAGE = (Path(__file__).parent / "attacking_page.html").read_text(encoding="utf-8")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

KINDS = ("plain", "sandboxed", "data")
"""A page as it is served; in a sandboxed frame, and from a `data:` URL, both of origin `null`."""

SENT_UNASKED = {
    "img", "script", "iframe", "link", "get-no-cors", "get-cors",
    "form-x-www-form-urlencoded", "form-form-data", "form-plain",
    "no-cors-x-www-form-urlencoded", "no-cors-form-data", "no-cors-plain", "no-cors-untyped",
    "no-cors-empty", "beacon", "cors-empty",
}  # fmt: skip
"""What a browser sends without asking; the rest it sends to who allows it."""

UNITS = "/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
UNIT = '{"name": "Evil", "parentOrgUnitPath": "/"}'
TOKEN = "/computeMetadata/v1/instance/service-accounts/default/token"


@pytest.fixture(scope="module")
def browser() -> str:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium: apt-get install chromium, or name one in CHROMIUM")
    return found


class Pages(ThreadingHTTPServer):
    """Serves the attacking pages on an origin of its own; notes whatever it is sent.

    Attributes:
        sent: What arrived of the attacks on this server itself, which refuses nothing: the kind of
            the page, and how it was sent.
        over: The kind of each page that has done its work.
        targets: What the pages ask, and of whom.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.sent: set[tuple[str, str]] = set()
        self.over: Queue[str] = Queue()
        self.targets: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def page(self, kind: str) -> str:
        """A page that attacks; those of origin `null` are in a frame of one that does not."""
        order = {"mark": kind, "targets": self.targets, "done": f"{self.url}/done"}
        made = PAGE.replace("|| ORDER", f"|| {json.dumps(order)}")
        if kind == "plain":
            return made
        if kind == "data":
            return f'<iframe src="data:text/html,{quote(made)}"></iframe>'
        text = made.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe sandbox="allow-scripts allow-forms" srcdoc="{text}"></iframe>'


class _Answers(BaseHTTPRequestHandler):
    server: Pages

    def _answer(self) -> None:
        place = urlsplit(self.path)
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        if place.path == "/done":
            self.server.over.put(sent.decode())
        for kind, how in parse_qsl(place.query):
            self.server.sent.add((kind, how))
        kind = place.path.removeprefix("/page/")
        content = self.server.page(kind).encode() if kind in KINDS else b""
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = do_PATCH = _answer  # noqa: N815  (names of the base class)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@contextmanager
def pages() -> Iterator[Pages]:
    with Pages() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextmanager
def mock_server(suite: Path) -> Iterator[httpx.Client]:
    """A server of its own process, as a person starts it: no token, a default session."""
    command = [sys.executable, "-m", "mockserver", "serve", "--fixtures", str(suite)]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-proxy", "--until-eof"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[3]
        with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
            yield client
        process.terminate()


@contextmanager
def browsing(browser: str, url: str, profile: Path) -> Iterator[None]:
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               "--no-first-run", "--disable-extensions", "--disable-background-networking",
               "--disable-popup-blocking", "--no-proxy-server")  # fmt: skip
    with subprocess.Popen(
        [browser, *options, f"--user-data-dir={profile}", url],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield
        process.terminate()


def mock_state(client: httpx.Client, session: str) -> dict[str, Any]:
    """Everything that a page could have changed."""
    asked = [f"sessions/{each}/{what}" for each in ("default", session)
             for what in ("journal", "diff", "faults")]  # fmt: skip
    found = {what: client.get(f"/_mock/{what}").json() for what in ["sessions", *asked]}
    offset = client.get(f"/_mock/sessions/{session}/clock").json()["now"]
    return found | {"now": offset}


def harness_state(api: Api) -> dict[str, Any]:
    asked = ("suites", "runs", "baselines")
    return {what: api.get(f"/api/eval/{what}").json() for what in asked}


def attacks(mock: httpx.Client, session: str, api: Api, run: str) -> list[dict[str, str]]:
    """What pages ask of the servers: all of it would change something."""
    own, eval_ = str(mock.base_url).rstrip("/"), str(api.base_url).rstrip("/")
    task = '{"name": "evil", "tasks": [{"id": "t", "prompt": "p"}]}'
    at = f"{own}/_mock/sessions"
    return [
        {"verb": verb, "url": url, "body": body}
        for verb, url, body in [
            ("POST", at, '{"id": "evil"}'),
            ("POST", f"{at}/{session}/reset", "{}"),
            ("POST", f"{at}/{session}/clock", '{"advance_s": 3600}'),
            ("POST", f"{at}/{session}/faults", '{"method": "*", "status": 500}'),
            ("POST", f"{at}/{session}/credentials", '{"revoke": "all"}'),
            ("GET", f"{at}/{session}/reset", ""),
            ("DELETE", f"{at}/{session}", ""),
            ("DELETE", f"{at}/default", ""),
            ("GET", own + UNITS, ""),
            ("POST", own + UNITS, UNIT),
            ("POST", f"{own}/s/{session}{UNITS}", UNIT),
            ("DELETE", f"{own}/s/default{UNITS}/Office", ""),
            ("GET", own + TOKEN, ""),
            ("POST", f"{own}/tools/enrollBrowser", '{"orgUnit": "/Office"}'),
            ("POST", f"{eval_}/api/eval/suites/office/run", '{"agent": "oracle"}'),
            ("POST", f"{eval_}/api/eval/run", '{"suiteId": "office", "provider": "oracle"}'),
            ("POST", f"{eval_}/api/eval/suites", task),
            ("POST", f"{eval_}/api/eval/runs/{run}/baseline", "{}"),
            ("POST", f"{eval_}/api/eval/runs/{run}/cancel", ""),
            ("GET", f"{eval_}/api/eval/runs/{run}/baseline", ""),
            ("DELETE", f"{eval_}/api/eval/baselines/{run}", ""),
        ]
    ]


@pytest.mark.slow
def test_pages_of_other_origins_change_nothing(browser: str, tmp_path: Path) -> None:
    write_suite(tmp_path / "suites" / "office")
    settings = Settings(runs=tmp_path / "runs", suites=tmp_path / "suites")
    with ExitStack() as stack:
        mock = stack.enter_context(mock_server(tmp_path / "suites" / "office"))
        api = stack.enter_context(serving(settings))
        attacker = stack.enter_context(pages())
        session = mock.post("/_mock/sessions", json={"clock": "frozen"}).json()["id"]
        run = api.make()["runId"]
        api.post(f"/api/eval/runs/{run}/baseline").raise_for_status()
        # the attacker itself refuses nothing: what arrives there, a browser does send
        itself = [{"verb": verb, "url": f"{attacker.url}/", "body": "{}"}
                  for verb in ("GET", "POST", "DELETE")]  # fmt: skip
        attacker.targets = itself + attacks(mock, session, api, run)
        before = mock_state(mock, session), harness_state(api)
        for kind in KINDS:
            with browsing(browser, f"{attacker.url}/page/{kind}", tmp_path / kind):
                assert attacker.over.get(timeout=PATIENCE_S) == kind
        assert (mock_state(mock, session), harness_state(api)) == before
        for kind in KINDS:
            assert {how for each, how in attacker.sent if each == kind} >= SENT_UNASKED
