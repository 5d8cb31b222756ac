"""The console in a real Chromium: what people do with it, and whether everybody can."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from typing_extensions import override

from harness.reports import REPORTS
from harness.runner import decide
from harness.server import Settings
from harness.verdicts import Limits
from tests.browsers import accessibility_problems, chromium, problems_by_day_and_night
from tests.harness.conftest import serving as serving_mock
from tests.harness.conftest import write_suite
from tests.harness.server.conftest import Api, serving
from tests.patience import PATIENCE_S
from tests.runfolders import TOUCHED, stored_run
from tests.wide_runs import TRIALS, write_wide_runs

pytestmark = pytest.mark.slow

TOKEN = "s3cret"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_S * 1000)
    with chromium() as found:
        yield found


@contextmanager
def visiting(browser: Browser, api: Api, **options: object) -> Iterator[Page]:
    """A person at a page; whatever the page complains of is an error."""
    complaints: list[str] = []
    context: BrowserContext = browser.new_context(
        base_url=str(api.base_url),
        **options,  # type: ignore[arg-type]
    )
    context.set_default_timeout(PATIENCE_S * 1000)
    context.on(
        "console",
        lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None,
    )
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    yield context.new_page()
    context.close()
    assert [each for each in complaints if not each.startswith("Failed to load resource")] == []


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite, and two runs of it: one good, one with a case that fell."""
    folder = tmp_path_factory.mktemp("console")
    write_suite(folder / "suites" / "office")
    passes = {"T-001": [True, True, True], "T-002": [True, True, True]}
    for name, first in (("1", [True, True, True]), ("2", [False, True, False])):
        run = stored_run(folder / "runs", name, passes | {"T-001": first}, agent=f"agent-{name}")
        run.write_coverage(TOUCHED)
        result = decide(run, Limits())
        run.write_reports({each: report(result) for each, report in REPORTS.items()})
    return folder


@pytest.fixture(scope="module")
def api(shelves: Path) -> Iterator[Api]:
    """A server that asks for a token."""
    settings = Settings(runs=shelves / "runs", suites=shelves / "suites", token=TOKEN)
    with serving(settings) as served:
        served.headers["authorization"] = f"Bearer {TOKEN}"
        yield served


@pytest.fixture(scope="module")
def signed_in(browser: Browser, api: Api) -> dict[str, object]:
    """The cookies of somebody who has signed in."""
    with visiting(browser, api) as page:
        sign_in(page)
        return dict(page.context.storage_state())


