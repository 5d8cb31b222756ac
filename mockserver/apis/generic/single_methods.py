"""Methods of which only reference pages and recordings tell: families, rules, tags."""

from collections.abc import Callable, Mapping
from urllib.parse import quote

from mockserver.apis.generic.plans import Plan, fill_template, properties
from mockserver.apis.generic.resources import resource_of
from mockserver.apis.generic.writes import answer_write
from mockserver.collections import Index
from mockserver.googleapi import ApiError, Call, parent_of
from mockserver.googleapi.collections import create_row, visible_row
from mockserver.model import JsonObject
from mockserver.state import project_names

_BY_FAMILY = Index(lambda key, row: ((parent_of(key, 1), str(row.get("family", ""))),))
_BY_NAMESPACED_NAME = Index(lambda _, row: (str(row.get("namespacedName", "")),))


def _newest_of_family(plan: Plan, call: Call) -> JsonObject:
    """Answers `images.getFromFamily`: the newest image of a family that is not deprecated."""
    resource, table = resource_of(plan), call.world.table(plan.table)
    path = fill_template(plan.template, call.params)
    parent, _, family = path.rpartition("/family/")
    several = (
        row
        for each in project_names(call.world, parent)
        for row in table.find(_BY_FAMILY, (each, family))
        if not row.get("deprecated")
    )
    found = max(several, key=lambda row: str(row.get("creationTimestamp", "")), default=None)
    if found is None:
        raise resource.missing_error(call, path)
    return visible_row(resource, call, found)


def _rule_of_policy(plan: Plan, call: Call) -> JsonObject | None:
    """Answers `getRule`, `patchRule` and `removeRule`: of a policy's rules the one of a priority.

    Raises:
        ApiError: 404 for the policy, 400 for a priority that none of its rules has.
    """
    resource = resource_of(plan)
    name = fill_template(plan.template, call.params).rpartition("/")[0]
    found = resource.find(call.world, name)
    if found is None:
        raise resource.missing_error(call, name)
    priority = call.params.get("priority", 0)
    rules = found[1].get("rules") or []
    place = next((n for n, each in enumerate(rules) if each.get("priority") == priority), None)
    if place is None:
        about = "security" if "ecurityPolicies" in plan.collection else "firewall"
        raise ApiError(
            400,
            f"Invalid value for field 'priority': '{priority}'. "
            f"The {about} policy does not contain a rule at priority {priority}.",
            reason="invalid",
        )
    if plan.method.http_method == "GET":
        kind = properties(plan.method.document, plan.method.response)["kind"]["default"]
        return {"kind": kind, **rules[place]}
    changed = [{**rules[place], **call.body}] if plan.method.id.endswith("patchRule") else []
    row = {**found[1], "rules": [*rules[:place], *changed, *rules[place + 1 :]]}
    call.world.put(resource.collection, found[0], row)
    return answer_write(plan, call, found[0], row)


def _of_namespaced_name(plan: Plan, call: Call) -> JsonObject:
    """Answers `getNamespaced` of tags: by `project/key` or `project/key/value`."""
    resource, table = resource_of(plan), call.world.table(plan.table)
    name = str(call.params.get("name", ""))
    found = next(iter(table.find(_BY_NAMESPACED_NAME, name)), None)
    if found is None:
        raise resource.missing_error(call, name)
    return visible_row(resource, call, found)


def _bind_tag(plan: Plan, call: Call) -> JsonObject | None:
    """Answers `tagBindings.create`: a value by its id or namespaced name, on a resource."""
    values = call.world.table(f"{plan.document_key}/tagValues")
    body = dict(call.body)
    named = str(body.get("tagValueNamespacedName", ""))
    value = str(body.get("tagValue", ""))
    found = values.get(value) or next(iter(values.find(_BY_NAMESPACED_NAME, named)), None)
    if found is not None:
        value = found["name"]
        body |= {"tagValue": value, "tagValueNamespacedName": found.get("namespacedName", named)}
    parent = quote(str(body.get("parent", "")), safe="")
    call.body = {"name": f"{plan.collection}/{parent}/{value or named}", **body}
    return create_row(resource_of(plan), call)


OF_ONE_METHOD: Mapping[str, Callable[[Plan, Call], JsonObject | None]] = {
    "compute.images.getFromFamily": _newest_of_family,
    "cloudresourcemanager.tagBindings.create": _bind_tag,
    "cloudresourcemanager.tagKeys.getNamespaced": _of_namespaced_name,
    "cloudresourcemanager.tagValues.getNamespaced": _of_namespaced_name,
    **{
        f"compute.{policies}.{verb}": _rule_of_policy
        for policies in (
            "firewallPolicies",
            "networkFirewallPolicies",
            "regionNetworkFirewallPolicies",
            "securityPolicies",
            "regionSecurityPolicies",
        )
        for verb in ("getRule", "patchRule", "removeRule")
    },
}
