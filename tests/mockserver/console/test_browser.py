"""The console in a real browser: what people do there, by mouse and by keyboard, and what axe says.

Slow: each test looks at a server in a process of its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.browsers import chromium, problems_by_day_and_night
from tests.mockserver.console.picture import USERS, WIDE, make_requests, mock_server
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.slow

NARROW = 390
SUITE = Path(__file__).parents[3] / "fixtures" / "chrome-enterprise"
ONE = "/_mock/console/sessions/default"
KEY = "125021366157810928613"
TOKEN = "token-of-a-test"
PAGES = {
    "sessions": "/",
    "journal": ONE,
    "request": f"{ONE}/requests/5",
    "miss": f"{ONE}/requests/4",
    "state": f"{ONE}/state",
    "collection": f"{ONE}/state?collection=users",
    "resource": f"{ONE}/state?collection=users&key={KEY}",
    "faults": f"{ONE}/faults",
    "cassettes": f"{ONE}/cassettes",
    "spans": f"{ONE}/spans",
    "clock": f"{ONE}/clock",
    "apis": f"{ONE}/apis",
    "methods": f"{ONE}/apis?api=directory",
    "form": f"{ONE}/apis?api=directory&method=directory.users.list",
    "problem": f"{ONE}/requests/999",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def shown() -> Iterator[httpx.Client]:
    """A server that was asked some things; tests of this module only look at it."""
    with mock_server(SUITE, "--case", "EC-004") as client:
        make_requests(client)
        yield client


@pytest.fixture
def server() -> Iterator[httpx.Client]:
    with mock_server(SUITE, "--case", "EC-004") as client:
        yield client


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that may neither fail in a script nor break its own policy."""
    context = browser.new_context(viewport={"width": WIDE, "height": 900})
    context.set_default_timeout(PATIENCE_S * 1000)
    found = context.new_page()
    failures: list[str] = []
    found.on("pageerror", lambda error: failures.append(str(error)))
    found.on(
        "console",
        lambda line: failures.append(line.text) if "Content Security" in line.text else None,
    )
    found.on("dialog", lambda dialog: dialog.accept())
    yield found
    context.close()
    assert failures == []


