"""What the OAuth endpoints know: tokens, and the accounts behind them."""

from collections.abc import Sequence

from mockserver.googleapi import Call
from mockserver.model import JsonObject
from mockserver.state import (
    USERS,
    World,
    admin_email,
    end_token,
    find_token,
    find_user,
    fixed_digits,
    is_revoked,
    mark_revoked,
)

LIFETIME_S = 3599
_AUTH = "https://www.googleapis.com/auth/"
_LONG_NAMES = {"email": f"{_AUTH}userinfo.email", "profile": f"{_AUTH}userinfo.profile"}
DEFAULT_SCOPES = (f"{_AUTH}cloud-platform", _LONG_NAMES["email"], "openid")
"""What a refresh token was granted for, when the request names nothing narrower."""


def long_scopes(scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Scopes by their long names, each once.

    >>> long_scopes(("email", "email"))
    ('https://www.googleapis.com/auth/userinfo.email',)
    """
    return tuple(dict.fromkeys(_LONG_NAMES.get(scope, scope) for scope in scopes))


def sees_address(scopes: Sequence[str]) -> bool:
    """Whether scopes let a caller read the account's address."""
    return _LONG_NAMES["email"] in scopes


def is_account(world: World, address: str) -> bool:
    """Whether a service account can act for this address.

    A world without users takes any address, since its snapshot says nothing about people.
    """
    return (
        not len(world.table(USERS))
        or find_user(world, address) is not None
        or address.casefold() == admin_email(world).casefold()
    )


def account_id(world: World, address: str) -> str:
    """The id of the account with this address; accounts that are no users have a fixed one."""
    user = find_user(world, address)
    return str(user["id"]) if user else fixed_digits(address.casefold(), 21)


def account_name(world: World, address: str) -> JsonObject:
    """`givenName`, `familyName` and `fullName` of a user; empty for other accounts."""
    user = find_user(world, address)
    return dict(user["name"]) if user else {}


def visible_profile(call: Call, email: str, scopes: tuple[str, ...]) -> JsonObject:
    """What scopes show of an account beside its id and address: its names, and its domain."""
    name = account_name(call.world, email)
    shown: JsonObject = {}
    if _LONG_NAMES["profile"] in scopes:
        texts = {"name": "fullName", "given_name": "givenName", "family_name": "familyName"}
        shown = {key: name[source] for key, source in texts.items() if name.get(source)}
    if sees_address(scopes) and find_user(call.world, email):
        shown["hd"] = email.rpartition("@")[2]
    return shown


def find_live_token(world: World, token: str) -> JsonObject | None:
    """The account and the scopes of a token of this session; None unless it is valid."""
    found = find_token(world, token)
    return None if found is None or found["expired"] else found


def revoke_credential(world: World, token: str) -> bool:
    """End a token of either kind; False when it was over or is an access token of others."""
    if end_token(world, token):
        return True
    if token.startswith("ya29.") or is_revoked(world, token):
        return False
    mark_revoked(world, token)
    return True
