"""A new kind of expectation takes a module and a line of the table, as the documents say."""

from pathlib import Path

import pytest

from tests.additions import Addition, run_with

MODULE = '''
"""How politely a reply is written."""

import re
from typing import ClassVar, Literal

from pydantic import Field

from harness.checks.expectation import AnyExpectation, not_evaluated, verdict
from harness.checks.sections import section_of
from harness.checks.replies import no_reply, replies_of
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord


class Courtesy(AnyExpectation):
    """The reply thanks so often.

    Attributes:
        least: At least so often.
    """

    kind: Literal["courtesy"] = "courtesy"
    failure: ClassVar[str] = "rude"
    least: int = Field(default=1, ge=1)


class Insults(AnyExpectation):
    """The reply holds none of these, and names whom it speaks of.

    Attributes:
        patterns: Regular expressions that must not be found.
        names: Names that must be there.
    """

    kind: Literal["insults"] = "insults"
    failure: ClassVar[str] = "insulting"
    problem_lists: ClassVar[tuple[str, ...]] = ("heard",)
    expected_numbers: ClassVar[tuple[str, ...]] = ("limit",)
    is_graded: ClassVar[bool] = True
    quotes_values: ClassVar[bool] = True
    holds_patterns: ClassVar[bool] = True
    patterns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def check_courtesy(record: TrialRecord, expectation: Courtesy) -> CheckResult:
    """Whether the replies thank often enough."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    count = sum(reply.text.casefold().count("thank") for reply in replies)
    enough = count >= expectation.least
    return verdict(expectation, "" if enough else f"thanks {count} times", count=count)


def check_insults(record: TrialRecord, expectation: Insults) -> CheckResult:
    """Whether the replies insult nobody."""
    text = " ".join(reply.text for reply in replies_of(record, expectation.turn))
    heard = [each for each in expectation.patterns if re.search(each, text)]
    reason = f"insults: {heard}" if heard else ""
    return verdict(expectation, reason, heard=heard, limit=0, score=0.25)


INSULTS = section_of(Insults, "What the reply calls nobody.")
COURTESY = section_of(Courtesy, "How often the reply thanks.")
'''
ADDITION = Addition(
    module="harness/checks/courtesy.py",
    source=MODULE,
    table="harness/checks/registry.py",
    imported="from harness.checks import courtesy",
    after="_OWN: tuple[Check, ...] = (\n",
    line="""\
    Check(courtesy.Courtesy, courtesy.check_courtesy, courtesy.COURTESY),
    Check(courtesy.Insults, courtesy.check_insults, courtesy.INSULTS),
""",
)
CASE = """
id: A
input: [{user: "Why?", expect: {courtesy: {least: 2}}}]
expect: {courtesy: {required: false}}
"""
INSULTED = """
id: {id}
title: Insults
variables: {{WHOM: "a.b"}}
input: [{{user: "Why?"}}]
expect: {{insults: {{patterns: ["{{{{WHOM}}}} is mad"], names: [ou-4711]}}}}
"""
PROGRAM = """
from pathlib import Path

from harness.cases import json_schema, read_suite
from harness.cases.conversion import written_case
from harness.checks import check
from harness.model import Case, Reply, TrialRecord
from harness.reports.failures import failure_class

suite = read_suite(Path("case.yaml"))
assert suite.errors == (), suite.errors
case, = suite.cases
assert Case.model_validate_json(case.model_dump_json()) == case
reply = Reply(turn=1, prompt="Why?", text="Thank you.")
facts = {"run": "r", "case": "A", "case_hash": "h", "number": 1, "outcome": "replied"}
record = TrialRecord(**facts, started_at="2026-11-20T10:15:00Z", replies=(reply,))
found = [check(record, item) for item in case.expect]
assert [each.status for each in found] == ["informational", "fail"], found
assert written_case(case)["expect"] == {"courtesy": {"required": False}}
assert failure_class("courtesy") == "rude"
assert "CourtesyBlock" in json_schema()["$defs"]

from harness.cases.variables import with_variables
from harness.doctor.controls import quoted_values
from harness.model import Policy
from harness.reports.json_report import task_result
from harness.verdicts.decisions import decide_case, decide_trial
from harness.verdicts.runs import clusters

suite = with_variables(read_suite(Path("insulted")), {})
assert suite.errors == (), suite.errors
decisions = []
for case in suite.cases:
    item, = case.expect
    assert item.patterns == ("a\\\\.b is mad",)
    assert quoted_values(case) == ("ou-4711",)
    told = reply.model_copy(update={"text": "a.b is mad"})
    trial = TrialRecord(**facts | {"case": case.id}, started_at=record.started_at, replies=(told,))
    decided = decide_trial(case, trial)
    assert decided.score == 0.25
    assert task_result(case, decided, trial)["details"][0]["expected"] == "limit 0"
    decisions.append(decide_case(case, [decided], Policy(rate=1.0)))
cluster, = clusters(decisions)
assert (cluster.kind, cluster.what, cluster.cases) == ("insults", "a\\\\.b is mad", ("B", "C"))
"""


@pytest.mark.slow
def test_a_check_is_added_by_a_module_and_a_line(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(CASE, encoding="utf-8")
    (tmp_path / "insulted").mkdir()
    for id in "BC":
        path = tmp_path / "insulted" / f"{id}.yaml"
        path.write_text(INSULTED.format(id=id), encoding="utf-8")
    run_with(ADDITION, tmp_path, PROGRAM)
