"""What a write answers with: the resource, a long-running operation, or nothing."""

from collections.abc import Mapping

from mockserver.apis.generic.completing import link_to
from mockserver.apis.generic.paths import template_of
from mockserver.apis.generic.plans import Plan
from mockserver.apis.generic.shapes import (
    is_new_operation,
    is_old_operation,
    properties,
    wrapped,
)
from mockserver.googleapi import Call, Method, done, start_operation
from mockserver.model import Json, JsonObject
from mockserver.state import rfc3339

_ANY = "*"
_OLD_VERBS = {"create": "insert", "patch": "patch", "update": "update", "delete": "delete"}


def written(plan: Plan, call: Call, path: str, row: JsonObject | None) -> JsonObject | None:
    """Answer a write.

    Args:
        plan: What was done.
        call: The call.
        path: The resource's path.
        row: The resource as it is now; None when it is gone.
    """
    method = plan.method
    if is_new_operation(method.document, method.response):
        return _new_operation(plan, call, path, row)
    if is_old_operation(method.document, method.response):
        return _old_operation(plan, call, path)
    if method.response is None:
        return None
    if row is None or method.response == plan.item:
        return row or {}
    holder = wrapped(method.document, method.response, plan.item)
    return {holder: row} if holder else {}


def _new_operation(plan: Plan, call: Call, path: str, row: JsonObject | None) -> JsonObject:
    document = plan.method.document
    kind = f"type.googleapis.com/google.cloud.{document.name}.{document.version}.{plan.item}"
    ident = call.world.ids.uuid("operation")
    name = _operation_name(plan.method, path, ident)
    outcome = done(name, row, kind)
    return start_operation(call, name, outcome)


def _operation_name(method: Method, path: str, ident: str) -> str:
    """A name that the document's `operations.get` can be asked for, beside the resource."""
    have = path.split("/")
    best = ""
    for each in method.document.methods.values():
        if not each.id.endswith("operations.get") or not template_of(each).startswith("{+"):
            continue
        pattern = next(iter(each.parameters.values())).pattern.strip("^$")
        above = pattern.replace("[^/]+", _ANY).split("/")[:-2]
        fits = len(have) >= len(above) and all(
            want in {got, _ANY} for want, got in zip(above, have, strict=False)
        )
        if fits and len(above) > len(best.split("/")) * bool(best):
            best = "/".join(have[: len(above)])
    return f"{best}/operations/{ident}" if best else f"operations/{ident}"


def _old_operation(plan: Plan, call: Call, path: str) -> JsonObject:
    document, response = plan.method.document, plan.method.response
    known = properties(document, response)
    ident = call.world.ids.hex("operation", 16)
    name = f"operation-{ident}"
    now = rfc3339(call.world.clock.now())
    place: Mapping[str, Json] = {
        each: call.params[each] for each in ("zone", "region") if each in call.params
    }
    target = link_to(plan, path)
    scope = "/".join(path.split("/")[: -1 - plan.depth])
    place_of_it = f"{scope}/operations/{name}"
    fields: Mapping[str, Json] = {
        "kind": known.get("kind", {}).get("default"),
        "id": call.world.ids.digits("operation", 19),
        "name": name,
        "operationType": _OLD_VERBS.get(plan.verb, plan.verb),
        "targetLink": target,
        "targetId": path.rpartition("/")[2],
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
    return start_operation(call, place_of_it, outcome, pending)
