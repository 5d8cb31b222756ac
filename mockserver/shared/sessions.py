"""The sessions that this process has made of their logs; each may be forgotten, and made again."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from typing_extensions import override

from mockserver.model import SessionSpec
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Bases, Observer, Session, Sessions
from mockserver.sessions.shortage import PROBLEM
from mockserver.shared.log import Headers
from mockserver.shared.shortages import Shortages
from mockserver.state import RealTime

NOW: ContextVar[datetime | None] = ContextVar("NOW", default=None)
"""When the request that is answered came; None for real time."""

HELD: ContextVar[frozenset[str]] = ContextVar("HELD", default=frozenset())
"""The sessions that the request which is answered may see."""

REPEATED: ContextVar[bool] = ContextVar("REPEATED", default=False)
"""Whether the request that is answered was answered before."""


def logged_time(real: RealTime) -> RealTime:
    """Real time, and for a request that is answered the moment that the log has of it."""

    def now() -> datetime:
        return NOW.get() or real()

    return now


_BEGINNING = datetime.min.replace(tzinfo=UTC)


class HeldSessions(Sessions):
    """The sessions of one process; a request sees those that it holds, as they are now.

    Attributes:
        shortages: When a process of this server had no descriptors left.
    """

    def __init__(self, bases: Bases, **settings: Any) -> None:
        super().__init__(bases, **settings)
        self.shortages = Shortages()
        self._opened: dict[str, datetime] = {}

    @override
    def find(self, session_id: str) -> Session | None:
        return super().find(session_id) if session_id in HELD.get() else None

    @override
    def open(self, spec: SessionSpec) -> Session:
        self.forget(spec.id or "")
        session = super().open(spec)
        self._opened[session.id] = self._real()
        return session

    @override
    def note_problem(self, problem: str) -> None:
        self.shortages.note(self._real())

    def note_shortages(self) -> None:
        """Let the sessions say so that were open when there was one, here or elsewhere."""
        for name, session in self._open.items():
            if self.shortages.came_since(self._opened[name]):
                session.problem = PROBLEM

    @override
    def record_tampering(
        self, caller: Session | None, attempt: str, reason: str, *, by: str, status: int
    ) -> None:
        if caller is not None or not REPEATED.get():
            super().record_tampering(caller, attempt, reason, by=by, status=status)

    @override
    def observe(self, observer: Observer) -> None:
        def observe_first(session_id: str, entry: Entry) -> None:
            if not REPEATED.get():
                observer(session_id, entry)

        super().observe(observe_first)

    def forget(self, session_id: str) -> None:
        """Let go of a session; its log still has it."""
        self._opened.pop(session_id, None)
        session = self._open.pop(session_id, None) or self._closed.pop(session_id, None)
        if session is not None:
            for each in session.__dict__.pop("at_close", ()):
                each()


class Copy:
    """What this process has of a session.

    Attributes:
        id: The session's id.
        number: The number of the latest record that it is made of; 0 for none.
        size: The bytes of its records.
        at: The time of the latest record.
        lineage: That of the log when the first record was read.
        headers: The headers of the latest record.
        turn: Held by the request that is logged and answered.
        waiting: How many requests wait for the turn.
    """

    __slots__ = ("at", "headers", "id", "lineage", "number", "size", "turn", "waiting")

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.turn = asyncio.Lock()
        self.waiting = 0
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.number = self.size = self.lineage = 0
        self.at = _BEGINNING
        self.headers: Headers = ()


class Copies:
    """The copies of this process; those that were not used lately are forgotten.

    Args:
        most: How many are held.
        forget: Lets go of the session of an id.
    """

    def __init__(self, most: int, forget: Callable[[str], None]) -> None:
        self._most = most
        self._forget = forget
        self._copies: OrderedDict[str, Copy] = OrderedDict()

    def __len__(self) -> int:
        return len(self._copies)

    def of(self, session_id: str) -> Copy:
        """The copy of a session, maybe an empty one."""
        found = self._copies.get(session_id)
        if found is None:
            found = self._copies[session_id] = Copy(session_id)
            if len(self._copies) > self._most:
                self._forget_oldest()
        else:
            self._copies.move_to_end(session_id)
        return found

    def drop(self, copy: Copy) -> None:
        """Let go of a session, and make it from its beginning when it is next asked for."""
        copy.clear()
        self._forget(copy.id)

    def remove(self, copy: Copy) -> None:
        """Hold a session no more that is closed, unless somebody waits to be told so."""
        if not copy.waiting and self._copies.get(copy.id) is copy:
            del self._copies[copy.id]
            self._forget(copy.id)

    def _forget_oldest(self) -> None:
        oldest = next(iter(self._copies.values()))
        if oldest.turn.locked():  # it waits for its log: the next one will do
            self._copies.move_to_end(oldest.id)
            return
        del self._copies[oldest.id]
        self._forget(oldest.id)
