"""Answers of every Discovery method that conventions explain, over whatever a session holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from mockserver.apis.generic.plans import (
    Plan,
    Verb,
    custom_verb,
    fill_template,
    kind_of,
    path_of_link,
    plan_of,
    properties,
)
from mockserver.apis.generic.resources import (
    PathResource,
    is_served,
    resource_of,
    with_own_customer,
)
from mockserver.apis.generic.single_methods import OF_ONE_METHOD
from mockserver.apis.generic.synthesis import not_served
from mockserver.apis.generic.writes import answer_write, set_fields
from mockserver.collections import Store
from mockserver.googleapi import (
    Call,
    Events,
    Handler,
    Method,
    cancel_operation,
    close_channel,
    delete_operation,
    get_policy,
    granted_permissions,
    not_found,
    open_channel,
    operations_below,
    poll_operation,
    set_policy,
    watch_address,
)
from mockserver.googleapi.collections import ANSWERS_BY_VERB, page_answer, patch_row, selected_rows
from mockserver.googleapi.facts import known_facts
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import project_names

_USUAL = Events(removed="exists")  # of a collection, which is there still
_EVENTS: Mapping[str, Events] = {
    "storage.objects.watchAll": Events(),
    "drive.files.watch": Events(
        added="add",
        changed="update",
        removed="remove",
        flags={"trashed": ("trash", "untrash")},
        aspects={
            "md5Checksum": "content",
            "size": "content",
            "name": "properties",
            "title": "properties",
            "description": "properties",
            "properties": "properties",
            "appProperties": "properties",
            "parents": "parents",
            "permissions": "permissions",
        },
        seconds=3600,
    ),
    "drive.changes.watch": Events(
        added="change", changed="change", removed="change", kind="drive#changes", seconds=3600
    ),
}
"""What methods call changes, where that is not whether a resource exists."""
_TOLD_BY = {"drive.changes.watch": "files"}
"""Collections whose changes are those of another one."""


def _watch_rows(plan: Plan, call: Call) -> JsonObject:
    """Answers `watch`: of one resource that is there, or of a collection.

    Raises:
        ApiError: 404: there is no such resource; 501: the session holds nothing of the API.
    """
    resource, method = resource_of(plan), plan.method
    place = fill_template(plan.template, call.params).rpartition("/")[0]
    table, other = plan.table, _TOLD_BY.get(method.id, "")
    if other:
        place, table = other, f"{plan.document_key}/{other}"
    elif plan.template.removesuffix(f"/{method.id.rpartition('.')[2]}").endswith("}"):
        found = resource.find(call.world, place)
        if found is None:
            raise resource.missing_error(call, place)
        place = found[0]
    elif not is_served(plan, call.world):
        raise not_served(plan, call)
    path = fill_template(method.path, call.params).rpartition("/")[0]
    events = _EVENTS.get(method.id, _USUAL)
    return open_channel(call, events, table, place, watch_address(call, path))


def _stop_watch(_: Plan, call: Call) -> None:
    close_channel(call)


_MADE_BY_PATCH = frozenset({"servicenetworking"})
"""Documents whose resources are made by the change of one that is not there, too."""
_EVERYTHING_IS_THERE = frozenset({"serviceusage"})
"""Documents whose resources nobody makes: every project has every service."""


@lru_cache(8192)
def generic_handler(method: Method) -> Handler:
    """The handler of a method that no emulated API has; it raises 501 for what it cannot tell."""
    plan = plan_of(method)
    own = OF_ONE_METHOD.get(method.id)
    if own is not None:
        return partial(own, plan)
    if plan.verb == "patch" and method.api in _MADE_BY_PATCH:
        return partial(_patch_or_create, plan)
    if plan.is_single:
        return partial(_on_single, plan)
    if plan.verb in ANSWERS_BY_VERB:
        return partial(_answer_standard, plan)
    return partial(_ANSWERS_BY_VERB[plan.verb], plan)


@dataclass(frozen=True)
class MethodConventions:
    """What the conventions of its document make of a method.

    Attributes:
        method: The method.
    """

    method: Method

    def __call__(self, call: Call) -> JsonObject | None:
        """Answer a call of it; raises ApiError."""
        return generic_handler(self.method)(call)

    def resource(self, method_id: str = "") -> PathResource:
        """The collection that it is about, or another method of its document."""
        methods = self.method.document.methods
        return resource_of(plan_of(methods[method_id] if method_id else self.method))


def _answer_standard(plan: Plan, call: Call) -> JsonObject | None:
    call.params.update(with_own_customer(plan, call))
    return ANSWERS_BY_VERB[plan.verb](resource_of(plan), call)


def _set_fields(plan: Plan, call: Call) -> JsonObject | None:
    resource = resource_of(plan)
    name = resource.name_in(call)
    found = resource.find(call.world, name)
    if found is None and plan.method.api in _EVERYTHING_IS_THERE:
        found = name, resource.named_row(name, resource.with_facts(call, name, {}))
        call.world.put(resource.collection, *found)
    if found is None:
        raise resource.missing_error(call, name)
    given = set_fields(plan, call, found[1])
    if not given:
        raise not_served(plan, call)
    for name, value in given.items():
        for each in value if isinstance(value, list) else ():
            if each not in (found[1].get(name) or ()):
                _require_named(plan, call, each)
    call.body = given
    return patch_row(resource, call)


def _require_named(plan: Plan, call: Call, named: Json) -> None:
    """Refuse to add what is named by a path or a link to nothing, in a collection of the session.

    Raises:
        ApiError: 404.
    """
    if not isinstance(named, str) or named.count("/") < 3:
        return
    path = path_of_link(named) or named
    table = call.world.table(f"{plan.document_key}/{path.split('/')[-2]}")
    if not any(each in table for each in project_names(call.world, path)):
        error = not_found(name=path)
        raise known_facts(call.world, plan.method.api).worded(error, "get", plan.item, call, path)


def _start_only(plan: Plan, call: Call) -> JsonObject | None:
    return answer_write(plan, call, resource_of(plan).name_in(call), None)


def _on_single(plan: Plan, call: Call) -> JsonObject | None:
    """Answers for something of which a parent always has one."""
    resource = resource_of(plan)
    name = resource.name_in(call)
    if resource.find(call.world, name) is None:
        row = resource.with_facts(call, name, {})
        if not row:
            raise resource.missing_error(call, name)
        if plan.verb == "get":
            return row
        call.world.put(resource.collection, name, row)
    return ANSWERS_BY_VERB[plan.verb](resource, call)


def _patch_or_create(plan: Plan, call: Call) -> JsonObject | None:
    call.params["allowMissing"] = True
    return patch_row(resource_of(plan), call)


def _poll_operation(plan: Plan, call: Call) -> JsonObject:
    return poll_operation(call, fill_template(plan.template, call.params).removesuffix("/wait"))


def _list_operations(plan: Plan, call: Call) -> JsonObject:
    parent = fill_template(plan.template, call.params).removesuffix("operations").removesuffix("/")
    found = enumerate(operations_below(call.world, parent))
    asked = ListCall(call, Store((str(number), row) for number, row in found))
    resource = resource_of(plan)
    return page_answer(resource, call, selected_rows(resource, asked))


def _delete_operation(plan: Plan, call: Call) -> JsonObject | None:
    call.params["name"] = fill_template(plan.template, call.params)
    delete_operation(call)
    return None if plan.method.response is None else {}


def _cancel_operation(plan: Plan, call: Call) -> JsonObject:
    call.params["name"] = fill_template(plan.template, call.params)
    return cancel_operation(call)


def full_name_of_policy(plan: Plan, params: JsonMapping) -> str:
    """The full name of the resource whose policy a method reads, writes or tests."""
    path = fill_template(plan.template, params)
    for end in (
        "/testPermissions",
        "/testIamPermissions",
        "/getIamPolicy",
        "/setIamPolicy",
        "/iam",
    ):
        path = path.removesuffix(end)
    return f"//{plan.method.document.host}/{path}"


def _get_policy(plan: Plan, call: Call) -> JsonObject:
    kind = kind_of(properties(plan.method.document, plan.method.response))
    policy = get_policy(call, full_name_of_policy(plan, call.params))
    return {"kind": kind, **policy} if kind else policy


def _set_policy(plan: Plan, call: Call) -> JsonObject:
    if "policy" not in call.body:
        call.body = {"policy": call.body}
    return set_policy(call, full_name_of_policy(plan, call.params))


def _test_permissions(plan: Plan, call: Call) -> JsonObject:
    if "permissions" in call.params:
        asked = call.params["permissions"]
        call.body = {"permissions": asked if isinstance(asked, list) else [asked]}
    return granted_permissions(call, full_name_of_policy(plan, call.params))


def _refuse_custom(plan: Plan, call: Call) -> JsonObject:
    """Refuse what is not emulated; a resource that is not there is missing, whatever is asked."""
    path = fill_template(plan.template, call.params)
    resource = resource_of(plan)
    own = path if custom_verb(plan.method) else path.rpartition("/")[0]
    is_own = plan.template.removesuffix(f"/{plan.method.id.rpartition('.')[2]}").endswith("}")
    names_result = any(each.startswith("destination") for each in plan.method.parameters)
    is_kept = is_own and not names_result and len(call.world.table(resource.collection))
    if is_kept and plan.ids and resource.find(call.world, own) is None:
        raise resource.missing_error(call, own)
    raise not_served(plan, call)


_ANSWERS_BY_VERB: Mapping[Verb, Callable[[Plan, Call], JsonObject | None]] = {
    "set": _set_fields,
    "start": _start_only,
    "poll": _poll_operation,
    "operations": _list_operations,
    "forget": _delete_operation,
    "cancel": _cancel_operation,
    "get_policy": _get_policy,
    "set_policy": _set_policy,
    "permissions": _test_permissions,
    "watch": _watch_rows,
    "unwatch": _stop_watch,
    "custom": _refuse_custom,
}
