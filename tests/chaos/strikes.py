"""What can happen to a process at one of its operations on files.

Everything is done from inside the process, below the functions of Python that open, write, flush,
rename and remove files: no file system of our own and no preloaded library is needed. What C code
writes itself, such as SQLite, is not seen here.
"""

import builtins
import errno
import io
import os
import resource
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, NoReturn

from typing_extensions import override

_WRITING = frozenset("wax+")
_SLOW_S = 0.02


@dataclass
class Disk:
    """Counts the operations of this process on files in a folder, and strikes at one of them.

    Attributes:
        folder: What is watched, absolute.
        strike: What happens at the operation `at`, and at each one after it.
        at: Its number, from 0; a negative one never comes.
        operations: How many there were so far.
        flushed: Files that were written, to the bytes of each that are known to be on the disk.
    """

    folder: str
    strike: "Strike"
    at: int = -1
    operations: int = 0
    flushed: dict[str, int] = field(default_factory=dict)

    def operation(self, name: str, path: str, data: bytes = b"", handle: int = -1) -> None:
        """Count an operation that is about to be done; the strike may end the process or raise."""
        number = self.operations
        self.operations += 1
        if 0 <= self.at <= number:
            self.strike(Moment(self, name, path, data, handle, is_first=number == self.at))

    def watches(self, path: object) -> str:
        """The absolute path of a watched file, or an empty string."""
        if not isinstance(path, str | os.PathLike):
            return ""
        text = os.fsdecode(os.path.abspath(path))
        return text if text.startswith(self.folder) else ""

    def install(self) -> None:
        """Put this below the functions of this process; there is no way back but its end."""
        for name in ("replace", "rename", "unlink", "remove", "mkdir", "rmdir", "link"):
            setattr(os, name, self._before(name, getattr(os, name)))
        os.fsync = self._fsync(os.fsync)  # type: ignore[assignment]
        io.open = builtins.open = self._opener(io.open)
        _os_open(self)

    def _before(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *further: Any, **named: Any) -> Any:
            watched = self.watches(path)
            if watched:
                self.operation(name, watched)
            done = real(path, *further, **named)
            if watched and further and name in ("replace", "rename"):
                new = os.path.abspath(os.fspath(further[0]))
                if watched in self.flushed:
                    self.flushed[str(new)] = self.flushed.pop(watched)
            return done

        return call

    def _fsync(self, real: Callable[[int], None]) -> Callable[[Any], None]:
        def fsync(handle: Any) -> None:
            number = handle if isinstance(handle, int) else handle.fileno()
            path = self.watches(_path_of(number))
            if path:
                self.operation("fsync", path)
            real(number)
            if path and path in self.flushed:
                self.flushed[path] = os.fstat(number).st_size

        return fsync

    def _opener(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def open(
            file: Any, mode: str = "r", buffering: int = -1, *further: Any, **named: Any
        ) -> Any:
            path = self.watches(file)
            if not path or not _WRITING & set(mode):
                return real(file, mode, buffering, *further, **named)
            self.operation("open", path)
            raw = _WatchedFile(self, path, mode.replace("b", "").replace("t", ""))
            if buffering == 0:
                return raw
            buffered = (io.BufferedRandom if "+" in mode else io.BufferedWriter)(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, *further, **named)

        return open


class _WatchedFile(io.FileIO):
    """A file whose writes are operations."""

    def __init__(self, disk: Disk, path: str, mode: str) -> None:
        super().__init__(path, mode)
        self._disk, self._path = disk, path
        disk.flushed.setdefault(path, os.fstat(self.fileno()).st_size if "a" in mode else 0)

    @override
    def write(self, data: Any) -> int:
        self._disk.operation("write", self._path, bytes(data), self.fileno())
        return super().write(data)


def _os_open(disk: Disk) -> None:
    opening, writing = os.open, os.write

    def open_(path: Any, flags: int, *further: Any, **named: Any) -> int:
        watched = disk.watches(path) if flags & (os.O_WRONLY | os.O_RDWR) else ""
        if watched:
            disk.operation("open", watched)
        handle = opening(path, flags, *further, **named)
        if watched:
            disk.flushed.setdefault(watched, 0 if flags & os.O_TRUNC else os.fstat(handle).st_size)
        return handle

    def write(handle: int, data: Any) -> int:
        path = disk.watches(_path_of(handle))
        if path:
            disk.operation("write", path, bytes(data), handle)
        return writing(handle, data)

    os.open, os.write = open_, write


def _path_of(handle: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return ""


@dataclass(frozen=True)
class Moment:
    """An operation that a strike meets.

    Attributes:
        disk: Whose operation.
        name: `open`, `write`, `fsync`, `replace`, `unlink`, `mkdir`...
        path: The file.
        data: What was to be written.
        handle: The descriptor of a write.
        is_first: Whether it is the operation that was chosen, not a later one.
    """

    disk: Disk
    name: str
    path: str
    data: bytes
    handle: int
    is_first: bool

    def write_half(self) -> None:
        """Write the first half of what was to be written."""
        if self.data:
            with suppress(OSError):
                os.pwrite(self.handle, self.data[: len(self.data) // 2], _place(self.handle))


def _place(handle: int) -> int:
    return os.lseek(handle, 0, os.SEEK_CUR)


Strike = Callable[[Moment], None]


def nothing(_: Moment) -> None:
    """An undisturbed run."""


def kill(moment: Moment) -> NoReturn:
    """`kill -9`, in the middle of a write."""
    moment.write_half()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def power_cut(moment: Moment) -> NoReturn:
    """The process ends, and what was not flushed is gone from the files."""
    moment.write_half()
    for path, size in moment.disk.flushed.items():
        with suppress(OSError):
            if os.stat(path).st_size > size:
                os.truncate(path, size)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def disk_full(moment: Moment) -> None:
    """No file can grow any more; a write gets half of its bytes onto the disk."""
    if moment.name in ("open", "mkdir"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), moment.path)
    if moment.name == "write":
        if moment.is_first:
            moment.write_half()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_only(moment: Moment) -> None:
    """Nothing can be written, renamed or removed any more."""
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), moment.path)


def input_output_error(moment: Moment) -> None:
    """The disk fails at what is written or flushed."""
    if moment.name in ("write", "fsync"):
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def no_descriptors(moment: Moment) -> None:
    """No file and no connection can be opened any more."""
    if moment.is_first:
        in_use = max(map(int, os.listdir("/proc/self/fd"))) + 1
        resource.setrlimit(resource.RLIMIT_NOFILE, (in_use, in_use))


def no_memory(moment: Moment) -> None:
    """No memory is to be had any more, but for a MiB."""
    if moment.is_first:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * os.sysconf("SC_PAGESIZE") + (1 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def clock_jumps(moment: Moment) -> None:
    """The clock of the machine is put back by a day and a half."""
    if moment.is_first:
        jump(timedelta(hours=-36))


def jump(by: timedelta) -> None:
    """Put the clock of this process forward."""
    real, seconds = time.time, by.total_seconds()

    class Jumped(datetime):
        @override
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + by

    time.time = lambda: real() + seconds
    import harness.cli.run_execution
    import mockserver.http.server

    for module in (harness.cli.run_execution, mockserver.http.server):
        module.datetime = Jumped  # type: ignore[attr-defined]


def slow_disk(moment: Moment) -> None:
    """Each write and each flush takes its time."""
    if moment.name in ("write", "fsync"):
        time.sleep(_SLOW_S)


STRIKES: Mapping[str, Strike] = {
    "kill -9": kill,
    "power cut": power_cut,
    "disk full": disk_full,
    "read-only": read_only,
    "I/O error": input_output_error,
    "no descriptors": no_descriptors,
    "no memory": no_memory,
    "clock jumps": clock_jumps,
    "slow disk": slow_disk,
}
