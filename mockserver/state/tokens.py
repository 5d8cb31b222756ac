"""Credentials of a session: each names its session, and works in that session only.

What is secret in them comes from the secret of the session; the id alone makes none of them.
"""

import binascii
import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Literal

from mockserver.model import JsonObject
from mockserver.state.clock import parse_rfc3339, rfc3339
from mockserver.state.service_accounts import session_of_service_account
from mockserver.state.tenant import customer
from mockserver.state.world import TOKENS, World

_PREFIX = "ya29.mock~"
Grant = Literal["code", "device", "refresh"]
"""What an account gave, to be exchanged for tokens: once for a code, often for a refresh token."""

_REFRESH_PREFIX = "1//mock~"
_GRANT_PREFIXES: Mapping[Grant, str] = {
    "code": "4/mock~",
    "device": "AH-1Ng.mock~",
    "refresh": _REFRESH_PREFIX,
}
_POOL_PREFIX = "/workloadIdentityPools/mock~"
_JWT_PREFIX = "eyJ"
_LONGEST_JWT = 16 * 1024
LIFETIME_S = 3600
_SHORT_NAMES = {"email": "userinfo.email", "profile": "userinfo.profile"}
SCOPES_OF_FIRST_TOKEN = (
    "https://www.googleapis.com/auth/cloud-platform",
    "https://www.googleapis.com/auth/userinfo.email",
    "https://www.googleapis.com/auth/userinfo.profile",
    "openid",
)
"""What every session's first token lets its holder read of the account, beside all APIs."""


def first_token(session: str, secret: str) -> str:
    """The token that is handed out when a session is opened; it needs no entry in the session.

    >>> first_token("s1", "b0")
    'ya29.mock~s1~b0'
    """
    return f"{_PREFIX}{session}~{secret}"


def refresh_token(session: str, secret: str) -> str:
    """The refresh token of a session's `authorized_user` credentials.

    >>> refresh_token("s1", "b0")
    '1//mock~s1~7b5d49b0b86362f61c726ffd32d5ae98'
    """
    return f"{_REFRESH_PREFIX}{session}~{_keyed_digest(secret, 'refresh')}"


def _keyed_digest(secret: str, name: str) -> str:
    """A digest that only the holder of the session's secret can compute."""
    return sha256(f"{secret}/{name}".encode()).hexdigest()[:32]


def identity_pool(session: str, project_number: str) -> str:
    """The workload identity provider of a session, as an audience of the token exchange.

    >>> identity_pool("s1", "1").rpartition("/projects/")[2]
    '1/locations/global/workloadIdentityPools/mock~s1/providers/mock'
    """
    place = f"projects/{project_number}/locations/global"
    return f"//iam.googleapis.com/{place}{_POOL_PREFIX}{session}/providers/mock"


def session_of(credential: str) -> str | None:
    """The session that a credential names, or None when it is not one of ours.

    An access token, a refresh token, a code for tokens, the audience of a token exchange, or a JWT
    that a service account signed or that was signed for one. What it says is not proven here.

    >>> session_of("ya29.mock~s1~b0"), session_of("1//mock~s1~b0"), session_of("ya29.a0Af")
    ('s1', 's1', None)
    """
    if credential.startswith(_PREFIX):
        return credential[len(_PREFIX) :].partition("~")[0]
    if credential.startswith(_JWT_PREFIX):
        return _session_of_jwt(credential) if len(credential) <= _LONGEST_JWT else None
    for prefix in _GRANT_PREFIXES.values():
        if credential.startswith(prefix):
            return credential[len(prefix) :].partition("~")[0]
    _, pool, rest = credential.partition(_POOL_PREFIX)
    return rest.partition("/")[0] if pool else None


@lru_cache(maxsize=512)
def _session_of_jwt(token: str) -> str | None:
    claims = jwt_part(token, 1)
    named = (claims.get("iss"), claims.get("email"), claims.get("sub"))
    found = (session_of_service_account(name) for name in named if isinstance(name, str))
    return next((session for session in found if session is not None), None)


def jwt_part(token: str, index: int) -> JsonObject:
    """The header (0) or the claims (1) of a JWT as they stand; empty for what is no JWT."""
    try:
        part = token.split(".")[index].encode()
        found = json.loads(urlsafe_b64decode(part + b"=" * (-len(part) % 4)))
    except (IndexError, ValueError, binascii.Error, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def issue_token(world: World, *, email: str, scopes: tuple[str, ...], lifetime_s: int) -> str:
    """Make an access token for an account; it is valid for `lifetime_s` seconds of session time."""
    token = f"{_PREFIX}{world.session}~{_keyed_digest(world.secret, world.ids.hex('token', 32))}"
    expires = rfc3339(world.clock.now() + timedelta(seconds=lifetime_s))
    world.put(TOKENS, token, {"email": email, "scopes": list(scopes), "expires": expires})
    return token


def issue_grant(world: World, kind: Grant, row: JsonObject) -> str:
    """Make a code, or a refresh token, that stands for what an account gave."""
    secret = _keyed_digest(world.secret, f"{kind}/{world.ids.hex(kind, 32)}")
    grant = f"{_GRANT_PREFIXES[kind]}{world.session}~{secret}"
    keep_grant(world, kind, grant, row)
    return grant


def keep_grant(world: World, kind: Grant, grant: str, row: JsonObject) -> None:
    """Keep what a code or a refresh token stands for now."""
    world.put(TOKENS, f"{kind}/{grant}", row)


def find_grant(world: World, kind: Grant, grant: str) -> JsonObject | None:
    """What a code or a refresh token stands for, or None when none of this session was given."""
    return world.table(TOKENS).get(f"{kind}/{grant}")


def find_waiting_device(world: World, user_code: str) -> tuple[str, JsonObject] | None:
    """The code of the device that waits for the one who types this, and its row; or None."""
    for key, row in world.table(TOKENS).rows().items():
        if key.startswith("device/") and (row["user_code"], row["state"]) == (user_code, "new"):
            return key.removeprefix("device/"), row
    return None


def is_access_token(credential: str) -> bool:
    """Whether a credential is an access token of this server."""
    return credential.startswith(_PREFIX)


def find_token(world: World, token: str) -> JsonObject | None:
    """What a token stands for (`email`, `scopes`, `expires`, `expired`), or None when not ours."""
    row = world.table(TOKENS).get(token) if token.startswith(_PREFIX) else None
    if row is None and token == first_token(world.session, world.secret):
        return {
            "email": session_email(world),
            "scopes": list(world.scopes or SCOPES_OF_FIRST_TOKEN),
            "expires": rfc3339(world.clock.now() + timedelta(seconds=LIFETIME_S)),
            "expired": False,
        }
    if row is None:
        return None
    return {**row, "expired": parse_rfc3339(row["expires"]) <= world.clock.now()}


def session_email(world: World) -> str:
    """The account that a session's first token stands for."""
    return world.account or admin_email(world)


def long_scope(scope: str) -> str:
    """A scope by its long name.

    >>> long_scope("drive.readonly"), long_scope("openid"), long_scope("https://mail.google.com/")
    ('https://www.googleapis.com/auth/drive.readonly', 'openid', 'https://mail.google.com/')
    """
    if scope == "openid" or "://" in scope:
        return scope
    return f"https://www.googleapis.com/auth/{_SHORT_NAMES.get(scope, scope)}"


def admin_email(world: World) -> str:
    """The account of the customer's administrator."""
    found = customer(world)
    return str(found.get("customerEmail") or f"admin@{found.get('customerDomain', 'example.com')}")
