"""Journal lines of connections that no request came of."""

import logging
from typing import NamedTuple

from mockserver.model import Miss
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import DEFAULT_ID, Session, Sessions

_log = logging.getLogger(__name__)

_LET_THROUGH, _FORBIDDEN = 200, 403


class ConnectionNote(NamedTuple):
    """A connection that no request came of.

    Attributes:
        authority: Where it was to lead, `host:port`.
        status: What it was answered: 200 where it was let through, and nothing of it is seen.
        reason: Why it was not let through, or failed before the first request.
    """

    authority: str
    status: int = _LET_THROUGH
    reason: str = ""

    @property
    def miss(self) -> Miss | None:
        """Why nothing answered it; None where it was let through."""
        if self.status == _LET_THROUGH:
            return None
        blame = "not_emulated" if self.status == _FORBIDDEN else "infrastructure"
        return Miss(blame=blame, reason=self.reason)


class ConnectionJournal:
    """Journals connections under the session that they named, or the default one.

    Args:
        sessions: The server's sessions.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    async def refusal(self, user: str) -> tuple[int, str] | None:
        """The HTTP status and the reason why no connection is of a session; None where it may be.

        Raises:
            MockServerError: Nobody can tell now.
        """
        return refusal_of(user, self._sessions.find(user))

    async def note(self, user: str | None, note: ConnectionNote) -> None:
        """Journal a connection.

        Raises:
            MockServerError: It cannot be kept.
        """
        self.write(user, note)

    def write(self, user: str | None, note: ConnectionNote) -> None:
        """Journal a connection in this process; where there is no such session, log a refused one.

        Args:
            user: The session that it named, or None.
            note: What became of it.
        """
        session = self._sessions.find(DEFAULT_ID if user is None else user)
        if session is not None:
            note_connection(session, note.authority, note.status, note.miss)
        elif note.reason:
            _log.warning("%s: %s", note.authority, note.reason)


def refusal_of(user: str, session: Session | None) -> tuple[int, str] | None:
    """Why no connection is of a session.

    Args:
        user: Its id, as a client names it.
        session: The session; None where there is none.
    """
    if session is None:
        return 404, f"the mock server has no session {user!r}, the proxy's user"
    if session.closed:
        return 410, f"session {user!r} of the mock server is closed"
    return None


def note_connection(session: Session, authority: str, status: int, miss: Miss | None) -> None:
    """Journal a connection.

    Args:
        session: The session that it is of.
        authority: `host:port`.
        status: What it was answered: 200 where it was let through.
        miss: Why it was not, else None.
    """
    entry = Entry()
    entry.seq = session.journal.take_number()
    entry.at = session.clock.now()
    entry.http_method = "CONNECT"
    entry.path = authority
    entry.host = authority.rpartition(":")[0].strip("[]")
    entry.status = status
    entry.source = "none"
    entry.miss = miss
    entry.after_close = session.closed
    session.journal.record(entry)
