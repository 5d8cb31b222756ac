"""What a write stores and answers: names, ids, times and states of a resource, and the reply."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from hashlib import md5

from mockserver.apis.generic.plans import (
    ACTIONS,
    Plan,
    body_field,
    fill_template,
    is_new_operation,
    is_old_operation,
    kind_of,
    properties,
    quote_segment,
    singular,
    template_of,
    wrapping_field,
)
from mockserver.collections.places import value_at, with_value
from mockserver.googleapi import Call, Method, finished_operation, start_known_operation
from mockserver.googleapi.collections import by_parent
from mockserver.googleapi.scalars import crc32c
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import rfc3339

_PART = re.compile(r"^(add|remove)([A-Z]\w*)$")
CREATE_TIMES = (
    "createTime",
    "creationTimestamp",
    "timeCreated",
    "createdTime",
    "created",
    "insertTime",
)
UPDATE_TIMES = ("updateTime", "modifiedTime", "updated", "lastModifiedTime")
_TIMES = frozenset({"date-time", "google-datetime"})
_READY_STATES = ("ACTIVE", "READY", "RUNNING", "RUNNABLE", "ENABLED", "SUCCEEDED", "DONE")
_LABELS = re.compile(
    r"^(?:\s*(?:Required|Optional|Immutable|Identifier|Output only|Input only)\.)*", re.IGNORECASE
)
_SENTENCE = re.compile(r"^[^.]*")
_LAST_PART = re.compile(r"\bpart of (?:a|the) [\w ]*resource name\b")
_NUMBERS = frozenset({"int64", "uint64"})
_NAMED_BY_NUMBER = frozenset({"compute.firewallPolicies.insert"})
"""What makes resources whose names are numbers that the server gives."""


def _with_path_name(plan: Plan, path: str, row: JsonObject) -> JsonObject:
    """A resource named by its path; a name that the API keeps short stays."""
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


def new_id(plan: Plan, call: Call, parent: str = "") -> str:
    """An id for a resource that none was given for, in the form of its field."""
    if plan.template.endswith("/versions"):
        return str(len(call.world.table(plan.table).find(by_parent(1), (parent,))) + 1)
    path = plan.id_fields[-1] if plan.id_fields else ()
    spec = properties(plan.method.document, plan.item).get(path[0], {}) if path else {}
    if spec.get("format") in _NUMBERS or plan.method.id in _NAMED_BY_NUMBER:
        return call.world.ids.digits(plan.table, 19)
    return call.world.ids.base36(plan.table, 20)


def made_fields(plan: Plan, call: Call, row: JsonObject) -> JsonObject:
    """A new resource with what the server adds: of its media, a state, ids of its own."""
    known = properties(plan.method.document, plan.item)
    row = {**row, **media_fields(plan, call)}
    if "state" in known and "state" not in row:
        ready = next((name for name in _READY_STATES if name in known["state"].get("enum", ())), "")
        row |= {"state": ready} if ready else {}
    if "uid" in known and "uid" not in row:
        row["uid"] = call.world.ids.uuid(plan.table)
    if _is_job(plan) and "status" not in row:
        row["status"] = {"state": "DONE"}
    if known.get("id", {}).get("format") in _NUMBERS and "id" not in row:
        row["id"] = call.world.ids.digits(plan.table, 19)
    return row


def _is_job(plan: Plan) -> bool:
    """Whether resources are work that a client waits for by the state of their status."""
    document = plan.method.document
    status = properties(document, plan.item).get("status", {})
    state = properties(document, status.get("$ref")).get("state", {})
    return "jobReference" in properties(document, plan.item) and state.get("type") == "string"


def with_identity(plan: Plan, path: str, row: JsonObject) -> JsonObject:
    """A resource with what follows from its path: name or id, kind, link."""
    document = plan.method.document
    known = properties(document, plan.item)
    if plan.named:
        row = _with_path_name(plan, path, row)
    last = path.split("/")[-plan.depth :]
    for place, value in zip(plan.id_fields, last, strict=False):
        if place and value_at(row, place) is None:
            text = value.replace("%2F", "/")
            is_number = known.get(".".join(place), {}).get("type") == "integer"
            row = with_value(row, place, int(text) if is_number and text.isdecimal() else text)
    kind = kind_of(known)
    row = {"kind": kind, **row} if kind else row
    if "selfLink" in known and "selfLink" not in row:
        row = {**row, "selfLink": link_to(plan, path)}
    return row


def link_to(plan: Plan, path: str) -> str:
    """The URL of a resource."""
    document = plan.method.document
    base = plan.method.path.partition("{")[0]
    version = base[: len(base) - len(plan.template.partition("{")[0])]
    return f"{document.root_url}{version}{path}"


def media_fields(plan: Plan, call: Call) -> JsonObject:
    """Fields that describe the uploaded media, where the resource's schema has them."""
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
    known = properties(plan.method.document, plan.item)
    if "crc32c" in known:
        told["crc32c"] = b64encode(crc32c(media.content).to_bytes(4, "big")).decode()
    return {name: value for name, value in told.items() if name in known}


