"""Policies of Cloud Identity: how a request becomes one, and how it changes."""

from hashlib import sha256

from mockserver.googleapi import bare_org_unit
from mockserver.model import JsonObject
from mockserver.state import (
    RULE_TYPE,
    Table,
    World,
    org_tree,
    rfc3339,
    unit_of_query,
    unit_query,
)

POLICIES = "identityPolicies"
SETTINGS = "settings/"
READS = frozenset(
    f"cloudidentity:{version}/{name}"
    for version in ("v1", "v1beta1")
    for name in ("groups", "memberships")
)
"""Tables of `resources` whose groups are served beside those of the Directory."""


def setting_type(name: str) -> str:
    """A setting's type with its `settings/` prefix.

    >>> setting_type("rule.dlp"), setting_type("settings/rule.dlp")
    ('settings/rule.dlp', 'settings/rule.dlp')
    """
    return name if name.startswith(SETTINGS) or not name else f"{SETTINGS}{name}"


def is_rule(kind: str) -> bool:
    """Whether many policies of this setting type may stand side by side, as rules do."""
    return kind.startswith((f"{SETTINGS}rule.", f"{SETTINGS}detector."))


def invented_name(text: str) -> str:
    """A policy name for what has none, always the same for the same text.

    >>> invented_name("No cards")
    'policies/ak005e131b79adb122'
    """
    return "policies/ak" + sha256(text.encode()).hexdigest()[:16]


def complete_query(query: JsonObject, root: str) -> JsonObject:
    """A policy query with both its forms: the CEL text, and the org unit that it means.

    Args:
        query: `query`, `orgUnit` or `group`, as given.
        root: Bare id of the root org unit, for a query that says nothing.
    """
    unit = bare_org_unit(str(query.get("orgUnit", ""))) or unit_of_query(query.get("query", ""))
    if not unit and not query.get("group") and not query.get("query"):
        unit = root
    whole = dict(query)
    if unit:
        whole["orgUnit"] = f"orgUnits/{unit}"
        whole.setdefault("query", unit_query(unit))
    elif query.get("group") and not query.get("query"):
        group = str(query["group"]).rpartition("/")[2]
        whole["query"] = f"entity.groups.exists(group, group.group_id == groupId('{group}'))"
    return whole


def next_sort_order(world: World, kind: str) -> float:
    """The sort order after all policies of the same setting type."""
    orders = [
        float(row.get("policyQuery", {}).get("sortOrder", 0))
        for row in world.table(POLICIES).rows().values()
        if row.get("setting", {}).get("type") == kind
    ]
    return max(orders, default=0.0) + 1


def rival(world: World, kind: str, query: JsonObject) -> str:
    """The name of a policy that already configures a setting for the same entities, or empty."""
    if is_rule(kind):
        return ""
    for name, row in world.table(POLICIES).rows().items():
        theirs = row.get("policyQuery", {}).get("query")
        if row.get("setting", {}).get("type") == kind and theirs == query.get("query"):
            return name
    return ""


def is_unit(world: World, resource: str) -> bool:
    """Whether `orgUnits/03...` is an org unit of the session."""
    return resource.removeprefix("orgUnits/") in org_tree(world).by_id


def stamped(world: World, setting: JsonObject, before: JsonObject | None = None) -> JsonObject:
    """A setting whose value, when it is a DLP rule, says when it was made and changed."""
    if setting.get("type") != RULE_TYPE:
        return setting
    now = rfc3339(world.clock.now())
    made = (before or {}).get("createTime", now)
    return {**setting, "value": {**setting["value"], "createTime": made, "updateTime": now}}


def in_order(table: Table) -> tuple[JsonObject, ...]:
    """All policies, in the order they were put."""
    return tuple(table.rows().values())
