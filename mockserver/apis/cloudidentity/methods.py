"""Methods of the Cloud Identity API's policies; a change answers with a finished operation."""

from collections.abc import Mapping, Sequence

from mockserver.apis.cloudidentity.collections import POLICIES
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
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    bad_fields,
    bare_org_unit,
    duplicate,
    failed_precondition,
    forgives,
    list_answer,
    nearest,
    not_found,
    own_customer,
    page,
)
from mockserver.googleapi.profiles import BARE_SETTING, BARE_SETTING_FILTER
from mockserver.model import JsonObject
from mockserver.state import World, customer_id, org_tree

_EMPTY = "type.googleapis.com/google.protobuf.Empty"


def find_policy(call: Call) -> JsonObject:
    """The policy that a call names.

    Raises:
        ApiError: 404; the session has no such policy.
    """
    name = call.params["name"]
    policies = call.world.table(POLICIES)
    found = policies.get(name)
    if found is None:
        raise not_found(name=name, nearest=nearest(name, policies))
    return found


def create_policy(call: Call) -> JsonObject:
    """Answers `policies.create`.

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
    name = f"policies/ak{world.ids.base36('policy', 16)}"
    policy: JsonObject = {
        "name": name,
        "customer": customer,
        "policyQuery": {**query, "sortOrder": next_sort_order(world, setting["type"])},
        "setting": with_rule_times(world, setting),
        "type": "ADMIN",
    }
    world.put(POLICIES, name, policy)
    return _operation(call, policy)


def patch_policy(call: Call) -> JsonObject:
    """Answers `policies.patch`: the setting's value is replaced, all else is immutable.

    Raises:
        ApiError: 404; 400 for a system policy, a changed type or query, or a missing value.
    """
    before = find_policy(call)
    _check_changeable(before)
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
    policy = {
        **before,
        "setting": with_rule_times(call.world, setting, before["setting"].get("value")),
    }
    call.world.put(POLICIES, before["name"], policy)
    return _operation(call, policy)


def delete_policy(call: Call) -> JsonObject:
    """Answers `policies.delete`.

    Raises:
        ApiError: 404; 400 for a system policy.
    """
    policy = find_policy(call)
    _check_changeable(policy)
    call.world.delete(POLICIES, policy["name"])
    return _operation(call, None)


def _operation(call: Call, policy: JsonObject | None) -> JsonObject:
    """A long-running operation that is done. Source: Discovery document."""
    version = call.version or "v1"
    kind = f"type.googleapis.com/google.apps.cloudidentity.policies.{version}.Policy"
    return {
        "name": f"operations/{call.world.ids.base36('operation', 24)}",
        "done": True,
        "response": {"@type": _EMPTY} if policy is None else {"@type": kind, **policy},
    }


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


def _check_changeable(policy: JsonObject) -> None:
    if policy.get("type") == "SYSTEM":
        text = "System policies cannot be changed."
        raise failed_precondition(text)


_PAGES = PageRule(default=50, maximum=100)


def _list_policies(call: Call) -> JsonObject:
    found: Sequence[JsonObject] = call.world.table(POLICIES).in_order()
    text = call.params.get("filter", "")
    if text:
        found = _filter_policies(call, text, found)
    policies, token = page(call, found, _PAGES)
    return list_answer("policies", policies, token)


def _filter_policies(call: Call, text: str, policies: Sequence[JsonObject]) -> Sequence[JsonObject]:
    test = policy_test(text, f"customers/{customer_id(call.world)}")
    found = [policy for policy in policies if test(policy)]
    if not found:
        bare = [policy for policy in policies if test(_without_prefix(policy))]
        if bare and forgives(call, BARE_SETTING_FILTER):
            return bare
    return found


def _without_prefix(policy: JsonObject) -> JsonObject:
    setting = policy.get("setting", {})
    bare = str(setting.get("type", "")).removeprefix(SETTINGS)
    return {**policy, "setting": {**setting, "type": bare}}


HANDLERS: Mapping[str, Handler] = {
    "cloudidentity.policies.list": _list_policies,
    "cloudidentity.policies.get": find_policy,
    "cloudidentity.policies.create": create_policy,
    "cloudidentity.policies.patch": patch_policy,
    "cloudidentity.policies.delete": delete_policy,
    **GROUP_HANDLERS,
}
