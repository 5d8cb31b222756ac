"""Access tokens of a session: a token names its session, and works in that session only."""

from datetime import timedelta

from mockserver.model import JsonObject
from mockserver.state.clock import parse_rfc3339, rfc3339
from mockserver.state.tenant import customer
from mockserver.state.world import TOKENS, World

_PREFIX = "ya29.mock~"
LIFETIME_S = 3600
SCOPES_OF_FIRST_TOKEN = (
    "https://www.googleapis.com/auth/cloud-platform",
    "https://www.googleapis.com/auth/userinfo.email",
    "https://www.googleapis.com/auth/userinfo.profile",
    "openid",
)
"""What every session's first token lets its holder read of the account, beside all APIs."""


def first_token(session: str) -> str:
    """The token that is handed out when a session is opened; it needs no entry in the session.

    >>> first_token("s1")
    'ya29.mock~s1~0'
    """
    return f"{_PREFIX}{session}~0"


def session_of(token: str) -> str | None:
    """The session that a token names, or None when it is not one of ours.

    >>> session_of("ya29.mock~s1~0"), session_of("ya29.a0Af")
    ('s1', None)
    """
    if not token.startswith(_PREFIX):
        return None
    return token[len(_PREFIX) :].partition("~")[0]


def issue_token(world: World, *, email: str, scopes: tuple[str, ...], lifetime_s: int) -> str:
    """Make an access token for an account; it is valid for `lifetime_s` seconds of session time."""
    token = f"{_PREFIX}{world.session}~{world.ids.hex('token', 32)}"
    expires = rfc3339(world.clock.now() + timedelta(seconds=lifetime_s))
    world.put(TOKENS, token, {"email": email, "scopes": list(scopes), "expires": expires})
    return token


def find_token(world: World, token: str) -> JsonObject | None:
    """What a token stands for (`email`, `scopes`, `expires`, `expired`), or None when not ours."""
    row = world.table(TOKENS).get(token)
    if row is None and token == first_token(world.session):
        return {
            "email": admin_email(world),
            "scopes": list(SCOPES_OF_FIRST_TOKEN),
            "expires": rfc3339(world.clock.now() + timedelta(seconds=LIFETIME_S)),
            "expired": False,
        }
    if row is None:
        return None
    return {**row, "expired": parse_rfc3339(row["expires"]) <= world.clock.now()}


def admin_email(world: World) -> str:
    """The account that a session's first token stands for."""
    found = customer(world)
    return str(found.get("customerEmail") or f"admin@{found.get('customerDomain', 'example.com')}")
