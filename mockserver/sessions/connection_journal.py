"""Journal lines of connections that no request came of."""

import logging

from mockserver.model import Miss
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import DEFAULT_ID, Session, Sessions

_log = logging.getLogger(__name__)


class ConnectionJournal:
    """Journals connections under the session that they named, or the default one.

    Args:
        sessions: The server's sessions.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def note_refused(self, user: str | None, authority: str, status: int, reason: str) -> None:
        """A connection that was not let through, or failed before the first request."""
        miss = Miss(blame="not_emulated" if status == 403 else "infrastructure", reason=reason)
        self._write(user, authority, status, miss)

    def note_tunnelled(self, user: str | None, authority: str) -> None:
        """A connection that was let through; what is said on it is not seen."""
        self._write(user, authority, 200, None)

    def _write(self, user: str | None, authority: str, status: int, miss: Miss | None) -> None:
        session = self._sessions.find(DEFAULT_ID if user is None else user)
        if session is not None:
            note_connection(session, authority, status, miss)
        elif miss is not None:
            _log.warning("%s: %s", authority, miss.reason)


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
