"""Signing in to an MCP server of the mock: registration, consent and tokens, as OAuth 2.1 has them.

Tokens are those of the session, so that they expire and are revoked like any other.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest
from urllib.parse import urlencode, urlsplit

from mockserver.apis.mcp.snapshot import OAuth, settings_of
from mockserver.googleapi import ApiError, Call, Handler, PageAnswer
from mockserver.model import JsonObject
from mockserver.state import (
    TOKENS,
    World,
    admin_email,
    find_grant,
    find_token,
    issue_grant,
    issue_token,
    keep_grant,
    parse_rfc3339,
    rfc3339,
)

CODE_S = 600
LIFETIME_S = 3600
_MOST_CLIENTS = 1000
_MOST_ADDRESSES = 20
_LONGEST = 2000
_NO_TARGETS = frozenset({"", "javascript", "data", "vbscript", "file", "about", "blob"})


def register(call: Call) -> JsonObject:
    """Register a client (RFC 7591).

    Raises:
        ApiError: 400 `invalid_redirect_uri` or `invalid_client_metadata`; 403 where a snapshot
            allows no registration.
    """
    if not (settings_of(call.world).auth or OAuth()).registration:
        raise _refusal(403, "access_denied", "Clients of this server are registered beforehand.")
    addresses = call.body.get("redirect_uris")
    if not isinstance(addresses, list) or not 0 < len(addresses) <= _MOST_ADDRESSES:
        text = f"redirect_uris must be a list of up to {_MOST_ADDRESSES} addresses"
        raise _refusal(400, "invalid_redirect_uri", text)
    for address in addresses:
        if not isinstance(address, str) or not _is_target(address):
            raise _refusal(400, "invalid_redirect_uri", f"no address to go back to: {address!r}")
    known = sum(key.startswith("client/") for key in call.world.table(TOKENS).rows())
    if known >= _MOST_CLIENTS:
        raise _refusal(400, "invalid_client_metadata", f"{_MOST_CLIENTS} clients are registered")
    method = str(call.body.get("token_endpoint_auth_method") or "client_secret_post")
    client: JsonObject = {
        "client_id": f"mcp-{call.world.ids.hex('mcp-client', 16)}",
        "client_name": str(call.body.get("client_name") or "")[:_LONGEST],
        "redirect_uris": addresses,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    }
    if method != "none":
        client["client_secret"] = call.world.ids.hex("mcp-secret", 32)
    call.world.put(TOKENS, f"client/{client['client_id']}", client)
    return client


def authorize(call: Call) -> JsonObject:
    """Consent at once and lead back with a code; `decision=deny` in the query refuses.

    Raises:
        PageAnswer: Always: the way back.
        ApiError: 400 for a client or an address that is not registered.
    """
    asked = {name: str(value) for name, value in call.params.items()}
    client = _client(call.world, asked.get("client_id", ""))
    target = asked.get("redirect_uri", "")
    if target not in client["redirect_uris"]:
        raise _refusal(400, "invalid_request", "redirect_uri is none of those of the client")
    if asked.get("response_type") != "code":
        raise _back(target, asked, {"error": "unsupported_response_type"})
    if not asked.get("code_challenge") or asked.get("code_challenge_method") != "S256":
        told = "code_challenge with the method S256 is needed (PKCE)"
        raise _back(target, asked, {"error": "invalid_request", "error_description": told})
    if asked.get("decision") == "deny":
        raise _back(target, asked, {"error": "access_denied"})
    row: JsonObject = {
        name: asked.get(name, "") for name in ("client_id", "redirect_uri", "code_challenge")
    }
    expires = call.world.clock.now() + timedelta(seconds=CODE_S)
    row |= {"scopes": _scopes(call, asked.get("scope", "")), "expires": rfc3339(expires)}
    raise _back(target, asked, {"code": issue_grant(call.world, "code", {**row, "state": "new"})})


def grant_token(call: Call) -> JsonObject:
    """A token for a code with its verifier, or for a refresh token.

    Raises:
        ApiError: 400 `invalid_grant` or `unsupported_grant_type`; 401 `invalid_client`.
    """
    sent = {name: str(value) for name, value in call.body.items()}
    client = _client(call.world, sent.get("client_id", ""), status=401)
    secret = client.get("client_secret", "")
    if not compare_digest(secret.encode(), sent.get("client_secret", secret and " ").encode()):
        raise _refusal(401, "invalid_client", "client_secret is not that of the client")
    match sent.get("grant_type"):
        case "authorization_code":
            row = _redeem(call, sent)
        case "refresh_token":
            found = find_grant(call.world, "refresh", sent.get("refresh_token", ""))
            if found is None or found.get("client_id") != client["client_id"]:
                raise _refusal(400, "invalid_grant", "the refresh token is unknown")
            row = found
        case other:
            raise _refusal(400, "unsupported_grant_type", f"grant_type {other!r} is not known")
    scopes = tuple(row["scopes"])
    token = issue_token(
        call.world, email=admin_email(call.world), scopes=scopes, lifetime_s=LIFETIME_S
    )
    kept = {
        "client_id": client["client_id"],
        "scopes": list(scopes),
        "email": admin_email(call.world),
    }
    return {
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": LIFETIME_S,
        "scope": " ".join(scopes),
        "refresh_token": sent.get("refresh_token") or issue_grant(call.world, "refresh", kept),
    }


def refusal_of_token(world: World, token: str) -> tuple[int, str] | None:
    """Why a token does not let its bearer in: HTTP status and OAuth's word; None if it does."""
    found = find_token(world, token) if token else None
    if found is None or found["expired"]:
        return 401, "invalid_token" if token else ""
    wanted = (settings_of(world).auth or OAuth()).scopes
    is_first = world.table(TOKENS).get(token) is None
    if not is_first and not set(wanted) <= set(found["scopes"]):
        return 403, "insufficient_scope"
    return None


