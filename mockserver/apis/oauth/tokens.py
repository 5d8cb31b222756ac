"""The token endpoint, and the one that takes tokens back.

Texts follow what clients of these endpoints report; they are not verified against the live service.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256

from mockserver.apis.oauth.consent import redeem_code, redeem_device
from mockserver.apis.oauth.jwt import check_signature, invalid_grant, read_claims
from mockserver.apis.oauth.state import (
    DEFAULT_SCOPES,
    LIFETIME_S,
    account_id,
    is_account,
    long_scopes,
    revoke,
    sees_address,
    shown_profile,
)
from mockserver.googleapi import ApiError, Call, make_id_token
from mockserver.model import JsonObject
from mockserver.state import (
    admin_email,
    find_grant,
    is_revoked,
    issue_grant,
    issue_token,
    session_of,
)
from mockserver.state import refresh_token as own_refresh_token

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"


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
    """An access token for a service account's JWT, a refresh token, or the code of a consent.

    With it comes an ID token where `openid` is among the scopes, but not for a JWT; for a JWT that
    names a `target_audience` it comes alone.

    Raises:
        ApiError: 400 `invalid_request`, `unsupported_grant_type`, `invalid_scope`, or
            `invalid_grant`, also where a JWT acts for an unknown user; and what `redeem_code` and
            `redeem_device` raise.
    """
    grant = required(call, "grant_type")
    match grant:
        case "refresh_token":
            return _refreshed(call)
        case "authorization_code":
            names = ("client_id", "redirect_uri", "code_verifier")
            code = required(call, "code")
            return _granted(
                call, redeem_code(call, code, {each: sent(call, each) for each in names})
            )
        case _ if grant == DEVICE_CODE:
            code = required(call, "device_code")
            return _granted(call, redeem_device(call, code, sent(call, "client_id")))
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
    given = find_grant(call.world, "refresh", refresh_token)
    if given is None:
        _check_refresh_token(call, refresh_token)
    if is_revoked(call.world, refresh_token):
        raise invalid_grant("Token has been expired or revoked.")
    asked = long_scopes(tuple(sent(call, "scope").split()))
    granted = tuple(given["scopes"]) if given else asked or DEFAULT_SCOPES
    if not {*asked} <= {*granted}:
        raise ApiError(400, "Some requested scopes were invalid.", reason="invalid_scope")
    email = str(given["email"]) if given else admin_email(call.world)
    return _with_identity(call, email, asked or granted, {"client_id": sent(call, "client_id")})


def _granted(call: Call, row: JsonObject) -> JsonObject:
    """The tokens for a consent; the first time with a refresh token, where that was asked for."""
    email, scopes = str(row["email"]), tuple(row["scopes"])
    answer = _with_identity(call, email, scopes, row)
    if row["access_type"] == "offline":
        kept = {"email": email, "scopes": list(scopes)}
        answer["refresh_token"] = issue_grant(call.world, "refresh", kept)
    return answer


def _with_identity(
    call: Call, email: str, scopes: tuple[str, ...], asked: JsonObject
) -> JsonObject:
    """An access token, and who its holder is where the scopes ask for that."""
    answer = {**_answer(call, email, scopes), "scope": " ".join(scopes)}
    if "openid" not in scopes:
        return answer
    digest = sha256(answer["access_token"].encode()).digest()
    claims: JsonObject = {
        "azp": asked["client_id"],
        "at_hash": urlsafe_b64encode(digest[:16]).decode().rstrip("="),
        **shown_profile(call, email, scopes),
    }
    if asked.get("nonce"):
        claims["nonce"] = asked["nonce"]
    answer["id_token"] = make_id_token(
        audience=asked["client_id"],
        account=(email, account_id(call.world, email)),
        issued=int(call.world.clock.client_now().timestamp()),
        email=sees_address(scopes),
        further=claims,
    )
    return answer


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
