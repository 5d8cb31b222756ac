"""A run on disk.

```
<runs>/<run>/
  manifest.json                    what was asked for
  cases/<id>@<hash>.json           each case as it was
  trials/<case>/<n>.json           one immutable record a trial
  trials/<case>/<n>.infra-<k>.json a record that an infrastructure error made worthless
  trials/<case>/<n>.foreign-<k>.json  what somebody else put in the place of a record
  decisions/<policy hash>.json     what was decided about the records, a file for each policy (and
                                   for each set of cases that differs from the run's own)
  canaries.json                    whether the mock server answered as it must
  custody.json                     whether agents could touch the evidence, and who else tried
  coverage.json                    what the trials touched of the fixtures
  report.json junit.xml summary.md
```
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import (
    Canary,
    Case,
    CaseDecision,
    Custody,
    Frozen,
    JsonObject,
    RunCoverage,
    RunManifest,
    TrialRecord,
)
from harness.storage.decision_file import DecisionWriter, read_decisions
from harness.storage.files import (
    flush_folder,
    lock_folder,
    read_whole,
    refuse_later,
    temporary_path,
    up_to_date,
    write_parts,
    write_whole,
)
from harness.storage.mirror import Mirror, mirror_of, place_of
from harness.storage.object_store import StoreDownError
from mockserver.model import shortened

MANIFEST = "manifest.json"
CANARIES = "canaries.json"
CUSTODY = "custody.json"
COVERAGE = "coverage.json"
FORKS = "forks"
MODELS = "models"
"""The folder of what agents asked of models, a file for each trial."""
_CANARIES = TypeAdapter(tuple[Canary, ...])
_CUSTODY = TypeAdapter(tuple[Custody, ...])

_KINDS: Mapping[type[Frozen], str] = {
    RunManifest: "manifest",
    TrialRecord: "trial",
    RunCoverage: "coverage",
}
_NOUNS: Mapping[type[Frozen], str] = {
    RunManifest: "the manifest of a run",
    TrialRecord: "a trial",
    RunCoverage: "what a run touched",
}

Model = TypeVar("Model", bound=Frozen)
Item = TypeVar("Item", bound=Frozen)
_RECORD = ".json"
_LONGEST_PAUSE = 64
"""Trials that are not even tried to be sent while a store does not answer."""


class RunFolder:
    """Reads and writes one run directory. The directory is the truth: nothing is kept beside it.

    Attributes:
        path: Where it is, absolute: an agent inside the harness may move to another folder.
        named: The same as it was named, for people.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.named = path
        self._written: dict[Path, bytes] = {}
        self._pause = self._failures = 0

    @cached_property
    def mirror(self) -> Mirror | None:
        """What the directory of runs that it is in mirrors; None where it mirrors nothing."""
        return mirror_of(self.path.parent)

    @property
    def place(self) -> str:
        """Where it is, for people: its URL in a store, else the path as it was named."""
        return str(self.named) if self.mirror is None else place_of(self.path)

    @classmethod
    def create(cls, path: Path, manifest: RunManifest, cases: Iterable[Case]) -> "RunFolder":
        """Make the directory of a new run; in a store, too, where it is in a mirror of one.

        Raises:
            HarnessError: It exists or cannot be made.
            StoreDownError: The store cannot be used; nothing is left of the run.
        """
        try:
            path.mkdir(parents=True)
            for name in ("cases", "trials", "decisions"):
                (path / name).mkdir()
            for case in cases:
                name = f"{case.id}@{manifest.cases[case.id]}.json"
                write_whole(path / "cases" / name, _dump(case))
                (path / "trials" / case.id).mkdir()
            write_whole(path / MANIFEST, _dump(manifest))
            flush_folder(path)
        except OSError as error:
            why = reason_of(error)
            raise HarnessError(f"cannot make the run directory {str(path)!r}: {why}") from None
        made = cls(path)
        try:
            made.publish()
        except HarnessError:
            shutil.rmtree(path, ignore_errors=True)
            raise
        return made

    def publish(self) -> None:
        """Send what its store does not have; nothing where the directory mirrors no store.

        Raises:
            StoreDownError: The store cannot be used; how to send it later is said.
        """
        if self.mirror is None:
            return
        try:
            self.mirror.push_run(self.path.name)
        except StoreDownError as error:
            place = f"{self.mirror.store.url}/{self.path.name}"
            hint = (
                f"everything is kept in {str(self.path)!r}; send it later with:"
                f" understudy runs upload {place}"
            )
            raise StoreDownError(error.message, hint=hint) from None

    def manifest(self) -> RunManifest:
        """What the run was asked for.

        Raises:
            HarnessError: The directory is no run directory.
        """
        path = self.path / MANIFEST
        try:
            is_there = path.is_file()
        except OSError:  # a name that no file system takes
            is_there = False
        if not is_there:
            raise HarnessError(
                f"{shortened(str(self.named))!r} is no run directory",
                hint=f"it has no {MANIFEST}; look for one below runs/",
            )
        return _load(RunManifest, path)

    @contextmanager
    def lock(self, *, removing: bool = False) -> Iterator[None]:
        """Keep other processes from running trials of the same run meanwhile.

        Those of other machines, too, where the run is in a store; what they wrote is here then.

        Args:
            removing: Whether the run is removed inside: nothing of it is brought here first.

        Yields:
            Nothing; the run is free again afterwards, also when this process is killed.

        Raises:
            HarnessError: Another one does.
            StoreDownError: The store of the run cannot be used.
        """
        with ExitStack() as held:
            try:
                held.enter_context(lock_folder(self.path))
            except BlockingIOError:
                hint = "wait until it has ended, or stop it"
                busy = f"the trials of {str(self.named)!r} are being run by another process"
                raise HarnessError(busy, hint=hint) from None
            if self.mirror is not None:
                held.enter_context(self.mirror.lease(self.path.name, remove=removing))
                if not removing:
                    self.mirror.pull_run(self.path.name)
            yield

    def note_fork(self, run: str) -> None:
        """Note that a run beside this one was forked from a trial of it.

        Raises:
            InfrastructureError: It cannot be written.
        """
        path = self.path / FORKS / run
        try:
            path.parent.mkdir(exist_ok=True)
            path.touch()
        except OSError as error:
            raise self._unwritable(path, error) from None

    def forks(self) -> tuple["RunFolder", ...]:
        """The runs that were forked from trials of this one and are still there."""
        names = sorted(path.name for path in (self.path / FORKS).glob("*"))
        runs = (self.path.parent / name for name in names)
        return tuple(RunFolder(path) for path in runs if (path / MANIFEST).is_file())

    def remove_unfinished(self) -> None:
        """Remove what a killed process left of the files that it wrote after its last trial.

        Nothing is removed while another process runs trials of this run.
        """
        with suppress(HarnessError, OSError), self.lock():
            for name in (CANARIES, CUSTODY, COVERAGE):
                temporary_path(self.path / name).unlink(missing_ok=True)

    def extend(self, trials: Mapping[str, int]) -> None:
        """Plan more trials of cases; never fewer.

        Raises:
            HarnessError: The directory is no run directory.
            InfrastructureError: The manifest cannot be written.
        """
        manifest = self.manifest()
        planned = {case: max(count, trials.get(case, 0)) for case, count in manifest.trials.items()}
        changed = manifest.model_copy(update={"trials": planned})
        self._write(self.path / MANIFEST, _dump(changed))

    def cases(self) -> tuple[Case, ...]:
        """The cases as they were, in run order.

        Raises:
            HarnessError: A case file is missing or broken.
        """
        folder = self.path / "cases"
        found = []
        for id, hash in self.manifest().cases.items():
            path = folder / f"{id}@{hash}.json"
            case = _load(Case, path)
            if case.id != id:
                raise HarnessError(f"{path}: is case {case.id!r}, not {id!r}")
            found.append(case)
        return tuple(found)

    def write_trial(self, record: TrialRecord) -> str:
        """Write the record of a finished trial; what lies in its place is set aside.

        Only missing trials are run, by one process at a time. So what is there is the `infra_error`
        of an earlier attempt, or somebody else wrote it.

        Returns:
            Where what somebody else wrote is now, from the run directory; else an empty string.

        Raises:
            HarnessError: This object wrote a valid record there.
            InfrastructureError: It cannot be written.
        """
        path = self._trial(record.case, record.number)
        aside, replaces = "", False
        try:
            if replaces := os.path.lexists(path):
                aside = self._set_aside(path, "infra" if _is_infra(path) else "foreign")
            content = _dump(record, indent=None)
            try:
                write_whole(path, content)
            except FileNotFoundError:
                path.parent.mkdir(exist_ok=True)
                write_whole(path, content)
        except OSError as error:
            raise self._unwritable(path, error) from None
        self._written[path] = hashlib.sha256(content).digest()
        self._send_trial(path, once=not replaces)
        return aside

    def _send_trial(self, path: Path, *, once: bool) -> None:
        """Send a record; while the store does not answer it stays here, until `publish`."""
        if self.mirror is None:
            return
        if self._pause:
            self._pause -= 1
            return
        try:
            self.mirror.put(path, once=once)
            self._failures = 0
        except StoreDownError:
            self._failures += 1
            self._pause = min(2**self._failures, _LONGEST_PAUSE)

    def changed_records(self) -> tuple[str, ...]:
        """The records that this object wrote and that are others now, or gone."""
        return tuple(
            path.relative_to(self.path).as_posix()
            for path, digest in self._written.items()
            if _digest(path) != digest
        )

    def set_aside_unplanned(self) -> tuple[str, ...]:
        """Set records of trials aside that the run does not have; where they are now.

        Raises:
            InfrastructureError: One cannot be moved.
        """
        found = []
        for case, planned in self.manifest().trials.items():
            for number in self.records().numbers(case):
                if number > planned:
                    path = self._trial(case, number)
                    try:
                        found.append(self._set_aside(path, "foreign"))
                    except OSError as error:
                        raise self._unwritable(path, error) from None
        return tuple(found)

    def records(self) -> "StoredRecords":
        """Every trial record, read when it is asked for."""
        return StoredRecords(self.path / "trials", tuple(self.manifest().cases))

    def decisions(
        self, policy: JsonObject, cases: Mapping[str, str] | None = None
    ) -> tuple[CaseDecision, ...] | None:
        """What was decided under a policy, or None where nothing was.

        Trials are read when they are asked for.

        Args:
            policy: The policy of cases without their own.
            cases: The hashes of the cases that the records were held against; None: the run's own.

        Raises:
            HarnessError: It is broken.
        """
        path = self.decisions_path(policy, cases)
        if not path.is_file():
            return None
        try:
            return read_decisions(path)
        except (OSError, ValueError, TypeError, KeyError) as error:
            first = reason_of(error)
            raise HarnessError(f"{path}: cannot be read as decisions: {first}") from None

    def write_decisions(
        self,
        policy: JsonObject,
        decisions: Sequence[CaseDecision],
        cases: Mapping[str, str] | None = None,
    ) -> None:
        """Write what was decided under a policy; deciding again replaces it.

        Raises:
            InfrastructureError: It cannot be written.
        """
        with self.decision_writer(policy, cases) as writer:
            for each in decisions:
                writer.keep(each.case, each.trials)
                writer.finish(each)
            writer.commit()

    @contextmanager
    def decision_writer(
        self, policy: JsonObject, cases: Mapping[str, str] | None = None
    ) -> Iterator[DecisionWriter]:
        """Write what is decided under a policy case by case (see `write_decisions`).

        Yields:
            The writer; what it does not commit is gone afterwards.

        Raises:
            InfrastructureError: It cannot be written.
        """
        path = self.decisions_path(policy, cases)
        hashes = dict(cases or self.manifest().cases)
        try:
            with DecisionWriter(path, policy, hashes) as writer:
                yield writer
        except OSError as error:
            raise self._unwritable(path, error) from None

    def custody(self) -> tuple[Custody, ...]:
        """The custody of the evidence, of every time that trials were run.

        Raises:
            HarnessError: The file is broken.
        """
        return self._read_list(CUSTODY, _CUSTODY, "the custody of a run")

    def write_custody(self, custody: Custody) -> None:
        """Add that of this time.

        Raises:
            InfrastructureError: It cannot be written.
        """
        found = (*self.custody(), custody)
        self._write(self.path / CUSTODY, _CUSTODY.dump_json(found, indent=2))

    def coverage(self) -> RunCoverage | None:
        """What the trials touched of the fixtures; None where that was not looked at.

        Raises:
            HarnessError: The file is broken.
        """
        path = self.path / COVERAGE
        return _load(RunCoverage, path) if path.is_file() else None

    def write_coverage(self, coverage: RunCoverage) -> None:
        """Write what the trials touched of the fixtures; looking again replaces it.

        Raises:
            InfrastructureError: It cannot be written.
        """
        self._write(self.path / COVERAGE, _dump(coverage))

    def canaries(self) -> tuple[Canary, ...]:
        """Whether the machinery worked, of every time that trials were run.

        Raises:
            HarnessError: The file is broken.
        """
        return self._read_list(CANARIES, _CANARIES, "canaries")

    def _read_list(
        self, name: str, model: TypeAdapter[tuple[Item, ...]], noun: str
    ) -> tuple[Item, ...]:
        """What a file lists; nothing where there is none."""
        path = self.path / name
        if not path.is_file():
            return ()
        try:
            content = path.read_bytes()
            refuse_later("list", content, path)
            return model.validate_json(content)
        except (OSError, ValidationError) as error:
            first = reason_of(error)
            raise HarnessError(f"{path}: cannot be read as {noun}: {first}") from None

    def write_canaries(self, canaries: Iterable[Canary]) -> None:
        """Add those of this time.

        Raises:
            InfrastructureError: They cannot be written.
        """
        found = (*self.canaries(), *canaries)
        self._write(self.path / CANARIES, _CANARIES.dump_json(found, indent=2))

    def write_reports(self, reports: Mapping[str, str | bytes | Iterator[str]]) -> None:
        """Write reports by file name; texts that come in parts are never in memory as a whole.

        Raises:
            InfrastructureError: One cannot be written.
        """
        for name, text in reports.items():
            path = self.path / name
            with suppress(OSError):  # writing tells it
                path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(text, str | bytes):
                self._write(path, text if isinstance(text, bytes) else text.encode())
                continue
            try:
                write_parts(path, (part.encode() for part in text))
            except OSError as error:
                raise self._unwritable(path, error) from None

    def keep_server_log(self, text: str) -> Path | None:
        """Keep what the mock server of a run wrote to its log; where, or None if it wrote nothing.

        Raises:
            InfrastructureError: It cannot be written.
        """
        if not text.strip():
            return None
        self.write_reports({"server.log": text})
        return self.path / "server.log"

    def decisions_path(self, policy: JsonObject, cases: Mapping[str, str] | None = None) -> Path:
        """Where decisions under a policy are kept (see `decisions`)."""
        own = cases is None or dict(cases) == self.manifest().cases
        asked = policy if own else {"policy": policy, "cases": cases}
        digest = hashlib.sha256(orjson.dumps(asked)).hexdigest()
        return self.path / "decisions" / f"{digest[:12]}.json"

    def _write(self, path: Path, content: bytes) -> None:
        try:
            write_whole(path, content)
        except OSError as error:
            raise self._unwritable(path, error) from None

    def _unwritable(self, path: Path, error: OSError) -> InfrastructureError:
        hint = f"what is finished is kept; go on with: understudy run --resume {self.place}"
        told = self.named / path.relative_to(self.path)
        return InfrastructureError(f"cannot write {str(told)!r}: {reason_of(error)}", hint=hint)

    def _folder(self, case: str) -> Path:
        return self.path / "trials" / case

    def _trial(self, case: str, number: int) -> Path:
        return self._folder(case) / f"{number}.json"

    def _set_aside(self, path: Path, kind: str) -> str:
        if kind == "foreign" and path in self._written:
            raise HarnessError(f"{str(path)!r} is the record of a finished trial; it never changes")
        number = len(list(path.parent.glob(f"{path.stem}.{kind}-*.json"))) + 1
        aside = path.with_name(f"{path.stem}.{kind}-{number}.json")
        path.replace(aside)
        return "" if kind == "infra" else aside.relative_to(self.path).as_posix()


