"""Methods of the Cloud Identity policies API: Discovery id to handler."""

from collections.abc import Mapping, Sequence

from mockserver.apis.cloudidentity.changes import create, delete, find_policy, patch
from mockserver.apis.cloudidentity.filters import policy_test
from mockserver.apis.cloudidentity.groups import GROUP_HANDLERS
from mockserver.apis.cloudidentity.state import POLICIES, SETTINGS, in_order
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    forgives,
    page,
)
from mockserver.googleapi.profiles import BARE_SETTING_FILTER
from mockserver.model import JsonObject
from mockserver.state import customer_id

_PAGES = PageRule(default=50, maximum=100)


def _list(call: Call) -> JsonObject:
    found: Sequence[JsonObject] = call.world.table(POLICIES).derived(in_order)
    text = call.params.get("filter", "")
    if text:
        found = _filtered(call, text, found)
    policies, token = page(call, found, _PAGES)
    answer: JsonObject = {"policies": list(policies)} if policies else {}
    if token:
        answer["nextPageToken"] = token
    return answer


def _filtered(call: Call, text: str, policies: Sequence[JsonObject]) -> Sequence[JsonObject]:
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
    "cloudidentity.policies.list": _list,
    "cloudidentity.policies.get": find_policy,
    "cloudidentity.policies.create": create,
    "cloudidentity.policies.patch": patch,
    "cloudidentity.policies.delete": delete,
    **GROUP_HANDLERS,
}
