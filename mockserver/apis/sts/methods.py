"""Methods of the Security Token Service, and the subjects of the tokens it exchanges."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from mockserver.googleapi import ApiError, Call, Handler, Jwt, read_jwt
from mockserver.model import JsonObject
from mockserver.state import find_token, issue_token, parse_rfc3339, session_of

_TYPE = "urn:ietf:params:oauth:token-type:"
ACCESS_TOKEN = f"{_TYPE}access_token"
_JWT_TYPES = frozenset({f"{_TYPE}jwt", f"{_TYPE}id_token"})
_OPAQUE_TYPES = frozenset(
    {f"{_TYPE}saml2", f"{_TYPE}mtls", "urn:ietf:params:aws:token-type:aws4_request"}
)
_SKEW_S = 300
_AUDIENCE = re.compile(
    r"(?://iam\.googleapis\.com/)(?P<pool>(?:projects/[^/]+/)?locations/[^/]+/"
    r"(?:workloadIdentityPools|workforcePools)/[^/]+)/providers/[^/]+"
)


class Subject(NamedTuple):
    """Who is behind a token.

    Attributes:
        email: An account's address, or the principal of an identity pool.
        scopes: The scopes it has already.
        lifetime_s: How long it still lives, where the new token ends with it.
    """

    email: str
    scopes: tuple[str, ...] = ()
    lifetime_s: int | None = None


def subject_of(call: Call, token: str, token_type: str, *, audience: str) -> Subject:
    """The subject of a token.

    A JWT is held to its times; its signature, and tokens that only their issuer can read, are
    believed: the providers of this server know no keys.

    Raises:
        ApiError: 400 `invalid_grant`, `invalid_target` or `invalid_request`.
    """
    if token_type == ACCESS_TOKEN:
        return _subject_of_access_token(call, token)
    if token_type not in _JWT_TYPES | _OPAQUE_TYPES:
        text = f"Unsupported subject_token_type: {token_type}"
        raise ApiError(400, text, reason="invalid_request")
    match = _AUDIENCE.fullmatch(audience)
    named = session_of(audience)
    if match is None or named not in {None, call.world.session}:
        text = (
            'Invalid value for "audience". This value should be the full resource name of the '
            "Identity Provider."
        )
        raise ApiError(400, text, reason="invalid_target")
    name = "external"
    if token_type in _JWT_TYPES:
        name = _subject_of_jwt(call, read_jwt(token))
    return Subject(f"principal://iam.googleapis.com/{match['pool']}/subject/{name}")


def _subject_of_access_token(call: Call, token: str) -> Subject:
    found = find_token(call.world, token)
    if found is None or found["expired"]:
        raise ApiError(400, "Invalid subject token.", reason="invalid_grant")
    left = parse_rfc3339(found["expires"]) - call.world.clock.now()
    return Subject(found["email"], tuple(found["scopes"]), int(left.total_seconds()))


def _subject_of_jwt(call: Call, jwt: Jwt | None) -> str:
    if jwt is None:
        raise ApiError(400, "Error decoding the ID Token.", reason="invalid_grant")
    ends, subject = jwt.claims.get("exp"), jwt.claims.get("sub")
    if not isinstance(subject, str) or not isinstance(ends, int | float):
        raise ApiError(400, "The ID Token lacks sub or exp.", reason="invalid_grant")
    if ends + _SKEW_S <= call.world.clock.client_now().timestamp():
        raise ApiError(400, "The ID Token is expired or not yet valid.", reason="invalid_grant")
    return subject


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
    grant, requested, token, token_type = (_required_field(call, name) for name in _FIELDS)
    if grant != GRANT_TYPE:
        raise ApiError(400, f"Invalid grant type: {grant}", reason="unsupported_grant_type")
    if requested != ACCESS_TOKEN:
        text = f"Unsupported requested_token_type: {requested}"
        raise ApiError(400, text, reason="invalid_request")
    scopes = tuple(form_field(call, "scope").split())
    found = subject_of(call, token, token_type, audience=form_field(call, "audience"))
    return _token_answer(call, found, scopes)


def _token_answer(call: Call, found: Subject, scopes: tuple[str, ...]) -> JsonObject:
    scopes = scopes or found.scopes
    if not scopes:
        raise ApiError(400, "Missing required field: scope", reason="invalid_scope")
    lifetime_s = LIFETIME_S if found.lifetime_s is None else found.lifetime_s
    token = issue_token(call.world, email=found.email, scopes=scopes, lifetime_s=lifetime_s)
    answer = {"access_token": token, "issued_token_type": ACCESS_TOKEN, "token_type": "Bearer"}
    # a narrower token ends with the one that it was made of, so nothing is said of its end
    return answer if found.lifetime_s is not None else {**answer, "expires_in": lifetime_s}


def form_field(call: Call, name: str) -> str:
    """A field of the form, or of the JSON body, where it has a lowerCamel name."""
    camel = _FIELDS.get(name, name)
    return str(call.body.get(name) or call.body.get(camel) or "")


def _required_field(call: Call, name: str) -> str:
    value = form_field(call, name)
    if not value:
        raise ApiError(400, f"Missing required field: {name}", reason="invalid_request")
    return value


HANDLERS: Mapping[str, Handler] = {"sts.token": exchange_token}
