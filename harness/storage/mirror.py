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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import orjson
from pydantic import ValidationError

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import Frozen
from harness.storage.files import write_whole
from harness.storage.lease import LeaseTakenError, hold_lease
from harness.storage.object_store import (
    ObjectStore,
    StoredObject,
    checked_store_url,
)

MARKER = ".store.json"
_SYNCED = ".synced.json"
_STAMPS = ".runs"
_LEASES = ".leases"
_MANIFEST = "manifest.json"
_TRIALS = "trials/"
_AT_ONCE = 64


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

    @contextmanager
    def lease(self, name: str) -> Iterator[None]:
        """Be the only one that writes a run, or a file beside the runs.

        Yields:
            Nothing.

        Raises:
            LeaseTakenError: Somebody else does.
            StoreDownError: The store cannot be used.
        """
        holder = f"{socket.gethostname()}, process {os.getpid()}"
        with hold_lease(self.store, f"{_LEASES}/{name}", holder, self._clock):
            yield

    def is_leased(self, name: str) -> bool:
        """Whether somebody writes a run now.

        Raises:
            StoreDownError: The store cannot be used.
        """
        try:
            with self.lease(name):
                return False
        except LeaseTakenError:
            return True

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
            raise HarnessError(
                f"{self.store.url}/{key} is the record of another finished trial;"
                f" this one stays at {str(path)!r}",
                hint="two machines run trials of the same run: stop one of them",
            )

    def fetch(self, path: Path) -> bool:
        """Bring one file into the folder; one that is gone from the store is removed.

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
        return True

    def push_run(self, name: str) -> int:
        """Send everything of a run that the store does not have; its manifest after its cases.

        Returns:
            How many files were sent.

        Raises:
            InfrastructureError: A file cannot be read.
            StoreDownError: The store cannot be used; what was sent so far is there.
        """
        folder = self.folder / name
        synced = _synced(folder)
        there = {each.key: each for each in self.store.list_objects(name)}
        wanted = [path for path in _files(folder) if self._is_unsent(folder, path, there, synced)]
        for path in sorted(wanted, key=lambda path: (path.name == _MANIFEST, path)):
            self.put(path)
        if wanted or not there:
            there = {each.key: each for each in self.store.list_objects(name)}
            self._remember(folder, there)
        self._write_stamp(name, there.values())
        return len(wanted)

    def _is_unsent(
        self, folder: Path, path: Path, there: dict[str, StoredObject], synced: dict[str, list[str]]
    ) -> bool:
        known = there.get(self._key(path))
        if known is None:
            return True
        relative = path.relative_to(folder).as_posix()
        if relative.startswith(_TRIALS):
            return path.stat().st_size != known.size
        return synced.get(relative, ["", ""])[1] != _local_tag(path)

    def pull_run(self, name: str, *, trials: bool = True) -> bool:
        """Bring what is new of a run into the folder; what was not sent yet stays as it is.

        Args:
            name: The run.
            trials: Whether its trials are wanted, too.

        Returns:
            Whether there is such a run.

        Raises:
            InfrastructureError: A file cannot be written.
            StoreDownError: The store cannot be used.
        """
        folder = self.folder / name
        there = {each.key: each for each in self._objects(name, trials=trials)}
        if f"{name}/{_MANIFEST}" not in there:
            return (folder / _MANIFEST).is_file()
        synced = _synced(folder)
        wanted = [key for key, each in there.items() if self._is_news(folder, each, synced)]
        wanted.sort(key=lambda key: (key.endswith(f"/{_MANIFEST}"), key))
        for key, content in self.store.get_all(wanted):
            path = self.folder / key
            if f"{name}/{_TRIALS}" in key and path.is_file():
                _set_local_aside(path)
            _write(path, content)
        for part in ("cases", "trials", "decisions"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        if wanted:
            self._remember(folder, there)
        return True

    def _objects(self, name: str, *, trials: bool) -> Iterable[StoredObject]:
        if trials:
            return self.store.list_objects(name)
        return (
            each
            for each in self.store.list_objects(name)
            if not each.key.startswith(f"{name}/{_TRIALS}")
        )

    def _is_news(self, folder: Path, each: StoredObject, synced: dict[str, list[str]]) -> bool:
        path = self.folder / _safe(each.key)
        relative = path.relative_to(folder).as_posix()
        try:
            size = path.stat().st_size
        except OSError:
            return True
        if relative.startswith(_TRIALS):
            return size != each.size
        sent, local = synced.get(relative, ("", ""))
        if local != _local_tag(path):
            return False  # changed here, and not sent yet
        return sent != each.tag

    def pull_summaries(self) -> None:
        """Bring all but the trials of every run that is new or has changed; forget what is gone.

        Raises:
            InfrastructureError: A file cannot be written.
            StoreDownError: The store cannot be used.
        """
        stamps = {PurePosixPath(each.key).stem: each for each in self.store.list_objects(_STAMPS)}
        names = self.runs()
        for name in names:
            stamp, known = stamps.get(name), self.folder / _STAMPS / f"{name}.json"
            tag = known.with_suffix(".tag")
            if stamp is not None and tag.is_file() and tag.read_text("utf-8") == stamp.tag:
                continue
            self.pull_run(name, trials=False)
            if stamp is not None and self.fetch(known):
                _write(tag, stamp.tag.encode())
        for path in self.folder.glob(f"*/{_SYNCED}"):
            if path.parent.name not in names:  # somebody removed the run, which had been sent
                shutil.rmtree(path.parent, ignore_errors=True)

    def stamp(self, name: str) -> RunStamp | None:
        """What was last told of a run; None where nothing was."""
        try:
            content = (self.folder / _STAMPS / f"{name}.json").read_bytes()
            return RunStamp.model_validate_json(content)
        except (OSError, ValidationError):
            return None

    def delete_run(self, name: str) -> None:
        """Remove a run from the store and from the folder: first what says that there is one.

        Raises:
            StoreDownError: The store cannot be used.
        """
        objects = [each.key for each in self.store.list_objects(name)]
        first = [f"{_STAMPS}/{name}.json", f"{name}/{_MANIFEST}"]
        self.store.delete(first)
        self.store.delete([key for key in objects if key not in first])
        leases = [each.key for each in self.store.list_objects(f"{_LEASES}/{name}")]
        self.store.delete(leases)
        for suffix in (".json", ".tag"):
            (self.folder / _STAMPS / f"{name}{suffix}").unlink(missing_ok=True)

    def _write_stamp(self, name: str, objects: Iterable[StoredObject]) -> None:
        found = [each for each in objects if not each.key.endswith(f"/{_SYNCED}")]
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

    def _remember(self, folder: Path, there: dict[str, StoredObject]) -> None:
        """Note of the files of a run, but for its trials, that they are equal here and there."""
        held = {}
        for key, each in there.items():
            path = self.folder / key
            relative = path.relative_to(folder).as_posix()
            if not relative.startswith(_TRIALS) and path.is_file():
                held[relative] = [each.tag, _local_tag(path)]
        _write(folder / _SYNCED, orjson.dumps(held))

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
    return key.startswith(f"{name}/{_TRIALS}") and PurePosixPath(key).stem.isdigit()


def _files(folder: Path) -> Iterator[Path]:
    """The files of a run but for those that are being written.

    Yields:
        Paths.
    """
    for path in folder.rglob("*"):
        if not path.name.startswith(".") and path.is_file() and not path.is_symlink():
            yield path


def _synced(folder: Path) -> dict[str, list[str]]:
    with suppress(OSError, ValueError):
        found = orjson.loads((folder / _SYNCED).read_bytes())
        if isinstance(found, dict):
            return found
    return {}


def _local_tag(path: Path) -> str:
    found = path.stat()
    return f"{found.st_size}.{found.st_mtime_ns}"


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
