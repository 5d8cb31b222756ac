import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cli.main import app
from harness.errors import HarnessError, InvalidCasesError
from tests.casefiles import chrome_suite, entry, put


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    files = {
        "base/all.json": '{"capturedAt": "2026-11-20T09:00:00Z"}',
        "EC-001/overrides.json": '{"errors": {"orgUnits": "UNAUTHENTICATED: expired"}}',
        "EC-001/net.log": "connection reset",
    }
    entries = [entry(fixtures=["net.log"]), entry(id="EC-002", mode="x")]
    return chrome_suite(tmp_path, entries, files=files)


def shown(suite: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["show", *arguments, "--suite", str(suite)])


def test_the_exact_messages_are_shown(suite: Path) -> None:
    """CEP-08, CEP-38, CEP-52; a prompt that is parsed wrongly is seen here."""
    result = shown(suite, "ec-001")
    assert result.exit_code == 0
    assert "--- turn 1 ---\nWhy does enrollment fail?\n---\n" in result.output
    assert "  overrides: EC-001" in result.output
    assert "  errors: 1 key" in result.output
    assert '  evidence: markers=["handshake"]' in result.output


def test_the_prompt_template_and_injected_files_are_shown(suite: Path) -> None:
    """CEPR-24, CEPR-25."""
    output = shown(
        suite, "EC-001", "--prompt-template", "{prompt} Briefly.", "--inject-prompt"
    ).output
    assert "Why does enrollment fail? Briefly." in output
    assert "connection reset" in output


def test_the_resolved_snapshot_is_shown_in_full(suite: Path) -> None:
    """CEP-14."""
    output = shown(suite, "EC-001", "--fixtures").output
    snapshot = json.loads(output[output.index("\n{\n") :])
    assert snapshot == {
        "capturedAt": "2026-11-20T09:00:00Z",
        "errors": {"orgUnits": "UNAUTHENTICATED: expired"},
    }


def test_everything_is_shown_as_json(suite: Path) -> None:
    whole = json.loads(shown(suite, "EC-001", "--json").output)
    assert whole["case"]["id"] == "EC-001"
    assert whole["messages"] == ["Why does enrollment fail?"]
    assert whole["fixtures"]["errors"] == {"orgUnits": "UNAUTHENTICATED: expired"}


def test_an_invalid_case_is_told_instead(suite: Path) -> None:
    assert isinstance(shown(suite, "EC-002").exception, InvalidCasesError)


def test_an_unknown_case_is_told_with_the_nearest(tmp_path: Path) -> None:
    error = shown(chrome_suite(tmp_path), "EC-01").exception
    assert isinstance(error, HarnessError)
    assert (error.message, error.hint) == ("unknown case 'EC-01'", "did you mean 'EC-001'?")


def test_a_template_without_a_place_for_the_prompt_is_refused(suite: Path) -> None:
    assert isinstance(shown(suite, "EC-001", "--prompt-template", "x").exception, HarnessError)


def test_a_broken_snapshot_is_a_mistake_of_the_user(suite: Path) -> None:
    put(suite / "base" / "all.json", "[")
    assert isinstance(shown(suite, "EC-001").exception, HarnessError)
