"""Answers of every Discovery method that conventions explain, over whatever a session holds."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from urllib.parse import quote

from mockserver.apis.generic.plans import (
    Plan,
    Verb,
    custom_verb,
    fill_template,
    path_of_link,
    plan_of,
    properties,
)
from mockserver.apis.generic.resources import resource_of
from mockserver.apis.generic.synthesis import not_served
from mockserver.apis.generic.writes import answer_write, set_fields
from mockserver.collections import Index, Store
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    Method,
    by_parent,
    cancel_operation,
    delete_operation,
    get_policy,
    granted_permissions,
    not_found,
    operations_below,
    parent_of,
    poll_operation,
    set_policy,
)
from mockserver.googleapi.collections import (
    ANSWERS_BY_VERB,
    create_row,
    page_answer,
    patch_row,
    selected_rows,
    visible_row,
)
from mockserver.googleapi.facts import known_facts
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import Json, JsonObject
from mockserver.state import project_names

_MADE_BY_PATCH = frozenset({"servicenetworking"})
"""Documents whose resources are made by the change of one that is not there, too."""
_EVERYTHING_IS_THERE = frozenset({"serviceusage"})
"""Documents whose resources nobody makes: every project has every service."""


@lru_cache(8192)
def generic_handler(method: Method) -> Handler:
    """The handler of a method that no emulated API has; it raises 501 for what it cannot tell."""
    plan = plan_of(method)
    if method.id in _OF_ONE_METHOD:
        return partial(_OF_ONE_METHOD[method.id], plan)
    if plan.verb == "patch" and method.api in _MADE_BY_PATCH:
        return partial(_patch_or_create, plan)
    if plan.is_single:
        return partial(_on_single, plan)
    if plan.verb in ANSWERS_BY_VERB:
        return partial(ANSWERS_BY_VERB[plan.verb], resource_of(plan))
    return partial(_ANSWERS_BY_VERB[plan.verb], plan)


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


def _access_version(plan: Plan, call: Call) -> JsonObject:
    """Answers `versions.access` of Secret Manager: what was put into a version, or the latest."""
    version = resource_of(plan)
    name = version.name_in(call)
    if name.endswith("/latest"):
        parent = parent_of(name, 2)
        several = (
            each
            for one in project_names(call.world, parent)
            for each in call.world.table(plan.table).find(by_parent(2), (one,)).row_keys()
        )
        name = max(several, key=lambda each: int(each.rpartition("/")[2]), default=name)
    found = version.find(call.world, name)
    if found is None:
        raise version.missing_error(call, name)
    payload = found[1].get("payload")
    if payload is None:
        raise not_served(plan, call)
    return {"name": found[1]["name"], "payload": payload}


def _list_members(plan: Plan, call: Call) -> JsonObject:
    """Answers `instanceGroups.listInstances`: nobody can add instances here, so there are none."""
    resource = resource_of(plan)
    path = fill_template(plan.template, call.params).rpartition("/")[0]
    if resource.find(call.world, path) is None:
        raise resource.missing_error(call, path)
    answer = properties(plan.method.document, plan.method.response)
    return {"kind": answer.get("kind", {}).get("default", "")}


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
    """Refuse what is not emulated; a resource that is not there is missing, whatever is asked."""
    path = fill_template(plan.template, call.params)
    resource = resource_of(plan)
    own = path if custom_verb(plan.method) else path.rpartition("/")[0]
    is_own = plan.template.removesuffix(f"/{plan.method.id.rpartition('.')[2]}").endswith("}")
    is_kept = is_own and plan.ids and len(call.world.table(resource.collection))
    if is_kept and resource.find(call.world, own) is None:
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
    "custom": _refuse_custom,
}
_OF_ONE_METHOD: Mapping[str, Callable[[Plan, Call], JsonObject | None]] = {
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
    "secretmanager.projects.secrets.versions.access": _access_version,
    "compute.instanceGroups.listInstances": _list_members,
    "compute.regionInstanceGroups.listInstances": _list_members,
}