def journal(client: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/_mock/sessions/default/journal").json()["entries"]
    return found


# --- what people do ---


def test_a_session_is_opened_watched_filtered_and_closed(server: httpx.Client, page: Any) -> None:
    def ask_before_it_follows(route: Any) -> None:
        if server.get("/_mock/sessions/mine/journal").json()["entries"] == []:
            server.get(f"/s/mine{USERS}/nobody@example.com")
        route.continue_()

    page.route("**/mine/journal/events*", ask_before_it_follows)
    page.goto(str(server.base_url))
    page.locator("[name=id]").fill("mine")
    page.locator("[name=case]").fill("EC-012")
    page.get_by_role("button", name="Open").click()
    page.wait_for_url("**/sessions/mine")
    page.get_by_role("link", name="directory.users.get").wait_for()  # it came by itself
    server.get(f"/s/mine{USERS}?customer=my_customer")
    page.get_by_role("link", name="directory.users.list").wait_for()
    page.get_by_label("Method").fill("users.get")
    page.get_by_role("button", name="Filter").click()
    page.get_by_text("1 of 2 requests").wait_for()
    page.wait_for_load_state()  # from here on its filters work
    page.get_by_label("Status").select_option("5xx")
    page.get_by_text("No request fits").wait_for()
    page.get_by_role("link", name="Clear").click()
    page.get_by_text("2 of 2 requests").wait_for()
    page.wait_for_load_state()
    page.get_by_label("misses only").check()
    page.get_by_label("Text").fill("NOBODY")
    page.keyboard.press("Enter")
    page.get_by_text("1 of 2 requests").wait_for()
    page.wait_for_load_state()
    page.get_by_role("button", name="Live").click()
    assert page.get_by_role("button", name="Live").get_attribute("aria-pressed") == "false"
    page.get_by_role("link", name="Sessions").click()
    page.wait_for_url("**/_mock/console/sessions")  # loaded: its buttons work
    page.get_by_role("button", name="Close session mine").click()
    page.get_by_text("Done.").wait_for()
    assert page.get_by_role("link", name="mine").count() == 0


def test_a_request_shows_where_its_answer_came_from(shown: httpx.Client, page: Any) -> None:
    page.goto(f"{shown.base_url}{ONE}/requests/6")
    row = page.get_by_role("row").filter(has_text="/orgUnitPath").first
    assert "written" in row.inner_text()
    row = page.get_by_role("row").filter(has_text="/name/givenName")
    assert "EC-004/users.patch.json#/0" in row.inner_text()
    page.goto(f"{shown.base_url}{ONE}/requests/7")
    page.get_by_role("link", name="#8").click()
    page.get_by_role("heading", name="directory.orgunits.list").wait_for()


def test_a_miss_becomes_a_stub(server: httpx.Client, page: Any) -> None:
    asked = "/drive.googleapis.com/drive/v3/apps"
    assert server.get(asked).status_code == 501
    page.goto(f"{server.base_url}{ONE}")
    page.get_by_role("link", name="drive.apps.list").click()
    page.get_by_text("The fixtures hold nothing for it").wait_for()
    text = page.get_by_label("Edit it")
    text.fill('{"url": "nonsense", "status": "x"}')
    page.get_by_role("button", name="Add to this session").click()
    page.get_by_text("/status").wait_for()
    stub = '{"url": "www.googleapis.com/drive/v3/apps", "body": {"mine": 1}}'
    text.fill(stub)
    assert '"mine": 1' in page.locator("#stub-patch").inner_text()
    page.get_by_role("button", name="Add to this session").click()
    page.get_by_text("The stub answers from now on").wait_for()
    assert server.get(asked).json() == {"mine": 1}


def test_what_a_session_wrote_is_seen_in_its_layers(shown: httpx.Client, page: Any) -> None:
    page.goto(f"{shown.base_url}{ONE}")
    page.get_by_role("link", name="State").click()
    page.get_by_role("link", name=KEY).click()
    row = page.get_by_role("row").filter(has_text="/orgUnitPath")
    layers = row.locator("td").all_inner_texts()[1:]
    assert layers == ["/Engineering/Frontend", "/Engineering"]
    page.get_by_role("link", name="users").click()
    page.get_by_label("touched by a layer").check()
    page.get_by_role("button", name="Filter").click()
    page.get_by_text("1 of 26 resources").wait_for()


def test_a_fault_is_armed_met_and_forgotten(server: httpx.Client, page: Any) -> None:
    page.goto(f"{server.base_url}{ONE}/faults")
    page.get_by_label("Method").fill("directory.users.*")
    page.locator("[name=status]").fill("429")
    page.get_by_role("button", name="Arm").click()
    page.get_by_text("The fault is armed.").wait_for()
    assert server.get(f"{USERS}?customer=my_customer").status_code == 429
    page.reload()
    row = page.get_by_role("row").filter(has_text="directory.users.*")
    assert row.locator("td").all_inner_texts()[-3:] == ["1", "1", "control"]
    page.get_by_label("Method").fill("drive.*")
    page.get_by_label("Kind").select_option("reset")
    page.get_by_role("button", name="Arm").click()
    page.get_by_role("row").filter(has_text="drive.*").wait_for()
    page.get_by_role("button", name="Forget all").click()
    page.get_by_text("No fault is armed.").wait_for()
    assert server.get("/_mock/sessions/default/faults").json() == []


def test_time_passes_at_a_button(browser: Any, page: Any) -> None:
    with mock_server(SUITE, "--clock", "frozen:2026-11-20T09:00:00Z") as server:
        page.goto(f"{server.base_url}{ONE}/clock")
        page.get_by_role("button", name="1 day").click()
        page.get_by_text("2026-11-21T09:00:00.000Z").wait_for()
        page.get_by_label("Seconds").fill("90")
        page.get_by_role("button", name="Advance").click()
        page.get_by_text("2026-11-21T09:01:30.000Z").wait_for()


def test_a_method_is_tried(server: httpx.Client, page: Any) -> None:
    page.goto(f"{server.base_url}{ONE}/apis")
    page.get_by_role("link", name="directory", exact=True).click()
    page.get_by_label("Find").fill("orgunits.get")
    page.get_by_role("link", name="directory.orgunits.get").click()
    page.get_by_label("orgUnitPath").fill("Engineering/Frontend")
    page.get_by_role("button", name="Send").click()
    page.get_by_role("link", name="Request 1 in the journal").wait_for()
    assert "/orgUnitPath" in page.locator("#tried").inner_text()
    (entry,) = journal(server)
    assert (entry["method_id"], entry["status"]) == ("directory.orgunits.get", 200)
    page.goto(f"{server.base_url}{ONE}/apis?api=directory&method=directory.orgunits.insert")
    page.get_by_label("Body").fill('{"name": "Lab", "parentOrgUnitPath": "/"}')
    page.get_by_role("button", name="Send").click()
    page.get_by_role("link", name="Request 2 in the journal").wait_for()
    assert journal(server)[1]["body"]["name"] == "Lab"


def test_a_strict_session_is_tried_with_its_own_token(page: Any) -> None:
    with mock_server(SUITE, "--profile", "strict") as server:
        method = f"{ONE}/apis?api=directory&method=directory.orgunits.list"
        page.goto(f"{server.base_url}{method}")
        page.get_by_role("button", name="Send").click()
        page.get_by_role("link", name="in the journal").wait_for()
        assert [entry["status"] for entry in journal(server)] == [200]
        assert "ya29." not in page.content()


# --- a control token ---


def test_a_token_opens_the_pages_of_one_tab(browser: Any, page: Any) -> None:
    with mock_server(SUITE, "--token", TOKEN) as server:
        page.goto(f"{server.base_url}{ONE}")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Show sessions").click()
        page.get_by_text("That is not the token.").wait_for()
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Show sessions").click()
        page.get_by_role("heading", name="Journal").wait_for()
        server.get(f"{USERS}?customer=my_customer")
        page.get_by_role("link", name="directory.users.list").wait_for()
        page.get_by_role("link", name="Faults").click()
        page.get_by_label("Method").fill("directory.*")
        page.get_by_role("button", name="Arm").click()
        page.get_by_text("The fault is armed.").wait_for()
        assert page.context.cookies() == []
        other = page.context.new_page()
        other.goto(f"{server.base_url}/")
        other.get_by_label("Token").wait_for()
        other.goto(f"{server.base_url}/#token={TOKEN}")
        other.reload()
        other.get_by_role("heading", name="Sessions").wait_for()
        assert TOKEN not in other.url


# --- everybody ---


def test_the_journal_is_used_by_keyboard_alone(shown: httpx.Client, page: Any) -> None:
    page.goto(f"{shown.base_url}{ONE}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.type("listOrgUnits")
    page.keyboard.press("Enter")
    page.get_by_text("1 of 10 requests").wait_for()
    page.keyboard.press("Tab")
    while "requests/7" not in (page.evaluate("document.activeElement.href") or ""):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="tools.listOrgUnits").wait_for()


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_axe_finds_nothing(shown: httpx.Client, browser: Any, width: int) -> None:
    found = {}
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    for name, path in PAGES.items():
        page.goto(f"{shown.base_url}{path}")
        if problems := problems_by_day_and_night(page):
            found[name] = problems
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    context.close()
    assert found == {}


def test_a_server_that_is_watched_stops_at_once(page: Any) -> None:
    with mock_server(SUITE) as server:
        page.goto(f"{server.base_url}{ONE}")
        page.get_by_text("Nothing was asked").wait_for()
        pid = server.get("/_mock/health").json()["pid"]
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the end of the server")


def test_the_picture_of_the_page_is_small_enough() -> None:
    picture = Path(__file__).parents[3] / "docs" / "img" / "console.png"
    head = picture.read_bytes()
    assert head.startswith(b"\x89PNG")
    assert len(head) < 150_000
    page = picture.parents[1] / "reference" / "console.md"
    assert "img/console.png" in page.read_text(encoding="utf-8")