@dataclass(frozen=True)
class StoredRecords:
    """The trial records of a run directory (see `harness.model.Records`); none is kept.

    Attributes:
        folder: The directory of the trials.
        cases: The run's cases, in order.
    """

    folder: Path
    cases: tuple[str, ...]

    def __iter__(self) -> Iterator[TrialRecord]:
        for case in self.cases:
            yield from self.of(case)

    def of(self, case: str) -> Iterator[TrialRecord]:
        """Those of one case.

        Yields:
            Records by number.

        Raises:
            HarnessError: A record is broken.
        """
        for number in self.numbers(case):
            yield self._read(case, number)

    def get(self, case: str, number: int) -> TrialRecord | None:
        """One of them, or None.

        Raises:
            HarnessError: It is broken.
        """
        path = self.folder / case / f"{number}.json"
        there = path.is_file() or self._fetch(path)
        return self._read(case, number) if there else None

    def _fetch(self, path: Path) -> bool:
        """Bring a record of a store, of which this machine may have no trials yet."""
        mirror = mirror_of(self.folder.parent.parent)
        return mirror is not None and mirror.fetch(path)

    def _read(self, case: str, number: int) -> TrialRecord:
        path = f"{self.folder}/{case}/{number}{_RECORD}"
        record = _load(TrialRecord, path)
        if (record.case, record.number) != (case, number):
            raise HarnessError(
                f"{path}: is the record of trial {record.number} of case {record.case!r}",
                hint="it lies in the place of another; take it away",
            )
        return record

    def numbers(self, case: str) -> list[int]:
        """The numbers of a case's trials, without reading them."""
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            os.scandir(self.folder / case) as found,
        ):
            names = (
                each.name.removesuffix(_RECORD) for each in found if each.name.endswith(_RECORD)
            )
            return sorted(int(name) for name in names if name.isdigit())
        return []

    def count(self) -> int:
        """How many there are, without reading them; of a store, as it was told last."""
        here = sum(len(self.numbers(case)) for case in self.cases)
        mirror = mirror_of(self.folder.parent.parent)
        told = mirror.stamp(self.folder.parent.name) if mirror else None
        return max(here, told.trials) if told else here


def _dump(value: Frozen, indent: int | None = 2) -> bytes:
    return value.model_dump_json(by_alias=True, indent=indent).encode()


def _load(model: type[Model], path: Path | str) -> Model:
    try:
        return model.model_validate_json(read_whole(path))
    except (OSError, ValidationError) as error:
        first = _newer(Path(path), _KINDS.get(model, "")) or reason_of(error)
        noun = _NOUNS.get(model, "a case")
        raise HarnessError(f"{path}: cannot be read as {noun}: {first}") from None


def _digest(path: Path) -> bytes:
    try:
        return hashlib.sha256(read_whole(path)).digest()
    except OSError:
        return b""


def _is_infra(path: Path) -> bool:
    try:
        return _load(TrialRecord, path).outcome == "infra_error"
    except HarnessError:
        return False


def _newer(path: Path, kind: str) -> str:
    """What tells a file of a later version apart from one that is broken."""
    try:
        if kind:
            up_to_date(kind, orjson.loads(path.read_bytes()))
    except HarnessError as error:
        return str(error)
    except (OSError, ValueError):
        return ""
    return ""
