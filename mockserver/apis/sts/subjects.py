"""Whom a token stands for that is brought for exchange."""

import re
from typing import NamedTuple

from mockserver.googleapi import ApiError, Call, Jwt, read_jwt
from mockserver.state import find_token, parse_rfc3339, session_of

_TYPE = "urn:ietf:params:oauth:token-type:"
ACCESS_TOKEN = f"{_TYPE}access_token"
_JWT_TYPES = frozenset({f"{_TYPE}jwt", f"{_TYPE}id_token"})
_OPAQUE_TYPES = frozenset(
    {f"{_TYPE}saml2", f"{_TYPE}mtls", "urn:ietf:params:aws:token-type:aws4_request"}
)
_SKEW_S = 300
_AUDIENCE = re.compile(
    r"(?://iam\.googleapis\.com/)(?P<pool>(?:projects/[^/]+/)?locations/[^/]+/"
    r"(?:workloadIdentityPools|workforcePools)/[^/]+)/providers/[^/]+"
)


class Subject(NamedTuple):
    """Who is behind a token.

    Attributes:
        email: An account's address, or the principal of an identity pool.
        scopes: The scopes it has already.
        lifetime_s: How long it still lives, where the new token ends with it.
    """

    email: str
    scopes: tuple[str, ...] = ()
    lifetime_s: int | None = None


def subject_of(call: Call, token: str, token_type: str, *, audience: str) -> Subject:
    """Whom a token stands for.

    A JWT is held to its times; its signature, and tokens that only their issuer can read, are
    believed: the providers of this server know no keys.

    Raises:
        ApiError: 400 `invalid_grant`, `invalid_target` or `invalid_request`.
    """
    if token_type == ACCESS_TOKEN:
        return _of_access_token(call, token)
    if token_type not in _JWT_TYPES | _OPAQUE_TYPES:
        text = f"Unsupported subject_token_type: {token_type}"
        raise ApiError(400, text, reason="invalid_request")
    match = _AUDIENCE.fullmatch(audience)
    named = session_of(audience)
    if match is None or named not in {None, call.world.session}:
        text = (
            'Invalid value for "audience". This value should be the full resource name of the '
            "Identity Provider."
        )
        raise ApiError(400, text, reason="invalid_target")
    name = "external"
    if token_type in _JWT_TYPES:
        name = _subject_of_jwt(call, read_jwt(token))
    return Subject(f"principal://iam.googleapis.com/{match['pool']}/subject/{name}")


def _of_access_token(call: Call, token: str) -> Subject:
    found = find_token(call.world, token)
    if found is None or found["expired"]:
        raise ApiError(400, "Invalid subject token.", reason="invalid_grant")
    left = parse_rfc3339(found["expires"]) - call.world.clock.now()
    return Subject(found["email"], tuple(found["scopes"]), int(left.total_seconds()))


def _subject_of_jwt(call: Call, read: Jwt | None) -> str:
    if read is None:
        raise ApiError(400, "Error decoding the ID Token.", reason="invalid_grant")
    ends, subject = read.claims.get("exp"), read.claims.get("sub")
    if not isinstance(subject, str) or not isinstance(ends, int | float):
        raise ApiError(400, "The ID Token lacks sub or exp.", reason="invalid_grant")
    if ends + _SKEW_S <= call.world.clock.client_now().timestamp():
        raise ApiError(400, "The ID Token is expired or not yet valid.", reason="invalid_grant")
    return subject
