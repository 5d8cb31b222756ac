"""Lints a suite: what is wrong in its cases and fixtures, and what is probably not meant."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from harness.cases import (
    Suite,
    duplicate_cases,
    idle_overrides,
    misspelt_names,
    ungrounded_markers,
)
from harness.environment import fixture_problems, known_names, merged_worlds
from harness.errors import CaseProblem, HarnessError
from harness.model import Case


def problems_of(suite: Suite, now: datetime, *, hints: bool = False) -> tuple[CaseProblem, ...]:
    """What is wrong in a suite's cases and fixtures, and what is probably not meant.

    Args:
        suite: The suite, as it was read.
        now: What no snapshot was taken after.
        hints: Also tell values that no person can read.
    """
    try:
        found = [*_of_worlds(suite), *fixture_problems(suite.path, hints=hints, now=now)]
    except HarnessError as error:
        found = [CaseProblem(str(suite.path), error.message, error.hint)]
    return by_case(
        [*suite.problems, *(_assign_to_case(each, suite) for each in found)], suite.cases
    )


def by_case(problems: Sequence[CaseProblem], cases: Sequence[Case]) -> tuple[CaseProblem, ...]:
    """Problems of the whole suite first, then those of each case, in the order of the cases."""
    order = {case.id: number for number, case in enumerate(cases, start=1)}
    known = {each.case: len(order) + number for number, each in enumerate(problems, start=1)}
    places = {**known, **order, "": 0}
    return tuple(sorted(dict.fromkeys(problems), key=lambda each: places[each.case]))


def _of_worlds(suite: Suite) -> Iterator[CaseProblem]:
    worlds = merged_worlds(suite.path, suite.cases)
    bases = merged_worlds(suite.path, suite.cases, overridden=False)
    for case, remark in (
        *misspelt_names(suite.cases, known_names(), worlds),
        *ungrounded_markers(suite.cases, worlds),
        *idle_overrides(suite.cases, worlds, bases),
        *duplicate_cases(suite.cases, worlds),
    ):
        yield suite.warning(case, remark)


def _assign_to_case(problem: CaseProblem, suite: Suite) -> CaseProblem:
    """A problem of a file that one case alone uses is a problem of that case."""
    if problem.case:
        return problem
    place = problem.where.removeprefix(f"{suite.path}/").removeprefix("fixtures/")
    name = Path(place.partition("#")[0].partition(":")[0]).parts[:1]
    users = [
        case.id
        for case in suite.cases
        if any(Path(each).parts[:1] == name for each in case.fixtures.overrides)
    ]
    owner = users[0] if len(users) == 1 else ""
    return CaseProblem(problem.where, problem.message, problem.hint, problem.level, owner)