def set_fields(plan: Plan, call: Call, row: JsonMapping) -> JsonObject:
    """The fields of a resource that a method sets: `setLabels`, `enable`, `removePeering`."""
    document, tail = plan.method.document, plan.method.id.rpartition(".")[2]
    known = properties(document, plan.item)
    if tail in ACTIONS:
        states = known.get("state", {}).get("enum", ())
        state = next((each for each in ACTIONS[tail] if each in states), "")
        if tail == "destroy" and "destroyTime" in known:
            wait = timedelta(days=_DAYS_BEFORE_DESTRUCTION) if "SCHEDULED" in state else timedelta()
            return {"state": state, "destroyTime": rfc3339(call.world.clock.now() + wait)}
        return {"state": state} if state else {"disabled": tail == "disable"}
    part = _PART.match(tail)
    if part:
        return _list_fields(known, part[1], part[2][0].lower() + part[2][1:], call, row)
    whole = next((n for n, spec in known.items() if spec.get("$ref") == plan.method.request), "")
    if whole:
        return {whole: call.body}
    query = {name: call.params[name] for name in call.params if name not in plan.template}
    sent = {**query, **call.body}
    desired = sent.pop("update", {})
    for name, value in desired.items() if isinstance(desired, dict) else ():
        bare = name.removeprefix("desired")
        sent[bare[0].lower() + bare[1:]] = value
    if tail != "update":
        return {name: value for name, value in sent.items() if name in known and name != "kind"}
    found: JsonObject = {}
    for name, value in sent.items():
        place = _place_of_field(plan, name)
        if len(place) == 1:
            found[place[0]] = value
        elif place:
            above, own = place
            before = found.get(above) or row.get(above) or {}
            inner = value[own] if isinstance(value, dict) and own in value else value
            found[above] = {**before, own: inner}
    return found


@lru_cache(4096)
def _place_of_field(plan: Plan, name: str) -> tuple[str, ...]:
    """Where a resource has what an update calls by a name; empty where nothing tells.

    It is a field, with or without the name of the resource in front (`clusterAutoscaling`), or a
    field of the one object that has it, whose name may be in front (`configNetworkTags`).
    """
    document = plan.method.document
    known = properties(document, plan.item)
    bare = name.removeprefix(plan.item[:1].lower() + plan.item[1:])
    for each in (name, bare[:1].lower() + bare[1:]):
        if each in known:
            return (each,)
    parts = {
        each: properties(document, spec["$ref"]) for each, spec in known.items() if "$ref" in spec
    }
    for each, below in parts.items():
        rest = name.removeprefix(each)
        if rest != name and rest[:1].lower() + rest[1:] in below:
            return each, rest[:1].lower() + rest[1:]
    places = [
        (each, own) for each, below in parts.items() for own in (name, f"{name}s") if own in below
    ]
    return places[0] if len(places) == 1 else ()


def _list_fields(
    known: Mapping[str, JsonMapping], verb: str, stem: str, call: Call, row: JsonMapping
) -> JsonObject:
    """The list of a resource with what `addPeering` adds to it or `removePeering` takes from it."""
    name = next((each for each in (stem, f"{stem}s") if known.get(each, {}).get("items")), "")
    if not name:
        return {}
    before = row.get(name) or []
    several = call.body.get(name)
    one = call.body.get(singular(name)) or call.body
    changed = several if isinstance(several, list) else [one]
    if verb == "add":
        return {name: [*before, *changed]}
    gone = [each.get("name", each) if isinstance(each, dict) else each for each in changed]
    return {
        name: [
            each
            for each in before
            if (each.get("name") if isinstance(each, dict) else each) not in gone
        ]
    }


