"""Which cases a run has: read, selected, crossed with fault profiles, shared out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.cases import Suite, Value, crossed, fault_profiles, load_suite, read_suite, select
from harness.cli.run_options import RunOptions
from harness.errors import HarnessError, InvalidCasesError
from harness.model import Case
from harness.runner import shard_of


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
    """
    cases = select(
        suite.cases,
        ids=listed(options.ids),
        category=listed(options.category),
        tags=listed(options.tags),
        limit=options.limit,
        empty=options.allow_empty,
    )
    found = shard_of(cases, options.shard)
    if not found and not options.allow_empty:
        raise HarnessError(
            f"shard {options.shard} of {len(cases)} cases has none", hint="--allow-empty allows it"
        )
    return under_faults(found, options.faults_matrix)


def under_faults(cases: Sequence[Case], asked: str) -> tuple[Case, ...]:
    """The cases, each also under every fault profile that was asked for.

    Raises:
        HarnessError: A profile is unknown or cannot be read.
    """
    return crossed(cases, fault_profiles(asked, Path.cwd()))


def listed(text: str) -> list[str]:
    """What is between commas.

    >>> listed("a, b,")
    ['a', 'b']
    """
    return [item for item in (part.strip() for part in text.split(",")) if item]
