"""The machine's Chromium, and what screen readers would stumble over on its pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def chromium_path() -> str:
    """Where Chromium is; a test that needs it is skipped on a machine without one."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium: apt-get install chromium, or name one in CHROMIUM")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def accessibility_problems(page: Page) -> list[str]:
    """What axe-core finds on a page: `rule: element`, empty where nothing is wrong."""
    script = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    page.evaluate(script)  # the policy of a page does not hold for what a debugger evaluates
    order = {"runOnly": {"type": "tag", "values": _RULES}, "resultTypes": ["violations"]}
    found = page.evaluate("order => axe.run(document, order)", order)
    return [
        f"{rule['id']}: {node['html'][:200]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
