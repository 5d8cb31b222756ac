"""Emulates the metadata server of a machine that the session's service account runs on.

What each path holds, how it is written, and tokens.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

import orjson

from mockserver.googleapi import make_id_token
from mockserver.model import Json, JsonObject
from mockserver.state import World, fixed_digits, home_project, issue_token, service_account_email

SCOPES = (
    "https://www.googleapis.com/auth/cloud-platform",
    "https://www.googleapis.com/auth/userinfo.email",
)
"""What the machine's service account may do, where a client asks for nothing narrower."""

_LIVE_KEYS = ("identity", "token")
"""What stands beside a service account's values and is made anew each time."""

_REGION = "us-central1"


def metadata_values(world: World) -> JsonObject:
    """Everything that does not change, by lowerCamel names as the recursive form has them."""
    project, number = home_project(world)
    account = _account_values(world)
    return {
        "instance": {
            "attributes": {},
            "description": "",
            "hostname": f"agent.{_REGION}-a.c.{project}.internal",
            "id": int(fixed_digits(project, 18)),
            "machineType": f"projects/{number}/machineTypes/e2-medium",
            "name": "agent",
            "region": f"projects/{number}/regions/{_REGION}",
            "serviceAccounts": {"default": account, service_account_email(world): account},
            "tags": [],
            "zone": f"projects/{number}/zones/{_REGION}-a",
        },
        "project": {"attributes": {}, "numericProjectId": int(number), "projectId": project},
        "universe": {"universeDomain": "googleapis.com"},
    }


def service_account(world: World, name: str) -> JsonObject | None:
    """The machine's account, by its address or as `default`; None for any other."""
    return _account_values(world) if name in {"default", service_account_email(world)} else None


def _account_values(world: World) -> JsonObject:
    return {"aliases": ["default"], "email": service_account_email(world), "scopes": list(SCOPES)}


_LIFETIME_S = 3599


def access_token(world: World, scopes: tuple[str, ...]) -> JsonObject:
    """An access token for these scopes, or for the machine's own ones when none is named."""
    email, scopes = service_account_email(world), scopes or SCOPES
    token = issue_token(world, email=email, scopes=scopes, lifetime_s=_LIFETIME_S)
    return {"access_token": token, "expires_in": _LIFETIME_S, "token_type": "Bearer"}


def identity_token(world: World, audience: str, *, full: bool) -> str:
    """An OpenID Connect token for one audience; the full form has the address."""
    email = service_account_email(world)
    return make_id_token(
        audience=audience,
        address=email,
        account_id=fixed_digits(email.casefold(), 21),
        issued=int(world.clock.client_now().timestamp()),
        email=full,
    )


METADATA = "computeMetadata"
METADATA_HOSTS = ("metadata.google.internal", "metadata", "169.254.169.254")
"""Names of the machine that real metadata is asked for at, the usual one first."""

_ROOT = f"/{METADATA}/v1"
_TEXT = b"application/text"
_JSON = b"application/json"
_HTML = b"text/html; charset=UTF-8"
_ACCOUNT = re.compile(rf"{_ROOT}/instance/service-accounts/(?P<account>[^/]+)/(?P<what>[^/]+)")
_WORD = re.compile(r"-([a-z])")
_CAPITAL = re.compile(r"[A-Z]")


class MetadataAnswer(NamedTuple):
    """What is answered.

    Attributes:
        status: The HTTP status.
        content_type: The type of the body.
        body: The body.
        location: Where it is instead, or an empty string.
    """

    status: int
    content_type: bytes
    body: bytes
    location: str = ""


_NOT_FOUND = MetadataAnswer(404, _HTML, b"<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>\n")
_MOVED_PAGE = b"<!DOCTYPE html><title>301 Moved</title>\n"
_TOP_FOLDERS: dict[str, str] = {"/": f"0.1/\n{METADATA}/\n", f"/{METADATA}": "v1/\nv1beta1/\n"}


