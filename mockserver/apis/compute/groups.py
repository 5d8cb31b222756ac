"""Groups of instances: members that are added, and managers that make them of a template.

Source: reference pages; not verified against the live API: texts of refusals, names of instances.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mockserver.apis.compute.changes import (
    check_fingerprint,
    collection_of,
    fingerprint,
    make_row,
    put_row,
    setting,
)
from mockserver.apis.compute.instances import MEMBERS, complete_instance, remove_instance
from mockserver.apis.compute.links import (
    check_links,
    check_unused,
    find_linked,
    full_link,
    place_of,
    resource_path,
    table_of,
)
from mockserver.collections import BY_KEY, Range
from mockserver.googleapi import ApiError, Call, Handler, PageRule, invalid, list_page, not_found
from mockserver.googleapi.collections import Found, named_row
from mockserver.model import JsonObject

_PAGES = PageRule(default=500, maximum=500, size="maxResults")


def _members(call: Call, key: str) -> Range:
    """The members of a group, by their names: the link of each."""
    return call.world.table(table_of(call, MEMBERS)).starting(BY_KEY, f"{key}/")


def _put_member(call: Call, key: str, path: str) -> None:
    name = path.rpartition("/")[2]
    call.world.put(table_of(call, MEMBERS), f"{key}/{name}", {"instance": full_link(call, path)})


def _count(call: Call, found: Found) -> JsonObject:
    """The fields of a group that tell how many instances it has."""
    size = len(_members(call, found[0]))
    return {"targetSize" if "/instanceGroupManagers/" in found[0] else "size": size}


def _instances_in_body(call: Call, key: str) -> list[str]:
    """The paths of the instances that a body names; raises ApiError: 404 for those not there."""
    found = []
    for each in call.body.get("instances") or ():
        link = each.get("instance", "") if isinstance(each, dict) else each
        path = resource_path(str(link), key)
        if find_linked(call, link, key) is None:
            raise not_found(f"The resource '{path or link}' was not found", name=path or str(link))
        found.append(path)
    return found


def _change_members(call: Call) -> JsonObject | None:
    """Answers `addInstances` and `removeInstances`: all of them, or none.

    Raises:
        ApiError: 404; 400 for who is a member already, or is none.
    """
    found = named_row(call)
    table, members = call.world.table(table_of(call, MEMBERS)), table_of(call, MEMBERS)
    several, is_addition = _instances_in_body(call, found[0]), call.id.endswith(".addInstances")
    for path in several:
        is_member = f"{found[0]}/{path.rpartition('/')[2]}" in table
        if is_member == is_addition:
            what, reason = (
                ("already", "memberAlreadyExists") if is_addition else ("not", "memberNotFound")
            )
            text = f"Resource '{path}' is {what} a member of '{found[0]}'"
            raise ApiError(400, text, reason=reason)
    for path in several:
        if is_addition:
            _put_member(call, found[0], path)
        else:
            call.world.delete(members, f"{found[0]}/{path.rpartition('/')[2]}")
    return put_row(call, found, _count(call, found))


def _list_members(call: Call) -> JsonObject:
    """Answers `listInstances`: all members, or those that run."""
    key, row = named_row(call)
    ports = {"namedPorts": row["namedPorts"]} if row.get("namedPorts") else {}

    def instances() -> Iterator[JsonObject]:
        for member in _members(call, key).each():
            instance = find_linked(call, member["instance"], key)
            status = str(instance[2].get("status", "RUNNING")) if instance else "TERMINATED"
            if status == "RUNNING" or call.body.get("instanceState") != "RUNNING":
                yield {"instance": member["instance"], "status": status, **ports}

    kind = "instanceGroups" if collection_of(call) == "instanceGroups" else "regionInstanceGroups"
    return list_page(
        call, "items", instances(), _PAGES, head={"kind": f"compute#{kind}ListInstances"}
    )


def _named_ports(call: Call, row: JsonObject) -> JsonObject:
    text = "Supplied fingerprint does not match current fingerprint."
    if "fingerprint" in call.body:
        check_fingerprint(call.body["fingerprint"], row.get("fingerprint"), text)
    ports = call.body.get("namedPorts") or []
    return {"namedPorts": ports, "fingerprint": fingerprint({"ports": ports, "of": row["name"]})}


def _delete_group(call: Call) -> JsonObject | None:
    """Answers `delete` of a group: its instances stay; raises ApiError: 404, 400."""
    key = named_row(call)[0]
    check_unused(call, key)
    _forget_members(call, key)
    return call.answer_by_conventions()


def _forget_members(call: Call, key: str) -> None:
    for name in _members(call, key).row_keys():
        call.world.delete(table_of(call, MEMBERS), name)


# Managers


def _group_of(key: str) -> str:
    return key.replace("/instanceGroupManagers/", "/instanceGroups/")


def _zone_of(call: Call, manager: JsonObject) -> str:
    """The zone of a manager's new instances: its own, or the first of its distribution."""
    if "zone" in call.params:
        return str(call.params["zone"])
    zones = (manager.get("distributionPolicy") or {}).get("zones") or ()
    named = str(zones[0].get("zone", "")).rpartition("/")[2] if zones else ""
    return named or f"{call.params['region']}-a"


