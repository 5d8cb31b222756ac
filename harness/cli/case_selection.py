"""Selects the cases of a run: read, filtered, crossed with fault profiles, sharded."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from harness.cases import (
    Suite,
    Value,
    cross_with_profiles,
    fault_profiles,
    load_suite,
    read_suite,
    select,
)
from harness.cli.options import split_list
from harness.cli.run_options import RunOptions
from harness.errors import CaseProblem, HarnessError, InvalidCasesError
from harness.model import Case
from harness.runner import select_shard


def suite_of(
    path: Path, *, keep_going: bool, variables: Mapping[str, Value] | None = None
) -> Suite:
    """A suite that is to be run.

    Args:
        path: Where it is.
        keep_going: Whether invalid cases are left out rather than refused.
        variables: Values for the placeholders of its cases.

    Raises:
        HarnessError: There is none.
        InvalidCasesError: Something in it is invalid, or everything.
    """
    if not keep_going:
        return load_suite(path, variables)
    suite = read_suite(path, variables)
    if suite.errors and not suite.cases:
        raise InvalidCasesError(suite.errors)
    return suite


def selected_cases(options: RunOptions, suite: Suite) -> tuple[Case, ...]:
    """The cases that the options let through.

    Raises:
        HarnessError: A value that the suite does not know, or nothing is left.
        InvalidCasesError: A case that was named by its id is invalid, and no other was.
    """
    named = split_list(options.ids)
    valid = {case.id.casefold() for case in suite.cases}
    errors = problems_of_selection(suite, options.ids)
    invalid = {item.case.casefold() for item in errors} - valid
    ids = [id for id in named if id.casefold() not in invalid]
    if named and not ids:
        raise InvalidCasesError(errors)
    cases = select(
        suite.cases,
        ids=ids,
        category=split_list(options.category),
        tags=split_list(options.tags),
        limit=options.limit,
        empty=options.allow_empty,
    )
    found = select_shard(cases, options.shard)
    if not found and not options.allow_empty:
        raise HarnessError(
            f"shard {options.shard} of {len(cases)} cases has none", hint="--allow-empty allows it"
        )
    return with_fault_profiles(found, options.faults_matrix)


def problems_of_selection(suite: Suite, ids: str, level: str = "error") -> list[CaseProblem]:
    """What is wrong with what was selected: with named ids only what concerns those cases.

    Args:
        suite: The suite.
        ids: Ids as they were given, separated by commas; empty for all.
        level: `error` or `warning`.
    """
    named = {id.casefold() for id in split_list(ids)}
    return [
        item
        for item in suite.problems
        if item.level == level and (not named or item.case.casefold() in named)
    ]


def servable_cases(
    cases: Sequence[Case], suite: Path, problems: Sequence[CaseProblem]
) -> tuple[tuple[Case, ...], list[CaseProblem]]:
    """The cases whose snapshot can be served, and the problems of the others.

    Args:
        cases: Those that were selected.
        suite: The folder that the problems' places begin with.
        problems: Errors in the base and in overrides.

    Returns:
        What can be run, and those of the problems that keep a selected case from it, each put down
        to the first such case. A problem of the base concerns every case that starts from it.
    """
    found: list[CaseProblem] = []
    lost: set[str] = set()
    for problem in problems:
        names = _overrides_at(problem.where.removeprefix(f"{suite}/"))
        hit = [
            case.id
            for case in cases
            if (names & {*case.fixtures.overrides} if names else case.fixtures.base)
        ]
        if hit:
            lost.update(hit)
            found.append(replace(problem, case=hit[0]))
    return tuple(case for case in cases if case.id not in lost), found


def _overrides_at(place: str) -> set[str]:
    """What an override may be called that a place in a suite belongs to; empty for the base.

    The name of its folder, or of its file where a case names that; a folder that cannot be read
    as a whole is a place itself.
    """
    path = place.split("#")[0].removeprefix("fixtures/")
    if path.partition("/")[0] in {"base", "apis"}:  # what all cases share
        return set()
    return {path, path.rpartition("/")[0]}


def with_fault_profiles(cases: Sequence[Case], profiles: str) -> tuple[Case, ...]:
    """The cases, each also under every fault profile that was asked for.

    Raises:
        HarnessError: A profile is unknown or cannot be read.
    """
    return cross_with_profiles(cases, fault_profiles(profiles, Path.cwd()))
