"""Answers of every Discovery method that conventions explain, over whatever a session holds."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from mockserver.apis.generic.plans import Plan, Verb, fill_template, plan_of
from mockserver.apis.generic.resources import resource_of
from mockserver.apis.generic.synthesis import not_served
from mockserver.apis.generic.writes import set_fields
from mockserver.collections import Store
from mockserver.googleapi import (
    Call,
    Handler,
    Method,
    cancel_operation,
    delete_operation,
    get_policy,
    granted_permissions,
    operations_below,
    poll_operation,
    set_policy,
)
from mockserver.googleapi.collections import (
    ANSWERS_BY_VERB,
    page_answer,
    patch_row,
    selected_rows,
)
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import JsonObject


@lru_cache(8192)
def generic_handler(method: Method) -> Handler:
    """The handler of a method that no emulated API has; it raises 501 for what it cannot tell."""
    plan = plan_of(method)
    if plan.verb in ANSWERS_BY_VERB:
        return partial(ANSWERS_BY_VERB[plan.verb], resource_of(plan))
    return partial(_ANSWERS_BY_VERB[plan.verb], plan)


def _set_fields(plan: Plan, call: Call) -> JsonObject | None:
    given = set_fields(plan, call)
    if not given:
        raise not_served(plan, call)
    call.body = given
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


def _full_name(plan: Plan, call: Call) -> str:
    path = fill_template(plan.template, call.params)
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
    return get_policy(call, _full_name(plan, call))


def _set_policy(plan: Plan, call: Call) -> JsonObject:
    if "policy" not in call.body:
        call.body = {"policy": call.body}
    return set_policy(call, _full_name(plan, call))


def _test_permissions(plan: Plan, call: Call) -> JsonObject:
    if "permissions" in call.params:
        asked = call.params["permissions"]
        return {"permissions": asked if isinstance(asked, list) else [asked]}
    return granted_permissions(call)


def _refuse_custom(plan: Plan, call: Call) -> JsonObject:
    raise not_served(plan, call)


_ANSWERS_BY_VERB: Mapping[Verb, Callable[[Plan, Call], JsonObject | None]] = {
    "set": _set_fields,
    "poll": _poll_operation,
    "operations": _list_operations,
    "forget": _delete_operation,
    "cancel": _cancel_operation,
    "get_policy": _get_policy,
    "set_policy": _set_policy,
    "permissions": _test_permissions,
    "custom": _refuse_custom,
}
