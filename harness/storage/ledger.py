"""Small JSON files beside the runs, which several processes may change at once.

`suites.json` registers suites by name; `judges.json` holds one calibration a judge;
`baselines.json` says which run is the baseline of a suite.
"""

import fcntl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import Calibration, Frozen
from harness.storage.files import read_list, write_whole
from harness.storage.mirror import mirror_of
from harness.storage.object_store import StoreDownError
from harness.storage.summaries import read_run, suite_name
from mockserver.model import did_you_mean

Entry = TypeVar("Entry", bound=Frozen)


class Ledger(Generic[Entry]):
    """A list of entries in a file; it is changed under a lock, and written whole or not at all.

    Args:
        path: The file; without it the ledger is empty.
        kind: What an entry is.
    """

    def __init__(self, path: Path, kind: type[Entry]) -> None:
        self.path = path
        self._entries: TypeAdapter[tuple[Entry, ...]] = TypeAdapter(tuple[kind, ...])  # type: ignore[valid-type]

    def entries(self) -> tuple[Entry, ...]:
        """What is in it, oldest first.

        Raises:
            HarnessError: The file cannot be read.
            StoreDownError: It is in a store that cannot be used.
        """
        if mirror := mirror_of(self.path.parent):
            mirror.fetch(self.path)
        if not self.path.is_file():
            return ()
        try:
            return self._entries.validate_json(read_list(self.path))
        except (OSError, ValidationError) as error:
            first = reason_of(error)
            raise HarnessError(
                f"{self.path}: cannot be read: {first}", hint="mend it, or move it away"
            ) from None

    def change(self, change: Callable[[tuple[Entry, ...]], Sequence[Entry]]) -> None:
        """Replace the entries by what `change` makes of them; nobody else changes them meanwhile.

        Raises:
            HarnessError: The file cannot be read.
            InfrastructureError: It cannot be written.
            StoreDownError: It is in a store that cannot be used.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            mirror = mirror_of(self.path.parent)
            leased = mirror.lease(self.path.name) if mirror else nullcontext()
            with self._lock(), leased:
                changed = tuple(change(self.entries()))
                write_whole(self.path, self._entries.dump_json(changed, indent=2) + b"\n")
                if mirror:
                    mirror.put(self.path)
        except OSError as error:
            raise InfrastructureError(
                f"cannot write {str(self.path)!r}: {reason_of(error)}"
            ) from None

    @contextmanager
    def _lock(self) -> Iterator[None]:
        with self.path.with_name(f".{self.path.name}.lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class RegisteredSuite(Frozen):
    """A suite that is known by name.

    Attributes:
        name: Its name.
        path: Where it lies.
        description: What it is for.
        registered_at: RFC 3339.
    """

    name: str
    path: str
    description: str = ""
    registered_at: str = ""


class RegisteredSuites:
    """The suites that were registered beside a folder of runs."""

    def __init__(self, runs: Path) -> None:
        self._ledger = Ledger(runs / "suites.json", RegisteredSuite)

    def all(self) -> tuple[RegisteredSuite, ...]:
        """All of them, by name.

        Raises:
            HarnessError: The file cannot be read.
        """
        return tuple(sorted(self._ledger.entries(), key=lambda suite: suite.name))

    def get(self, name: str) -> RegisteredSuite | None:
        """One of them, or None."""
        return next((suite for suite in self.all() if suite.name == name), None)

    def register(self, suite: RegisteredSuite) -> None:
        """Make a suite known; one of the same name is replaced.

        Raises:
            InfrastructureError: The file cannot be written.
        """
        self._ledger.change(
            lambda known: [*(each for each in known if each.name != suite.name), suite]
        )

    def remove(self, name: str) -> None:
        """Forget a suite; its files stay.

        Raises:
            HarnessError: None of this name is registered.
        """

        def without(known: tuple[RegisteredSuite, ...]) -> list[RegisteredSuite]:
            names = [each.name for each in known]
            if name not in names:
                hint = did_you_mean(name, names)
                raise HarnessError(f"no suite {name!r} is registered", hint=hint)
            return [each for each in known if each.name != name]

        self._ledger.change(without)


_JUDGES_FILE = "judges.json"
_CALIBRATIONS = TypeAdapter(tuple[Calibration, ...])


def read_calibrations(runs: Path) -> tuple[Calibration, ...]:
    """All that are kept beside these runs.

    Raises:
        HarnessError: The file is broken.
    """
    path = runs / _JUDGES_FILE
    if mirror := mirror_of(runs):
        with suppress(StoreDownError):  # what was last known of judges will do
            mirror.fetch(path)
    if not path.is_file():
        return ()
    try:
        return _CALIBRATIONS.validate_json(read_list(path))
    except (OSError, ValidationError) as error:
        first = reason_of(error)
        raise HarnessError(f"{path}: cannot be read as calibrations: {first}") from None


def save_calibration(runs: Path, found: Calibration) -> Path:
    """Keep one, in the place of an earlier one of the same judge; the file it is in.

    Raises:
        HarnessError: The file is broken.
        InfrastructureError: It cannot be written.
    """
    others = [
        each
        for each in read_calibrations(runs)
        if (each.model, each.prompt) != (found.model, found.prompt)
    ]
    kept = sorted([*others, found], key=lambda each: (each.model, each.prompt))
    try:
        write_whole(runs / _JUDGES_FILE, _CALIBRATIONS.dump_json(tuple(kept), indent=2))
        if mirror := mirror_of(runs):
            mirror.put(runs / _JUDGES_FILE)
    except OSError as error:
        raise InfrastructureError(
            f"cannot write {runs / _JUDGES_FILE}: {reason_of(error)}"
        ) from None
    return runs / _JUDGES_FILE


class Baseline(Frozen):
    """A run that later runs of its suite are held against.

    Attributes:
        run: Its id.
        suite: The short name of its suite.
        agent: Its agent spec, secrets replaced.
        set_at: When it was made the baseline, RFC 3339.
        note: Why.
    """

    run: str
    suite: str
    agent: str = ""
    set_at: str = ""
    note: str = ""


class Baselines:
    """The baselines of a folder of runs; that of a suite is the one that was set last."""

    def __init__(self, runs: Path) -> None:
        self._ledger = Ledger(runs / "baselines.json", Baseline)

    def all(self) -> tuple[Baseline, ...]:
        """All of them, the one set first first.

        Raises:
            HarnessError: The file cannot be read.
        """
        return self._ledger.entries()

    def of(self, suite: str) -> Baseline | None:
        """The one of a suite, or None.

        Args:
            suite: Its path or its short name.
        """
        name = suite_name(suite)
        return next((each for each in reversed(self.all()) if each.suite == name), None)

    def set(self, baseline: Baseline) -> None:
        """Make a run the baseline of its suite; a run that was one before is set anew.

        Raises:
            InfrastructureError: The file cannot be written.
        """
        self._ledger.change(
            lambda known: [*(each for each in known if each.run != baseline.run), baseline]
        )

    def remove(self, run: str) -> Baseline:
        """Let a run be no baseline any more; the run itself stays.

        Returns:
            What it was.

        Raises:
            HarnessError: It is none.
        """
        removed: list[Baseline] = []

        def without(known: tuple[Baseline, ...]) -> list[Baseline]:
            removed.extend(each for each in known if each.run == run)
            if not removed:
                names = [each.run for each in known]
                raise HarnessError(f"run {run!r} is no baseline", hint=did_you_mean(run, names))
            return [each for each in known if each.run != run]

        self._ledger.change(without)
        return removed[0]


def promote(runs: Path, path: Path, *, set_at: str, note: str = "") -> Baseline:
    """Make a run the baseline that later runs of its suite are held against.

    Args:
        runs: The directory of runs that has the baselines.
        path: The run's directory.
        set_at: Now, RFC 3339.
        note: Why.

    Raises:
        HarnessError: The run cannot be read, has no valid trial, or is unfinished.
        InfrastructureError: The baselines cannot be written.
    """
    run = read_run(path).run
    if run.state == "unfinished":
        raise HarnessError(
            f"run {run.run} is unfinished, so it is no baseline",
            hint=f"understudy run --resume {path}",
        )
    if not run.valid:
        raise HarnessError(
            f"run {run.run} has no valid trial; nothing can be compared with it",
            hint="take a run whose agent was reached",
        )
    made = Baseline(run=run.run, suite=run.suite, agent=run.agent, set_at=set_at, note=note)
    Baselines(runs).set(made)
    return made
