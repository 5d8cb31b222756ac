"""A directory of runs in a store, and the local folder that mirrors it.

Runs are written to the folder as ever, and each file goes to the store under the same name as soon
as it is whole: a trial when it is finished. What the store does not take stays in the folder and is
sent later. Reading brings what is missing into the folder first. The store is the truth; the folder
knows by `.store.json` what it mirrors, so that every process treats it alike.

```
<store>/<run>/...             as in a run directory
<store>/.runs/<run>.json      a few words about the run; written last, so that one listing tells
                              which runs there are and which have changed
<store>/.leases/<run>/<n>     who runs its trials
<store>/baselines.json        and the other small files beside runs
```
"""

import hashlib
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import Frozen
from harness.storage.files import REMOVED, lock_folder, write_whole
from harness.storage.lease import LeaseTakenError, hold_lease, live_lease
from harness.storage.object_store import (
    ObjectStore,
    StoredObject,
    checked_store_url,
)
from harness.storage.synced import (
    TRIALS,
    Agreement,
    add_agreements,
    agree,
    content_digest,
    files_of,
    folders_with_agreements,
    has_digest,
    is_synced,
    local_tag,
    read_agreements,
    unsent_records,
)

MARKER = ".store.json"
_STAMPS = ".runs"
_LEASES = ".leases"
_MANIFEST = "manifest.json"


class _Marker(Frozen):
    store: str


class RunStamp(Frozen):
    """A few words about a run of a store.

    Attributes:
        trials: How many records it has.
        bytes: Of all its objects.
        changed: A hash of the names and sizes of all of them.
    """

    trials: int
    bytes: int
    changed: str


def open_mirror(url: str) -> Path:
    """The local folder that mirrors a store; it is made, and nothing is asked of the store yet.

    Raises:
        HarnessError: The URL makes no sense, or the folder cannot be made.
    """
    url = checked_store_url(url)
    name = re.sub(r"[^A-Za-z0-9]+", "-", url).strip("-")[-60:]
    digest = hashlib.sha256(url.encode()).hexdigest()[:8]
    folder = _cache_folder() / "runs" / f"{name}-{digest}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not (folder / MARKER).is_file():
            write_whole(folder / MARKER, _Marker(store=url).model_dump_json().encode())
    except OSError as error:
        raise HarnessError(
            f"cannot make {str(folder)!r}, where runs of {url} are kept on their way:"
            f" {reason_of(error)}",
            hint="name another folder with XDG_CACHE_HOME",
        ) from None
    return folder


def _cache_folder() -> Path:
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(named) if named else Path.home() / ".cache") / "understudy"
    except RuntimeError:
        raise HarnessError("there is no home folder", hint="set XDG_CACHE_HOME") from None


def mirror_of(folder: Path) -> "Mirror | None":
    """What a directory of runs mirrors; None where it mirrors nothing.

    Raises:
        HarnessError: Its marker is broken.
    """
    path = folder / MARKER
    try:
        content = path.read_bytes()
    except OSError:
        return None
    try:
        url = _Marker.model_validate_json(content).store
    except ValidationError:
        why = "does not say which store it mirrors"
        raise HarnessError(f"{path}: {why}", hint="remove it") from None
    return Mirror(folder, ObjectStore(checked_store_url(url)))


def place_of(folder: Path) -> str:
    """A directory of runs, or a run, as people name it: where it is in its store, else its path."""
    for runs in (folder, folder.parent):
        mirror = mirror_of(runs)
        if mirror is not None:
            return f"{mirror.store.url}/{folder.name}" if runs != folder else mirror.store.url
    return str(folder.resolve())


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  (leases are about the time of machines)