def time_fields(known: Mapping[str, JsonMapping], names: Sequence[str]) -> tuple[str, ...]:
    """Those of some fields that tell a time in resources of a schema."""
    return tuple(
        name
        for name in names
        if known.get(name, {}).get("type") == "string"
        and (
            known[name].get("format") in _TIMES
            or known[name].get("readOnly")
            or "format" not in known[name]
        )
    )


_NAMED_BY: Mapping[str, tuple[str, str, str]] = {
    "iam.projects.serviceAccounts.create": (
        "accountId",
        r"(.+)",
        r"\1@{projects}.iam.gserviceaccount.com",
    ),
    "spanner.projects.instances.databases.create": (
        "createStatement",
        r"CREATE DATABASE\W+([\w-]+)\W*",
        r"\1",
    ),
    **{
        f"container.projects.{place}.{resource}.create": (field, r"(.+)", r"\1")
        for place in ("locations", "zones")
        for resource, field in (
            ("clusters", "cluster.name"),
            ("clusters.nodePools", "nodePool.name"),
        )
    },
}
"""What names a new resource whose name is in no field of it: a field, its form, and the name."""
_NO_IDS = frozenset({"requestId", "clientOperationId", "customerId", "externalId", "projectId"})
"""Parameters that end like an id of a new resource and are none."""


def name_resource(plan: Plan, call: Call, given: JsonObject) -> tuple[str, JsonObject]:
    """The path of a new resource, and the resource with the name that follows from it."""
    path = fill_template(plan.template, call.params)
    if plan.template.endswith("}") and plan.method.http_method == "PUT":
        return path, given  # a PUT says the new name in its path
    name = str(given.get("name", ""))
    if plan.named and name.startswith(f"{path}/"):
        return name, given
    said = _id_of_table(plan, call, path) or _id_beside_resource(plan, call)
    if said and not plan.named and plan.id_fields[-1]:
        given = with_value(given, plan.id_fields[-1], said)
    ids = [said] if said else _ids_of_resource(plan, call, given)
    return "/".join([path, *map(quote_segment, ids)]), given


def _id_of_table(plan: Plan, call: Call, path: str) -> str:
    if plan.method.id not in _NAMED_BY:
        return ""
    field, form, name = _NAMED_BY[plan.method.id]
    found = re.fullmatch(form, str(value_at(call.body, field.split(".")) or ""))
    if found is None:
        return ""
    return found.expand(name.replace("{projects}", path.split("/")[1]))


def _id_beside_resource(plan: Plan, call: Call) -> str:
    """The id that a request gives beside the resource (`secretId`), or an empty string."""
    return next(
        (value for value in _ids_beside_resource(plan, call) if isinstance(value, str) and value),
        "",
    )


def _ids_beside_resource(plan: Plan, call: Call) -> Iterator[Json]:
    parameters = plan.method.parameters
    query = [name for name in call.params if parameters[name].location == "query"]
    around = call.body if body_field(plan) else {}
    sent = {**around, **{name: call.params[name] for name in query}}
    for name in (*plan.ids, *((plan.id_fields[-1] or ("",))[-1:])):
        yield sent.get(name)
    if not plan.named:
        return
    ids = [name for name in sent if name.endswith("Id") and name not in _NO_IDS]
    yield from (sent[name] for name in ids if _is_id_parameter(plan, name))
    if len(ids) == 1:
        yield sent[ids[0]]
    if "name" in query:
        yield sent["name"]


def _is_id_parameter(plan: Plan, parameter: str) -> bool:
    """Whether a parameter is the id of a plan's resources: `secretId` of `secrets`."""
    stem = parameter.removesuffix("Id").casefold()
    own = (singular(plan.collection).casefold(), plan.item.casefold())
    return any(each.endswith(stem) or stem.endswith(each) for each in own if each)


def _ids_of_resource(plan: Plan, call: Call, given: JsonObject) -> Sequence[str]:
    """The ids in a resource; an id that the server gives is made."""
    told = [value_at(given, place) if place else None for place in plan.id_fields]
    known = properties(plan.method.document, plan.item)
    assigned = plan.named and bool(known.get("name", {}).get("readOnly"))
    if not assigned and all(isinstance(each, str | int) and each != "" for each in told):
        return [str(each) for each in told]
    return [
        *(str(each) for each in told[:-1] if each),
        new_id(plan, call, fill_template(plan.template, call.params)),
    ]


