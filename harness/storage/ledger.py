"""A small JSON file beside the runs that several processes may change at once."""

import fcntl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import Frozen
from harness.storage.files import read_list, write_whole

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
        """
        if not self.path.is_file():
            return ()
        try:
            return self._entries.validate_json(read_list(self.path))
        except (OSError, ValidationError) as error:
            first = reason_of(error).splitlines()[0]
            raise HarnessError(
                f"{self.path}: cannot be read: {first}", hint="mend it, or move it away"
            ) from None

    def change(self, change: Callable[[tuple[Entry, ...]], Sequence[Entry]]) -> None:
        """Replace the entries by what `change` makes of them; nobody else changes them meanwhile.

        Raises:
            HarnessError: The file cannot be read.
            InfrastructureError: It cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked():
                changed = tuple(change(self.entries()))
                write_whole(self.path, self._entries.dump_json(changed, indent=2) + b"\n")
        except OSError as error:
            raise InfrastructureError(
                f"cannot write {str(self.path)!r}: {reason_of(error)}"
            ) from None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self.path.with_name(f".{self.path.name}.lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
