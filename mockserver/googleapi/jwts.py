"""JSON Web Tokens (RFC 7519) of this server's key: made, read, held against their signature."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import NamedTuple

import orjson

from mockserver.googleapi.signing import signing_key
from mockserver.model import JsonObject

ISSUER = "https://accounts.google.com"
ID_TOKEN_S = 3600
_ALGORITHM = "RS256"


class Jwt(NamedTuple):
    """A JWT, read.

    Attributes:
        header: Its header.
        claims: Its claims.
        is_ours: Whether this server's key signed it.
    """

    header: JsonObject
    claims: JsonObject
    is_ours: bool


def read_jwt(token: str) -> Jwt | None:
    """A JWT as it is, whoever signed it; None for what is none."""
    parts = token.split(".")
    try:
        header, claims = (orjson.loads(_decoded(part)) for part in parts[:2])
    except (ValueError, binascii.Error):
        return None
    if len(parts) != 3 or not isinstance(header, dict) or not isinstance(claims, dict):
        return None
    return Jwt(header, claims, header.get("alg") == _ALGORITHM and _is_ours(token))


@lru_cache(maxsize=512)
def _is_ours(token: str) -> bool:
    content, _, signature = token.rpartition(".")
    try:
        return signing_key().has_signed(content.encode(), _decoded(signature))
    except (ValueError, binascii.Error):
        return False


def make_jwt(claims: JsonObject) -> str:
    """Sign claims with this server's key."""
    key = signing_key()
    header = {"alg": _ALGORITHM, "kid": key.id, "typ": "JWT"}
    content = f"{_encoded(orjson.dumps(header))}.{_encoded(orjson.dumps(claims))}"
    return f"{content}.{_encoded(key.sign(content.encode()))}"


def make_id_token(
    *,
    audience: str,
    account: tuple[str, str],
    issued: int,
    email: bool,
    further: JsonObject | None = None,
) -> str:
    """An OpenID Connect token that says who an account is, for an hour.

    Args:
        audience: Whom it is for.
        account: The account's address and id.
        issued: Seconds since the epoch, on the clock of those who will check it.
        email: Whether it tells the address.
        further: More claims, which win.
    """
    address, account_id = account
    claims: JsonObject = {
        "aud": audience,
        "azp": account_id,
        "exp": issued + ID_TOKEN_S,
        "iat": issued,
        "iss": ISSUER,
        "sub": account_id,
    }
    told = {"email": address, "email_verified": True} if email else {}
    return make_jwt({**claims, **told, **(further or {})})


def _decoded(part: str) -> bytes:
    return urlsafe_b64decode(part.encode("ascii") + b"=" * (-len(part) % 4))


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
