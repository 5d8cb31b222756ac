from datetime import UTC, datetime
from pathlib import Path

from harness.cases import Suite, read_suite
from harness.doctor.lint import by_case, problems_of
from harness.errors import CaseProblem
from tests.casefiles import put
from tests.harness.records import case

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_problems_stand_by_case_in_the_order_of_the_suite() -> None:
    problems = [
        CaseProblem("a", "1", case="LOST"),
        CaseProblem("b", "2", case="TWO"),
        CaseProblem("c", "3"),
        CaseProblem("d", "4", case="ONE"),
        CaseProblem("e", "5", case="TWO"),
        CaseProblem("e", "5", case="TWO"),
    ]
    found = by_case(problems, [case(id="TWO"), case(id="ONE")])
    assert [each.where for each in found] == ["c", "b", "e", "d", "a"]


def test_a_problem_of_an_override_is_one_of_the_case_that_uses_it(tmp_path: Path) -> None:
    put(tmp_path / "base" / "all.json", "{}")
    for name in ("A", "shared"):
        put(tmp_path / name / "overrides.json", '{"user": []}')
    expect = "input: Why?\nexpect: {text: {contains: [a1]}}\n"
    other = expect.replace("a1", "b1")
    put(tmp_path / "cases" / "A.yaml", f"id: A\n{expect}fixtures: {{overrides: [A, shared]}}\n")
    put(tmp_path / "cases" / "B.yaml", f"id: B\n{other}fixtures: {{overrides: [shared]}}\n")
    found = [each for each in problems_of(read_suite(tmp_path), NOW) if "#/user" in each.where]
    owners = {each.where.rpartition("#")[0].split("/")[-2]: each.case for each in found}
    assert owners == {"A": "A", "shared": ""}


def test_a_suite_without_fixtures_is_told(tmp_path: Path) -> None:
    gone = Suite(tmp_path / "none", "s", (case(id="A"),))
    (found,) = problems_of(gone, NOW)
    assert found.message.endswith("none: no such folder")
