"""Who may use the control API of a server with a control token, and what becomes of the others."""

import hmac
import re

from starlette.types import ASGIApp, Receive, Scope, Send

from mockserver.asgi.requests import Request, named_sessions
from mockserver.http.control_responses import problem
from mockserver.http.session_names import identify_caller
from mockserver.redaction.journal_redaction import redact_journal_path
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Session, Sessions

TRUSTED = "mock.trusted"
"""Key of a scope: whether the caller may see what the control API says to anybody else."""

HEALTH = "/_mock/health"
_SESSION = re.compile(r"/_mock/sessions/([^/]+)(?:/(.*))?")
_OWN_VIEW = frozenset({None, "journal", "state", "diff", "clock"})
_READS = frozenset({"GET", "HEAD"})
_WITHOUT = "the control API needs the server's token as a bearer token"
_NOT_OWN = "a session's token reads that session's journal, state, diff and clock, and nothing else"


class ControlAccessGuard:
    """Asks for the control token, where the server has one.

    Without it, a session's own token reads that session; everything else is refused. Who tries to
    change or close something, to open a session, to list them or to read another one is journalled
    and kept as an attempt of its session, or of an unknown caller.

    Args:
        app: What answers who may ask.
        sessions: The server's sessions.
        token: The control token; an empty string lets everybody through.
    """

    def __init__(self, app: ASGIApp, sessions: Sessions, token: str) -> None:
        self._app = app
        self._sessions = sessions
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the control API, or with the refusal."""
        request = Request(scope)
        trusted = not self._token or hmac.compare_digest(
            request.token.encode("latin-1"), self._token
        )
        scope[TRUSTED] = trusted
        path: str = scope["path"]
        if trusted or path == HEALTH or self._is_own_view(request, path):
            await self._app(scope, receive, send)
            return
        status = self._note_refusal(request, path)
        text = _WITHOUT if status == 401 else _NOT_OWN
        await problem(status, text)(scope, receive, send)

    def _is_own_view(self, request: Request, path: str) -> bool:
        """Whether a session's own token reads what its holder may."""
        found = _SESSION.fullmatch(path)
        if found is None or found[2] not in _OWN_VIEW or request.sent_verb not in _READS:
            return False
        session = self._sessions.find(found[1])
        return session is not None and session.has_issued(request.token)

    def _note_refusal(self, request: Request, path: str) -> int:
        """The status of a refusal; what it was is kept."""
        found = _SESSION.fullmatch(path)
        names = named_sessions(request)
        if found is not None:
            names.append(("path", found[1]))
        caller, by = identify_caller(self._sessions, names, request.token)
        status = 403 if by == "token" else 401
        own = found is not None and caller is not None and found[1] == caller.id
        viewed = found is not None and own and found[2] in _OWN_VIEW
        harmless = request.sent_verb in _READS and (
            viewed or not path.startswith(("/_mock/sessions", "/_mock/tampering"))
        )
        attempt = f"{request.sent_verb} {redact_journal_path(path)}"
        if caller is not None:
            _journal(caller, request, path, status, "" if harmless else _WITHOUT)
        if not harmless:
            self._sessions.record_tampering(caller, attempt, _WITHOUT, by=by, status=status)
        return status


def _journal(session: Session, request: Request, path: str, status: int, tampering: str) -> None:
    entry = Entry()
    entry.seq = session.journal.take_number()
    entry.at = session.clock.now()
    entry.http_method, entry.path = request.sent_verb, redact_journal_path(path)
    entry.status, entry.source, entry.client = status, "control", request.client
    entry.tampering = tampering
    session.journal.record(entry)