def _add_instances(call: Call, key: str, manager: JsonObject, names: list[str]) -> None:
    """Make instances of a manager's template; raises ApiError: 400, 409."""
    template = find_linked(call, manager.get("instanceTemplate"), key)
    properties = dict(template[2].get("properties") or {}) if template else {}
    zone, project = _zone_of(call, manager), place_of(key).project
    for name in names:
        path = f"{project}/zones/{zone}/instances/{name}"
        inner = {**properties, "name": name}
        if inner.get("machineType") and "/" not in inner["machineType"]:
            inner["machineType"] = f"zones/{zone}/machineTypes/{inner['machineType']}"
        body = complete_instance(replace(call, params={**call.params, "zone": zone}), path, inner)
        make_row(call, "instances", {"zone": zone}, body)
        _put_member(call, key, path)
        _put_member(call, _group_of(key), path)


def _remove_members(call: Call, key: str, paths: list[str], *, is_deletion: bool) -> None:
    """Take instances out of a manager's group, and delete them where that is meant."""
    for path in paths:
        for each in (key, _group_of(key)):
            call.world.delete(table_of(call, MEMBERS), f"{each}/{path.rpartition('/')[2]}")
        found = find_linked(call, path, key)
        if is_deletion and found is not None:
            remove_instance(call, found[1], found[2])
            call.world.delete(*found[:2])


def _new_names(call: Call, manager: JsonObject, count: int) -> list[str]:
    base = str(manager.get("baseInstanceName") or manager.get("name") or "instance")
    return [f"{base}-{call.world.ids.base36('managed', 4)}" for _ in range(count)]


_MOST = 1000
"""As many instances has a group of a zone at the most."""


def _insert_manager(call: Call) -> JsonObject | None:
    """Answers `insert`: a group, and instances of its template; raises ApiError: 400, 409."""
    project = f"projects/{call.params['project']}"
    check_links(call, collection_of(call), project, call.body)
    name, size = str(call.body.get("name") or ""), int(call.body.get("targetSize") or 0)
    if not name:
        raise invalid("Required field 'resource.name' not specified", reason="required")
    if not 0 <= size <= _MOST:
        raise invalid(f"Invalid value for field 'resource.targetSize': '{size}'.")
    scope = (
        f"zones/{call.params['zone']}"
        if "zone" in call.params
        else f"regions/{call.params['region']}"
    )
    key = f"{project}/{scope}/instanceGroupManagers/{name}"
    call.body |= {"targetSize": size, "instanceGroup": full_link(call, _group_of(key))}
    call.body.setdefault("baseInstanceName", name)
    answer = call.answer_by_conventions()
    row = call.world.table(table_of(call, collection_of(call))).rows()[key]
    group: JsonObject = {"name": row["name"], "size": size}
    if "zone" in call.params:
        make_row(call, "instanceGroups", {"zone": call.params["zone"]}, group)
    else:
        link = full_link(call, _group_of(key))
        group |= {"kind": "compute#instanceGroup", "selfLink": link}
        group["region"] = full_link(call, f"{project}/{scope}")
        call.world.put(table_of(call, "regionInstanceGroups"), _group_of(key), group)
    _add_instances(call, key, row, _new_names(call, row, size))
    return answer


