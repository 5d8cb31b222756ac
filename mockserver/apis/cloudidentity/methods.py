"""Methods of the Cloud Identity API's policies; a change answers with a finished operation."""

from collections.abc import Mapping

from mockserver.apis.cloudidentity import POLICIES
from mockserver.apis.cloudidentity.groups import GROUP_HANDLERS
from mockserver.apis.cloudidentity.state import (
    SETTINGS,
    complete_query,
    conflicting_policy,
    is_org_unit,
    next_sort_order,
    policy_test,
    setting_type,
    with_rule_times,
)
from mockserver.collections.selections import Selection
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    Resource,
    Verb,
    bad_fields,
    bare_org_unit,
    crud_handlers,
    duplicate,
    failed_precondition,
    finished_operation,
    forgives,
    nearest,
    own_customer,
)
from mockserver.googleapi.list_rules import ListCall
from mockserver.googleapi.profiles import BARE_SETTING, BARE_SETTING_FILTER
from mockserver.model import JsonObject
from mockserver.state import World, customer_id, org_tree


def _new_policy(call: Call, row: JsonObject) -> JsonObject:
    """A new policy.

    Raises:
        ApiError: 400 with every violation, 403 for another customer, 409 when a policy for the same
            setting and entities is there. The texts are not verified against the live API.
    """
    world, body = call.world, call.body
    customer = own_customer(world, body.get("customer") or "customers/my_customer")
    setting = _read_setting(call)
    query = complete_query(body.get("policyQuery") or {}, "")
    found = [*_setting_violations(setting), *_query_violations(world, query)]
    if found:
        raise bad_fields(found)
    if conflicting_policy(world, setting["type"], query):
        raise duplicate("Requested entity already exists")
    return {
        "name": row["name"],
        "customer": customer,
        "policyQuery": {**query, "sortOrder": next_sort_order(world, setting["type"])},
        "setting": with_rule_times(world, setting),
        "type": "ADMIN",
    }


def _changed_policy(call: Call, before: JsonObject, _: JsonObject) -> JsonObject:
    """A policy with another value of its setting; all else is immutable.

    Raises:
        ApiError: 400 for a system policy, a changed type or query, or a missing value.
    """
    _check_changeable(call, before)
    setting = _read_setting(call)
    setting["type"] = setting["type"] or before["setting"]["type"]
    found = _setting_violations(setting)
    if setting["type"] != before["setting"]["type"]:
        found.append(("policy.setting.type", "The type of a setting is immutable."))
    unit = (call.body.get("policyQuery") or {}).get("orgUnit")
    if unit and f"orgUnits/{bare_org_unit(unit)}" != before.get("policyQuery", {}).get("orgUnit"):
        found.append(("policy.policy_query.org_unit", "The query of a policy is immutable."))
    if found:
        raise bad_fields(found)
    changed = with_rule_times(call.world, setting, before["setting"].get("value"))
    return {**before, "setting": changed}


def _operation(call: Call, verb: Verb, policy: JsonObject) -> JsonObject:
    """A long-running operation that is done. Source: Discovery document."""
    version = call.version or "v1"
    kind = f"type.googleapis.com/google.apps.cloudidentity.policies.{version}.Policy"
    name = f"operations/{call.world.ids.base36('operation', 24)}"
    return finished_operation(name, None if verb == "delete" else policy, kind)


def _read_setting(call: Call) -> JsonObject:
    """The setting of a request; the lenient profile adds a missing `settings/` to its type."""
    given = call.body.get("setting") or {}
    kind = str(given.get("type", ""))
    if setting_type(kind) != kind and forgives(call, BARE_SETTING):
        kind = setting_type(kind)
    return {"type": kind, "value": given.get("value") or {}}


def _setting_violations(setting: JsonObject) -> list[tuple[str, str]]:
    found = []
    kind = setting["type"]
    if not kind.startswith(SETTINGS):
        text = f"Invalid setting type '{kind}': it must start with '{SETTINGS}'."
        found.append(("policy.setting.type", text))
    if not isinstance(setting["value"], dict) or not setting["value"]:
        found.append(("policy.setting.value", "The value of the setting is required."))
    return found


def _query_violations(world: World, query: JsonObject) -> list[tuple[str, str]]:
    if not query.get("query"):
        return [("policy.policy_query", "The policy query is required.")]
    unit = query.get("orgUnit", "")
    if unit and not is_org_unit(world, unit):
        near = nearest(unit.removeprefix("orgUnits/"), org_tree(world).by_id)
        hint = f" Nearest: orgUnits/{near}." if near else ""
        return [("policy.policy_query.org_unit", f"Unknown org unit '{unit}'.{hint}")]
    return []


def _check_changeable(_: Call, policy: JsonObject) -> None:
    if policy.get("type") == "SYSTEM":
        raise failed_precondition("System policies cannot be changed.")


def _filter_policies(asked: ListCall) -> Selection | None:
    call, text = asked.call, asked.call.params.get("filter", "")
    if not text:
        return None
    test = policy_test(text, f"customers/{customer_id(call.world)}")
    found = asked.tested(test, f"filter {text}")
    if not found.places():
        bare = asked.tested(lambda row: test(_without_prefix(row)), f"filter {text}, bare")
        if bare.places() and forgives(call, BARE_SETTING_FILTER):
            return bare
    return found


def _without_prefix(policy: JsonObject) -> JsonObject:
    setting = policy.get("setting", {})
    bare = str(setting.get("type", "")).removeprefix(SETTINGS)
    return {**policy, "setting": {**setting, "type": bare}}


_POLICIES = Resource(
    collection=POLICIES,
    pattern="policies/{policy}",
    list_key="policies",
    page=PageRule(default=50, maximum=100),
    filter=_filter_policies,
    new_id=lambda call: f"ak{call.world.ids.base36('policy', 16)}",
    on_create=_new_policy,
    on_change=_changed_policy,
    on_delete=_check_changeable,
    reply=_operation,
)

HANDLERS: Mapping[str, Handler] = {
    **crud_handlers(_POLICIES, ("cloudidentity.policies",)),
    **GROUP_HANDLERS,
}
