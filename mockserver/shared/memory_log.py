"""Logs in memory: those of one process, and what tests hold the others to."""

from mockserver.shared.log import MOST_NOTES, Appended, LoggedSession


class MemoryLog:
    """The logs of sessions in the memory of this process."""

    lineage = 0

    def __init__(self) -> None:
        self._records: dict[str, dict[int, bytes]] = {}
        self._open: dict[str, LoggedSession] = {}
        self._agreed: dict[str, bytes] = {}
        self._notes: list[bytes] = []

    async def start(self) -> None:
        """There is nothing to start."""

    async def stop(self) -> None:
        """There is nothing to let go of."""

    async def agree(self, name: str, value: bytes) -> bytes:
        """The first value of a name."""
        return self._agreed.setdefault(name, value)

    async def create(self, session: LoggedSession, opening: bytes) -> bool:
        """Begin a log; False where there is one."""
        if session.id in self._records:
            return False
        self._records[session.id] = {1: opening}
        self._open[session.id] = session
        return True

    async def append(self, session_id: str, number: int, record: bytes) -> Appended:
        """Write the record of a number."""
        records = self._records.get(session_id)
        if records is None:
            return Appended.GONE
        if number <= next(reversed(records)):
            return Appended.BEHIND
        records[number] = record
        return Appended.DONE

    async def read(self, session_id: str, after: int) -> list[tuple[int, bytes]] | None:
        """The records after a number."""
        records = self._records.get(session_id)
        if records is None:
            return None
        return [(number, record) for number, record in records.items() if number > after]

    async def close(self, session_id: str, number: int) -> None:
        """Leave out what is between the opening and a number."""
        records = self._records.get(session_id)
        if records is not None:
            left = {key: value for key, value in records.items() if key == 1 or key >= number}
            self._records[session_id] = left
        self._open.pop(session_id, None)

    async def sessions(self) -> list[LoggedSession]:
        """The open sessions."""
        return list(self._open.values())

    async def count(self) -> int:
        """How many are open."""
        return len(self._open)

    async def note(self, content: bytes) -> None:
        """Keep a note."""
        self._notes = [*self._notes, content][-MOST_NOTES:]

    async def notes(self) -> list[bytes]:
        """The notes."""
        return list(self._notes)
