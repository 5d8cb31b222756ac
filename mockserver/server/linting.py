"""Checks the snapshots of a whole suite: the base alone, then every case over it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from mockserver.apis import APIS
from mockserver.errors import FormatError, InvalidFilesError, MockServerError, Problem
from mockserver.model import SessionSpec
from mockserver.server.contract_linting import Contracts
from mockserver.server.fault_linting import FaultMethods, tools_of
from mockserver.server.file_linting import (
    double_keys,
    from_the_future,
    misnamed_base,
    secrets,
)
from mockserver.server.text_linting import OpaqueValues, broken_texts, stale_page_tokens
from mockserver.server.worlds import Resolved, Worlds
from mockserver.storage import Suite

LONG_FIXTURE = 64 * 1024
"""Bytes of one case's file above which an agent is likely to miss what matters in it."""


@dataclass(frozen=True)
class LintReport:
    """What a check of one suite found.

    Attributes:
        snapshots: How many snapshots were resolved.
        problems: Errors and warnings, each once, in order of discovery; hints last.
    """

    snapshots: int
    problems: tuple[Problem, ...]


def lint_suite(
    folder: Path, *, content: bool = True, hints: bool = False, now: datetime | None = None
) -> LintReport:
    """Resolve every snapshot of a suite and collect what is wrong.

    Args:
        folder: The suite.
        content: Also hold resources against the Discovery documents, and look for texts that a
            program wrote by mistake, stale page tokens, secrets and fixtures that are too long.
        hints: Also tell values that no person can read.
        now: What no snapshot was taken after; None: that is not looked at.

    Raises:
        FormatError: There is no such folder.
    """
    worlds = Worlds(folder)
    suite = Suite(folder)
    contracts = Contracts(APIS) if content else None
    linter = _Linter(FaultMethods(APIS), contracts, hints=hints, now=now)
    found: dict[Problem, None] = {}
    overrides = suite.overrides()
    for case in (None, *overrides):
        found.update(dict.fromkeys(_problems_of(worlds, linter, folder, case)))
    found.update(dict.fromkeys(_unreadable(suite, overrides)))
    found.update(dict.fromkeys(double_keys(suite, overrides)))
    if content:
        found.update(dict.fromkeys(misnamed_base(suite)))
        found.update(dict.fromkeys(secrets(suite)))
        found.update(dict.fromkeys(_long_fixtures(suite, overrides)))
    ordered = sorted(found, key=lambda problem: problem.level == "hint")
    return LintReport(snapshots=1 + len(overrides), problems=tuple(ordered))


@dataclass(frozen=True)
class _Linter:
    """What is asked of each resolved snapshot."""

    methods: FaultMethods
    contracts: Contracts | None
    hints: bool
    now: datetime | None

    def problems(self, resolved: Resolved, case: str | None) -> Iterator[Problem]:
        """What is wrong in one.

        Yields:
            Problems; `where` is a JSON pointer into the snapshot.
        """
        yield from self.methods.problems(resolved.base.faults, tools_of(resolved.raw))
        if self.now is not None:
            yield from from_the_future(resolved.raw, self.now)
        if self.contracts is not None:
            yield from self.contracts.problems(resolved.raw)
            yield from broken_texts(resolved.raw)
            yield from stale_page_tokens(resolved.raw)
        if self.hints and case is None:
            yield from OpaqueValues().hints(resolved.raw)


def _unreadable(suite: Suite, overrides: tuple[str, ...]) -> Iterator[Problem]:
    """Every broken file, also one that is not come to because the base is broken.

    Yields:
        One problem for each file.
    """
    of_cases = (path for name in overrides for path in suite.override_files(name))
    for path in (*suite.base_files(), *of_cases):
        try:
            suite.layer(path)
        except FormatError as error:
            yield _inside(error.problem, suite.folder)
        except MockServerError as error:
            yield Problem(path.relative_to(suite.folder).as_posix(), error.message, error.hint)


def _problems_of(
    worlds: Worlds, linter: _Linter, folder: Path, case: str | None
) -> Iterator[Problem]:
    try:
        resolved = worlds.resolve(SessionSpec(case=case))
        yield from resolved.problems()
        for problem in linter.problems(resolved, case):
            yield replace(problem, where=resolved.where(problem.where))
    except FormatError as error:
        yield _inside(error.problem, folder)
    except InvalidFilesError as error:
        yield from (_inside(problem, folder) for problem in error.problems)
    except MockServerError as error:
        yield Problem(case or "base", error.message, error.hint)


def _inside(problem: Problem, folder: Path) -> Problem:
    """A problem whose place is told as those of readable files are: relative to the suite."""
    return replace(problem, where=problem.where.removeprefix(f"{folder}/"))


def _long_fixtures(suite: Suite, overrides: tuple[str, ...]) -> Iterator[Problem]:
    """Files that belong to one case alone, and are so long that what matters in them is lost.

    Yields:
        A warning for each.
    """
    of_cases = (path for name in overrides for path in suite.override_files(name))
    texts = suite.fixtures.glob("*/*.txt"), suite.fixtures.glob("*/*.log")
    for path in (*of_cases, *sorted(each for found in texts for each in found)):
        size = path.stat().st_size
        if size > LONG_FIXTURE:
            yield Problem(
                path.relative_to(suite.folder).as_posix(),
                f"{size // 1024} KiB are much for the fixture of one case",
                "keep only what triggers the scenario",
                "warning",
            )
