"""Methods of the Service Account Credentials API: tokens and signatures of a service account.

Whoever asks may: roles are not emulated. Texts of refusals are not verified against the live API.
"""

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import timedelta

import orjson

from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    bad_fields,
    make_id_token,
    make_jwt,
    not_found,
    signing_key,
)
from mockserver.model import JsonObject
from mockserver.state import fixed_digits, issue_token, service_account_email

_HOUR_S = 3600
_DURATION = re.compile(r"(\d{1,9})(?:\.\d+)?s")


def generate_access_token(call: Call) -> JsonObject:
    """An access token of the account for the scopes asked for, an hour at most.

    `expireTime` is on the clock of clients, who compare it with their own.

    Raises:
        ApiError: 400: no scope, or a lifetime over an hour.
    """
    email = find_account(call)
    scopes = tuple(str(scope) for scope in call.body.get("scope") or ())
    if not scopes:
        raise bad_fields([("scope", "At least one value required for scope.")])
    lifetime_s = _parse_lifetime(str(call.body.get("lifetime") or f"{_HOUR_S}s"))
    token = issue_token(call.world, email=email, scopes=scopes, lifetime_s=lifetime_s)
    ends = call.world.clock.client_now() + timedelta(seconds=lifetime_s)
    return {"accessToken": token, "expireTime": ends.strftime("%Y-%m-%dT%H:%M:%SZ")}


def generate_id_token(call: Call) -> JsonObject:
    """An OpenID Connect token of the account for one audience.

    Raises:
        ApiError: 400: no audience.
    """
    email = find_account(call)
    made = make_id_token(
        audience=required_field(call, "audience"),
        address=email,
        account_id=account_id(email),
        issued=int(call.world.clock.client_now().timestamp()),
        email=call.body.get("includeEmail") is True,
    )
    return {"token": made}


def allowed_locations(call: Call) -> JsonObject:
    """Where an account may be used from: everywhere."""
    return {"locations": [], "encodedLocations": "0x0"}


def _parse_lifetime(text: str) -> int:
    match = _DURATION.fullmatch(text)
    lifetime_s = int(match[1]) if match else 0
    if not 0 < lifetime_s <= _HOUR_S:
        raise bad_fields(
            [("lifetime", "The lifetime of the token must be more than 0 and at most 3600s.")]
        )
    return lifetime_s


_LONGEST_S = 12 * 3600
_STANDARD_ALPHABET = str.maketrans("-_", "+/")


def sign_blob(call: Call) -> JsonObject:
    """Sign bytes.

    Raises:
        ApiError: 400: the payload is no base64.
    """
    find_account(call)
    text = required_field(call, "payload").translate(_STANDARD_ALPHABET)
    try:
        payload = b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise bad_fields([("payload", "payload is not base64")]) from error
    key = signing_key()
    return {"keyId": key.id, "signedBlob": b64encode(key.sign(payload)).decode()}


def sign_jwt(call: Call) -> JsonObject:
    """Sign the claims of a JWT.

    Raises:
        ApiError: 400: the payload is no JSON object, or its `exp` is no number of seconds, past, or
            more than 12 hours ahead.
    """
    find_account(call)
    try:
        claims = orjson.loads(required_field(call, "payload"))
    except orjson.JSONDecodeError:
        claims = None
    if not isinstance(claims, dict):
        raise bad_fields([("payload", "payload must be a JSON object of claims")])
    _check_expiry(claims, call.world.clock.client_now().timestamp())
    return {"keyId": signing_key().id, "signedJwt": make_jwt(claims)}


def _check_expiry(claims: JsonObject, now: float) -> None:
    if "exp" not in claims:
        return
    ends = claims["exp"]
    is_number = isinstance(ends, int) and not isinstance(ends, bool)
    if not is_number or not now < ends <= now + _LONGEST_S:
        raise bad_fields(
            [("payload", "exp must be an integer, in the future, at most 12 hours ahead")]
        )


_ACCOUNTS = "iamcredentials.projects.serviceAccounts"
_POOLS = "iamcredentials.projects.locations.workloadIdentityPools"

HANDLERS: Mapping[str, Handler] = {
    f"{_ACCOUNTS}.generateAccessToken": generate_access_token,
    f"{_ACCOUNTS}.generateIdToken": generate_id_token,
    f"{_ACCOUNTS}.signBlob": sign_blob,
    f"{_ACCOUNTS}.signJwt": sign_jwt,
    f"{_ACCOUNTS}.getAllowedLocations": allowed_locations,
    f"{_POOLS}.getAllowedLocations": allowed_locations,
    "iamcredentials.locations.workforcePools.getAllowedLocations": allowed_locations,
}


_PREFIX = "projects/-/serviceAccounts/"


def find_account(call: Call) -> str:
    """The address of the account that a call names by address or unique id.

    Raises:
        ApiError: 400: a project is named where a `-` must be; 404: an id that is not known.
    """
    name = str(call.params["name"])
    if not name.startswith(_PREFIX):
        text = (
            f"Invalid form of account ID {name}. Should be [Gaia ID |Email |Unique ID |] of the "
            "account"
        )
        raise ApiError(400, text, reason="badRequest")
    account = name.removeprefix(_PREFIX)
    own = service_account_email(call.world)
    if account == account_id(own):
        return own
    if "@" not in account:
        text = f"Not found; Gaia id not found for email {account}"
        raise not_found(text, nearest=own, name=account)
    return account


def account_id(email: str) -> str:
    """An account's unique id."""
    return fixed_digits(email.casefold(), 21)


def required_field(call: Call, field: str) -> str:
    """A field of the body that a call cannot do without.

    Raises:
        ApiError: 400.
    """
    value = call.body.get(field)
    if not value:
        raise bad_fields([(field, f"{field} is required")])
    return str(value)
