"""Every snippet of docs/reference/pytest.md is run, as a project would have it."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.documents import DOCS, ROOT
from tests.harness.cli.test_pytest_plugin import ran as ran_suite
from tests.mockserver.testing.test_plugin import ran
from tests.tapes import recorded, written

pytestmark = pytest.mark.slow

PAGE = DOCS["pytest"]
SNIPPETS = dict(re.findall(r"```python\n# (test_\w+\.py)\n(.*?)```", PAGE, re.DOTALL))
FAILING = """
import httpx, pytest

@pytest.mark.understudy("fixtures/chrome-enterprise")
def test_fails():
    answer = httpx.get("https://admin.googleapis.com/admin/directory/v1/users/nobody")
    assert answer.status_code == 200
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "fixtures/chrome-enterprise", folder / "fixtures/chrome-enterprise")
    written(folder / "cassettes", [recorded()], name="units.yaml")
    for name, text in {**SNIPPETS, "test_failing.py": FAILING}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n", encoding="utf-8")
    return ran(folder, "--allow-hosts=127.0.0.1", "--ignore=fixtures")


@pytest.mark.parametrize("name", sorted(SNIPPETS))
def test_each_snippet_passes_as_it_is_printed(outcome: str, name: str) -> None:
    assert f"PASSED {name}::" in outcome, outcome
    assert f"FAILED {name}::" not in outcome, outcome
    assert f"ERROR {name}" not in outcome, outcome


def test_the_command_for_suites_runs_their_cases(tmp_path: Path) -> None:
    found = re.search(r"\$ pytest fixtures/chrome-enterprise (.+)", PAGE)
    assert found is not None
    options = ["echo" if each.startswith("python:") else each for each in shlex.split(found[1])]
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    said = ran_suite(tmp_path, str(ROOT / "fixtures/chrome-enterprise"), *options, "-k", "EC-001")
    assert "failed: schema mismatch" in said, said


def test_there_is_no_snippet_that_nobody_runs() -> None:
    assert len(SNIPPETS) == PAGE.count("```python") >= 4


def test_a_failure_looks_as_the_page_shows_it(outcome: str) -> None:
    shown = re.search(r"```text\n-+ understudy -+\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    assert shown[1] in outcome
