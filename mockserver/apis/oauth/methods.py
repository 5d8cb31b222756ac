"""Google's OAuth 2.0 endpoints: tokens, what they are good for, and public keys.

Texts and shapes follow what clients of these endpoints read; they are not verified against the live
service.
"""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256

from mockserver.apis.oauth import DELEGATIONS
from mockserver.apis.oauth.assertions import check_signature, invalid_grant, read_claims
from mockserver.apis.oauth.consent import (
    authorize,
    device_page,
    redeem_code,
    redeem_device,
    start_device,
)
from mockserver.apis.oauth.state import (
    DEFAULT_SCOPES,
    LIFETIME_S,
    account_id,
    find_live_token,
    is_account,
    long_scopes,
    revoke_credential,
    sees_address,
    visible_profile,
)
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    make_id_token,
    read_jwt,
    signing_key,
)
from mockserver.model import JsonObject
from mockserver.state import (
    find_grant,
    find_user,
    fixed_digits,
    is_revoked,
    issue_grant,
    issue_token,
    long_scope,
    parse_rfc3339,
    service_account_email,
    session_email,
    session_of,
)
from mockserver.state import refresh_token as own_refresh_token


def certificates(call: Call) -> JsonObject:
    """The keys of ID tokens, each by its id, in a certificate."""
    key = signing_key()
    return {key.id: key.certificate}


def key_set(call: Call) -> JsonObject:
    """The keys of ID tokens as a JSON Web Key Set (RFC 7517)."""
    return {"keys": [signing_key().jwk]}


def keys_of_account(keys: Callable[[Call], JsonObject], call: Call) -> JsonObject:
    """The keys of the session's service account, in one of these forms.

    Raises:
        ApiError: 404: another account.
    """
    account = call.params["account"]
    if account != service_account_email(call.world):
        raise ApiError(404, f"no service account {account}", reason="not_found")
    return keys(call)


def old_tokeninfo(call: Call) -> JsonObject:
    """`tokeninfo` of v1 and v2.

    Raises:
        ApiError: 400 `invalid_token` for one that is unknown or over, `invalid_request` for none.
    """
    found = _find_token(call)
    client = fixed_digits(found["email"], 21)
    answer = {
        "issued_to": client,
        "audience": client,
        "user_id": account_id(call.world, found["email"]),
        "scope": " ".join(found["scopes"]),
        "expires_in": _seconds_left(call, found),
        "access_type": "online",
    }
    return answer | _address(found["email"], found["scopes"], verified_email=True)


def new_tokeninfo(call: Call) -> JsonObject:
    """`tokeninfo` of v3, of an access token or of an ID token.

    Raises:
        ApiError: 400 `invalid_token` for one that is unknown or over, `invalid_request` for none.
    """
    id_token = form_field(call, "id_token")
    if id_token:
        return _id_token_info(call, id_token)
    found = _find_token(call)
    client = fixed_digits(found["email"], 21)
    answer = {
        "azp": client,
        "aud": client,
        "sub": account_id(call.world, found["email"]),
        "scope": " ".join(found["scopes"]),
        "exp": str(int(parse_rfc3339(found["expires"]).timestamp())),
        "expires_in": str(_seconds_left(call, found)),
        "access_type": "online",
    }
    return answer | _address(found["email"], found["scopes"], email_verified="true")


def _address(email: str, scopes: Sequence[str], **verified: object) -> JsonObject:
    """The address of an account, and that it is verified, where scopes show it."""
    return {"email": email, **verified} if sees_address(scopes) else {}


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


def _find_token(call: Call) -> JsonObject:
    token = form_field(call, "access_token")
    if not token:
        text = "either access_token, id_token, or token_handle required"
        raise ApiError(400, text, reason="invalid_request")
    found = find_live_token(call.world, token)
    if found is None:
        raise ApiError(400, "Invalid Value", reason="invalid_token")
    return found


def _seconds_left(call: Call, found: JsonObject) -> int:
    return int((parse_rfc3339(found["expires"]) - call.world.clock.now()).total_seconds())


