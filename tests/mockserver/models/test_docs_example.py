"""docs/reference/models.md: its example is run, and its tables are what the code has."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.models.providers import PROVIDERS
from mockserver.models.script import Script, ScriptedReply
from tests.documents import DOCS, first_column, names_in, section, table, write_files
from tests.mockserver.testing.test_plugin import ran

PAGE = DOCS["models"]


@pytest.mark.slow
def test_the_example_passes_as_it_is_printed(tmp_path: Path) -> None:
    write_files(PAGE, tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    assert "1 passed" in ran(tmp_path)


def test_the_providers_are_those_of_the_table() -> None:
    rows = table(PAGE, "Provider")
    assert {row[0].strip("`"): set(names_in([row[2]])) for row in rows} == {
        each.name: {*each.variables, *each.keys} for each in PROVIDERS
    }


def test_the_keys_are_those_of_the_tables() -> None:
    assert set(first_column(section("models", "## A script"), "Key")) == set(Script.model_fields)
    conditions = first_column(section("models", "## When a reply fits"), "Key")
    said = first_column(section("models", "## What a reply says"), "Key")
    assert sorted([*conditions, *said]) == sorted(ScriptedReply.model_fields)


def test_the_schema_is_printed() -> None:
    printed = CliRunner().invoke(app, ["schema", "model"])
    assert printed.exit_code == 0
    assert '"replies"' in printed.output
