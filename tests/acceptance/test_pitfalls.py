"""Defects that evaluation systems have shipped: each has its rule, and the tests of the rule."""

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from harness.checks import check
from harness.checks.expectation import AnyExpectation
from harness.cli.main import app
from harness.model import (
    Case,
    Evidence,
    Expectation,
    Fixtures,
    ForbiddenEvidence,
    Policy,
    ReferenceCall,
    ReferenceRequest,
    ReferenceTurn,
    Turn,
)
from tests.casefiles import CASE_FILE, chrome_suite, put
from tests.harness.records import record

TESTS = Path(__file__).parents[1]

PITFALLS: Mapping[int, tuple[str, tuple[str, ...]]] = {
    1: ("every repeat is checked", (
        "harness/runner/test_review_results.py::test_every_repeat_counts_and_not_the_first_alone",
    )),
    2: ("stability has a denominator", (
        "harness/statistics/test_stability.py::test_what_is_missing_counts_as_disagreement",
        "harness/runner/test_review_results.py::test_stability_is_not_vacuous",
    )),
    3: ("a judge decides its own check alone", (
        "harness/checks/test_judge.py::test_a_judge_decides_only_its_own_check",
        "harness/checks/test_judge.py::test_a_judge_that_fails_leaves_the_case_inconclusive",
        "harness/cli/test_judge.py::test_a_judge_off_the_menu_gives_no_verdict",
    )),
    4: ("texts match whole words, folded", (
        "acceptance/test_pitfalls.py::test_a_marker_matches_neither_too_much_nor_too_little",
        "acceptance/test_pitfalls.py::test_a_warning_against_something_does_not_propose_it",
    )),
    5: ("infrastructure is no result", (
        "harness/cli/test_run.py::test_an_agent_that_is_not_there_has_no_pass_rate",
        "harness/cli/test_baseline.py::test_a_run_without_a_valid_trial_is_refused",
    )),
    6: ("a gate can fail", (
        "harness/cases/sre/test_criteria.py::test_a_gate_that_nothing_fails_is_no_gate",
        "harness/runner/test_settings.py::test_a_gate_that_cannot_fail_or_hold_is_refused",
    )),
    7: ("nothing evaluated is not green", (
        "acceptance/test_pitfalls.py::test_a_typo_in_the_ids_is_exit_code_2_with_what_was_meant",
        "harness/cli/test_case_selection.py::"
        "test_an_empty_selection_is_a_mistake_unless_it_is_allowed",
    )),
    8: ("calls are paired optimally", (
        "harness/checks/test_tools.py::"
        "test_permuting_an_unordered_expectation_never_changes_the_verdict",
        "harness/checks/test_tools.py::test_permuting_a_group_of_a_chain_never_changes_the_verdict",
    )),
    9: ("repeats are independent", (
        "acceptance/test_pitfalls.py::test_five_trials_are_five_calls_of_the_agent",
        "harness/runner/test_plan.py::test_trials_are_interleaved",
    )),
    10: ("a judge is validated with negatives", (
        "harness/runner/test_judgements.py::test_too_few_labels_are_refused",
        "harness/judge/test_labels.py::test_nothing_in_the_table_tells_a_verdict",
    )),
    11: ("a judge takes no orders", (
        "harness/judge/test_opinions.py::test_a_reply_that_gives_orders_is_material",
        "harness/judge/test_opinions.py::test_the_last_verdict_counts",
    )),
    12: ("a killed run is finished", (
        "chaos/test_chaos.py::"
        "test_a_run_that_was_killed_and_resumed_gives_the_report_of_one_that_was_not",
    )),
    13: ("retries are shown", (
        "harness/reports/test_figures.py::test_every_retry_is_shown_with_its_case",
    )),
    14: ("a timeout stops the agent", (
        "harness/cli/test_run.py::"
        "test_an_agent_that_hangs_and_ignores_sigterm_is_the_agents_fault",
        "harness/agents/test_processes.py::"
        "test_a_child_that_left_the_group_does_not_survive_its_agent",
        "harness/runner/test_trial.py::test_a_timeout_is_the_agents_and_keeps_finished_turns",
    )),
    15: ("every key is checked or informational", (
        "harness/checks/test_registry.py::test_every_field_is_read_by_its_check",
        "acceptance/test_pitfalls.py::test_every_field_of_a_case_does_something_or_is_for_readers",
    )),
    16: ("prompts are sent as they are written", (
        "acceptance/test_pitfalls.py::test_a_label_that_is_not_understood_is_an_error_with_its_line",
        "harness/cli/test_cases.py::test_the_exact_messages_are_shown",
    )),
    17: ("fixtures do not lie", (
        "mockserver/snapshots/test_lint.py::test_the_page_token_of_a_capture_is_stale",
        "mockserver/snapshots/test_lint.py::"
        "test_content_is_held_against_documents_and_common_mistakes",
        "acceptance/test_pitfalls.py::test_what_a_fixture_does_not_hold_is_a_truthful_404",
    )),
    18: ("trials share nothing", (
        "harness/runner/test_trial.py::test_two_writing_trials_do_not_see_each_other",
    )),
    19: ("cases can be passed", (
        "harness/doctor/test_examination.py::test_every_fault_of_a_suite_is_found_and_named",
        "harness/cli/test_doctor.py::"
        "test_a_bundled_suite_is_sound_and_its_control_trials_fail",
    )),
    20: ("runs are not compared by their intersection", (
        "harness/cli/test_compare.py::test_cases_that_are_gone_need_leave",
        "harness/statistics/test_comparison.py::test_cases_are_matched_by_id_and_hash",
    )),
    21: ("a drop is no regression yet", (
        "harness/statistics/test_power.py::"
        "test_the_threshold_rule_nearly_always_raises_a_false_alarm",
        "harness/cli/test_compare.py::test_the_threshold_is_an_option_with_a_warning",
    )),
    22: ("all errors are told, the valid cases run when asked for", (
        "acceptance/test_exit_codes.py::"
        "test_invalid_cases_exit_with_2_though_the_valid_ones_are_run",
        "acceptance/test_pitfalls.py::test_every_invalid_case_is_told_at_once",
    )),
    23: ("nothing live is reached", (
        "harness/agents/test_addresses.py::"
        "test_an_environment_that_leads_to_live_hosts_is_refused",
        "harness/cli/test_run.py::test_a_mistake_is_told_before_anything_is_written",
    )),
}  # fmt: skip
"""Number to rule and tests."""


