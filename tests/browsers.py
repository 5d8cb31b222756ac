"""The machine's Chromium, and what screen readers would stumble over on its pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules of these that look at colours."""


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
    return _found(page, {"type": "tag", "values": _RULES})


def problems_by_day_and_night(page: Page) -> list[str]:
    """The same of a page in light colours, and of its colours where they are dark.

    Nothing but colours depends on the scheme, so all other rules are asked once.
    """
    page.emulate_media(color_scheme="light")
    problems = accessibility_problems(page)
    page.emulate_media(color_scheme="dark")
    problems += [f"dark: {each}" for each in _found(page, {"type": "rule", "values": _COLOURS})]
    page.emulate_media(color_scheme=None)
    return problems


def _found(page: Page, rules: dict[str, Any]) -> list[str]:
    order = {"runOnly": rules, "resultTypes": ["violations"]}
    found = page.evaluate("order => axe.run(document, order)", order)
    return [
        f"{rule['id']}: {node['html'][:200]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
