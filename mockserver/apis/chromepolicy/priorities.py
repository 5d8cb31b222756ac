"""The order in which groups' values of one app take precedence."""

from mockserver.apis.chromepolicy.schemas import namespace
from mockserver.apis.chromepolicy.state import POLICIES, PRIORITIES
from mockserver.apis.chromepolicy.targets import Keys
from mockserver.googleapi import Call, bad_fields, own_customer
from mockserver.model import JsonObject
from mockserver.state import World


def list_ordering(call: Call) -> JsonObject:
    """Answers `groups.listGroupPriorityOrdering`; without an order set, the order of the values.

    Raises:
        ApiError: 400; no app, or no schema or namespace.
    """
    own_customer(call.world, call.params["customer"])
    keys, about = _subject(call)
    echoed = {
        name: call.body[name]
        for name in ("policyTargetKey", "policyNamespace", "policySchema")
        if call.body.get(name)
    }
    return {**echoed, "groupIds": _ordered(call.world, keys, about)}


def update_ordering(call: Call) -> JsonObject:
    """Answers `groups.updateGroupPriorityOrdering`.

    Raises:
        ApiError: 400; no app, no schema or namespace, or not exactly the groups that have values.
    """
    own_customer(call.world, call.params["customer"])
    keys, about = _subject(call)
    wanted = call.body.get("groupIds") or []
    if sorted(wanted) != sorted(_ordered(call.world, keys, about)):
        text = "The list must have every group with a value for this app exactly once."
        raise bad_fields([("group_ids", text)])
    call.world.put(PRIORITIES, _key(keys, about), {"groupIds": list(wanted)})
    return {}


def _subject(call: Call) -> tuple[Keys, str]:
    extra = call.body.get("policyTargetKey", {}).get("additionalTargetKeys") or {}
    about = call.body.get("policySchema") or call.body.get("policyNamespace") or ""
    if not extra:
        text = "The target app is required."
        raise bad_fields([("policy_target_key.additional_target_keys", text)])
    if not about:
        raise bad_fields([("policy_namespace", "A policy namespace or schema is required.")])
    return tuple(sorted(extra.items())), about


def _key(keys: Keys, about: str) -> str:
    return f"{about}|" + ",".join(f"{name}={value}" for name, value in keys)


def _ordered(world: World, keys: Keys, about: str) -> list[str]:
    stored = world.table(PRIORITIES).get(_key(keys, about)) or {}
    order = stored.get("groupIds", [])
    have = []
    for row in world.table(POLICIES).rows().values():
        target, schema = row["policyTargetKey"], row["value"]["policySchema"]
        kind, _, group = target["targetResource"].partition("/")
        same = tuple(sorted(target.get("additionalTargetKeys", {}).items())) == keys
        if kind == "groups" and same and about in {schema, namespace(schema)} and group not in have:
            have.append(group)
    kept = [group for group in order if group in have]
    return [*kept, *(group for group in have if group not in kept)]
