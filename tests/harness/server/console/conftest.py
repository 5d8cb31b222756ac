"""A server with stored runs, and pages as a browser without scripts sees them."""

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from typing_extensions import override

from harness.server import Settings
from tests.harness.conftest import write_suite
from tests.harness.server.conftest import Api, serving
from tests.runfolders import TOUCHED, stored_run

PAGE = {"accept": "text/html,application/xhtml+xml"}


class Markup(HTMLParser):
    """What stands in a page: its elements with their attributes, its text, the links in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    @override
    def handle_data(self, data: str) -> None:
        self.text += data

    def links(self) -> list[str]:
        return [attrs["href"] for tag, attrs in self.elements if tag == "a"]

    def harmful(self) -> list[str]:
        """What a page of the console never holds: code of its own, or something from elsewhere."""
        found = []
        for tag, attrs in self.elements:
            found += [f"{tag} {name}" for name in attrs if name.startswith("on") or name == "style"]
            if tag == "script" and attrs.get("type") != "application/json":
                found += [f"script {attrs}"] * (not attrs.get("src", "").startswith("/static/"))
            if tag in {"style", "iframe", "object", "embed", "base", "img"}:
                found.append(tag)
            target = attrs.get("href", attrs.get("src", attrs.get("action", "/")))
            if not target.startswith(("/", "?", "#")) or target.startswith("//"):
                found.append(f"{tag} to {target}")
        return found


def page(api: Api, address: str, status: int = 200) -> Markup:
    answer = api.get(address, headers=PAGE)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Markup(answer.text)


@contextmanager
def stored_console(folder: Path) -> Iterator[Api]:
    """A console of three runs of a suite: all passed, one case fell, one was never decided."""
    write_suite(folder / "suites" / "office")
    runs = folder / "runs"
    first = stored_run(runs, "1", {"T-001": [True, True], "T-002": [True, True]})
    first.write_coverage(TOUCHED)
    stored_run(runs, "2", {"T-001": [False, True], "T-002": [True, True]}, agent="null")
    stored_run(runs, "3", {"T-001": [True]}, decided=False)
    with serving(Settings(runs=runs, suites=folder / "suites", agent="oracle")) as api:
        yield api


@pytest.fixture(scope="session")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with stored_console(tmp_path_factory.mktemp("console")) as api:
        yield api


@pytest.fixture
def stranger(idle: Api) -> Iterator[httpx.Client]:
    """A browser that the server with a token does not know."""
    with httpx.Client(base_url=idle.base_url, trust_env=False) as client:
        yield client
