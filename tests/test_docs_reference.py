"""The pages that are made of the code are current, and explain everything that they name."""

import re

import pytest

from tests.reference import FOLDER, OTHER_VARIABLES, reference

MADE = reference()
PAGES = {name: text for name, text in MADE.items() if name.endswith(".md")}
HOUSES = (FOLDER.parents[1] / house for house in ("harness", "mockserver"))
READ = {
    name
    for house in HOUSES
    for path in house.rglob("*.py")
    for name in re.findall(
        r"""environ(?:\.get\(|\[)["']([A-Z_]+)["']""", path.read_text(encoding="utf-8")
    )
}
"""The environment variables that our code reads by their names."""


@pytest.mark.parametrize("name", sorted(MADE))
def test_each_file_is_current(name: str) -> None:
    path = FOLDER / name
    current = path.is_file() and path.read_text(encoding="utf-8") == MADE[name]
    assert current, "run: .venv/bin/python -m tests.reference"


def test_no_file_is_left_of_what_is_gone() -> None:
    found = {
        path.relative_to(FOLDER).as_posix()
        for folder in ("commands", "schemas")
        for path in (FOLDER / folder).iterdir()
    }
    assert found == {name for name in MADE if "/" in name}


@pytest.mark.parametrize("name", sorted(PAGES.keys() - {"emulated.md"}))
def test_everything_in_a_table_is_explained(name: str) -> None:
    rows = [line for line in PAGES[name].splitlines() if line.startswith("|")]
    assert rows
    assert not [row for row in rows if re.search(r"\|\s*\|$", row)]


def test_every_variable_that_is_read_is_named() -> None:
    foreign = {"CLAUDE_CONFIG_DIR", "HTTPS_PROXY", "NODE_OPTIONS", "PATH"}  # of other programs
    named = set(re.findall(r"`([A-Z_]+)`", PAGES["environment.md"]))
    assert named >= READ - foreign
    assert set(OTHER_VARIABLES) >= {"UNDERSTUDY_HOME", "MOCKSERVER_REDACTION_KEY"}
