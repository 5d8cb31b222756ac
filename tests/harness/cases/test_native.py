from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from harness.cases import json_schema, load_suite, read_suite
from harness.cases.native import NativeCase, translate_case
from harness.model import (
    Evidence,
    ExpectedCall,
    Fixtures,
    ReferenceCall,
    ReferenceTurn,
    ServerState,
    TextContains,
    ToolCalls,
)
from tests.casefiles import errors, put, warnings, yaml_suite

FULL = """
id: EC-057
title: Connector scope mis-targeted
category: connector
tags: [regression, connector]
input:
  - user: Why are connector policies not applying to Engineering?
    expect: {tools: {calls: [getChromeConnectorConfiguration]}}
  - And now?
fixtures:
  overrides: [EC-057]
  faults: [{method: "reports.*", status: 429, times: 2}]
  clock: "frozen:2026-11-20T10:15:00Z"
  seed: 7
  files: net.log
expect:
  text: {evidence: [customers/C0123], contains: org unit}
repeat: 5
policy: {rate: 0.8}
reference:
  - {calls: [getChromeConnectorConfiguration], answer: Scope.}
  - answer: Move it.
timeout_s: 30
source_refs: Plan-1
notes: {Summary: What it is about.}
"""

MINIMAL = "{id: A, input: Why, expect: {text: {contains: a1}}}"


def test_a_case_is_read_whole(tmp_path: Path) -> None:
    put(tmp_path / "EC-057" / "overrides.json", "{}")
    put(tmp_path / "EC-057" / "net.log", "reset")
    (case,) = yaml_suite(tmp_path, FULL).cases
    assert [turn.user for turn in case.turns][1] == "And now?"
    assert case.mode == "multi-turn"
    assert case.expect == (
        TextContains(needles=("org unit",)),
        Evidence(markers=("customers/C0123",)),
        ToolCalls(turn=1, calls=(ExpectedCall(name="getChromeConnectorConfiguration"),)),
    )
    assert case.reference[0] == ReferenceTurn(
        calls=(ReferenceCall(name="getChromeConnectorConfiguration"),), answer="Scope."
    )
    assert (case.repeat, case.timeout_s, case.source) == (5, 30, "case.yaml:2")
    assert case.fixtures.files == ("EC-057/net.log",)
    assert case.fixtures.faults[0].origin == "EC-057 faults[0]"


def test_short_forms_stand_for_long_ones(tmp_path: Path) -> None:
    (short,) = yaml_suite(tmp_path / "short", MINIMAL).cases
    (long,) = yaml_suite(
        tmp_path / "long", "id: A\ninput: [{user: Why}]\nexpect: {text: {contains: [a1]}}\n"
    ).cases
    assert short == long


def test_a_file_may_hold_a_list_of_cases(tmp_path: Path) -> None:
    text = f"cases:\n  - {MINIMAL}\n  - {MINIMAL.replace('A', 'B')}\n"
    put(tmp_path / "suite.yaml", text)
    suite = load_suite(tmp_path / "suite.yaml")
    assert [case.id for case in suite.cases] == ["A", "B"]
    assert (suite.name, suite.path) == ("suite", tmp_path)


def test_a_folder_holds_cases_beside_its_fixtures_and_below_cases(tmp_path: Path) -> None:
    put(tmp_path / "b.yml", MINIMAL)
    put(tmp_path / "cases" / "deep" / "a.yaml", MINIMAL.replace("A", "B"))
    put(tmp_path / "EC-001" / "notes.yaml", "not: a case")
    assert [case.id for case in load_suite(tmp_path).cases] == ["A", "B"]


def test_how_to_cases_must_not_write(tmp_path: Path) -> None:
    (case,) = yaml_suite(tmp_path, MINIMAL.replace("{id", "{mode: how-to, id")).cases
    assert ServerState(unchanged=("*",)) in case.expect


