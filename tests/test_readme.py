"""What the README shows is run from an empty folder, in one shell, by the installed wheel.

It names the seven things that a newcomer comes for; so each has a page, and a test follows it.
"""

import re
import shutil
from pathlib import Path

import pytest

from tests.installation import install
from tests.ports import free_port
from tests.transcripts import differences, page_steps, run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PORTS = ("8765", "8766", "8899")
"""Those that the page names: of the mock server, of the capturing proxy, of what plays an API."""

PACKAGES = (
    "pytest", "google-api-python-client",
    "brotli", "detect-secrets", "numpy", "pyahocorasick", "zstandard",
)  # fmt: skip
"""What the page needs beside the core: its tests, Google's client, and the extra `capture`."""

PATHS = {
    "an agent in Python": ("README.md", "## Your own agent in ten lines", "agent.py"),
    "an agent in Node": ("README.md", "## Your own agent in ten lines", "agent.mjs"),
    "an API of one's own": (
        "README.md",
        "## Your own agent in ten lines",
        "evals/apis/orders.yaml",
    ),
    "a case that fails and says why": (
        "README.md",
        "## Your own agent in ten lines",
        "FAILED CANCEL",
    ),
    "a test of a function that calls Google": (
        "README.md",
        "## The same in pytest",
        "test_suspend.py",
    ),
    "a recording": ("README.md", "## Record and replay", "people.yaml"),
    "the same in CI": ("docs/how-to/ci.md", "## GitHub", ".github/workflows/agent.yml"),
}
"""What a newcomer wants to have: the page, the section, and what is written or shown there.

Those of the README are run below, that of CI by `tests/acceptance/test_ci_kit.py`.
"""

TYPED_IN_TEN_MINUTES = 2000
"""Characters, at forty words a minute."""


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("node")), reason="the page uses curl and Node"
)
def test_the_readme_goes_as_shown_from_an_empty_folder(tmp_path: Path) -> None:
    page = README
    for command, port in (("serve", PORTS[0]), ("capture proxy", PORTS[1])):
        page = page.replace(f"understudy {command} ", f"understudy {command} --port {port} ")
    free = {port: str(free_port()) for port in PORTS}
    for port, other in free.items():
        page = page.replace(port, other)
    place = tmp_path / "place"
    place.mkdir()
    programs = install(place, *PACKAGES) / "bin"
    folder = tmp_path / "empty"
    folder.mkdir()
    script = page_steps(page)
    environment = {"MOCK_SERVER_URL": f"http://127.0.0.1:{free[PORTS[0]]}"}
    outputs = run(script, folder=folder, environment=environment, programs=programs)
    assert not (told := differences(script, outputs)), told


@pytest.mark.parametrize("link", sorted({*re.findall(r"\]\((?!http)([^)#]+)", README)}))
def test_every_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize("path", PATHS)
def test_each_path_of_a_newcomer_is_typed_in_ten_minutes(path: str) -> None:
    page, heading, shown = PATHS[path]
    text = (ROOT / page).read_text(encoding="utf-8").partition(f"\n{heading}\n")[2]
    section = text.partition("\n## ")[0]
    assert shown in section
    assert sum(len(step.command) for step in page_steps(section)) <= TYPED_IN_TEN_MINUTES
    assert page == "README.md" or f"]({page})" in README