def _redeem(call: Call, form: Mapping[str, str]) -> JsonObject:
    code = form.get("code", "")
    row = find_grant(call.world, "code", code)
    if row is None or row["state"] != "new" or row["client_id"] != form.get("client_id"):
        raise _refusal(400, "invalid_grant", "the code is unknown or was used")
    if parse_rfc3339(row["expires"]) <= call.world.clock.now():
        raise _refusal(400, "invalid_grant", "the code is over")
    if row["redirect_uri"] != form.get("redirect_uri", row["redirect_uri"]):
        raise _refusal(400, "invalid_grant", "redirect_uri is another than the code was given to")
    verifier = form.get("code_verifier", "").encode()
    challenge = urlsafe_b64encode(sha256(verifier).digest()).rstrip(b"=")
    if not compare_digest(challenge, row["code_challenge"].encode()):
        raise _refusal(400, "invalid_grant", "code_verifier is not that of the code (PKCE)")
    keep_grant(call.world, "code", code, {**row, "state": "used"})
    return row


def _scopes(call: Call, requested: str) -> list[str]:
    known = (settings_of(call.world).auth or OAuth()).scopes
    return list(dict.fromkeys(requested.split())) or list(known)


def _client(world: World, client_id: str, *, status: int = 400) -> JsonObject:
    found = world.table(TOKENS).get(f"client/{client_id}")
    if found is None:
        raise _refusal(
            status, "invalid_client", f"no client {client_id[:_LONGEST]!r} is registered"
        )
    return found


def _is_target(address: str) -> bool:
    try:
        scheme = urlsplit(address).scheme.lower()
    except ValueError:
        return False
    return scheme not in _NO_TARGETS and address.isprintable() and len(address) <= _LONGEST


def _back(target: str, request: Mapping[str, str], answer: dict[str, str]) -> PageAnswer:
    if "state" in request:
        answer = {**answer, "state": request["state"]}
    url = urlsplit(target)
    query = "&".join(part for part in (url.query, urlencode(answer)) if part)
    return PageAnswer(302, "", headers={"Location": url._replace(query=query).geturl()})


def _refusal(status: int, reason: str, text: str) -> ApiError:
    return ApiError(status, text, reason=reason)


HANDLERS: Mapping[str, Handler] = {
    "mcp.oauth.register": register,
    "mcp.oauth.authorize": authorize,
    "mcp.oauth.token": grant_token,
}
"""Method id to what answers it."""
