"""Tokens of the account that a machine runs as."""

from mockserver.apis.metadata.values import SCOPES
from mockserver.googleapi import make_id_token
from mockserver.model import JsonObject
from mockserver.state import World, fixed_digits, issue_token, robot_email

_LIFETIME_S = 3599


def access_token(world: World, scopes: tuple[str, ...]) -> JsonObject:
    """An access token for these scopes, or for the machine's own ones when none is named."""
    email, scopes = robot_email(world), scopes or SCOPES
    token = issue_token(world, email=email, scopes=scopes, lifetime_s=_LIFETIME_S)
    return {"access_token": token, "expires_in": _LIFETIME_S, "token_type": "Bearer"}


def identity_token(world: World, audience: str, *, full: bool) -> str:
    """An OpenID Connect token for one audience; the full form tells the address."""
    email = robot_email(world)
    return make_id_token(
        audience=audience,
        account=(email, fixed_digits(email.casefold(), 21)),
        issued=int(world.clock.client_now().timestamp()),
        email=full,
    )