class Mirror:
    """A folder and its store.

    Args:
        folder: The local directory of runs.
        store: What it mirrors.
        clock: The time of day, for leases.
    """

    def __init__(
        self, folder: Path, store: ObjectStore, clock: Callable[[], datetime] = _now
    ) -> None:
        self.folder = folder.absolute()
        self.store = store
        self._clock = clock
        self._leased: set[str] = set()

    @contextmanager
    def lease(self, name: str, *, remove: bool = False) -> Iterator[None]:
        """Be the only one that writes a run, or a file beside the runs.

        Args:
            name: The run, or the file.
            remove: Whether nothing is left of the lease when all went well: the run is removed.

        Yields:
            Nothing.

        Raises:
            LeaseTakenError: Somebody else does.
            StoreDownError: The store cannot be used.
        """
        holder = f"{socket.gethostname()}, process {os.getpid()}"
        with hold_lease(self.store, f"{_LEASES}/{name}", holder, self._clock, remove=remove):
            self._leased.add(name)
            try:
                yield
            finally:
                self._leased.discard(name)

    def is_leased(self, name: str) -> bool:
        """Whether somebody writes a run now; nothing is written to the store.

        Raises:
            StoreDownError: The store cannot be used.
        """
        return live_lease(self.store, f"{_LEASES}/{name}", self._clock()) is not None

    def runs(self) -> list[str]:
        """The names of all runs of the store, sorted.

        Raises:
            StoreDownError: The store cannot be used.
        """
        return [name for name in self.store.list_folders() if not name.startswith(".")]

    def put(self, path: Path, *, once: bool = False) -> None:
        """Send one file of the folder.

        Args:
            path: The file.
            once: Whether another content of that name is never replaced.

        Raises:
            HarnessError: Another content is there, and may not be replaced.
            InfrastructureError: The file cannot be read.
            StoreDownError: The store cannot be used.
        """
        key, content = self._key(path), _read(path)
        if not once:
            self.store.put(key, content)
        elif not self.store.create(key, content):
            raise self._conflict(path)
        self._note(path, content)

    def _conflict(self, path: Path) -> HarnessError:
        return HarnessError(
            f"{self.store.url}/{self._key(path)} is the record of another finished trial;"
            f" this one stays at {str(path)!r}",
            hint="two machines run trials of the same run: stop one of them",
        )

    def _note(self, path: Path, content: bytes) -> None:
        """Note of a file of a run that it is equal here and there."""
        name, _, relative = self._key(path).partition("/")
        if relative and not name.startswith("."):  # not one beside the runs
            add_agreements(self.folder / name, {relative: agree(path, content)})

    def fetch(self, path: Path) -> bool:
        """Bring one file into the folder; one that is not in the store stays as it is.

        Returns:
            Whether it is in the store.

        Raises:
            InfrastructureError: It cannot be written.
            StoreDownError: The store cannot be used.
        """
        content = self.store.get(self._key(path))
        if content is None:
            return False
        _write(path, content)
        self._note(path, content)
        return True

    def push_run(self, name: str) -> int:
        """Send everything of a run that the store does not have; its manifest after its cases.

        Returns:
            How many files were sent.

        Raises:
            HarnessError: The store has another record of a finished trial; all else was sent.
            InfrastructureError: A file cannot be read.
            LeaseTakenError: The store has no such run, and somebody else makes or removes it.
            StoreDownError: The store cannot be used; what was sent so far is there.
        """
        there = {each.key: each for each in self.store.list_objects(name)}
        known = f"{name}/{_MANIFEST}" in there or name in self._leased
        with nullcontext() if known else self.lease(name):
            sent, taken = self._push(self.folder / name, there)
            if sent or not there:
                there = {each.key: each for each in self.store.list_objects(name)}
                self._note_tags(self.folder / name, [there[key] for key in sent if key in there])
            self._write_stamp(name, there.values())
        if taken:
            raise self._conflict(taken[0])
        return len(sent)

    def _push(
        self, folder: Path, there: Mapping[str, StoredObject]
    ) -> tuple[list[str], list[Path]]:
        """The keys of what was sent, and the records in whose place the store has others."""
        known = read_agreements(folder)
        sent: list[str] = []
        taken: list[Path] = []
        for path in sorted(files_of(folder), key=lambda path: (path.name == _MANIFEST, path)):
            key = self._key(path)
            held = there.get(key)
            if held is not None and is_synced(folder, path, known):
                continue
            relative = path.relative_to(folder).as_posix()
            if held is None:
                self.put(path, once=relative.startswith(TRIALS))
            elif self._is_equal(path, held):
                continue
            elif relative.startswith(TRIALS) and self._is_foreign(held, known.get(relative)):
                taken.append(path)
                continue
            else:
                self.put(path)
            sent.append(key)
        return sent, taken

    def _is_equal(self, path: Path, held: StoredObject) -> bool:
        """Whether a file is what the store has; it is noted then."""
        content = _read(path)
        if not has_digest(held, content_digest(content)) and (
            held.size != len(content) or self.store.get(held.key) != content
        ):
            return False
        self._note(path, content)
        return True

    def _is_foreign(self, held: StoredObject, noted: Agreement | None) -> bool:
        """Whether the store has a record that this machine has not seen."""
        if noted is None:
            return True
        if noted.tag == held.tag or has_digest(held, noted.digest):
            return False
        return content_digest(self.store.get(held.key) or b"") != noted.digest

    def pull_run(self, name: str, *, trials: bool = True) -> bool:
        """Bring what is new of a run into the folder; what was not sent yet stays as it is.

        Args:
            name: The run.
            trials: Whether its trials are wanted, too.

        Returns:
            Whether the store has such a run.

        Raises:
            InfrastructureError: A file cannot be written.
            StoreDownError: The store cannot be used.
        """
        folder = self.folder / name
        there = {each.key: each for each in self._objects(name, trials=trials)}
        if f"{name}/{_MANIFEST}" not in there:
            return False
        known = read_agreements(folder)
        wanted = [key for key, each in there.items() if self._is_news(folder, each, known)]
        wanted.sort(key=lambda key: (key.endswith(f"/{_MANIFEST}"), key))
        brought = {}
        for key, content in self.store.get_all(wanted):
            path, relative = self.folder / key, key.removeprefix(f"{name}/")
            if _take_over(path, content, known.get(relative), kept=relative.startswith(TRIALS)):
                brought[relative] = agree(path, content, there[key].tag)
        for part in ("cases", "trials", "decisions"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        if brought:
            add_agreements(folder, brought)
        return True

    def _objects(self, name: str, *, trials: bool) -> Iterable[StoredObject]:
        if trials:
            return self.store.list_objects(name)
        return (
            each
            for each in self.store.list_objects(name)
            if not each.key.startswith(f"{name}/{TRIALS}")
        )

    def _is_news(self, folder: Path, each: StoredObject, known: Mapping[str, Agreement]) -> bool:
        """Whether an object has to be read: it is new, or may be another than the file here."""
        path = self.folder / _safe(each.key)
        if not path.is_file():
            return True
        relative = path.relative_to(folder).as_posix()
        noted = known.get(relative)
        if noted is not None and (noted.tag == each.tag or has_digest(each, noted.digest)):
            return False
        if not relative.startswith(TRIALS):  # one that was changed here is sent later
            return noted is not None and noted.local == local_tag(path)
        return noted is not None or not self._is_equal_by_tag(path, each)

    def _is_equal_by_tag(self, path: Path, each: StoredObject) -> bool:
        content = _read(path)
        if not has_digest(each, content_digest(content)):
            return False
        self._note(path, content)
        return True

    def pull_summaries(self) -> dict[str, str]:
        """Bring all but the trials of every run that is new or has changed; forget what is gone.

        A run that is gone from the store stays here while it has records that were never sent.

        Returns:
            The runs that stay so, and what to do about each.

        Raises:
            InfrastructureError: A file cannot be written.
            StoreDownError: The store cannot be used.
        """
        here = folders_with_agreements(self.folder)  # first: a run may be made meanwhile
        stamps = {PurePosixPath(each.key).stem: each for each in self.store.list_objects(_STAMPS)}
        there = set()
        for name in self.runs():
            stamp, known = stamps.get(name), self.folder / _STAMPS / f"{name}.json"
            tag = known.with_suffix(".tag")
            if stamp is not None and tag.is_file() and tag.read_text("utf-8") == stamp.tag:
                there.add(name)
            elif self.pull_run(name, trials=False):
                there.add(name)
                if stamp is not None and self.fetch(known):
                    _write(tag, stamp.tag.encode())
        gone = [folder for folder in here if folder.name not in there]
        return {folder.name: why for folder in gone if (why := self._forget(folder))}

    def _forget(self, folder: Path) -> str:
        """Remove what is here of a run that somebody removed; why it stays, where it does."""
        with suppress(OSError), lock_folder(folder):
            if unsent := unsent_records(folder):
                place = f"{self.store.url}/{folder.name}"
                return (
                    f"run {folder.name} is gone from {self.store.url}, and {len(unsent)} of its"
                    f" records were never sent: it stays in {str(folder)!r}; send it with:"
                    f" understudy runs upload {place}, or remove that folder"
                )
            aside = folder.with_name(f"{REMOVED}{folder.name}")
            shutil.rmtree(aside, ignore_errors=True)
            folder.replace(aside)
            shutil.rmtree(aside, ignore_errors=True)
            self._forget_stamp(folder.name)
        return ""

    def _forget_stamp(self, name: str) -> None:
        for suffix in (".json", ".tag"):
            (self.folder / _STAMPS / f"{name}{suffix}").unlink(missing_ok=True)

    def stamp(self, name: str) -> RunStamp | None:
        """What was last told of a run; None where nothing was."""
        try:
            content = (self.folder / _STAMPS / f"{name}.json").read_bytes()
            return RunStamp.model_validate_json(content)
        except (OSError, ValidationError):
            return None

    def delete_run(self, name: str) -> None:
        """Remove a run from the store, on which the caller has a lease.

        First what says that there is one goes. What a removal that was cut short leaves is no run
        any more, and has a lease: `delete_leftovers` finds it.

        Raises:
            StoreDownError: The store cannot be used.
        """
        objects = [each.key for each in self.store.list_objects(name)]
        manifest = f"{name}/{_MANIFEST}"
        self.store.delete([f"{_STAMPS}/{name}.json"])
        self.store.delete([manifest])
        self.store.delete([key for key in objects if key != manifest])
        self._forget_stamp(name)

    def delete_leftovers(self) -> int:
        """Remove what is left of runs without a manifest, unless somebody has a lease on them.

        A folder that never was a run is left alone: it has neither a lease nor a stamp.

        Returns:
            How many there were.

        Raises:
            StoreDownError: The store cannot be used.
        """
        stamped = {PurePosixPath(each.key).stem for each in self.store.list_objects(_STAMPS)}
        leased = {each.key.split("/")[1] for each in self.store.list_objects(_LEASES)}
        there = stamped.intersection(self.runs())
        there = {name for name in there if (self.folder / name / _MANIFEST).is_file()}
        names = {name for name in stamped | leased if not name.endswith(".json")}
        return sum(map(self._delete_leftover, sorted(names - there)))

    def _delete_leftover(self, name: str) -> bool:
        if self._has_manifest(name):
            return False
        with suppress(LeaseTakenError), self.lease(name, remove=True):
            if not self._has_manifest(name):
                self.delete_run(name)
                return True
        return False

    def _has_manifest(self, name: str) -> bool:
        return self.store.get(f"{name}/{_MANIFEST}") is not None

    def _write_stamp(self, name: str, objects: Iterable[StoredObject]) -> None:
        found = list(objects)
        trials = sum(_is_trial(name, each.key) for each in found)
        digest = hashlib.sha256()
        for each in found:
            digest.update(f"{each.key} {each.size} {each.tag}\n".encode())
        stamp = RunStamp(
            trials=trials, bytes=sum(each.size for each in found), changed=digest.hexdigest()[:16]
        )
        path = self.folder / _STAMPS / f"{name}.json"
        _write(path, stamp.model_dump_json().encode())
        self.put(path)

    def _note_tags(self, folder: Path, held: Iterable[StoredObject]) -> None:
        """Note the tags of files that were sent, where those do not speak for themselves."""
        known = read_agreements(folder)
        tags = {
            self.folder.joinpath(each.key).relative_to(folder).as_posix(): each for each in held
        }
        add_agreements(
            folder,
            {
                relative: known[relative]._replace(tag=each.tag)
                for relative, each in tags.items()
                if relative in known and not has_digest(each, known[relative].digest)
            },
        )

    def _key(self, path: Path) -> str:
        return path.absolute().relative_to(self.folder).as_posix()


def _safe(key: str) -> str:
    """A key that leads nowhere outside of the folder.

    Raises:
        HarnessError: It would.
    """
    parts = key.split("/")
    if "" in parts or ".." in parts or "\x00" in key:
        raise HarnessError(f"the store has an object {key!r} that no run has", hint="remove it")
    return key


def _is_trial(name: str, key: str) -> bool:
    return key.startswith(f"{name}/{TRIALS}") and PurePosixPath(key).stem.isdigit()


def _take_over(path: Path, content: bytes, noted: Agreement | None, *, kept: bool) -> bool:
    """Put what the store has in the place of a file; whether they are equal by then.

    Args:
        path: The file.
        content: What the store has.
        noted: What they were when they were equal last.
        kept: Whether nothing that is here is lost: it is set aside, or stays where it replaced
            what the store has and was not sent yet.
    """
    if path.is_file():
        if _read(path) == content:
            return True
        if kept and noted is not None and noted.digest == content_digest(content):
            return False
        if kept:
            _set_local_aside(path)
    _write(path, content)
    return True


def _set_local_aside(path: Path) -> None:
    """The store is the truth; what this machine had in its place is kept beside it."""
    number = len(list(path.parent.glob(f"{path.stem}.local-*.json"))) + 1
    path.replace(path.with_name(f"{path.stem}.local-{number}.json"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InfrastructureError(f"cannot read {str(path)!r}: {reason_of(error)}") from None


def _write(path: Path, content: bytes) -> None:
    """Write a file that can be fetched again: whole or not at all, without waiting for the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise InfrastructureError(f"cannot write {str(path)!r}: {reason_of(error)}") from None
