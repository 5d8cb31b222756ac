"""What a token is good for, and whose it is.

`tokeninfo` has two families of field names: the older of v1 and v2 (Discovery document), and the
newer of v3, where numbers and booleans are text. Texts of refusals follow what clients report.
"""

from mockserver.apis.oauth.state import (
    account_id,
    live_token,
    sees_address,
    shown_profile,
)
from mockserver.apis.oauth.tokens import sent
from mockserver.googleapi import ApiError, Call, Caller, read_jwt
from mockserver.model import JsonObject
from mockserver.state import fixed_digits, parse_rfc3339


def old_tokeninfo(call: Call) -> JsonObject:
    """`tokeninfo` of v1 and v2.

    Raises:
        ApiError: 400 `invalid_token` for one that is unknown or over, `invalid_request` for none.
    """
    found = _found(call)
    client = fixed_digits(found["email"], 21)
    scopes = tuple(found["scopes"])
    answer = {
        "issued_to": client,
        "audience": client,
        "user_id": account_id(call.world, found["email"]),
        "scope": " ".join(scopes),
        "expires_in": _seconds_left(call, found),
        "access_type": "online",
    }
    if sees_address(scopes):
        answer |= {"email": found["email"], "verified_email": True}
    return answer


def new_tokeninfo(call: Call) -> JsonObject:
    """`tokeninfo` of v3, of an access token or of an ID token.

    Raises:
        ApiError: 400 `invalid_token` for one that is unknown or over, `invalid_request` for none.
    """
    id_token = sent(call, "id_token")
    if id_token:
        return _id_token_info(call, id_token)
    found = _found(call)
    client = fixed_digits(found["email"], 21)
    scopes = tuple(found["scopes"])
    answer = {
        "azp": client,
        "aud": client,
        "sub": account_id(call.world, found["email"]),
        "scope": " ".join(scopes),
        "exp": str(int(parse_rfc3339(found["expires"]).timestamp())),
        "expires_in": str(_seconds_left(call, found)),
        "access_type": "online",
    }
    if sees_address(scopes):
        answer |= {"email": found["email"], "email_verified": "true"}
    return answer


def _id_token_info(call: Call, id_token: str) -> JsonObject:
    """Header and claims of an ID token, as text."""
    read = read_jwt(id_token)
    now = call.world.clock.client_now().timestamp()
    if read is None or not read.is_ours or read.claims.get("exp", 0) <= now:
        raise ApiError(400, "Invalid Value", reason="invalid_token")
    texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in read.claims.items()
    }
    return texts | read.header


def _found(call: Call) -> JsonObject:
    token = sent(call, "access_token")
    if not token:
        text = "either access_token, id_token, or token_handle required"
        raise ApiError(400, text, reason="invalid_request")
    found = live_token(call.world, token)
    if found is None:
        raise ApiError(400, "Invalid Value", reason="invalid_token")
    return found


def _seconds_left(call: Call, found: JsonObject) -> int:
    return int((parse_rfc3339(found["expires"]) - call.world.clock.now()).total_seconds())


def old_userinfo(call: Call) -> JsonObject:
    """`userinfo` of v1 and v2: `id`, and what the token's scopes show.

    Raises:
        ApiError: 401 for a caller without an account.
    """
    caller = _caller(call)
    shown: JsonObject = {"id": account_id(call.world, caller.email)}
    if sees_address(caller.scopes):
        shown |= {"email": caller.email, "verified_email": True}
    return shown | shown_profile(call, caller.email, caller.scopes)


def new_userinfo(call: Call) -> JsonObject:
    """`userinfo` of v3 and of OpenID Connect: `sub`, and what the token's scopes show.

    Raises:
        ApiError: 401 for a caller without an account.
    """
    caller = _caller(call)
    shown: JsonObject = {"sub": account_id(call.world, caller.email)}
    if sees_address(caller.scopes):
        shown |= {"email": caller.email, "email_verified": True}
    return shown | shown_profile(call, caller.email, caller.scopes)


def _caller(call: Call) -> Caller:
    if not call.caller.email:
        raise ApiError(401, "Invalid Credentials", reason="invalid_request")
    return call.caller
