"""Which session a request names, by whatever way; naming two different ones is refused."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import orjson

from mockserver.asgi.requests import Message, Receive, Request
from mockserver.googleapi import ApiError
from mockserver.model import Json
from mockserver.routing import Route
from mockserver.sessions.session import Session, Sessions
from mockserver.sources.bodies import parse_form
from mockserver.sources.exchange import Exchange
from mockserver.state import session_of

Way = Literal["path", "header", "token", "form", "proxy", "baggage"]
Name = tuple[Way, str]
"""A session's id, and the way by which a request names it; a list of them is in the order in which
they count."""

_BAGGAGE = re.compile(r"(?:^|,)\s*mock\.session\s*=\s*([^,;\s]+)")


class TwoSessions(NamedTuple):
    """A request that named different sessions, as it was refused.

    Attributes:
        error: What it is answered with.
        answers: The journal entry of each named session, by its id, and the answer in its dialect.
    """

    error: ApiError
    answers: dict[str, tuple[Exchange, bytes]]


def names_of(request: Request, in_form: Iterable[str] = ()) -> list[Name]:
    """The sessions that a request names; those of its tokens whether or not they are valid.

    Args:
        request: The head of the request.
        in_form: The sessions that credentials in its body name.
    """
    names: list[Name] = []
    headers = request.headers
    if request.in_path is not None:
        names.append(("path", request.in_path))
    if b"x-mock-session" in headers:
        names.append(("header", headers[b"x-mock-session"].decode("latin-1")))
    if request.in_token is not None:
        names.append(("token", request.in_token))
    if b"_token=" in request.query and b"authorization" in headers:
        named = session_of(request.query_token)
        if named is not None:
            names.append(("token", named))
    if in_form:
        names += [("form", named) for named in in_form]
    if request.proxied is not None:
        names.append(("proxy", request.proxied))
    if b"baggage" in headers:
        named = session_in_baggage(headers[b"baggage"].decode("latin-1"))
        if named is not None:
            names.append(("baggage", named))
    return names


def session_in_baggage(baggage: str) -> str | None:
    """The session in W3C baggage, or None.

    >>> session_in_baggage("user=1, mock.session=s1;p=2")
    's1'
    """
    found = _BAGGAGE.search(baggage) if baggage else None
    return found[1] if found else None


def differ(names: Sequence[Name]) -> bool:
    """Whether different sessions are named; an empty name is no session's."""
    first = names[0][1] if names else ""
    for _, named in names:
        if named != first:  # hardly ever
            return len({named for _, named in names if named}) > 1
    return False


def caller_among(
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
        if way == "token" and session.issued(token):
            return session, way
    for way, session in there:
        if way == "proxy":
            return session, way
    if len({session.id for _, session in there}) != 1:
        return None, ""
    return there[0][1], there[0][0]


def refuse_two_sessions(
    sessions: Sessions,
    names: Sequence[Name],
    route: Route,
    *,
    token: str,
    client: bytes,
    parent: Exchange | None = None,
) -> TwoSessions:
    """Refuse a request that names different sessions.

    It is journalled in each of them, and kept as an attempt of the one that its caller is of.

    Args:
        sessions: The server's sessions.
        names: What was named.
        route: What the request means.
        token: The caller's token as sent.
        client: What the caller says it is.
        parent: The batch that it is a part of, or None.
    """
    ways = " and ".join(dict.fromkeys(way for way, _ in names))
    error = ApiError(
        400,
        f"The request names different sessions of the mock server, by {ways}; name one.",
        reason="differentSessions",
        code_name="INVALID_ARGUMENT",
    )
    caller, by = caller_among(sessions, names, token)
    if caller is None and parent is not None:
        caller, by = parent.session, "path"
    reason = f"it names different sessions, by {ways}"
    answers: dict[str, tuple[Exchange, bytes]] = {}
    for named in dict.fromkeys(named for _, named in names):
        session = sessions.find(named)
        if session is not None:
            exchange = Exchange(session, route, client)
            exchange.source = "none"
            exchange.tampering = reason if session is caller else ""
            if parent is not None and session is parent.session:
                exchange.parent = parent.seq
            exchange.refuse(error)
            answers[session.id] = (exchange, exchange.finish())
    attempt = f"{route.verb} {route.sent}"
    sessions.accuse(caller, attempt, reason, by=by, status=error.status)
    return TwoSessions(error, answers)


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


def may_carry(route: Route, request: Request) -> bool:
    """Whether a request's body may hold a credential that names a session."""
    return route.dialect == "oauth" and request.verb == "POST" and request.has_body


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

    async def again() -> Message:
        message = next(waiting, None)
        return message if message is not None else await receive()

    content = b"".join(message.get("body", b"") for message in read)
    return (sessions_in(content) if size <= _LONGEST else ()), again


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