def sign_in(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_a_person_signs_in_and_out(browser: Browser, api: Api) -> None:
    with visiting(browser, api) as page:
        page.goto("/runs/2")
        page.get_by_label("Token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("not the server's token")
        page.get_by_label("Token").fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Run 2")).to_be_visible()
        assert TOKEN not in page.url
        assert page.evaluate("document.cookie") == ""
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Token")).to_be_visible()
        page.goto("/runs/2")
        expect(page.get_by_label("Token")).to_be_visible()


def test_from_a_suite_to_the_trial_that_failed_and_beside_the_good_one(
    browser: Browser, api: Api, signed_in: dict[str, object]
) -> None:
    with visiting(browser, api, storage_state=signed_in) as page:
        page.goto("/")
        page.get_by_role("link", name="office").first.click()
        page.wait_for_url("**/suites/office", wait_until="load")
        page.keyboard.press("/")
        page.keyboard.type("attic")
        expect(page.get_by_text("1 case", exact=True)).to_be_visible()
        page.wait_for_url("**/suites/office?q=attic")
        page.get_by_role("link", name="Runs", exact=True).click()
        page.get_by_role("link", name="2", exact=True).click()
        rows = page.locator("table.cases tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("T-001")
        expect(rows.first).to_contain_text("the reply lacks 'a'")
        page.get_by_label("Search cases").fill("t-002")
        expect(rows).to_have_count(1)
        page.get_by_label("Search cases").fill("")
        page.get_by_role("link", name="T-001", exact=True).click()
        expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
        page.get_by_role("link", name="trial 3: fail").click()
        page.get_by_role("link", name="run 1", exact=True).click()
        expect(page.get_by_label("First trial")).to_contain_text("1, trial 1")
        expect(page.get_by_label("Second trial")).to_contain_text("2, trial 3")


def test_two_runs_are_ticked_and_compared(
    browser: Browser, api: Api, signed_in: dict[str, object]
) -> None:
    with visiting(browser, api, storage_state=signed_in) as page:
        page.goto("/runs")
        button = page.get_by_role("button", name="Compare two runs")
        page.get_by_label("compare 1").check()
        expect(button).to_be_disabled()
        page.get_by_label("compare 2").check()
        button.click()
        expect(page.get_by_label("Baseline")).to_have_value("1")
        page.get_by_label("Show").select_option("worse")
        expect(page.locator("#compared tbody tr")).to_have_count(1)
        page.get_by_role("link", name="trials of T-001 side by side").click()
        expect(page.get_by_role("heading", name="Checks")).to_be_visible()


def test_a_run_becomes_the_baseline_and_is_none_again(
    browser: Browser, api: Api, signed_in: dict[str, object]
) -> None:
    with visiting(browser, api, storage_state=signed_in) as page:
        page.goto("/runs/1")
        page.get_by_label("Note").fill("before the new model")
        page.get_by_role("button", name="Make it the baseline").click()
        expect(page.get_by_role("heading", name="Run 1 baseline")).to_be_visible()
        page.get_by_role("link", name="Baselines").click()
        expect(page.get_by_role("row", name="office")).to_contain_text("before the new model")
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="remove the baseline 1").click()
        expect(page.get_by_text("No run is a baseline.")).to_be_visible()
    assert api.get("/api/eval/baselines").json() == []


class SlowAgent(ThreadingHTTPServer):
    """An agent that answers when it is let."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.turns = threading.Semaphore(0)


class _Answers(BaseHTTPRequestHandler):
    server: SlowAgent

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.turns.acquire()
        content = json.dumps({"text": "There is <b>no</b> unit."}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def slow_agent() -> Iterator[SlowAgent]:
    with SlowAgent() as agent:
        thread = threading.Thread(target=agent.serve_forever, daemon=True)
        thread.start()
        yield agent
        agent.turns.release(1000)
        agent.shutdown()
        thread.join()


def test_a_run_is_started_watched_and_read(
    browser: Browser, served: Callable[..., Api], slow_agent: SlowAgent
) -> None:
    api = served()
    with visiting(browser, api) as page:
        page.goto("/suites/office")
        page.get_by_label("Agent").fill("http:http://203.0.113.7/chat")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("alert")).to_contain_text("203.0.113.7")
        page.get_by_label("Agent").fill(f"http:http://127.0.0.1:{slow_agent.server_port}/chat")
        page.get_by_role("textbox", name="Cases").fill("T-001")
        page.get_by_label("Trials a case").fill("2")
        page.get_by_label("Note").fill("watched")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("heading", name="Running")).to_be_visible()
        expect(page.get_by_text("0 of 2 trials", exact=True)).to_be_visible()
        assert accessibility_problems(page) == []
        slow_agent.turns.release()
        expect(page.get_by_text("1 of 2 trials", exact=True)).to_be_visible()
        expect(page.get_by_role("row", name="T-001, trial")).to_contain_text("Laboratory")
        slow_agent.turns.release()
        expect(page.get_by_role("heading", name="Cases and trials")).to_be_visible()
        expect(page.locator("table.cases tbody tr")).to_have_count(1)
        expect(page.get_by_text("watched")).to_be_visible()


def test_a_run_is_ended_early(
    browser: Browser, served: Callable[..., Api], slow_agent: SlowAgent
) -> None:
    api = served()
    agent = f"http:http://127.0.0.1:{slow_agent.server_port}/chat"
    order = {"agent": agent, "trials": 50, "concurrency": 1}
    run = api.post("/api/eval/suites/office/run", json=order).json()["runId"]
    with visiting(browser, api) as page:
        page.goto("/")
        page.get_by_role("link", name=run).click()
        slow_agent.turns.release()
        page.get_by_role("button", name="End it early").click()
        slow_agent.turns.release(1000)
        expect(page.get_by_text("Interrupted", exact=True)).to_be_visible()


ADDRESSES = (
    "/", "/suites", "/suites/office", "/runs", "/runs/2", "/runs/2/trials/T-001/1", "/compare",
    "/compare?baseline=1&candidate=2", "/compare/trials?case=T-001&left=1&right=2", "/baselines",
    "/judges", "/_mock/console/sessions", "/nowhere",
)  # fmt: skip


@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_use_every_page(
    browser: Browser, api: Api, signed_in: dict[str, object], width: int
) -> None:
    viewport = {"width": width, "height": 800}
    with visiting(browser, api, storage_state=signed_in, viewport=viewport) as page:
        page.on("requestfailed", lambda request: pytest.fail(request.url))
        for address in ADDRESSES:
            page.goto(address)
            assert problems_by_day_and_night(page) == [], address
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_live_sessions_are_opened_watched_and_asked_from_the_one_console(
    browser: Browser, shelves: Path
) -> None:
    settings = Settings(runs=shelves / "runs", suites=shelves / "suites", token=TOKEN)
    with (
        serving_mock(shelves / "suites" / "office") as (url, _),
        serving(replace(settings, server=url)) as api,
        visiting(browser, api) as page,
    ):
        sign_in(page)
        page.get_by_role("link", name="Sessions", exact=True).first.click()
        page.get_by_role("textbox", name="Id").fill("alpha")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", name="Journal")).to_be_visible()
        httpx.get(f"{url}/s/alpha/admin.googleapis.com/admin/directory/v1/users/nobody")
        expect(page.get_by_text("directory.users.get")).to_be_visible()
        assert accessibility_problems(page) == []
        page.goto("/_mock/console/sessions/alpha/apis?api=directory&method=directory.users.get")
        page.get_by_label("userKey").fill("somebody")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("link", name="Request 2 in the journal")).to_be_visible()
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_role("link", name="alpha")).to_be_visible()
        page.get_by_role("link", name="Runs", exact=True).click()
        expect(page.get_by_role("heading", name="Runs")).to_be_visible()


def test_the_sign_in_form_can_be_used_by_everybody(browser: Browser, api: Api) -> None:
    with visiting(browser, api) as page:
        page.goto("/")
        assert accessibility_problems(page) == []


def test_a_run_is_read_with_keys_alone(
    browser: Browser, api: Api, signed_in: dict[str, object]
) -> None:
    with visiting(browser, api, storage_state=signed_in) as page:
        page.goto("/runs/2")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("/")
        expect(page.get_by_label("Search cases")).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="T-001")).to_be_visible()


def test_a_page_of_another_origin_cannot_use_who_is_signed_in(
    browser: Browser, api: Api, signed_in: dict[str, object]
) -> None:
    """The cookie is sent to every port of this machine; only the origin tells the pages apart."""
    from tests.hostile.test_browser_pages import KINDS, SENT_UNASKED, pages

    eval_ = str(api.base_url).rstrip("/")
    orders = [
        ("POST", "/api/eval/suites/office/run", '{"agent": "oracle"}'),
        ("POST", "/api/eval/runs/1/baseline", "{}"),
        ("POST", "/sign-out", ""),
        ("GET", "/runs/1", ""),
    ]
    before = _state(api)
    with pages() as attacker, visiting_quietly(browser, signed_in) as page:
        attacker.targets = [
            {"verb": verb, "url": base + path, "body": body}
            for base in (attacker.url, eval_)
            for verb, path, body in orders
        ]
        for kind in KINDS:
            page.goto(f"{attacker.url}/page/{kind}")
            assert attacker.over.get(timeout=PATIENCE_S) == kind
        assert {how for _, how in attacker.sent} & SENT_UNASKED
        page.goto(f"{eval_}/runs/1")
        expect(page.get_by_role("heading", name="Run 1")).to_be_visible()
    assert _state(api) == before


@contextmanager
def visiting_quietly(browser: Browser, state: dict[str, object]) -> Iterator[Page]:
    context = browser.new_context(storage_state=state)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def _state(api: Api) -> list[object]:
    paths = ("/api/eval/runs", "/api/eval/baselines", "/api/eval/suites")
    return [api.get(path).json() for path in paths]


MOST_BYTES = 1_000_000


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder = tmp_path_factory.mktemp("wide")
    write_wide_runs(folder)
    with serving(Settings(runs=folder / "runs", suites=folder / "suites")) as served:
        yield served


def test_a_run_of_ten_thousand_trials_is_searched_and_read(browser: Browser, wide: Api) -> None:
    addresses = (
        "/", "/suites/wide", "/suites/wide?q=region+7&category=c3", "/runs", "/runs/2",
        "/runs/2/trials/C-0000/1", "/compare?baseline=1&candidate=2",
        "/compare?baseline=1&candidate=2&page=20", "/judges", "/static/matrix.js",
    )  # fmt: skip
    sizes = {address: len(wide.get(address).raise_for_status().content) for address in addresses}
    assert {address: size for address, size in sizes.items() if size >= MOST_BYTES} == {}
    with visiting(browser, wide) as page:
        page.goto("/runs/2")
        expect(page.get_by_text("2000 cases", exact=True)).to_be_visible()
        page.get_by_label("Search cases").fill("region 1998")
        rows = page.locator("table.cases tbody tr")
        expect(rows).to_have_count(1)
        expect(rows.locator("a.cell")).to_have_count(TRIALS)
        page.get_by_label("Search cases").fill("")
        page.get_by_role("link", name="C-0000").click()
        expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
        page.goto("/compare?baseline=1&candidate=2")
        page.get_by_role("link", name="Next").click()
        expect(page.get_by_text("page 2 of 20")).to_be_visible()
        page.get_by_label("Show").select_option("improved")
        expect(page.get_by_text("page 1 of 4")).to_be_visible()
