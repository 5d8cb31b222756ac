"""The token exchange (RFC 8693): Discovery id to handler.

Required fields and types follow the Discovery document; texts of refusals are not verified against
the live API.
"""

from collections.abc import Mapping

from mockserver.apis.sts.subjects import ACCESS_TOKEN, Subject, subject_of
from mockserver.googleapi import ApiError, Call, Handler
from mockserver.model import JsonObject
from mockserver.state import issue_token

GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange"
LIFETIME_S = 3600
_FIELDS = {
    "grant_type": "grantType",
    "requested_token_type": "requestedTokenType",
    "subject_token": "subjectToken",
    "subject_token_type": "subjectTokenType",
}


def exchange_token(call: Call) -> JsonObject:
    """An access token for a token of elsewhere, or a narrower one for an access token.

    Raises:
        ApiError: 400 `invalid_request`, `unsupported_grant_type`, `invalid_target`,
            `invalid_scope` or `invalid_grant`.
    """
    grant, requested, token, token_type = (_required(call, name) for name in _FIELDS)
    if grant != GRANT_TYPE:
        raise ApiError(400, f"Invalid grant type: {grant}", reason="unsupported_grant_type")
    if requested != ACCESS_TOKEN:
        text = f"Unsupported requested_token_type: {requested}"
        raise ApiError(400, text, reason="invalid_request")
    scopes = tuple(sent(call, "scope").split())
    found = subject_of(call, token, token_type, audience=sent(call, "audience"))
    return _answer(call, found, scopes)


def _answer(call: Call, found: Subject, scopes: tuple[str, ...]) -> JsonObject:
    scopes = scopes or found.scopes
    if not scopes:
        raise ApiError(400, "Missing required field: scope", reason="invalid_scope")
    lifetime_s = LIFETIME_S if found.lifetime_s is None else found.lifetime_s
    token = issue_token(call.world, email=found.email, scopes=scopes, lifetime_s=lifetime_s)
    answer = {"access_token": token, "issued_token_type": ACCESS_TOKEN, "token_type": "Bearer"}
    # a narrower token ends with the one that it was made of, so nothing is said of its end
    return answer if found.lifetime_s is not None else {**answer, "expires_in": lifetime_s}


def sent(call: Call, name: str) -> str:
    """A field of the form, or of the JSON body, where it has a lowerCamel name."""
    camel = _FIELDS.get(name, name)
    return str(call.body.get(name) or call.body.get(camel) or "")


def _required(call: Call, name: str) -> str:
    value = sent(call, name)
    if not value:
        raise ApiError(400, f"Missing required field: {name}", reason="invalid_request")
    return value


HANDLERS: Mapping[str, Handler] = {"sts.token": exchange_token}
