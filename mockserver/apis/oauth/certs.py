"""The public keys that signatures are checked by, where clients look for them.

Shapes follow what client libraries read; they are not verified against the live service.
"""

from mockserver.googleapi import ApiError, Call, signing_key
from mockserver.model import JsonObject
from mockserver.state import robot_email


def certificates(call: Call) -> JsonObject:
    """The keys of ID tokens, each by its id, in a certificate."""
    key = signing_key()
    return {key.id: key.certificate}


def key_set(call: Call) -> JsonObject:
    """The keys of ID tokens as a JSON Web Key Set (RFC 7517)."""
    return {"keys": [signing_key().jwk]}


def account_certificates(call: Call) -> JsonObject:
    """The keys of the session's service account, each by its id, in a certificate.

    Raises:
        ApiError: 404: another account.
    """
    _check_account(call)
    return certificates(call)


def account_key_set(call: Call) -> JsonObject:
    """The keys of the session's service account as a JSON Web Key Set.

    Raises:
        ApiError: 404: another account.
    """
    _check_account(call)
    return key_set(call)


def _check_account(call: Call) -> None:
    account = call.params["account"]
    if account != robot_email(call.world):
        raise ApiError(404, f"no service account {account}", reason="not_found")
