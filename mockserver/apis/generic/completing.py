"""What a server adds to a resource: ids, links, times, states, as far as its schema has them."""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import md5

from mockserver.apis.generic.plans import Plan
from mockserver.apis.generic.rows import at, with_value
from mockserver.apis.generic.shapes import properties
from mockserver.googleapi import Call, etag
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import rfc3339

_CREATED = (
    "createTime",
    "creationTimestamp",
    "timeCreated",
    "createdTime",
    "created",
    "insertTime",
)
_CHANGED = ("updateTime", "modifiedTime", "updated", "lastModifiedTime")
_TIMES = frozenset({"date-time", "google-datetime"})
_READY = ("ACTIVE", "READY", "RUNNING", "RUNNABLE", "ENABLED", "SUCCEEDED", "DONE")
_LABELS = re.compile(
    r"^(?:\s*(?:Required|Optional|Immutable|Identifier|Output only|Input only)\.)*", re.IGNORECASE
)
_SENTENCE = re.compile(r"^[^.]*")
_LAST_PART = re.compile(r"\bpart of (?:a|the) [\w ]*resource name\b")
_NUMBERS = frozenset({"int64", "uint64"})


def _with_name(plan: Plan, path: str, row: JsonObject) -> JsonObject:
    """A resource with the name that its path tells; one that its API keeps short stays."""
    if "name" not in properties(plan.method.document, plan.item):
        return row
    if row.get("name") and keeps_short_names(plan):
        return row
    return {"name": path, **{key: value for key, value in row.items() if key != "name"}}


@lru_cache(2048)
def keeps_short_names(plan: Plan) -> bool:
    """Whether resources bear the last part of their path as `name`, as sinks of logs do.

    Documents say it in words alone: such a name has no form of a path, or is the last part of one.
    """
    spec = properties(plan.method.document, plan.item).get("name", {})
    text = _LABELS.sub("", str(spec.get("description", "")))
    first = _SENTENCE.match(text)
    about = first[0] if first else ""
    if not about.strip() or spec.get("readOnly") or "resource name" in about.casefold():
        return False
    return bool(_LAST_PART.search(text)) or f"{plan.collection}/" not in text


def new_id(plan: Plan, call: Call) -> str:
    """An id for a resource that none was given for, in the form of its field."""
    path = plan.id_fields[-1] if plan.id_fields else ()
    spec = properties(plan.method.document, plan.item).get(path[0], {}) if path else {}
    if spec.get("format") in _NUMBERS:
        return call.world.ids.digits(plan.table, 19)
    return call.world.ids.base36(plan.table, 20)


def created(plan: Plan, call: Call, path: str, given: JsonObject) -> JsonObject:
    """A new resource as the server answers it.

    Args:
        plan: What made it.
        call: The call.
        path: Where it will be read.
        given: The caller's fields.
    """
    row = identified(plan, path, given)
    known = properties(plan.method.document, plan.item)
    now = rfc3339(call.world.clock.now())
    row = {**row, **_of_media(known, call), **_times(known, (*_CREATED, *_CHANGED), row, now)}
    if "state" in known and "state" not in row:
        ready = next((name for name in _READY if name in known["state"].get("enum", ())), "")
        row |= {"state": ready} if ready else {}
    if "uid" in known and "uid" not in row:
        row["uid"] = call.world.ids.uuid(plan.table)
    if _is_job(plan) and "status" not in row:
        row["status"] = {"state": "DONE"}
    if known.get("id", {}).get("format") in _NUMBERS and "id" not in row:
        row["id"] = call.world.ids.digits(plan.table, 19)
    return tagged(known, row)


def _is_job(plan: Plan) -> bool:
    """Whether resources are work that a client waits for by the state of their status."""
    document = plan.method.document
    status = properties(document, plan.item).get("status", {})
    state = properties(document, status.get("$ref")).get("state", {})
    return "jobReference" in properties(document, plan.item) and state.get("type") == "string"


def changed(plan: Plan, call: Call, row: JsonObject) -> JsonObject:
    """A changed resource as the server answers it."""
    known = properties(plan.method.document, plan.item)
    now = rfc3339(call.world.clock.now())
    kept = {name: value for name, value in row.items() if name not in _CHANGED}
    times = _times(known, _CHANGED, kept, now)
    return tagged(known, {**row, **_of_media(known, call), **times})


def identified(plan: Plan, path: str, row: JsonObject) -> JsonObject:
    """A resource with what its path tells: name or id, kind, link."""
    document = plan.method.document
    known = properties(document, plan.item)
    if plan.named:
        row = _with_name(plan, path, row)
    last = path.split("/")[-plan.depth :]
    for place, value in zip(plan.id_fields, last, strict=False):
        if place and at(row, place) is None:
            row = with_value(row, place, value.replace("%2F", "/"))
    if "kind" in known and "default" in known["kind"]:
        row = {"kind": known["kind"]["default"], **row}
    if "selfLink" in known and "selfLink" not in row:
        row = {**row, "selfLink": link_to(plan, path)}
    return row


def link_to(plan: Plan, path: str) -> str:
    """The URL of a resource."""
    document = plan.method.document
    base = plan.method.path.partition("{")[0]
    version = base[: len(base) - len(plan.template.partition("{")[0])]
    return f"{document.root_url}{version}{path}"


def _of_media(known: Mapping[str, JsonMapping], call: Call) -> JsonObject:
    """What a resource says of the media that were uploaded with it, where its schema has that."""
    media = call.media
    if media is None:
        return {}
    digest = md5(media.content, usedforsecurity=False)
    told = {
        "size": str(len(media.content)),
        "mimeType": call.body.get("mimeType") or media.content_type,
        "contentType": call.body.get("contentType") or media.content_type,
        "md5Checksum": digest.hexdigest(),
        "md5Hash": b64encode(digest.digest()).decode(),
    }
    return {name: value for name, value in told.items() if name in known}


def tagged(known: Mapping[str, JsonMapping], row: JsonObject) -> JsonObject:
    """A resource with a fresh etag, where its schema has one."""
    if known.get("etag", {}).get("type") != "string":
        return row
    return {**row, "etag": etag(row)}


def _times(
    known: Mapping[str, JsonMapping], names: tuple[str, ...], row: JsonObject, now: str
) -> JsonObject:
    return {
        name: now
        for name in names
        if name not in row
        and name in known
        and known[name].get("type") == "string"
        and (
            known[name].get("format") in _TIMES
            or known[name].get("readOnly")
            or "format" not in known[name]
        )
    }
