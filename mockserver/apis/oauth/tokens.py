"""The token endpoint, and the one that takes tokens back.

Texts follow what clients of these endpoints report; they are not verified against the live service.
"""

from mockserver.apis.oauth.jwt import check_signature, invalid_grant, read_claims
from mockserver.apis.oauth.state import (
    DEFAULT_SCOPES,
    LIFETIME_S,
    account_id,
    is_account,
    long_scopes,
    revoke,
)
from mockserver.googleapi import ApiError, Call, make_id_token
from mockserver.model import JsonObject
from mockserver.state import admin_email, is_revoked, issue_token, session_of
from mockserver.state import refresh_token as own_refresh_token

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"


def sent(call: Call, name: str) -> str:
    """A parameter of the form body or of the query."""
    return str(call.body.get(name) or call.params.get(name) or "")


def required(call: Call, name: str) -> str:
    """A parameter that a call cannot do without.

    Raises:
        ApiError: 400 `invalid_request`.
    """
    value = sent(call, name)
    if not value:
        raise ApiError(400, f"Required parameter is missing: {name}", reason="invalid_request")
    return value


def grant_token(call: Call) -> JsonObject:
    """An access token for a service account's JWT or for a refresh token.

    For a JWT that names a `target_audience` it is an ID token.

    Raises:
        ApiError: 400 `invalid_request`, `unsupported_grant_type`, `invalid_scope`, or
            `invalid_grant`, also where a JWT acts for an unknown user.
    """
    grant = required(call, "grant_type")
    match grant:
        case "refresh_token":
            return _refreshed(call)
        case _ if grant == JWT_BEARER:
            return _for_jwt(call)
        case _:
            text = f"Invalid grant_type: {grant}"
            raise ApiError(400, text, reason="unsupported_grant_type")


def _for_jwt(call: Call) -> JsonObject:
    assertion = required(call, "assertion")
    now = call.world.clock.client_now()
    claims = read_claims(assertion, now)
    check_signature(call.world, assertion, claims.issuer, call.profile)
    if claims.audience:
        account = (claims.issuer, account_id(call.world, claims.issuer))
        issued = int(now.timestamp())
        return {
            "id_token": make_id_token(
                audience=claims.audience, account=account, issued=issued, email=True
            )
        }
    if claims.subject and not is_account(call.world, claims.subject):
        raise invalid_grant("Invalid email or User ID")
    return _answer(call, claims.subject or claims.issuer, long_scopes(claims.scopes))


def _refreshed(call: Call) -> JsonObject:
    refresh_token = required(call, "refresh_token")
    if not sent(call, "client_id"):
        text = "Could not determine client ID from request."
        raise ApiError(400, text, reason="invalid_request")
    _check_refresh_token(call, refresh_token)
    if is_revoked(call.world, refresh_token):
        raise invalid_grant("Token has been expired or revoked.")
    asked = tuple(sent(call, "scope").split())
    scopes = long_scopes(asked) or DEFAULT_SCOPES
    answer = _answer(call, admin_email(call.world), scopes)
    return {**answer, "scope": " ".join(scopes)}


def _check_refresh_token(call: Call, token: str) -> None:
    """Refuse what names another session; what names none is believed, but not under `strict`."""
    foreign = session_of(token) is None
    if token != own_refresh_token(call.world.session, call.world.secret) and not (
        foreign and call.profile != "strict"
    ):
        raise invalid_grant("Bad Request")


def _answer(call: Call, email: str, scopes: tuple[str, ...]) -> JsonObject:
    token = issue_token(call.world, email=email, scopes=scopes, lifetime_s=LIFETIME_S)
    return {"access_token": token, "expires_in": LIFETIME_S, "token_type": "Bearer"}


def revoke_token(call: Call) -> JsonObject:
    """End an access or refresh token.

    Raises:
        ApiError: 400 `invalid_token` when it is over already, `invalid_request` without one.
    """
    if not revoke(call.world, required(call, "token")):
        raise ApiError(400, "Token expired or revoked", reason="invalid_token")
    return {}
