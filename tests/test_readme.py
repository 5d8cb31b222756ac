"""What the README shows is run from an empty folder, in one shell, by the installed wheel.

It names the seven things that a newcomer comes for; so each has a page, and a test follows it.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import PAGES, section_of
from tests.installation import ROOT, built_wheel, copy_source, install, linked_environment
from tests.patience import PATIENCE_S
from tests.ports import free_port
from tests.release import PROJECT
from tests.transcripts import Step, differences, page_steps, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
PORTS = ("8765", "8766", "8899")
"""Those that the page names: of the mock server, of the capturing proxy, of what plays an API."""

PACKAGES = (
    "pytest", "google-api-python-client",
    "brotli", "detect-secrets", "numpy", "pyahocorasick", "zstandard",
)  # fmt: skip
"""What the page needs beside the core: its tests, Google's client, and the extra `capture`."""

BUILD = (
    "hatchling", "google-api-python-client",
    *(re.split(r"[^\w.-]", each)[0] for each in PROJECT["optional-dependencies"]["clients"]),
)  # fmt: skip
"""What builds a wheel, and what the build takes documents and messages from."""

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

INSTALL = re.compile(
    r"\b(?:(?:pip|pipx|uv tool|uv pip) install|uv add|uvx|pipx run) +([^\n#`;|&]+)"
)
OURS = re.compile(r"^(understudy|mockserver|harness)\b(?![-/])")
"""What pip would look for on an index, where the names belong to others."""


def of_the_index(text: str, *, extras: bool) -> Iterator[str]:
    """The installations of a text that look for us on an index.

    Args:
        text: Markdown or code.
        extras: Whether an extra of what is installed already counts, too.
    """
    for command in INSTALL.finditer(text):
        for word in re.findall(r"'[^']*'|\"[^\"]*\"|\S+", command[1]):
            name = word.strip("'\"")
            if OURS.match(name) and " @ " not in name and (extras or "[" not in name):
                yield command[0].strip()


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("pip install understudy", True),
        ("pip install understudy==1.2", True),
        ("pip install -U 'understudy'", True),
        ("uvx understudy demo", True),
        ("pipx install understudy", True),
        ("uv tool install understudy", True),
        ("uv add --dev understudy", True),
        ("pip install 'understudy[mcp]'", True),
        ("pip install httpx understudy", True),
        ("pip install .", False),
        ("pip install '.[mcp]' # understudy", False),
        ("pip install ../understudy", False),
        ("pip install 'understudy @ file:///src'", False),
        ("pip install understudy-0.1.0-py3-none-any.whl", False),
    ],
)
def test_what_looks_for_us_on_an_index_is_found(command: str, found: bool) -> None:
    assert bool(list(of_the_index(f"`{command}`", extras=True))) == found


def test_the_readme_installs_nothing_by_our_name() -> None:
    assert list(of_the_index(README, extras=True)) == []


def test_no_page_and_no_hint_installs_us_by_name_where_nothing_is_installed() -> None:
    """An extra is named so: pip takes what is installed already, and adds the extra."""
    code = [path for part in ("mockserver", "harness", ".ci") for path in (ROOT / part).rglob("*")]
    texts = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in [*PAGES.values(), *code]
        if path.suffix in {".md", ".py", ".yml", ".yaml"}
    }
    found = {path: list(of_the_index(text, extras=False)) for path, text in texts.items()}
    assert {path: commands for path, commands in found.items() if commands} == {}


def test_the_wheel_that_the_readme_names_is_the_one_that_is_built() -> None:
    wheels = set(re.findall(r"understudy-[\w.]+-py3-none-any\.whl", README))
    assert wheels == {f"understudy-{PROJECT['version']}-py3-none-any.whl"}


def _blocks(kind: str) -> list[str]:
    """The blocks of a kind in the section that tells how to install it."""
    install = section_of(README, "## Install")
    return re.findall(rf"^```{kind}\n(.*?)^```", install, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_what_installs_it_goes_as_shown_in_a_new_environment(tmp_path: Path) -> None:
    """What it and its build need is there: `make` has installed it from the index already."""
    checkout, venv = tmp_path / "understudy", linked_environment(tmp_path, *BUILD)
    copy_source(checkout)
    script = [line.partition(" # ")[0].strip() for line in _blocks("sh")[-1].splitlines()]
    assert script == ["pip install .", "understudy demo", "understudy doctor"]
    programs = (venv / "bin", Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
        "PIP_PYTHON": str(venv / "bin" / "python"),  # where pip of this environment installs
        "PIP_NO_BUILD_ISOLATION": "0",  # which means that there is none
        "PIP_NO_INDEX": "1",
        "PIP_QUIET": "1",
        "PIP_NO_COMPILE": "1",  # Python compiles what is used
    }
    printed = ""
    for line in script[:-1]:  # the last one is the doctor, whose code is the machine's
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=checkout,
            env=environment,
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        printed = done.stdout
    shown = _blocks("text")[0].partition("\n")[2]  # the first line is of make
    assert Step("understudy demo", shown).matches(printed), printed


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("node")), reason="the page uses curl and Node"
)
def test_the_readme_goes_as_shown_from_an_empty_folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = README
    for command, port in (("serve", PORTS[0]), ("capture proxy", PORTS[1])):
        page = page.replace(f"understudy {command} ", f"understudy {command} --port {port} ")
    free = {port: str(free_port()) for port in PORTS}
    for port, other in free.items():
        page = page.replace(port, other)
    place = tmp_path / "place"
    place.mkdir()
    programs = install(built_wheel(tmp_path_factory), place, *PACKAGES) / "bin"
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