def _delete_manager(call: Call) -> JsonObject | None:
    """Answers `delete`: its group and its instances go along; raises ApiError: 404, 400."""
    key = named_row(call)[0]
    check_unused(call, key)
    check_unused(call, _group_of(key))
    paths = [resource_path(row["instance"], key) for row in _members(call, key)]
    _remove_members(call, key, paths, is_deletion=True)
    found = find_linked(call, _group_of(key), key)
    if found is not None:
        call.world.delete(*found[:2])
    return call.answer_by_conventions()


def _resize_manager(call: Call) -> JsonObject | None:
    """Answers `resize`: instances are made, or the last ones deleted; raises ApiError: 404, 400."""
    key, row = found = named_row(call)
    size = int(call.params.get("size") or 0)
    if not 0 <= size <= _MOST:
        raise invalid(f"Invalid value for field 'size': '{size}'.")
    own = [resource_path(each["instance"], key) for each in _members(call, key)]
    _remove_members(call, key, own[size:], is_deletion=True)
    _add_instances(call, key, row, _new_names(call, row, size - len(own)))
    return _sized(call, found)


def _sized(call: Call, found: Found) -> JsonObject | None:
    fields = _count(call, found)
    group = find_linked(call, _group_of(found[0]), found[0])
    if group is not None:
        call.world.put(*group[:2], {**group[2], "size": fields["targetSize"]})
    return put_row(call, found, fields)


def _managed(call: Call) -> JsonObject:
    """Answers `listManagedInstances`: what each member is, and that nothing is to be done."""
    key, row = named_row(call)
    template = {"instanceTemplate": row["instanceTemplate"]} if row.get("instanceTemplate") else {}

    def show(member: JsonObject) -> JsonObject:
        instance = find_linked(call, member["instance"], key)
        about = instance[2] if instance else {}
        return {
            "instance": member["instance"],
            "name": member["instance"].rpartition("/")[2],
            "currentAction": "NONE",
            "instanceStatus": about.get("status", "RUNNING"),
            "version": template,
            **({"id": about["id"]} if about.get("id") else {}),
        }

    return list_page(call, "managedInstances", _members(call, key).each(), _PAGES, show)


def _change_managed(call: Call) -> JsonObject | None:
    """Answers what is done with named members: they are deleted, left alone, or made anew.

    Raises:
        ApiError: 404; 400 for an instance that is no member.
    """
    found = named_row(call)
    verb, key, row = call.id.rpartition(".")[2], *found
    if verb == "createInstances":
        names = [str(each.get("name", "")) for each in call.body.get("instances") or ()]
        _add_instances(call, key, row, names)
        return _sized(call, found)
    several = _instances_in_body(call, key)
    table = call.world.table(table_of(call, MEMBERS))
    for path in several:
        if f"{key}/{path.rpartition('/')[2]}" not in table:
            raise invalid(f"Instance '{path}' is not a member of '{key}'", reason="memberNotFound")
    _remove_members(call, key, several, is_deletion=verb != "abandonInstances")
    if verb in {"recreateInstances", "applyUpdatesToInstances"}:
        _add_instances(call, key, row, [path.rpartition("/")[2] for path in several])
    return _sized(call, found)


def _template(call: Call) -> JsonObject | None:
    """Answers `setInstanceTemplate`: of new instances, those there are stay as they are."""
    key, _ = found = named_row(call)
    check_links(call, collection_of(call), key, call.body)
    return put_row(call, found, {"instanceTemplate": call.body.get("instanceTemplate")})


OF_GROUPS: Mapping[str, Handler] = {
    "compute.instanceGroups.addInstances": _change_members,
    "compute.instanceGroups.removeInstances": _change_members,
    "compute.instanceGroups.delete": _delete_group,
    **{
        f"compute.{groups}.{verb}": answer
        for groups in ("instanceGroups", "regionInstanceGroups")
        for verb, answer in (
            ("listInstances", _list_members),
            ("setNamedPorts", setting(_named_ports)),
        )
    },
    **{
        f"compute.{managers}.{verb}": answer
        for managers in ("instanceGroupManagers", "regionInstanceGroupManagers")
        for verb, answer in (
            ("insert", _insert_manager),
            ("delete", _delete_manager),
            ("resize", _resize_manager),
            ("listManagedInstances", _managed),
            ("createInstances", _change_managed),
            ("deleteInstances", _change_managed),
            ("abandonInstances", _change_managed),
            ("recreateInstances", _change_managed),
            ("applyUpdatesToInstances", _change_managed),
            ("setInstanceTemplate", _template),
        )
    },
}
"""Method id to what answers it."""