def userinfo(ident: str, verified: str, call: Call) -> JsonObject:
    """The account of the caller: its id, and what the token's scopes show.

    Args:
        ident: The field of its id.
        verified: The field that says that its address is verified.
        call: The call.

    Raises:
        ApiError: 401 for a caller without an account.
    """
    email, scopes = call.caller.email, call.caller.scopes
    if not email:
        raise ApiError(401, "Invalid Credentials", reason="invalid_request")
    shown = {ident: account_id(call.world, email), **_address(email, scopes, **{verified: True})}
    return shown | visible_profile(call, email, scopes)


JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"


def form_field(call: Call, name: str) -> str:
    """A parameter of the form body or of the query."""
    return str(call.body.get(name) or call.params.get(name) or "")


def required_field(call: Call, name: str) -> str:
    """A parameter that a call cannot do without.

    Raises:
        ApiError: 400 `invalid_request`.
    """
    value = form_field(call, name)
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
    grant = required_field(call, "grant_type")
    match grant:
        case "refresh_token":
            return _token_for_refresh(call)
        case "authorization_code":
            names = ("client_id", "redirect_uri", "code_verifier")
            code = required_field(call, "code")
            return _token_for_grant(
                call, redeem_code(call, code, {each: form_field(call, each) for each in names})
            )
        case _ if grant == DEVICE_CODE:
            code = required_field(call, "device_code")
            return _token_for_grant(call, redeem_device(call, code, form_field(call, "client_id")))
        case _ if grant == JWT_BEARER:
            return _token_for_jwt(call)
        case _:
            raise ApiError(400, f"Invalid grant_type: {grant}", reason="unsupported_grant_type")


def _token_for_jwt(call: Call) -> JsonObject:
    assertion = required_field(call, "assertion")
    now = call.world.clock.client_now()
    claims = read_claims(assertion, now)
    check_signature(call.world, assertion, claims.issuer, call.profile)
    if claims.audience:
        token = make_id_token(
            audience=claims.audience,
            address=claims.issuer,
            account_id=account_id(call.world, claims.issuer),
            issued=int(now.timestamp()),
            email=True,
        )
        return {"id_token": token}
    if claims.subject:
        _check_delegation(call, claims.issuer, claims.subject, long_scopes(claims.scopes))
    return _token_answer(call, claims.subject or claims.issuer, long_scopes(claims.scopes))


def _check_delegation(call: Call, issuer: str, subject: str, scopes: Sequence[str]) -> None:
    """Refuse a service account that may not act for a user.

    A snapshot without `domainWideDelegations` allows it to each account, with each scope.

    Raises:
        ApiError: 400 `invalid_grant` for a user who is not there or suspended; 401
            `unauthorized_client` for scopes that no administrator gave the account.
    """
    world = call.world
    if not is_account(world, subject):
        raise invalid_grant("Invalid email or User ID")
    if (find_user(world, subject) or {}).get("suspended"):
        raise invalid_grant("Account has been deleted")
    table = world.table(DELEGATIONS)
    if not len(table):
        return
    names = {"", issuer.casefold(), fixed_digits(issuer.casefold(), 21)}
    given = {
        long_scope(scope)
        for row in table.rows().values()
        if str(row.get("client", "")).casefold() in names
        for scope in row.get("scopes") or ()
    }
    if not {*scopes} <= given:
        text = "Client is unauthorized to retrieve access tokens using this method, or client not "
        text += "authorized for any of the scopes requested."
        raise ApiError(401, text, reason="unauthorized_client")


def _token_for_refresh(call: Call) -> JsonObject:
    refresh_token = required_field(call, "refresh_token")
    client = form_field(call, "client_id")
    if not client:
        raise ApiError(400, "Could not determine client ID from request.", reason="invalid_request")
    given = find_grant(call.world, "refresh", refresh_token)
    if given is None:
        _check_refresh_token(call, refresh_token)
    if is_revoked(call.world, refresh_token):
        raise invalid_grant("Token has been expired or revoked.")
    asked = long_scopes(tuple(form_field(call, "scope").split()))
    mine = call.world.scopes
    granted = tuple(given["scopes"]) if given else mine or asked or DEFAULT_SCOPES
    if not {*asked} <= {*granted}:
        raise ApiError(400, "Some requested scopes were invalid.", reason="invalid_scope")
    email = str(given["email"]) if given else session_email(call.world)
    if (find_user(call.world, email) or {}).get("suspended"):
        raise invalid_grant("Account has been deleted")
    return _token_with_identity(call, email, asked or granted, {"client_id": client})


