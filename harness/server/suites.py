"""The suites that can be run by name: those in the directory of suites, and registered ones."""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import orjson

from harness.cases import Suite, count_categories, find_suites, read_suite
from harness.errors import InvalidCasesError, reason_of
from harness.server.replies import RefusedError
from harness.server.words import HarnessSaid, NewSuite, SuiteSaid, TaskSaid
from harness.storage import Baselines, RegisteredSuite, RegisteredSuites, suite_name
from mockserver.model import did_you_mean

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AGENTS = {"oracle": "must pass", "null": "must fail", "echo": "must fail"}


class Shelf:
    """Suites by name. No path ever comes from a request.

    Args:
        folder: The directory of suites.
        runs: The directory of runs, beside which names are registered.
    """

    def __init__(self, folder: Path, runs: Path) -> None:
        self._folder = folder
        self._registered = RegisteredSuites(runs)
        self._baselines = Baselines(runs)

    def path(self, name: str) -> Path:
        """Where a suite lies.

        Raises:
            RefusedError: There is none of this name.
        """
        known = {each: path for each, path, _ in self._all()}
        if name not in known:
            hint = did_you_mean(name, known)
            raise RefusedError(404, f"no suite {name!r}", hint=hint)
        return known[name]

    def listed(self) -> list[SuiteSaid]:
        """All of them with what they cover, by name."""
        return sorted(map(self._said, self._all()), key=lambda suite: suite.name)

    def harnesses(self) -> list[HarnessSaid]:
        """Those that were found and are valid, each with what can be put through it at once."""
        return [
            HarnessSaid(
                name=suite.name,
                format=suite.format,
                cases=suite.cases,
                categories=suite.categories,
                agents=_AGENTS,
            )
            for suite in self.listed()
            if not suite.registered and not suite.errors
        ]

    def create(self, new: NewSuite, now: Callable[[], str]) -> SuiteSaid:
        """Keep a new suite in the directory of suites, and register it.

        Raises:
            RefusedError: The name is none, or taken; or it cannot be written.
            InvalidCasesError: Something in it is invalid.
        """
        if not _NAME.fullmatch(new.name) or new.name.endswith("."):
            hint = "letters, digits, '.', '_' and '-', at most 64, the first one no sign"
            raise RefusedError(422, f"{new.name!r} is no name for a suite", hint=hint)
        place = self._folder / new.name
        if place.exists() or self._registered.get(new.name) is not None:
            raise RefusedError(409, f"there is a suite {new.name!r} already")
        content = new.model_dump(exclude_defaults=True)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _write_valid(orjson.dumps(content, option=orjson.OPT_INDENT_2), place)
        except OSError as error:
            raise RefusedError(500, f"cannot keep the suite: {reason_of(error)}") from None
        made = RegisteredSuite(
            name=new.name,
            path=str(place.resolve()),
            description=new.description,
            registered_at=now(),
        )
        self._registered.register(made)
        return self._said((made.name, place, made))

    def _all(self) -> Iterator[tuple[str, Path, RegisteredSuite | None]]:
        taken = set()
        for each in self._registered.all():
            path = Path(each.path)
            if path.exists():
                taken.add(path.resolve())
                yield each.name, path, each
        for path in find_suites(self._folder) if self._folder.is_dir() else ():
            if path.resolve() not in taken:
                yield suite_name(str(path.resolve())), path, None

    def _said(self, known: tuple[str, Path, RegisteredSuite | None]) -> SuiteSaid:
        name, path, registered = known
        suite = read_suite(path)
        baseline = self._baselines.of(str(path))
        return SuiteSaid(
            id=name,
            name=name,
            path=str(path),
            format=suite.format,
            description=registered.description if registered else "",
            registered=registered is not None,
            cases=len(suite.cases),
            categories=count_categories(suite.cases),
            errors=len(suite.errors),
            baseline=baseline.run if baseline else "",
            tasks=[
                TaskSaid(
                    id=case.id,
                    category=case.category,
                    description=case.title,
                    prompt=case.turns[0].user if case.turns else "",
                )
                for case in suite.cases
            ],
        )


def _write_valid(content: bytes, place: Path) -> None:
    """Write a suite beside its place, look whether it is valid, then move it there."""
    beside = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        written = beside / place.name
        written.mkdir()
        (written / "suite.json").write_bytes(content)
        _refuse_errors(read_suite(written), beside)
        written.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _refuse_errors(suite: Suite, beside: Path) -> None:
    """Refuse an invalid suite; places are told as they would be, not where it was tried."""
    cut = f"{beside}/"
    errors = [replace(each, where=str(each.where).replace(cut, "")) for each in suite.errors]
    if errors:
        raise InvalidCasesError(errors)
