"""`harness lint`: everything that is wrong in suites, cases and snapshots."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
        bool, typer.Option("--strict", help="Fail for warnings, too (exit code 2).")
    ] = False,
) -> None:
    """Check cases and their fixtures.

    Nothing is run; all problems are told at once. Errors make a suite invalid (exit code 2).
    Warnings are allowed and probably not meant: a prompt that gives its required evidence away, a
    marker that any reply holds, a long fixture, an override that no case uses, a rule about a
    method, collection or tool that does not exist.

    Example: harness lint fixtures/chrome-enterprise
    """
    from harness.cases import variables_of
    from harness.errors import HarnessError

    variables = variables_of(var or ())
    cases = 0
    problems: list[CaseProblem] = []
    for path in suites:
        count, found = _checked(path, variables)
        cases += count
        problems += found
    for item in problems:
        typer.echo(f"{item.level}: {item}")
    errors = sum(item.level == "error" for item in problems)
    typer.echo(
        f"{_some(cases, 'case')} in {_some(len(suites), 'suite')}: "
        f"{_some(errors, 'error')}, {_some(len(problems) - errors, 'warning')}"
    )
    if errors or (strict and problems):
        raise typer.Exit(HarnessError.exit_code)


def _checked(path: Path, variables: dict[str, str]) -> tuple[int, Sequence["CaseProblem"]]:
    from harness.cases import KnownNames, misspelt_names, read_suite
    from harness.environment import fixture_problems, known_names
    from harness.errors import CaseProblem, HarnessError

    try:
        suite = read_suite(path, variables)
    except HarnessError as error:
        return 0, [CaseProblem(str(path), error.message, error.hint)]
    try:
        typos = misspelt_names(suite.cases, KnownNames(**known_names()))
        return len(suite.cases), [*suite.problems, *typos, *fixture_problems(suite.path)]
    except HarnessError as error:
        unreadable = CaseProblem(str(suite.path), error.message, error.hint)
        return len(suite.cases), [*suite.problems, unreadable]


def _some(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
