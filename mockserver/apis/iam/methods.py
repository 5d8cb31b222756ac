"""Keys of service accounts and what is signed with them, and custom roles.

All keys are the one that this server signs with, under names of their own, so that its other APIs
know what they sign. Roles that are deleted stay for a while, and can be restored. Source: the
reference of IAM; texts of refusals are not verified.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping

import orjson

from mockserver.collections import Index
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    bad_fields,
    by_parent,
    failed_precondition,
    list_answer,
    make_jwt,
    not_found,
    page,
    parent_of,
    require_row,
    signing_key,
)
from mockserver.model import JsonObject
from mockserver.state import fixed_digits, project_names, rfc3339

_ROLES = "iam:v1/roles"
_PAGES = PageRule(default=300, maximum=1000)
_THERE = Index(lambda key, row: () if row.get("deleted") else ((parent_of(key, 2),),))


def _role(call: Call) -> JsonObject:
    """The role that a call names; raises ApiError: 404."""
    name = str(call.params["name"])
    text = f"The role named {name} was not found."
    return require_row(call.world, _ROLES, name, text)


def _list(call: Call) -> JsonObject:
    index = by_parent(2) if call.params.get("showDeleted") else _THERE
    names = project_names(call.world, str(call.params["parent"]))
    table = call.world.table(_ROLES)
    found = [table.find(index, (name,)) for name in dict.fromkeys(names)]
    rows, token = page(call, next((each for each in found if len(each)), found[0]), _PAGES)
    if call.params.get("view") != "FULL":
        rows = [{k: v for k, v in row.items() if k != "includedPermissions"} for row in rows]
    return list_answer("roles", rows, token)


def _delete(call: Call) -> JsonObject:
    row = _role(call)
    if row.get("deleted"):
        raise failed_precondition(f"The role {row['name']} is already deleted.")
    call.world.put(_ROLES, row["name"], {**row, "deleted": True})
    return {**row, "deleted": True}


def _undelete(call: Call) -> JsonObject:
    row = _role(call)
    if not row.get("deleted"):
        raise failed_precondition(f"The role {row['name']} is not deleted.")
    row = {name: each for name, each in row.items() if name != "deleted"}
    call.world.put(_ROLES, row["name"], row)
    return row


ROLE_HANDLERS: Mapping[str, Handler] = {
    f"iam.{owner}.roles.{verb}": answer
    for owner in ("projects", "organizations")
    for verb, answer in (("list", _list), ("delete", _delete), ("undelete", _undelete))
}


_KEYS = "iam:v1/keys"
_NEVER = "9999-12-31T23:59:59Z"


def _account(call: Call, name: str) -> str:
    """The name of the account that is named, which exists; raises ApiError: 404."""
    email = name.rpartition("/")[2]
    account = call.ask("iam.projects.serviceAccounts.get", {"name": name})
    return str(account.get("name") or f"projects/-/serviceAccounts/{email}")


def _create(call: Call) -> JsonObject:
    account = _account(call, str(call.params["name"]))
    kind = call.body.get("privateKeyType") or "TYPE_GOOGLE_CREDENTIALS_FILE"
    if kind == "TYPE_UNSPECIFIED":
        kind = "TYPE_GOOGLE_CREDENTIALS_FILE"
    if kind != "TYPE_GOOGLE_CREDENTIALS_FILE":
        raise bad_fields([("private_key_type", "Only files of JSON are emulated.")])
    ident, email = call.world.ids.hex("iam/key", 40), account.rpartition("/")[2]
    row: JsonObject = {
        "name": f"{account}/keys/{ident}",
        "validAfterTime": rfc3339(call.world.clock.now()),
        "validBeforeTime": _NEVER,
        "keyAlgorithm": "KEY_ALG_RSA_2048",
        "keyOrigin": "GOOGLE_PROVIDED",
        "keyType": "USER_MANAGED",
    }
    call.world.put(_KEYS, row["name"], row)
    content = {
        "type": "service_account",
        "project_id": account.split("/")[1],
        "private_key_id": ident,
        "private_key": signing_key().pem,
        "client_email": email,
        "client_id": fixed_digits(email.casefold(), 21),
        "auth_uri": "https://accounts.google.com/o/oauth2/auth",
        "token_uri": "https://oauth2.googleapis.com/token",
        "universe_domain": "googleapis.com",
    }
    text = b64encode(orjson.dumps(content, option=orjson.OPT_INDENT_2)).decode()
    return {**row, "privateKeyType": kind, "privateKeyData": text}


def _get(call: Call) -> JsonObject:
    name = str(call.params["name"])
    account = _account(call, parent_of(name, 2))
    row = call.world.table(_KEYS).get(f"{account}/keys/{name.rpartition('/')[2]}")
    if row is None:
        raise not_found(f"Key {name.rpartition('/')[2]} does not exist.", name=name)
    if call.params.get("publicKeyType") == "TYPE_X509_PEM_FILE":
        return {**row, "publicKeyData": b64encode(signing_key().certificate.encode()).decode()}
    return row


def _sign_blob(call: Call) -> JsonObject:
    _account(call, str(call.params["name"]))
    key, content = signing_key(), b64decode(str(call.body.get("bytesToSign") or ""))
    return {"keyId": key.id, "signature": b64encode(key.sign(content)).decode()}


def _sign_jwt(call: Call) -> JsonObject:
    _account(call, str(call.params["name"]))
    try:
        claims = orjson.loads(str(call.body.get("payload") or ""))
    except orjson.JSONDecodeError:
        claims = None
    if not isinstance(claims, dict):
        raise bad_fields([("payload", "payload must be a JSON object of claims")])
    return {"keyId": signing_key().id, "signedJwt": make_jwt(claims)}


_ACCOUNTS = "iam.projects.serviceAccounts"
KEY_HANDLERS: Mapping[str, Handler] = {
    f"{_ACCOUNTS}.keys.create": _create,
    f"{_ACCOUNTS}.keys.get": _get,
    f"{_ACCOUNTS}.signBlob": _sign_blob,
    f"{_ACCOUNTS}.signJwt": _sign_jwt,
}
