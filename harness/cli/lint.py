"""`understudy lint`: everything that is wrong in suites, cases and snapshots."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from harness.errors import CaseProblem


def lint(
    suites: Annotated[list[Path], typer.Argument(help="Suites: folders or case files.")],
    *,
    var: Annotated[
        list[str] | None,
        typer.Option("--var", help="NAME=VALUE for {{NAME}} in the cases; repeatable."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Also fail on warnings (exit code 2).")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the cases and fixtures of suites for mistakes.

    It runs nothing, and lists all problems by case. Errors make a suite invalid (exit code 2).
    Warnings mark what is allowed but probably not intended: a prompt that gives away its required
    evidence, a marker that any reply contains, a long fixture, an override that no case uses, a
    rule about a method, collection or tool that does not exist.

    Example: understudy lint fixtures/chrome-enterprise
    """
    from harness.cases import variables_of
    from harness.errors import HarnessError

    variables = variables_of(var or ())
    checked = [_check_suite(path, variables) for path in suites]
    problems = [item for each in checked for item in each.problems]
    errors = sum(item.level == "error" for item in problems)
    cases = sum(each.cases for each in checked)
    if as_json:
        print_json(_as_json(checked))
    else:
        for each in checked:
            _print_problems(each.problems)
        typer.echo(
            f"{_some(cases, 'case')} in {_some(len(suites), 'suite')}: "
            f"{_some(errors, 'error')}, {_some(len(problems) - errors, 'warning')}"
        )
    if errors or (strict and problems):
        raise typer.Exit(HarnessError.exit_code)


class _CheckedSuite(NamedTuple):
    """What was found in one suite; its problems stand by case."""

    path: Path
    cases: int
    problems: Sequence["CaseProblem"]


def _check_suite(path: Path, variables: dict[str, str]) -> _CheckedSuite:
    from harness.cases import read_suite
    from harness.cli.run_execution import time_of_day
    from harness.doctor.lint import problems_of
    from harness.errors import CaseProblem, HarnessError

    try:
        suite = read_suite(path, variables)
    except HarnessError as error:
        return _CheckedSuite(path, 0, [CaseProblem(str(path), error.message, error.hint)])
    return _CheckedSuite(path, len(suite.cases), problems_of(suite, time_of_day()))


def _print_problems(problems: Sequence["CaseProblem"]) -> None:
    for case, found in groupby(problems, key=lambda item: item.case):
        if case:
            typer.echo(f"case {case}")
        for item in found:
            indent = "  " if case else ""
            typer.echo(f"{indent}{item.level}: {item.about_its_case}")


def _as_json(checked: Sequence[_CheckedSuite]) -> dict[str, object]:
    suites = [
        {
            "suite": str(each.path),
            "cases": each.cases,
            "problems": [
                {"case": case, "findings": [_finding_json(item) for item in found]}
                for case, found in groupby(each.problems, key=lambda item: item.case)
            ],
        }
        for each in checked
    ]
    return {"version": 1, "suites": suites}


def _finding_json(item: "CaseProblem") -> dict[str, str]:
    return {
        "level": item.level,
        "where": item.where,
        "message": item.message.removeprefix(f"{item.case}: "),
        "hint": item.hint,
    }


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