@pytest.mark.parametrize("number", range(1, 24))
def test_every_rule_has_its_tests(number: int) -> None:
    for place in PITFALLS[number][1]:
        file, _, name = place.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        functions = ast.FunctionDef | ast.AsyncFunctionDef
        assert name in {node.name for node in tree.body if isinstance(node, functions)}, place


@pytest.mark.parametrize(
    ("marker", "text", "found"),
    [
        ("OU", "The rollout is late.", False),
        ("OU", "You should wait.", False),
        ("OU", "Move it to the OU.", True),
        ("402", "It is 24020.", False),
        ("402", "It answered 402.", True),
        ("日本語", "Nothing of the kind.", False),
        ("日本語", "The user speaks 日本語.", True),
        ("policy_limit", "The POLICY LIMIT was met.", True),
        ("POLICY LIMIT", "policy-limit", True),
    ],
)
def test_a_marker_matches_neither_too_much_nor_too_little(
    marker: str, text: str, found: bool
) -> None:
    """Pitfall 4, with the words in which it was seen."""
    result = check(record(text), Evidence(markers=(marker,)))
    assert result.status == ("pass" if found else "fail")


@pytest.mark.parametrize(
    ("text", "status"),
    [("Do not disable DLP.", "pass"), ("You could disable DLP for now.", "fail")],
    ids=["warned against", "proposed"],
)
def test_a_warning_against_something_does_not_propose_it(text: str, status: str) -> None:
    """Pitfall 4: forbidden evidence in a sentence that forbids it."""
    forbidden = ForbiddenEvidence(markers=("disable DLP",), unless=("not", "never"))
    assert check(record(text), forbidden).status == status


def test_a_typo_in_the_ids_is_exit_code_2_with_what_was_meant(tmp_path: Path) -> None:
    """Pitfall 7."""
    order = ["run", str(chrome_suite(tmp_path)), "-a", "echo", "--ids", "EC-0O1"]
    result = CliRunner().invoke(app, order)
    assert getattr(result.exception, "exit_code", None) == 2
    assert "did you mean 'EC-001'" in str(result.exception)


