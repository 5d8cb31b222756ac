"""Signatures of a service account's key, made for who may not have it (Discovery document).

Texts of refusals are not verified against the live API.
"""

import binascii
from base64 import b64decode, b64encode

import orjson

from mockserver.apis.iamcredentials.accounts import account_of, required
from mockserver.googleapi import Call, bad_fields, make_jwt, signing_key
from mockserver.model import JsonObject

_LONGEST_S = 12 * 3600
_STANDARD = str.maketrans("-_", "+/")


def sign_blob(call: Call) -> JsonObject:
    """Sign bytes.

    Raises:
        ApiError: 400: the payload is no base64.
    """
    account_of(call)
    text = required(call, "payload").translate(_STANDARD)
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
    account_of(call)
    try:
        claims = orjson.loads(required(call, "payload"))
    except orjson.JSONDecodeError:
        claims = None
    if not isinstance(claims, dict):
        raise bad_fields([("payload", "payload must be a JSON object of claims")])
    _check_end(claims, call.world.clock.client_now().timestamp())
    return {"keyId": signing_key().id, "signedJwt": make_jwt(claims)}


def _check_end(claims: JsonObject, now: float) -> None:
    if "exp" not in claims:
        return
    ends = claims["exp"]
    is_number = isinstance(ends, int) and not isinstance(ends, bool)
    if not is_number or not now < ends <= now + _LONGEST_S:
        raise bad_fields(
            [("payload", "exp must be an integer, in the future, at most 12 hours ahead")]
        )
