"""Emulates Google's OAuth 2.0 endpoints, most of whose routes no Discovery document has."""

from mockserver.googleapi import Api, LazyHandlers, lazy_attribute
from mockserver.googleapi.api import Collection, lazy_import
from mockserver.model import JsonObject

_FORM_FIELDS = (
    "access_token", "assertion", "client_id", "client_secret", "code", "code_verifier",
    "device_code", "grant_type", "id_token", "redirect_uri", "refresh_token", "scope", "token",
    "token_type_hint",
)  # fmt: skip
_SCOPES = [
    "openid",
    "https://www.googleapis.com/auth/userinfo.email",
    "https://www.googleapis.com/auth/userinfo.profile",
]
_CONSENT = (
    "access_type", "client_id", "code_challenge", "code_challenge_method", "decision", "hd",
    "include_granted_scopes", "login_hint", "nonce", "prompt", "redirect_uri", "response_type",
    "scope", "state", "user_code",
)  # fmt: skip
_QUERY = ("access_token", "id_token", "token")


def _method(method_id: str, verb: str, path: str) -> JsonObject:
    method: JsonObject = {"id": method_id, "httpMethod": verb, "path": path}
    if path.endswith("userinfo"):
        return method | {"scopes": _SCOPES}
    method["parameters"] = {name: {"type": "string", "location": "query"} for name in _QUERY}
    if verb == "POST":
        method["request"] = {"$ref": "Form"}
    return method


def _page_method(method_id: str, path: str) -> JsonObject:
    parameters = {name: {"type": "string", "location": "query"} for name in _CONSENT}
    return {"id": method_id, "httpMethod": "GET", "path": path, "parameters": parameters}


def _account_method(method_id: str, path: str) -> JsonObject:
    parameter = {"type": "string", "location": "path", "required": True}
    return {
        "id": method_id,
        "httpMethod": "GET",
        "path": f"{path}/{{account}}",
        "parameters": {"account": parameter},
    }


def _document(version: str, host: str, *methods: JsonObject) -> JsonObject:
    return {
        "name": "oauth2",
        "version": version,
        "title": "Google OAuth 2.0",
        "rootUrl": f"https://{host}/",
        "servicePath": "",
        "schemas": {
            "Form": {
                "id": "Form",
                "type": "object",
                "properties": {name: {"type": "string"} for name in _FORM_FIELDS},
            }
        },
        "methods": {method["id"]: method for method in methods},
    }


SUPPLEMENTS: tuple[JsonObject, ...] = (
    _document(
        "token",
        "oauth2.googleapis.com",
        _method("oauth2.token", "POST", "token"),
        _method("oauth2.tokeninfo.get", "GET", "tokeninfo"),
        _method("oauth2.tokeninfo.post", "POST", "tokeninfo"),
        _method("oauth2.device.code", "POST", "device/code"),
        _method("oauth2.revoke", "POST", "revoke"),
        _method("oauth2.revoke.get", "GET", "revoke"),
    ),
    _document(
        "www",
        "www.googleapis.com",
        _method("oauth2.v4.token", "POST", "oauth2/v4/token"),
        _method("oauth2.v1.tokeninfo", "GET", "oauth2/v1/tokeninfo"),
        _method("oauth2.v1.tokeninfo.post", "POST", "oauth2/v1/tokeninfo"),
        _method("oauth2.v2.tokeninfo", "GET", "oauth2/v2/tokeninfo"),
        _method("oauth2.v3.tokeninfo", "GET", "oauth2/v3/tokeninfo"),
        _method("oauth2.v3.tokeninfo.post", "POST", "oauth2/v3/tokeninfo"),
        _method("oauth2.v1.userinfo", "GET", "oauth2/v1/userinfo"),
        _method("oauth2.v3.userinfo", "GET", "oauth2/v3/userinfo"),
        _method("oauth2.v1.certs", "GET", "oauth2/v1/certs"),
        _method("oauth2.v3.certs", "GET", "oauth2/v3/certs"),
        _account_method("oauth2.robot.x509", "robot/v1/metadata/x509"),
        _account_method("oauth2.robot.jwk", "robot/v1/metadata/jwk"),
        _account_method("oauth2.serviceAccounts.x509", "service_accounts/v1/metadata/x509"),
        _account_method("oauth2.serviceAccounts.jwk", "service_accounts/v1/metadata/jwk"),
    ),
    _document(
        "accounts",
        "accounts.google.com",
        _method("oauth2.accounts.token", "POST", "o/oauth2/token"),
        _page_method("oauth2.accounts.auth", "o/oauth2/auth"),
        _page_method("oauth2.accounts.v2.auth", "o/oauth2/v2/auth"),
        _page_method("oauth2.accounts.device", "device"),
        _method("oauth2.accounts.revoke", "POST", "o/oauth2/revoke"),
        _method("oauth2.accounts.revoke.get", "GET", "o/oauth2/revoke"),
    ),
    _document(
        "openidconnect",
        "openidconnect.googleapis.com",
        _method("oauth2.openidconnect.userinfo", "GET", "v1/userinfo"),
    ),
)


DELEGATIONS = "domainWideDelegations"
_COLLECTIONS = (
    Collection(DELEGATIONS, "for which scopes which service accounts may act for users"),
)

API = Api(
    name="oauth",
    documents=(("oauth2", "v2"),),
    handlers=LazyHandlers(__name__),
    collections=_COLLECTIONS,
    import_snapshot=lazy_import(__name__, _COLLECTIONS),
    supplements=SUPPLEMENTS,
    dialect="oauth",
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
    is_public=True,
    is_confidential=True,
)
