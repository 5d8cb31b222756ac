"""The docs are built as a site: links lead somewhere, and nothing is loaded from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import FOLDER, PAGES, ROOT
from tests.patience import PATIENCE_S

# what a browser loads by itself; the links that a reader may follow are not meant
LOADED = re.compile(
    r"""<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?(?:https?:)?//[^>]*>"""
    r"""|@import[^;]*//|url\(["']?(?:https?:)?//"""
)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    config = ROOT / ".ci" / "mkdocs.yml"
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-f", config, "-d", tmp_path],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")}
    pages = {path.relative_to(FOLDER).with_suffix(".html").as_posix() for path in PAGES.values()}
    assert pages - {"README.html"} <= made
    for path in tmp_path.rglob("*"):
        if path.suffix in {".html", ".css"}:
            assert not LOADED.search(path.read_text(encoding="utf-8")), path