@pytest.mark.slow
def test_five_trials_are_five_calls_of_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pitfall 9: an agent with a cache of its own still is asked five times, in five sessions."""
    put(tmp_path / "suite" / "a.yaml", "id: A\ninput: Why?\nexpect: {text: {contains: [x]}}\n")
    put(
        tmp_path / "cached_agent.py",
        "from functools import cache\n"
        "asked = []\n"
        "@cache\n"
        "def known(prompt):\n"
        "    return 'x'\n"
        "def answer(messages, environment):\n"
        "    asked.append(environment['MOCK_SESSION'])\n"
        "    return known(messages[-1]['content'])\n",
    )
    monkeypatch.chdir(tmp_path)
    order = ["run", "suite", "-a", "python:cached_agent:answer", "--no-isolate", "-n", "5"]
    result = CliRunner().invoke(app, order)
    assert result.exit_code == 0, result.output
    trials = sorted(tmp_path.glob("runs/*/trials/A/*.json"))
    sessions = [json.loads(path.read_text(encoding="utf-8"))["session"] for path in trials]
    assert len(set(sessions)) == 5
    assert sorted(sys.modules["cached_agent"].asked) == sorted(sessions)


FOR_READERS = {"title", "category", "tags", "notes", "source", "source_refs"}
"""Fields of a case that decide nothing: they describe it, and select it."""

_PARTS = (Case, Turn, Fixtures, Policy, ReferenceTurn, ReferenceCall, ReferenceRequest)
_DECIDING = ("agents", "checks", "verdicts", "judge", "runner", "environment.py", "model")


def test_every_field_of_a_case_does_something_or_is_for_readers() -> None:
    """Pitfall 15, CEPR-05, CEPR-06: what is declared is read where trials are run and decided."""
    read = set(_attributes_read())
    for model in _PARTS:
        idle = {name for name in model.model_fields if name not in read}
        assert idle <= (FOR_READERS if model is Case else set()), model
    assert set(Case.model_fields) >= FOR_READERS


def test_every_kind_of_expectation_is_weighed_by_turn_and_requirement() -> None:
    """Pitfall 15: what all kinds share is read for all of them."""
    kinds: tuple[type[BaseModel], ...] = get_args(get_args(Expectation)[0])
    assert all(issubclass(kind, AnyExpectation) for kind in kinds)
    assert {"turn", "required"} <= set(_attributes_read())


def _attributes_read() -> Iterator[str]:
    harness = TESTS.parent / "harness"
    for name in _DECIDING:
        place = harness / name
        for path in [place] if place.is_file() else place.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute):
                    yield node.attr


@pytest.mark.parametrize(
    "line",
    ['Assistant: "I have looked."', '**Administrator:** "And now?"', "Just a line."],
    ids=["other speaker", "unknown label", "no label"],
)
def test_a_label_that_is_not_understood_is_an_error_with_its_line(
    tmp_path: Path, line: str
) -> None:
    """Pitfall 16, CEP-38: no label reaches the agent as a part of a prompt."""
    text = CASE_FILE.replace("## Cleanup", f"{line}\n\n## Cleanup")
    suite = chrome_suite(tmp_path, files={"cases/EC-001-some-name.md": text})
    result = CliRunner().invoke(app, ["lint", str(suite)])
    assert result.exit_code == 2
    assert "EC-001-some-name.md:11: " in result.output


def test_what_a_fixture_does_not_hold_is_a_truthful_404(tmp_path: Path) -> None:
    """Pitfall 17: a static answer says yes to everything; this one knows what there is."""
    url = "admin.googleapis.com/admin/directory/v1/users/nobody@example.com"
    case = {
        "id": "A",
        "input": "Who?",
        "expect": {"server": {"requests": [{"method": "directory.users.get", "status": 404}]}},
        "reference": [{"requests": [url]}],
    }
    put(tmp_path / "suite" / "a.yaml", json.dumps(case))
    put(tmp_path / "suite" / "base" / "all.json", json.dumps({"users": [], **_CUSTOMER}))
    order = ["run", str(tmp_path / "suite"), "-a", "oracle", "--run-dir", str(tmp_path / "runs")]
    result = CliRunner().invoke(app, order)
    assert result.exit_code == 0, result.output


_CUSTOMER: dict[str, Any] = {
    "capturedAt": "2026-11-19T10:00:00Z",
    "customer": {"id": "C0123abcd", "customerDomain": "example.com"},
}


def test_every_invalid_case_is_told_at_once(tmp_path: Path) -> None:
    """Pitfall 22: one mistake hides no other, and nothing is run."""
    put(tmp_path / "a.yaml", "id: A\ninput: Why?\nexpct: {}\n")
    put(tmp_path / "b.yaml", "id: B\ninput: ''\n")
    put(tmp_path / "c.yaml", "id: C\ninput: Why?\nexpect: {text: {contains: ['']}}\n")
    result = CliRunner().invoke(app, ["lint", str(tmp_path)])
    assert result.exit_code == 2
    told = set(re.findall(r"error: [^:]*/([^:/]+):\d", result.output))
    assert {"a.yaml", "b.yaml", "c.yaml"} <= told
