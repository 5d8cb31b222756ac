"""What `serve` loads before its first request: it starts in little more than the time of that."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = Path(__file__).parents[3] / "fixtures" / "chrome-enterprise"
PROGRAM = """
import sys
from mockserver.cli.main import main
try:
    main(["serve", "--fixtures", sys.argv[1], "--port", "0", "--until-eof"])
finally:
    print(*sys.modules)
"""
NOT_LOADED = (
    "cel",
    "celpy",
    "google",
    "grpc",
    "httpx",
    "jinja2",
    "jsonschema",
    "mcp",
    "re2",
    "rich",
    "yaml",
    "mockserver.capture",
    "mockserver.cassettes",
    "mockserver.declared.api",
    "mockserver.googleapi.contract",
    "mockserver.googleapi.openapi",
    "mockserver.googleapi.operations",
    "mockserver.googleapi.profiles",
    "mockserver.googleapi.row_filters",
    "mockserver.inspection.journal",
    "mockserver.inspection.layers",
    "mockserver.inspection.methods",
    "mockserver.inspection.provenance",
    "mockserver.inspection.stubs",
    "mockserver.models.messages",
    "mockserver.models.providers",
    "mockserver.models.script",
    "mockserver.redaction.pseudonyms",
    "mockserver.redaction.rule",
    "mockserver.snapshots.lint",
)
"""Nothing of these, nor what is below them."""

DECLARATION = re.compile(r"mockserver\.apis\.(\w+)\.(?!collections$|\w*documents?$|paths$)\w+")
"""Modules of an API but those that say what it owns."""


@pytest.fixture(scope="module")
def loaded() -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(SUITE)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()


def test_a_start_loads_nothing_that_only_some_requests_want(loaded: list[str]) -> None:
    heavy = [
        name for name in loaded if f"{name}.".startswith(tuple(f"{each}." for each in NOT_LOADED))
    ]
    assert heavy == []


def test_of_apis_it_loads_what_imports_the_suite_s_rows(loaded: list[str]) -> None:
    apis = {found[1] for name in loaded if (found := DECLARATION.fullmatch(name))}
    assert apis == {"chromemanagement", "chromepolicy", "cloudidentity", "directory", "reports"}
    assert not [name for name in loaded if re.fullmatch(r"mockserver\.apis\.\w+\.methods", name)]
