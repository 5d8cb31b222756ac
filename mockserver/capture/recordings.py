"""The file that a capture appends to: whole blocks, held by one process, safe to kill."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from mockserver.errors import CaptureError, MockServerError

SUFFIX = ".recording.yaml"


def recording_of(cassette: Path) -> Path:
    """Where the capture of a cassette is written until it is finished.

    >>> recording_of(Path("cassettes/orgs.yaml")).name
    'orgs.recording.yaml'
    """
    return cassette.with_name(cassette.stem + SUFFIX)


class RecordingFile:
    """A file of whole blocks; each is written at once, or not at all.

    Attributes:
        path: The file.
        size: Its bytes.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.size = os.fstat(descriptor).st_size
        self._descriptor = descriptor

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make it; readable by its owner alone.

        Raises:
            MockServerError: It is there already, or cannot be made.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileExistsError as error:
            raise _left_behind(path) from error
        except OSError as error:
            raise MockServerError(f"cannot write {path}: {error.strerror or error}") from error
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return cls(path, descriptor)

    @classmethod
    def take_over(cls, path: Path) -> Self:
        """Open one that a capture left behind.

        Raises:
            MockServerError: It is not there, or a capture is still writing it.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            raise MockServerError(f"cannot open {path}: {error.strerror or error}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise MockServerError(f"{path} is being written", hint="stop that capture") from error
        return cls(path, descriptor)

    def append(self, block: bytes) -> None:
        """Write one block behind the others.

        Raises:
            CaptureError: There is no room for it; what was written before is there, whole.
        """
        try:
            written = os.write(self._descriptor, block)
            while written < len(block):  # a signal, or a disk that was full for a moment
                written += os.write(self._descriptor, block[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self.size)
            raise CaptureError(
                f"cannot write {self.path}: {_why(error)}",
                hint="what was recorded before is there; make room, then"
                " `mockserver capture finish`",
            ) from error
        self.size += len(block)

    def write_anew(self, pieces: Iterable[bytes]) -> None:
        """Put another content in its place, whole or not at all; it stays held.

        Raises:
            OSError: It could not be written; what was there stays.
        """
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(beside, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for piece in pieces:
                written = 0
                while written < len(piece):
                    written += os.write(descriptor, piece[written:])
            beside.replace(self.path)
        except OSError:
            os.close(descriptor)
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
        os.close(self._descriptor)
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def close(self) -> None:
        """Let go of it."""
        os.close(self._descriptor)


def _why(error: OSError) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "the disk is full"
    if error.errno == errno.EFBIG:
        return "files may not grow further"
    return error.strerror or str(error)


def _left_behind(path: Path) -> MockServerError:
    return MockServerError(
        f"{path} is there: a capture of this cassette is running, or was killed",
        hint=f"`mockserver capture finish {path}` makes a cassette of what it recorded;"
        " or delete the file",
    )
