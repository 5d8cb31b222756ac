"""Reads the JWT that a service account asks for a token with."""

import binascii
from base64 import urlsafe_b64decode
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from mockserver.googleapi import ApiError, read_jwt
from mockserver.model import JsonObject, Profile
from mockserver.state import World, is_revoked, session_of_service_account

_LONGEST_S = 3600
_SKEW_S = 300
_TOKEN_PATHS = ("/token", "/o/oauth2/token", "/oauth2/v4/token")


class Claims(NamedTuple):
    """The claims of a service account's JWT.

    Attributes:
        issuer: Its address.
        subject: The user it acts for, or an empty string.
        scopes: The scopes it asks for.
        audience: Whom an ID token is asked for instead, or an empty string.
    """

    issuer: str
    subject: str
    scopes: tuple[str, ...]
    audience: str = ""


def invalid_grant(message: str) -> ApiError:
    """400 `invalid_grant`."""
    return ApiError(400, message, reason="invalid_grant")


def read_claims(assertion: str, now: datetime) -> Claims:
    """The claims of a JWT that may be granted.

    The signature is not checked here: see `check_signature`. Texts follow what clients of the token
    endpoint report; they are not verified against the live service.

    Args:
        assertion: The JWT.
        now: The time on the client's clock, which stamped the JWT.

    Raises:
        ApiError: 400 `invalid_grant` for what is no JWT, for a foreign audience and for times that
            are past, ahead or more than an hour apart; `invalid_scope` without scopes and without
            a `target_audience`.
    """
    claims = _read_payload(assertion)
    issuer = claims.get("iss")
    if not isinstance(issuer, str) or "@" not in issuer:
        raise invalid_grant("Invalid grant: account not found")
    _check_audience(claims.get("aud"))
    _check_times(claims.get("iat"), claims.get("exp"), now.timestamp())
    scopes = str(claims.get("scope") or "").split()
    audience = str(claims.get("target_audience") or "")
    if not scopes and not audience:
        raise ApiError(400, "Empty or missing scope not allowed.", reason="invalid_scope")
    return Claims(issuer, str(claims.get("sub") or ""), tuple(scopes), audience)


def check_signature(world: World, assertion: str, issuer: str, profile: Profile) -> None:
    """Check the signature of a JWT with the key of its issuer.

    The server knows the key of its session's own account. Accounts of others are believed, but not
    under `strict`.

    Raises:
        ApiError: 400 `invalid_grant`.
    """
    session = session_of_service_account(issuer)
    if session is None and profile != "strict":
        return
    if session != world.session:
        raise invalid_grant("Invalid grant: account not found")
    read = read_jwt(assertion)
    if read is None or not read.is_ours or is_revoked(world, issuer):
        raise invalid_grant("Invalid JWT Signature.")


def _read_payload(assertion: str) -> JsonObject:
    parts = assertion.split(".")
    try:
        header, payload = (orjson.loads(_decode_part(part)) for part in parts[:2])
    except (ValueError, binascii.Error) as error:
        raise invalid_grant("Invalid JWT: it cannot be decoded.") from error
    if len(parts) != 3 or not isinstance(header, dict) or not isinstance(payload, dict):
        raise invalid_grant("Invalid JWT: it is not a header, claims and a signature.")
    return payload


def _decode_part(part: str) -> bytes:
    return urlsafe_b64decode(part.encode() + b"=" * (-len(part) % 4))


def _check_audience(audience: Any) -> None:
    place = urlsplit(audience) if isinstance(audience, str) else None
    if place is None or not place.scheme or not place.path.endswith(_TOKEN_PATHS):
        raise invalid_grant("Invalid JWT: Failed audience check.")


def _check_times(issued: Any, expires: Any, now: float) -> None:
    times = (issued, expires)
    if any(not isinstance(time, int | float) or isinstance(time, bool) for time in times):
        reasonable = False
    else:
        lasts = 0 < expires - issued <= _LONGEST_S
        reasonable = lasts and issued - _SKEW_S <= now < expires + _SKEW_S
    if not reasonable:
        raise invalid_grant(
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
            "timeframe. Check your iat and exp values in the JWT claim."
        )
