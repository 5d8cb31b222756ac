import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cli.case_text import case_json, case_text, snapshot_json
from harness.cli.main import app
from harness.errors import HarnessError, InvalidCasesError
from harness.model import (
    Case,
    Evidence,
    Fixtures,
    Policy,
    ReferenceCall,
    ReferenceRequest,
    ReferenceTurn,
    Turn,
)
from mockserver.model import Fault
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


CASE = Case(
    id="EC-057",
    title="Connector scope",
    category="connector",
    tags=("dlp", "scope"),
    turns=(Turn(user="Why?"), Turn(user="  And\nnow?")),
    fixtures=Fixtures(
        overrides=("EC-057",), files=("net.log",), faults=(Fault(method="reports.*", status=429),)
    ),
    expect=(Evidence(markers=("402",), turn=2), Evidence(markers=("a1",), required=False)),
    repeat=3,
    policy=Policy(rate=0.5),
    timeout_s=9,
    reference=(
        ReferenceTurn(
            calls=(ReferenceCall(name="debugAuth", args={"a": 1}),),
            requests=(ReferenceRequest(url="x/y"),),
            answer="So.",
            files={"out.txt": "x"},
        ),
        ReferenceTurn(answer="Done."),
    ),
    source="registry.json#/0",
    source_refs=("Plan-1",),
    notes={"Summary": "What it is about."},
)

TEXT = """\
EC-057  Connector scope
  category:    connector
  tags:        dlp, scope
  mode:        deterministic
  trials:      3, policy {"rate": 0.5}
  timeout:     9 s
  source:      registry.json#/0
  source refs: Plan-1
  hash:        HASH

Messages as sent (template '{prompt}')
--- turn 1 ---
Why?
--- turn 2 ---
  And
now?
---

Fixtures
  base: yes; clock: shift; seed: 0
  overrides: EC-057
  file: net.log
  fault: method=reports.* status=429
  capturedAt: 2026-11-20T09:00:00Z
  errors: 1 key
  orgUnits: 2 items

Expectations
  evidence (turn 2): markers=["402"]
  evidence (informational): markers=["a1"]

Reference (what the oracle plays)
  turn 1 calls debugAuth {"a": 1}
  turn 1 asks GET x/y
  turn 1 writes out.txt
  turn 1 answers 'So.'
  turn 2 answers 'Done.'

Summary
What it is about."""

SNAPSHOT = {"orgUnits": [1, 2], "errors": {"a": "b"}, "capturedAt": "2026-11-20T09:00:00Z"}
PROMPTS = [turn.user for turn in CASE.turns]


def test_a_case_reads_like_this() -> None:
    text = case_text(CASE, PROMPTS, SNAPSHOT, template="{prompt}")
    assert text == TEXT.replace("HASH", json.loads(case_json(CASE, PROMPTS, {}))["hash"])


def test_a_small_case_shows_no_empty_lines() -> None:
    case = Case(id="A", turns=(Turn(user="Why?"),))
    text = case_text(case, ["Why?"], {}, template="{prompt}")
    assert text.startswith("A\n  mode:        deterministic\n  trials:      1, policy the run's\n")
    assert "  overrides: (none)" in text
    assert "Reference" not in text


def test_the_snapshot_is_shown_as_it_is() -> None:
    assert json.loads(snapshot_json(SNAPSHOT)) == SNAPSHOT


def test_the_workspace_the_tools_and_what_is_only_told_are_shown() -> None:
    case = Case(
        id="A",
        turns=(Turn(user="Mend it."),),
        fixtures=Fixtures(workspace={"a.py": "x = 1\n"}),
        required_tools=("edit_file",),
        reference=(ReferenceTurn(answer="So.", reports=(ReferenceCall(name="edit_file"),)),),
    )
    shown = case_text(case, ["Mend it."], {}, template="{prompt}")
    assert "  workspace: a.py (6 characters)\n  required tools: edit_file\n" in shown
    assert "turn 1 reports edit_file {}" in shown
