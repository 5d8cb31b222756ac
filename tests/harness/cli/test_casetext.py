import json

from harness.cli.casetext import as_text, snapshot_json, whole_json
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
    text = as_text(CASE, PROMPTS, SNAPSHOT, template="{prompt}")
    assert text == TEXT.replace("HASH", json.loads(whole_json(CASE, PROMPTS, {}))["hash"])


def test_a_small_case_shows_no_empty_lines() -> None:
    case = Case(id="A", turns=(Turn(user="Why?"),))
    text = as_text(case, ["Why?"], {}, template="{prompt}")
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
    shown = as_text(case, ["Mend it."], {}, template="{prompt}")
    assert "  workspace: a.py (6 characters)\n  required tools: edit_file\n" in shown
    assert "turn 1 reports edit_file {}" in shown
