"""Tutorials, how-to guides and migration pages, each followed as a reader would, from nothing."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.documents import FOLDER
from tests.ports import free_port
from tests.transcripts import differences, page_steps, run

OTHERS = {"how-to/ci.md", "how-to/keep-runs-in-a-bucket.md"}
"""Pages with a test of their own."""

PAGES = {
    name: path.read_text(encoding="utf-8")
    for folder in ("tutorials", "how-to", "migrate")
    for path in sorted((FOLDER / folder).glob("*.md"))
    if (name := path.relative_to(FOLDER).as_posix()) not in OTHERS
}
PORTS = ("8765", "8766", "8767", "3100", "9020")
"""What pages listen on; each run takes free ones in their place."""


def missing_program(page: str) -> str:
    """A program that a page uses and this machine lacks, or an empty string."""
    used = {name for name in ("node", "curl", "npm") if re.search(rf"\b{name} ", page)}
    return next((name for name in sorted(used) if shutil.which(name) is None), "")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_goes_as_shown_from_an_empty_folder(name: str, tmp_path: Path) -> None:
    page = PAGES[name]
    if lacking := missing_program(page):
        pytest.skip(f"the page uses {lacking}, which is not on this machine")
    page = page.replace("understudy serve ", "understudy serve --port 8765 ")
    for port in PORTS:
        page = page.replace(port, str(free_port()))
    script = page_steps(page)
    assert script
    # a fork is no child of the program that asks for it
    programs = Path(sys.executable).parent if "pgrep" in page else None
    outputs = run(script, folder=tmp_path, environment={}, programs=programs)
    differing = differences(script, outputs)
    assert not differing, differing
