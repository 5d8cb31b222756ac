"""Emulates Secret Manager: versions that are accessed, disabled and destroyed, by number or alias.

Secrets, lists and allow policies are answered by conventions. Source: the API's reference and
recordings; not verified: texts of refusals beside those of what is not there.
"""

from base64 import b64decode
from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    Api,
    ApiError,
    Call,
    Handler,
    by_parent,
    duration_s,
    failed_precondition,
    invalid,
    not_found,
    parent_of,
)
from mockserver.googleapi.facts import known_facts
from mockserver.googleapi.scalars import crc32c
from mockserver.model import JsonObject
from mockserver.state import project_names, rfc3339

_LARGEST = 65536
_OWNERS = ("projects.", "projects.locations.")
_LATER = frozenset(
    {"etag", "replicationStatus", "scheduledDestroyTime", "versionAliases", "versionDestroyTtl"}
)
_VERSIONS = ("v1", "v1beta1", "v1beta2")


def _table(call: Call, name: str) -> str:
    return f"secretmanager:{call.version}/{name}"


def _version(call: Call) -> JsonObject:
    """The version that a call names: by its number, by an alias, or the latest.

    Raises:
        ApiError: 404.
    """
    name = str(call.params["name"])
    secret, last = parent_of(name, 2), name.rpartition("/")[2]
    table = call.world.table(_table(call, "versions"))
    for each in project_names(call.world, secret):
        own = call.world.table(_table(call, "secrets")).get(each) or {}
        number = (own.get("versionAliases") or {}).get(last, last)
        if last == "latest":
            several = table.find(by_parent(2), (each,))
            number = max((int(key.rpartition("/")[2]) for key in several.row_keys()), default=0)
        found = table.get(f"{each}/versions/{number}")
        if found is not None:
            return found
    facts = known_facts(call.world, "secretmanager")
    error = not_found(f"Secret Version [{name}] not found.", name=name)
    raise facts.worded(error, "get", "SecretVersion", call, name)


def _by_number(call: Call) -> JsonObject:
    """Have conventions answer to the number of a version."""
    call.params["name"] = _version(call)["name"]
    return call.answer_by_conventions()


def _in_state(row: JsonObject) -> ApiError:
    name, state = row["name"], row.get("state")
    return failed_precondition(f"Secret Version [{name}] is in {state} state.")


def _check_sum(payload: JsonObject, content: bytes) -> str:
    """The checksum of a content; raises ApiError where the caller says another one."""
    found = str(crc32c(content))
    if str(payload.get("dataCrc32c", found)) != found:
        text = "Payload data CRC32C does not match the data that was received."
        raise invalid(text, location="payload.dataCrc32c")
    return found


def _add(call: Call) -> JsonObject:
    payload = call.body.get("payload") or {}
    content = b64decode(payload.get("data") or "")
    if len(content) > _LARGEST:
        text = f"The payload is {len(content)} bytes, and may be {_LARGEST} at the most."
        raise invalid(text, location="payload.data")
    _check_sum(payload, content)
    return call.answer_by_conventions()


def _access(call: Call) -> JsonObject:
    row = _version(call)
    if row.get("state", "ENABLED") != "ENABLED":
        raise _in_state(row)
    payload = row.get("payload")
    if payload is None:
        text = f"{call.id} needs the payload of {row['name']}, which nothing in this session holds."
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
    content = b64decode(payload.get("data") or "")
    checked = {"dataCrc32c": str(crc32c(content))}
    return {"name": row["name"], "payload": {**checked, **payload}}


def _change_state(call: Call) -> JsonObject:
    row, world = _version(call), call.world
    if row.get("state") == "DESTROYED":
        raise _in_state(row)
    tag = str(call.body.get("etag") or "").strip('"')
    if tag and tag != str(row.get("etag", "")).strip('"'):
        raise failed_precondition(
            "The etag provided in the request does not match the current one."
        )
    call.params["name"] = row["name"]
    secret = world.table(_table(call, "secrets")).get(parent_of(str(row["name"]), 2)) or {}
    table, delay = _table(call, "versions"), str(secret.get("versionDestroyTtl") or "")
    if not call.id.endswith(".destroy"):
        return call.answer_by_conventions()
    if delay:
        at = world.clock.now() + timedelta(seconds=duration_s(delay))
        row = {**row, "state": "DISABLED", "scheduledDestroyTime": rfc3339(at)}
        world.put(table, row["name"], row)
        return {key: each for key, each in row.items() if key not in {"payload", "parent"}}
    answer = call.answer_by_conventions()
    after = dict(world.table(table).rows()[row["name"]])
    after.pop("payload", None)
    world.put(table, row["name"], after)
    return answer


def _create_secret(call: Call) -> JsonObject:
    ttl = str(call.body.pop("ttl", "") or "")
    if ttl:
        at = call.world.clock.now() + timedelta(seconds=duration_s(ttl))
        call.body["expireTime"] = rfc3339(at)
    return call.answer_by_conventions()


def _change_secret(call: Call) -> JsonObject:
    name = str(call.params["name"])
    versions = call.world.table(_table(call, "versions"))
    for alias, number in (call.body.get("versionAliases") or {}).items():
        several = (f"{each}/versions/{number}" for each in project_names(call.world, name))
        if not any(each in versions for each in several):
            text = f"The alias {alias!r} is of version {number}, which does not exist."
            raise invalid(text, location="secret.version_aliases")
    return call.answer_by_conventions()


def _delete_secret(call: Call) -> JsonObject:
    name, table = str(call.params["name"]), _table(call, "versions")
    answer = call.answer_by_conventions()
    for each in project_names(call.world, name):
        for key in call.world.table(table).starting(BY_KEY, f"{each}/versions/").row_keys():
            call.world.delete(table, key)
    return answer


def _of_version(answer: Handler, call: Call) -> JsonObject:
    """What a version of the API says: the oldest knows neither etags nor checksums."""
    found = answer(call) or {}
    if call.version != "v1beta1":
        return found
    kept = {key: each for key, each in found.items() if key not in _LATER}
    if "payload" in kept:
        kept["payload"] = {"data": kept["payload"].get("data", "")}
    return kept


_ANSWERS: Mapping[str, Handler] = {
    "addVersion": _add,
    "create": _create_secret,
    "patch": _change_secret,
    "delete": _delete_secret,
    "versions.get": _by_number,
    "versions.access": _access,
    "versions.enable": _change_state,
    "versions.disable": _change_state,
    "versions.destroy": _change_state,
}
API = Api(
    name="secretmanager",
    documents=tuple(("secretmanager", version) for version in _VERSIONS),
    handlers={
        f"secretmanager.{owner}secrets.{verb}": partial(_of_version, answer)
        for owner in _OWNERS
        for verb, answer in _ANSWERS.items()
    },
    relies=(
        "Rely on: versions by number, alias or `latest`, their states and what each allows, "
        "checksums, delayed destruction. Proof: its client in "
        "`tests/clients/test_google_clients.py`."
    ),
    beside_conventions=True,
)