def method_of(path: str) -> str:
    """What a path is called in journals and faults: `metadata.token`, `.identity` or `.get`.

    >>> method_of("/computeMetadata/v1/instance/service-accounts/default/token")
    'metadata.token'
    """
    match = _ACCOUNT.fullmatch(path.rstrip("/"))
    return f"metadata.{match['what']}" if match and match["what"] in _LIVE_KEYS else "metadata.get"


def read_path(world: World, path: str, query: JsonObject) -> MetadataAnswer:
    """What a path holds.

    Args:
        world: The session's state.
        path: As sent, without the query.
        query: `recursive`, `alt`; `scopes` of a token; `audience` and `format` of an identity.
    """
    bare = unquote(path).rstrip("/")
    top = _TOP_FOLDERS.get(bare or "/")
    if top is not None:
        return MetadataAnswer(200, _TEXT, top.encode())
    live = _ACCOUNT.fullmatch(bare)
    if live and live["what"] in _LIVE_KEYS:
        return _answer_live(world, live["account"], live["what"], query)
    if bare != _ROOT and not bare.startswith(_ROOT + "/"):
        return _NOT_FOUND
    held = _value_at(metadata_values(world), bare.removeprefix(_ROOT).strip("/"))
    if held is None:
        return _NOT_FOUND
    return _answer_value(held, path, query)


def _answer_live(world: World, account: str, key: str, query: JsonObject) -> MetadataAnswer:
    if service_account(world, account) is None:
        return _NOT_FOUND
    if key == "token":
        scopes = tuple(filter(None, str(query.get("scopes") or "").split(",")))
        return MetadataAnswer(200, _JSON, orjson.dumps(access_token(world, scopes)))
    audience = str(query.get("audience") or "")
    if not audience:
        return MetadataAnswer(400, _TEXT, b"non-empty audience parameter required\n")
    token = identity_token(world, audience, full=query.get("format") == "full")
    return MetadataAnswer(200, _HTML, token.encode())


def _value_at(value: Json, path: str) -> Json:
    for step in filter(None, path.split("/")):
        if not isinstance(value, dict):
            return None
        camel = _WORD.sub(lambda hit: hit[1].upper(), step)
        value = value.get(step, value.get(camel))
    return value


def _answer_value(value: Json, path: str, query: JsonObject) -> MetadataAnswer:
    is_folder = isinstance(value, dict)
    if is_folder and not path.endswith("/"):
        # relative, so that a session in the path stays
        return MetadataAnswer(301, _HTML, _MOVED_PAGE, f"{path.rpartition('/')[2]}/")
    recursive = str(query.get("recursive", "")).lower() == "true"
    form = query.get("alt") or ("json" if recursive and is_folder else "text")
    if form == "json" and (recursive or not is_folder):
        return MetadataAnswer(200, _JSON, orjson.dumps(value))
    if is_folder:
        lines = _list_folder(value) if not recursive else _flatten(value, "")
        return MetadataAnswer(200, _TEXT, "".join(f"{line}\n" for line in lines).encode())
    return MetadataAnswer(200, _TEXT, _value_text(value).encode())


def _list_folder(folder: JsonObject) -> list[str]:
    names = [
        _kebab_case(name) + ("/" if isinstance(each, dict) else "") for name, each in folder.items()
    ]
    live = _LIVE_KEYS if "aliases" in folder else ()
    return sorted([*names, *live])


def _flatten(folder: JsonObject, above: str) -> list[str]:
    lines: list[str] = []
    for name, each in folder.items():
        path = f"{above}{_kebab_case(name)}"
        lines += (
            _flatten(each, f"{path}/")
            if isinstance(each, dict)
            else [f"{path} {_value_text(each)}".rstrip("\n")]
        )
    return lines


def _value_text(value: Json) -> str:
    return "".join(f"{item}\n" for item in value) if isinstance(value, list) else str(value)


def _kebab_case(name: str) -> str:
    return name if "@" in name else _CAPITAL.sub(lambda hit: f"-{hit[0].lower()}", name)
