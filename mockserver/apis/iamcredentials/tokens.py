"""Tokens for a service account, on behalf of who asks (Discovery document).

Whoever asks may: roles are not emulated. Texts of refusals are not verified against the live API.
"""

import re
from datetime import datetime, timedelta

from mockserver.apis.iamcredentials.accounts import account_id, account_of, required
from mockserver.googleapi import Call, bad_fields, make_id_token
from mockserver.model import JsonObject
from mockserver.state import issue_token

_HOUR_S = 3600
_DURATION = re.compile(r"(\d{1,9})(?:\.\d+)?s")


def generate_access_token(call: Call) -> JsonObject:
    """An access token of the account for the scopes asked for, an hour at most.

    `expireTime` is on the clock of clients, who compare it with their own.

    Raises:
        ApiError: 400: no scope, or a lifetime over an hour.
    """
    email = account_of(call)
    scopes = tuple(str(scope) for scope in call.body.get("scope") or ())
    if not scopes:
        raise bad_fields([("scope", "At least one value required for scope.")])
    lifetime_s = _lifetime(str(call.body.get("lifetime") or f"{_HOUR_S}s"))
    token = issue_token(call.world, email=email, scopes=scopes, lifetime_s=lifetime_s)
    ends = call.world.clock.client_now() + timedelta(seconds=lifetime_s)
    return {"accessToken": token, "expireTime": _whole_seconds(ends)}


def generate_id_token(call: Call) -> JsonObject:
    """An OpenID Connect token of the account for one audience.

    Raises:
        ApiError: 400: no audience.
    """
    email = account_of(call)
    made = make_id_token(
        audience=required(call, "audience"),
        account=(email, account_id(email)),
        issued=int(call.world.clock.client_now().timestamp()),
        email=call.body.get("includeEmail") is True,
    )
    return {"token": made}


def allowed_locations(call: Call) -> JsonObject:
    """Where an account may be used from: everywhere."""
    return {"locations": [], "encodedLocations": "0x0"}


def _lifetime(text: str) -> int:
    match = _DURATION.fullmatch(text)
    lifetime_s = int(match[1]) if match else 0
    if not 0 < lifetime_s <= _HOUR_S:
        raise bad_fields(
            [("lifetime", "The lifetime of the token must be more than 0 and at most 3600s.")]
        )
    return lifetime_s


def _whole_seconds(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
