"""Folders of running servers: each for one process, removed with it or by a later one."""

import atexit
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from mockserver.errors import MockServerError
from mockserver.storage.home import private_folder

_LOCK = "lock"
_YOUNG_S = 60.0
"""A folder is not removed before: its server may be about to lock it."""


class ServerFolder:
    """A folder that only its owner may enter, for as long as this process has it.

    What processes that died have left behind is removed.

    Args:
        parent: Where such folders are.
        now: Real time.
        name: Its name, so that the next server of that name has the same one; a new one without
            it, and where another process has it.

    Attributes:
        path: The folder.
        is_named: Whether it has that name.

    Raises:
        MockServerError: It cannot be made.
    """

    def __init__(self, parent: Path, now: datetime, name: str = "") -> None:
        private_folder(parent)
        self._owner = os.getpid()
        _remove_abandoned(parent, now)
        self._lock = -1
        if name:
            self.path = private_folder(parent / name)
            self._lock = _locked(self.path)
        self.is_named = self._lock >= 0
        if not self.is_named:
            try:
                self.path = Path(tempfile.mkdtemp(prefix="server-", dir=parent))
            except OSError as error:
                raise MockServerError(
                    f"cannot use {parent}: {error.strerror or error}",
                    hint="set UNDERSTUDY_HOME to a folder that can be written",
                ) from error
            self._lock = _locked(self.path)
        atexit.register(self.close)

    def close(self) -> None:
        """Remove it; a copy of this process leaves it to the one that made it."""
        atexit.unregister(self.close)
        if self._lock >= 0 and os.getpid() == self._owner:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def _locked(folder: Path) -> int:
    """A descriptor that holds the lock of a folder, or -1 where another process does."""
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return -1
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return -1
    return descriptor


def _remove_abandoned(parent: Path, now: datetime) -> None:
    if sys.platform == "win32":  # nothing says there whether its process still runs
        return
    for folder in parent.iterdir():
        with suppress(OSError):
            if now.timestamp() - folder.stat().st_mtime < _YOUNG_S:
                continue
            lock = _locked(folder)
            if lock >= 0:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
