"""Credentials are ended on demand: expired, as after an hour, or revoked, as by their owner."""

from mockserver.state.clock import rfc3339
from mockserver.state.service_accounts import service_account_email
from mockserver.state.tokens import find_token, first_token, is_access_token, refresh_token
from mockserver.state.world import TOKENS, World

_REVOKED = "revoked/"
_SIGNED = "signed/"
_REFRESH = "refresh/"


def end_token(world: World, token: str) -> bool:
    """End an access token; False when it was over already or is not of this session."""
    found = find_token(world, token)
    if found is None:
        return False
    if not found["expired"]:
        now = rfc3339(world.clock.now())
        row = {"email": found["email"], "scopes": found["scopes"], "expires": now}
        world.put(TOKENS, token, row)
    return not found["expired"]


def expire_tokens(world: World) -> int:
    """End every access token of the session; how many. Their holders can get new ones."""
    count = sum(end_token(world, token) for token in _access_tokens(world))
    for key in [key for key in world.table(TOKENS).rows() if key.startswith(_SIGNED)]:
        world.put(TOKENS, key, {"over": True})
        count += 1
    return count


def revoke_all(world: World) -> int:
    """End every access token, the refresh tokens and the service account's key; how many."""
    count = expire_tokens(world)
    given = [
        key.removeprefix(_REFRESH) for key in world.table(TOKENS).rows() if key.startswith(_REFRESH)
    ]
    own = refresh_token(world.session, world.secret)
    for credential in (own, *given, service_account_email(world)):
        count += not is_revoked(world, credential)
        mark_revoked(world, credential)
    return count


def mark_revoked(world: World, credential: str) -> None:
    """Mark a refresh token, or the key of a service account, as revoked."""
    world.put(TOKENS, _REVOKED + credential, {"over": True})


def is_revoked(world: World, credential: str) -> bool:
    """Whether a refresh token, or the key of a service account, was revoked in this session."""
    return _REVOKED + credential in world.table(TOKENS)


def note_signed(world: World, token: str) -> bool:
    """Remember a token that its service account signed itself; False when it has been expired.

    It is refused once: a client that signs a new one within the same second signs the same one.
    """
    row = world.table(TOKENS).get(_SIGNED + token)
    if row is None or row["over"]:
        world.put(TOKENS, _SIGNED + token, {"over": False})
    return row is None or not row["over"]


def _access_tokens(world: World) -> list[str]:
    rows = world.table(TOKENS).rows()
    return [
        first_token(world.session, world.secret),
        *(key for key in rows if is_access_token(key)),
    ]
