"""The sessions that the form of a token request names.

Some clients know one place to ask for tokens and take nothing of ours there but the credential.
"""

import orjson

from mockserver.googleapi import ApiError
from mockserver.model import Json
from mockserver.server.bodies import parse_form
from mockserver.server.requests import Message, Receive, Request
from mockserver.server.routes import Route
from mockserver.state import session_of

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
