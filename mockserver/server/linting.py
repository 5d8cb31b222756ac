"""Checks the snapshots of a whole suite: the base alone, then every case over it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mockserver.apis import APIS
from mockserver.errors import FormatError, InvalidFilesError, MockServerError, Problem
from mockserver.model import SessionSpec
from mockserver.server.fault_linting import FaultMethods, tools_of
from mockserver.server.worlds import Worlds
from mockserver.storage import Suite

LONG_OVERRIDE = 64 * 1024
"""Bytes of one override file above which an agent is likely to miss what matters in it."""


@dataclass(frozen=True)
class LintReport:
    """What a check of one suite found.

    Attributes:
        snapshots: How many snapshots were resolved.
        problems: Errors and warnings, each once, in order of discovery.
    """

    snapshots: int
    problems: tuple[Problem, ...]


def lint_suite(folder: Path) -> LintReport:
    """Resolve every snapshot of a suite and collect what is wrong.

    Raises:
        FormatError: There is no such folder.
    """
    worlds = Worlds(folder)
    suite, methods = Suite(folder), FaultMethods(APIS)
    found: dict[Problem, None] = {}
    overrides = suite.overrides()
    for case in (None, *overrides):
        found.update(dict.fromkeys(_problems_of(worlds, methods, folder, case)))
    found.update(dict.fromkeys(_unreadable(suite, overrides)))
    found.update(dict.fromkeys(_long_overrides(suite, overrides)))
    return LintReport(snapshots=1 + len(overrides), problems=tuple(found))


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
    worlds: Worlds, methods: FaultMethods, folder: Path, case: str | None
) -> Iterator[Problem]:
    try:
        resolved = worlds.resolve(SessionSpec(case=case))
        yield from resolved.problems()
        for problem in methods.problems(resolved.base.faults, tools_of(resolved.raw)):
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


def _long_overrides(suite: Suite, overrides: tuple[str, ...]) -> Iterator[Problem]:
    for name in overrides:
        for path in suite.override_files(name):
            size = path.stat().st_size
            if size > LONG_OVERRIDE:
                yield Problem(
                    str(path.relative_to(suite.folder)),
                    f"{size // 1024} KiB are much for one override",
                    "keep only what triggers the scenario",
                    "warning",
                )
