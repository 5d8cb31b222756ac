"""The page in a real Chromium: what people do with it, with and without its script."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from harness.model import ExpectedCall, Grounding, RunResult, TextContains, ToolCalls, TrialStatus
from harness.reports.html import html_report
from harness.statistics import summarize
from mockserver.model import Journal
from tests.browsers import chromium, problems_by_day_and_night
from tests.harness.records import (
    call,
    case,
    case_decision,
    decided,
    entry,
    manifest,
    record,
    reply,
    result,
)
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=alert(1)>"
WIDTHS = {"wide": 1280, "phone": 390}

Visit = Callable[..., AbstractContextManager[Page]]


def small_run() -> RunResult:
    """Four cases of three trials: one fails, one is flaky, two pass."""
    expected = (ExpectedCall(name="list"), ExpectedCall(name="get", args={"id": "1"}))
    asked = (TextContains(needles=("quota",)), Grounding(), ToolCalls(calls=expected))
    cases = [
        case(*asked, id=name, title=title, category=category)
        for name, title, category in (
            ("A-1", "All is well", "policy"),
            ("B-2", "Wrong unit", "system"),
            ("C-3", "Now and then", "policy"),
            ("D-4", HOSTILE, "system"),
        )
    ]
    entries = (
        entry("tools.list", 1, response_ref="r", response_bytes=9),
        entry("directory.orgunits.list", 2, parent=1, params={"customerId": "c"}),
        entry("tools.get", 3, status=429, fault="case"),
    )
    records = []
    for name, passes in (("A-1", "yyy"), ("B-2", "nnn"), ("C-3", "yny"), ("D-4", "yyy")):
        for number, passed in enumerate(passes, 1):
            good = passed == "y"
            calls = (call("list", status="ok"), call("get", id="1" if good else "2"))
            text = "The quota of C0123abcd is used up." if good else "Ask D9876zyxw."
            records.append(
                record(
                    reply(text, *calls, duration_ms=80, metadata={"a": 1}),
                    case=name, number=number, session="s1", duration_ms=100 * number,
                    started_at="2025-01-01T00:00:00Z",
                    journal=Journal(entries=entries, bodies={"r": '{"id": "C0123abcd"}'}),
                    state_diff={"users": {"added": {"1": {"name": "Ann"}}}}, exit_code=0,
                )
            )  # fmt: skip
    run = decided(manifest([each.id for each in cases]), cases, records, folder="runs/run-1")
    return run.model_copy(update={"statistics": summarize(run.decisions, run.facts)})


def large_run() -> RunResult:
    """2,000 cases of five trials, of which every tenth failed once."""
    passed: list[TrialStatus] = ["pass"] * 5
    failed: list[TrialStatus] = ["pass", "fail", "pass", "pass", "pass"]
    run = result(
        *(case_decision(f"C-{at:04d}", passed if at % 10 else failed) for at in range(2000))
    )
    last = run.cases[-1].model_copy(update={"title": HOSTILE})
    return run.model_copy(update={"cases": (*run.cases[:-1], last)})


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_S * 1000)
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, run in (("small", small_run()), ("large", large_run())):
        found[name] = folder / f"{name}.html"
        found[name].write_text(html_report(run), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def visit(browser: Browser, pages: dict[str, Path]) -> Visit:
    @contextmanager
    def visiting(name: str = "small", **options: Any) -> Iterator[Page]:
        """A person at a page; whatever the page complains of is an error."""
        complaints: list[str] = []
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE_S * 1000)
        context.on("console", lambda said: complaints.append(said.text))
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        page = context.new_page()
        page.goto(pages[name].as_uri())
        yield page
        context.close()
        assert complaints == []

    return visiting


def cases_of(page: Page) -> list[str]:
    found: list[str] = page.locator("table.cases tbody tr").evaluate_all(
        "rows => rows.map((row) => row.querySelector('a, th').firstChild.textContent)"
    )
    return found


def test_rows_are_searched_filtered_and_sorted(visit: Visit) -> None:
    with visit() as page:
        assert cases_of(page) == ["B-2", "C-3", "A-1", "D-4"]
        page.get_by_label("Search cases").fill("lacks UNIT")
        assert cases_of(page) == ["B-2"]
        expect(page.locator("output")).to_have_text("1 of 4 cases")
        page.get_by_label("Search cases").fill("")
        page.get_by_role("button", name="flaky").click()
        page.get_by_role("button", name="passed").click()
        assert cases_of(page) == ["C-3", "A-1", "D-4"]
        page.get_by_role("combobox", name="Category").select_option("system")
        assert cases_of(page) == ["D-4"]
        page.get_by_role("combobox", name="Category").select_option("")
        page.get_by_role("button", name="flaky").click()
        page.get_by_role("button", name="passed").click()
        page.get_by_role("combobox", name="Failure").select_option("ungrounded quotation")
        assert cases_of(page) == ["B-2", "C-3"]
        page.get_by_role("combobox", name="Failure").select_option("")
        page.get_by_role("combobox", name="Sort").select_option("case")
        assert cases_of(page) == ["A-1", "B-2", "C-3", "D-4"]
        page.get_by_role("combobox", name="Sort").select_option("rate")
        assert cases_of(page)[:2] == ["B-2", "C-3"]


def test_keys_lead_from_the_search_to_a_trial(visit: Visit) -> None:
    with visit() as page:
        page.keyboard.press("/")
        expect(page.get_by_label("Search cases")).to_be_focused()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        expect(page.get_by_role("link", name="trial 2: fail").nth(1)).to_be_focused()
        page.keyboard.press("Enter")
        trial = page.locator("#trial-C-3-2")
        expect(trial).to_have_attribute("open", "")
        expect(trial.locator(".headline")).to_be_in_viewport()
        assert page.locator("mark.unserved").first.text_content() == "D9876zyxw"


def test_without_its_script_failures_come_first_with_their_reasons(visit: Visit) -> None:
    with visit(java_script_enabled=False) as page:
        expect(page.get_by_label("Search cases")).to_be_hidden()
        first = page.locator("table.cases tbody tr").first
        expect(first).to_contain_text("B-2")
        expect(first.locator(".why")).to_contain_text("the reply lacks 'quota'")
        expect(page.locator("#trial-B-2-1 .timeline")).to_be_visible()


def test_a_large_run_is_found_as_a_whole(visit: Visit, pages: dict[str, Path]) -> None:
    with visit("large") as page:
        assert len(cases_of(page)) == 300
        assert cases_of(page)[:2] == ["C-0000", "C-0010"]
        page.get_by_role("button", name="Show 300 more of 1700").click()
        assert len(cases_of(page)) == 600
        page.get_by_label("Search cases").fill("c-1999")
        assert cases_of(page) == ["C-1999"]
        row = page.locator("table.cases tbody tr")
        expect(row).to_contain_text(HOSTILE)
        expect(row.get_by_role("img", name="trial 5: pass")).to_be_visible()
        page.get_by_label("Search cases").fill("")
        page.get_by_role("combobox", name="Sort").select_option("run")
        assert cases_of(page)[:3] == ["C-0000", "C-0001", "C-0002"]
    assert pages["large"].stat().st_size < 1_000_000


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_everybody_can_read_the_page(visit: Visit, width: int) -> None:
    with visit(viewport={"width": width, "height": 900}) as page:
        page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
        assert problems_by_day_and_night(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
