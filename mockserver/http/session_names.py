"""Requests that name different sessions, and sessions that the form of a token request names."""

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from mockserver.asgi.requests import Message, Name, Receive
from mockserver.googleapi import ApiError
from mockserver.model import Json
from mockserver.routing import Route
from mockserver.sessions.session import Session, Sessions
from mockserver.sources.bodies import parse_form
from mockserver.sources.exchange import JournalledCall
from mockserver.sources.response import Response
from mockserver.state import session_of


class ConflictingSessions(NamedTuple):
    """A request that named different sessions, as it was refused.

    Attributes:
        error: What it is answered with.
        responses: The answer that the journal of each named session holds, by its id.
    """

    error: ApiError
    responses: dict[str, Response]


def identify_caller(
    sessions: Sessions, names: Sequence[Name], token: str
) -> tuple[Session | None, str]:
    """The open session that a caller is of, and by what it was recognised.

    Its token where that is a valid one, then the user that it named to the proxy, then the one
    session that it names. Who names several could be of any of them: nobody is accused then, for
    one of them may be the target.
    """
    known = [(way, sessions.find(named)) for way, named in names]
    there = [(way, session) for way, session in known if session and not session.closed]
    for way, session in there:
        if way == "token" and session.has_issued(token):
            return session, way
    for way, session in there:
        if way == "proxy":
            return session, way
    if len({session.id for _, session in there}) != 1:
        return None, ""
    return there[0][1], there[0][0]


def refuse_conflicting_sessions(
    sessions: Sessions,
    names: Sequence[Name],
    route: Route,
    *,
    token: str,
    client: bytes,
    parent: JournalledCall | None = None,
    caller_id: str | None = None,
) -> ConflictingSessions:
    """Refuse a request that names different sessions.

    It is journalled in each of them, and kept as an attempt of the one that its caller is of.

    Args:
        sessions: The server's sessions.
        names: What was named.
        route: What the request means.
        token: The caller's token as sent.
        client: What the caller says it is.
        parent: The batch that it is a part of, or None.
        caller_id: The session that its caller is of, an empty string for nobody's; None to find
            out.
    """
    ways = " and ".join(dict.fromkeys(way for way, _ in names))
    error = ApiError(
        400,
        f"The request names different sessions of the mock server, by {ways}; name one.",
        reason="differentSessions",
        code_name="INVALID_ARGUMENT",
    )
    caller, by = identify_caller(sessions, names, token)
    if caller_id is not None:
        caller = sessions.find(caller_id)
    if caller is None and parent is not None:
        caller, by = parent.session, "path"
    reason = f"it names different sessions, by {ways}"
    responses: dict[str, Response] = {}
    for named in dict.fromkeys(named for _, named in names):
        session = sessions.find(named)
        if session is not None:
            call = JournalledCall(session, route, client)
            call.response.source = "none"
            call.entry.tampering = reason if session is caller else ""
            if parent is not None and session is parent.session:
                call.entry.parent = parent.entry.seq
            call.write_error(error)
            responses[session.id] = call.finish()
    attempt = f"{route.verb} {route.journal_path}"
    sessions.record_tampering(caller, attempt, reason, by=by, status=error.status)
    return ConflictingSessions(error, responses)


_FIELDS = (
    "assertion",
    "refresh_token",
    "code",
    "device_code",
    "subject_token",
    "audience",
    "token",
    "id_token",
)
_JSON_FIELDS = ("subjectToken", "audience")
_LONGEST = 256 * 1024
"""Beyond so many bytes no credential is looked for."""


async def sessions_in_body(receive: Receive) -> tuple[tuple[str, ...], Receive]:
    """The sessions that credentials in the body name, and what gives the body again."""
    read: list[Message] = []
    size, more = 0, True
    while more and size <= _LONGEST:
        message = await receive()
        read.append(message)
        size += len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)
    waiting = iter(read)

    async def receive_again() -> Message:
        message = next(waiting, None)
        return message if message is not None else await receive()

    content = b"".join(message.get("body", b"") for message in read)
    return (sessions_in(content) if size <= _LONGEST else ()), receive_again


def sessions_in(content: bytes) -> tuple[str, ...]:
    """The sessions that a form, or a JSON object, of the token endpoints names, each once.

    >>> sessions_in(b"grant_type=refresh_token&refresh_token=1%2F%2Fmock~s1~0")
    ('s1',)
    """
    form = _fields(content)
    values = (form.get(name) for name in (*_FIELDS, *_JSON_FIELDS))
    named = (session_of(value) for value in values if isinstance(value, str))
    return tuple(dict.fromkeys(session for session in named if session is not None))


def _fields(content: bytes) -> dict[str, Json]:
    try:
        found = orjson.loads(content) if content.lstrip()[:1] == b"{" else parse_form(content)
    except (orjson.JSONDecodeError, ApiError):
        return {}
    return found if isinstance(found, dict) else {}