def _token_for_grant(call: Call, row: JsonObject) -> JsonObject:
    """The tokens for a consent; the first time with a refresh token, where that was asked for."""
    email, scopes = str(row["email"]), tuple(row["scopes"])
    answer = _token_with_identity(call, email, scopes, row)
    if row["access_type"] == "offline":
        kept = {"email": email, "scopes": list(scopes)}
        answer["refresh_token"] = issue_grant(call.world, "refresh", kept)
    return answer


def _token_with_identity(
    call: Call, email: str, scopes: tuple[str, ...], query: JsonObject
) -> JsonObject:
    """An access token, and who its holder is where the scopes ask for that."""
    answer = {**_token_answer(call, email, scopes), "scope": " ".join(scopes)}
    if "openid" not in scopes:
        return answer
    digest = sha256(answer["access_token"].encode()).digest()
    claims: JsonObject = {
        "azp": query["client_id"],
        "at_hash": urlsafe_b64encode(digest[:16]).decode().rstrip("="),
        **visible_profile(call, email, scopes),
    }
    if query.get("nonce"):
        claims["nonce"] = query["nonce"]
    answer["id_token"] = make_id_token(
        audience=query["client_id"],
        address=email,
        account_id=account_id(call.world, email),
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


def _token_answer(call: Call, email: str, scopes: tuple[str, ...]) -> JsonObject:
    token = issue_token(call.world, email=email, scopes=scopes, lifetime_s=LIFETIME_S)
    return {"access_token": token, "expires_in": LIFETIME_S, "token_type": "Bearer"}


def revoke_token(call: Call) -> JsonObject:
    """End an access or refresh token.

    Raises:
        ApiError: 400 `invalid_token` when it is over already, `invalid_request` without one.
    """
    if not revoke_credential(call.world, required_field(call, "token")):
        raise ApiError(400, "Token expired or revoked", reason="invalid_token")
    return {}


_OLD_USERINFO = partial(userinfo, "id", "verified_email")
_NEW_USERINFO = partial(userinfo, "sub", "email_verified")

HANDLERS: Mapping[str, Handler] = {
    "oauth2.accounts.auth": authorize,
    "oauth2.accounts.v2.auth": authorize,
    "oauth2.accounts.device": device_page,
    "oauth2.device.code": start_device,
    "oauth2.token": grant_token,
    "oauth2.v4.token": grant_token,
    "oauth2.accounts.token": grant_token,
    "oauth2.revoke": revoke_token,
    "oauth2.revoke.get": revoke_token,
    "oauth2.accounts.revoke": revoke_token,
    "oauth2.accounts.revoke.get": revoke_token,
    "oauth2.v1.tokeninfo": old_tokeninfo,
    "oauth2.v1.tokeninfo.post": old_tokeninfo,
    "oauth2.v2.tokeninfo": old_tokeninfo,
    "oauth2.tokeninfo": old_tokeninfo,
    "oauth2.v3.tokeninfo": new_tokeninfo,
    "oauth2.v3.tokeninfo.post": new_tokeninfo,
    "oauth2.tokeninfo.get": new_tokeninfo,
    "oauth2.tokeninfo.post": new_tokeninfo,
    "oauth2.v1.userinfo": _OLD_USERINFO,
    "oauth2.userinfo.get": _OLD_USERINFO,
    "oauth2.userinfo.v2.me.get": _OLD_USERINFO,
    "oauth2.v3.userinfo": _NEW_USERINFO,
    "oauth2.openidconnect.userinfo": _NEW_USERINFO,
    "oauth2.v1.certs": certificates,
    "oauth2.v3.certs": key_set,
    **{
        f"oauth2.{place}.{form}": partial(keys_of_account, keys)
        for place in ("robot", "serviceAccounts")
        for form, keys in (("x509", certificates), ("jwk", key_set))
    },
}