_DAYS_BEFORE_DESTRUCTION = 30
"""Source: Discovery document of KMS, `destroyScheduledDuration`."""
_ANY = "*"
_PLACEHOLDER = re.compile(r"\[\^/\]\+|\{\w+\}")
_EMPTY_WHEN_GONE = frozenset({"dns.managedZones.delete"})
"""Methods whose document has no answer and whose service says `{}`."""


def answer_write(
    plan: Plan, call: Call, path: str, row: JsonObject | None, *, gone: bool = False
) -> JsonObject | None:
    """Answer a write.

    Args:
        plan: What was done.
        call: The call.
        path: The resource's path.
        row: The resource as it is now, or was; None where nothing was changed.
        gone: Whether it is deleted.
    """
    method = plan.method
    if is_new_operation(method.document, method.response):
        return _new_operation(plan, call, path, row, gone=gone)
    if is_old_operation(method.document, method.response):
        return _old_operation(plan, call, path, str((row or {}).get("id") or ""))
    if method.response is None:
        return {} if gone and method.id in _EMPTY_WHEN_GONE else None
    row = None if gone else row
    if row is None or method.response == plan.item:
        return row or {}
    holder = wrapping_field(method.document, method.response, plan.item)
    return {holder: row} if holder else {}


def _new_operation(
    plan: Plan, call: Call, path: str, row: JsonObject | None, *, gone: bool
) -> JsonObject:
    document = plan.method.document
    kind = f"type.googleapis.com/google.cloud.{document.name}.{document.version}.{plan.item}"
    ident = call.world.ids.uuid("operation")
    name = _operation_name(plan.method, path, ident)
    done = finished_operation(name, None if gone else row, kind)
    return start_known_operation(call, plan.method.api, plan.item, path, row, done, {"name": name})


def _operation_name(method: Method, path: str, ident: str) -> str:
    """A name that the document's `operations.get` can be asked for, beside the resource."""
    have = path.split("/")
    best = ""
    for each in method.document.methods.values():
        if not each.id.endswith("operations.get"):
            continue
        pattern = template_of(each)
        if pattern.startswith("{+"):
            pattern = next(iter(each.parameters.values())).pattern.strip("^$")
        above = _PLACEHOLDER.sub(_ANY, pattern).split("/")[:-2]
        fits = len(have) >= len(above) and all(
            want in {got, _ANY} for want, got in zip(above, have, strict=False)
        )
        if fits and len(above) > len(best.split("/")) * bool(best):
            best = "/".join(have[: len(above)])
    return f"{best}/operations/{ident}" if best else f"operations/{ident}"


def _old_operation(plan: Plan, call: Call, path: str, number: str) -> JsonObject:
    document, response = plan.method.document, plan.method.response
    known = properties(document, response)
    is_numbered = known.get("targetId", {}).get("format") in _NUMBERS and number.isdecimal()
    ident = call.world.ids.hex("operation", 16)
    name = f"operation-{ident}"
    now = rfc3339(call.world.clock.now())
    place: Mapping[str, Json] = {
        each: call.params[each] for each in ("zone", "region") if each in call.params
    }
    scope = "/".join(path.split("/")[: -1 - plan.depth])
    named = _operation_name(plan.method, path, name)
    place_of_it = named if named.startswith("projects/") else f"{scope}/operations/{name}"
    fields: Mapping[str, Json] = {
        "kind": kind_of(known) or None,
        "id": call.world.ids.digits("operation", 19),
        "name": name,
        "operationType": plan.method.id.rpartition(".")[2],
        "targetLink": link_to(plan, path),
        "targetId": number if is_numbered else path.rpartition("/")[2],
        "targetProject": call.params.get("project"),
        "user": call.caller.email,
        "insertTime": now,
        "startTime": now,
        "selfLink": link_to(plan, place_of_it),
        **place,
    }
    pending = {key: value for key, value in fields.items() if key in known and value} | {
        "status": "RUNNING"
    }
    if "progress" in known and known["progress"].get("type") == "integer":
        pending["progress"] = 0
    outcome = {**pending, "status": "DONE"}
    if "progress" in pending:
        outcome["progress"] = 100
    if "endTime" in known:
        outcome["endTime"] = now
    return start_known_operation(
        call, plan.method.api, plan.item, path, None, outcome, pending, place=place_of_it
    )
