"""Names of new resources: what the client chose, wherever its API lets it say so, else a made one.

An API lets a client say a name in the path of a PUT, in a parameter beside the resource
(`secretId`, `name` of an upload), in a field of the body around the resource, or in the resource.
"""

from collections.abc import Iterator, Sequence

from mockserver.apis.generic.completing import new_id
from mockserver.apis.generic.paths import fill, quoted
from mockserver.apis.generic.plans import Plan, body_field, singular
from mockserver.apis.generic.rows import at, with_value
from mockserver.apis.generic.shapes import properties
from mockserver.googleapi import Call
from mockserver.model import Json, JsonObject

_NO_IDS = frozenset({"requestId", "clientOperationId", "customerId", "externalId", "projectId"})
"""Parameters that end like an id of a new resource and are none."""


def named(plan: Plan, call: Call, given: JsonObject) -> tuple[str, JsonObject]:
    """The path where a new resource will be read, and the resource with the name that this tells.

    Args:
        plan: What makes it.
        call: The call.
        given: The caller's fields.
    """
    path = fill(plan.template, call.params)
    if plan.template.endswith("}") and plan.method.http_method == "PUT":
        return path, given  # a PUT says the new name in its path
    name = str(given.get("name", ""))
    if plan.named and name.startswith(f"{path}/"):
        return name, given
    said = _said(plan, call)
    if said and not plan.named and plan.id_fields[-1]:
        given = with_value(given, plan.id_fields[-1], said)
    ids = [said] if said else _told(plan, call, given)
    return "/".join([path, *map(quoted, ids)]), given


def _said(plan: Plan, call: Call) -> str:
    """The id that a request gives beside the resource (`secretId`), or an empty string."""
    return next((value for value in _beside(plan, call) if isinstance(value, str) and value), "")


def _beside(plan: Plan, call: Call) -> Iterator[Json]:
    parameters = plan.method.parameters
    query = [name for name in call.params if parameters[name].location == "query"]
    around = call.body if body_field(plan) else {}
    sent = {**around, **{name: call.params[name] for name in query}}
    for name in (*plan.ids, *((plan.id_fields[-1] or ("",))[-1:])):
        yield sent.get(name)
    if not plan.named:
        return
    ids = [name for name in sent if name.endswith("Id") and name not in _NO_IDS]
    yield from (sent[name] for name in ids if _is_of(plan, name))
    if len(ids) == 1:
        yield sent[ids[0]]
    if "name" in query:
        yield sent["name"]


def _is_of(plan: Plan, parameter: str) -> bool:
    """Whether a parameter is the id of a plan's resources: `secretId` of `secrets`."""
    stem = parameter.removesuffix("Id").casefold()
    own = (singular(plan.collection).casefold(), plan.item.casefold())
    return any(each.endswith(stem) or stem.endswith(each) for each in own if each)


def _told(plan: Plan, call: Call, given: JsonObject) -> Sequence[str]:
    """The ids that a resource itself says; those that the server gives are made."""
    told = [at(given, place) if place else None for place in plan.id_fields]
    known = properties(plan.method.document, plan.item)
    assigned = plan.named and bool(known.get("name", {}).get("readOnly"))
    if not assigned and all(isinstance(each, str | int) and each != "" for each in told):
        return [str(each) for each in told]
    return [*(str(each) for each in told[:-1] if each), new_id(plan, call)]