@pytest.mark.parametrize(
    ("fixtures", "expected"),
    [
        ("", Fixtures(overrides=("A",))),
        ("fixtures: {overrides: []}", Fixtures()),
        ("fixtures: {overrides: B, base: false}", Fixtures(overrides=("B",), base=False)),
    ],
    ids=["own", "none", "named"],
)
def test_a_case_takes_its_own_override_unless_it_names_some(
    tmp_path: Path, fixtures: str, expected: Fixtures
) -> None:
    put(tmp_path / "A" / "overrides.json", "{}")
    put(tmp_path / "B" / "overrides.json", "{}")
    text = f"id: A\ninput: Why?\nexpect: {{text: {{contains: a1}}}}\n{fixtures}\n"
    suite = yaml_suite(tmp_path, text)
    assert suite.cases[0].fixtures == expected
    unused = [item for item in warnings(suite, tmp_path) if "does not use it" in item]
    assert bool(unused) is (expected.overrides != ("A",))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("id: A\ninput: Why?\nexpct: {}", "case.yaml:3: unknown key 'expct' (did you mean"),
        ("id: A\nexpect: {}", "case.yaml:1: 'input' is missing"),
        ("id: A\ninput: []", "case.yaml:2: input: must not be empty"),
        ("id: A\ninput:\n  - user: ' '", "case.yaml:3: input.0.user: must say something"),
        ("id: A/B\ninput: Why?", "case.yaml:1: id: takes letters, digits"),
        (
            "id: A\ninput: Why?\nexpect:\n  tools:\n    calls:\n      - {nam: x}",
            "case.yaml:6: expect.tools.calls.0: 'name' is missing",
        ),
        (
            "id: A\ninput: Why?\nexpect:\n  tools:\n    calls:\n      - {nam: x}",
            "case.yaml:6: unknown key 'expect.tools.calls.0.nam' (did you mean 'name'?)",
        ),
        (
            "id: A\ninput: Why?\nexpect:\n  tools:\n    calls:\n      - unordered: [{nam: x}, b]",
            "case.yaml:6: unknown key 'expect.tools.calls.0.unordered.0.nam' (did you mean",
        ),
        ("id: A\ninput: Why?\nfixtures:\n  overrides: [B]", "case.yaml:3: no override 'B'"),
        ("- 1", "case.yaml:1: expected a case, or a list of cases under 'cases'"),
        ("cases: 3", "case.yaml:1: 'cases' must be a list of cases"),
        ("cases: []", "case.yaml:1: 'cases' must be a list of cases"),
        (f"cases:\n - {MINIMAL}\nname: x", "case.yaml:3: unknown key 'name' beside 'cases'"),
        ("cases: [3]", "case.yaml:1: expected an object, found 3"),
        ("id: [", "case.yaml:2:1: not YAML"),
        (
            "id: A\ninput: Why?\npolicy: {pass: all, rate: 0.5}",
            "case.yaml:3: policy: give either pass (all, majority) or rate",
        ),
        (
            "id: A\ninput: Why?\nfixtures: {faults: [{method: x, origin: y}]}",
            "case.yaml:3: fixtures.faults.0: 'origin' is filled in by the loader",
        ),
    ],
    ids=lambda value: str(value)[:70],
)
def test_an_invalid_case_is_told_with_its_line(tmp_path: Path, text: str, error: str) -> None:
    found = errors(yaml_suite(tmp_path, text), tmp_path)
    assert any(item.startswith(error) for item in found), found


def test_a_link_out_of_the_suite_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "secret.yaml", MINIMAL)
    suite = tmp_path / "suite"
    put(suite / "a.yaml", MINIMAL)
    (suite / "b.yaml").symlink_to(tmp_path / "secret.yaml")
    assert errors(read_suite(suite), suite) == ["b.yaml: is a link that leaves the suite's folder"]


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema())


@pytest.mark.parametrize(
    "text", [FULL, MINIMAL, f"cases: [{MINIMAL}]"], ids=["full", "min", "list"]
)
def test_the_json_schema_accepts_what_the_loader_accepts(
    schema: jsonschema.Draft202012Validator, text: str
) -> None:
    schema.validate(yaml.safe_load(text))


@pytest.mark.parametrize("text", ["{id: A}", "{id: A, input: x, nope: 1}", "{cases: []}"])
def test_the_json_schema_refuses_what_the_loader_refuses(
    schema: jsonschema.Draft202012Validator, text: str
) -> None:
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(yaml.safe_load(text))


def test_a_file_says_for_all_of_its_cases_who_answers_the_agent_s_tools(tmp_path: Path) -> None:
    text = "tools: {pay: real, look: mocked}\ncases:\n - {id: A, input: Go., tools: {pay: refused}}"
    (tmp_path / "case.yaml").write_text(f"{text}\n - {{id: B, input: Go.}}\n")
    told = [case.fixtures.tools for case in read_suite(tmp_path / "case.yaml").cases]
    assert told == [{"pay": "refused", "look": "mocked"}, {"pay": "real", "look": "mocked"}]
    (tmp_path / "case.yaml").write_text("tools: {pay: maybe}\ncases: [{id: A, input: Go.}]\n")
    problem = read_suite(tmp_path / "case.yaml").problems[0]
    assert "tools.pay" in f"{problem.where}{problem.message}"


EXAMPLES: dict[str, Any] = {
    "id": "B",
    "checks": [{"kind": "exit_code", "code": 3}],
    "variables": {"PROJECT_ID": "shop-prod"},
    "title": "Other",
    "category": "dlp",
    "tags": "a",
    "mode": "how-to",
    "input": "Why not?",
    "request": {"content": "Why?"},
    "user": {"replies": [{"say": "Go on."}]},
    "expect": {"exit_code": 0},
    "tools": {"pay": "refused"},
    "repeat": 2,
    "policy": "all",
    "reference": {"answer": "So."},
    "required_tools": "run_command",
    "weights": {"exit_code": 2},
    "deterministic": True,
    "timeout_s": 1,
    "source_refs": "Plan-1",
    "notes": {"a": "b"},
}


def test_a_request_stands_for_the_input() -> None:
    case = translate_case(NativeCase.model_validate({"id": "A", "request": {"a": "b"}}), Fixtures())
    assert (case.request, [turn.user for turn in case.turns]) == ({"a": "b"}, ['{"a": "b"}'])


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"id": "A"}, "'input' is missing"),
        ({"id": "A", "input": ["x", "y"], "request": {}}, "one turn"),
    ],
    ids=str,
)
def test_a_case_asks_one_thing_at_least_and_a_service_one_at_most(
    case: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValidationError, match=said):
        NativeCase.model_validate(case)


def test_no_key_of_a_case_does_nothing() -> None:
    """A key that is declared and never used would be believed to be checked."""
    assert EXAMPLES.keys() | {"fixtures"} == NativeCase.model_fields.keys()
    plain = {"id": "A", "input": "Why?"}
    for key, value in EXAMPLES.items():
        changed = NativeCase.model_validate({**plain, key: value})
        assert translate_case(changed, Fixtures()) != translate_case(
            NativeCase.model_validate(plain), Fixtures()
        ), key
