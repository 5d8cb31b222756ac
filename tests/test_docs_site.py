"""The docs are built as a site: links lead somewhere, and nothing is loaded from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browsers import chromium
from tests.documents import FOLDER, PAGES, ROOT
from tests.patience import PATIENCE_S

# what a browser loads by itself; the links that a reader may follow are not meant
LOADED = re.compile(
    r"""<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?(?:https?:)?//[^>]*>"""
    r"""|@import[^;]*//|url\(["']?(?:https?:)?//"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    config = ROOT / ".ci" / "mkdocs.yml"
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-f", config, "-d", folder],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(site: Path) -> None:
    made = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    pages = {path.relative_to(FOLDER).with_suffix(".html").as_posix() for path in PAGES.values()}
    assert pages - {"README.html"} <= made
    for path in site.rglob("*"):
        if path.suffix in {".html", ".css"}:
            assert not LOADED.search(path.read_text(encoding="utf-8")), path


@pytest.mark.slow
def test_search_works_where_the_site_is_opened_from_the_disk(site: Path) -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "reference" / "cases.html").as_uri())
        page.get_by_role("textbox", name="Search").press_sequentially("pseudonym")
        found = page.locator("a.md-search-result__link[href*='explanation/redaction.html']")
        found.first.wait_for()
        assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}
