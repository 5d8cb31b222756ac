"""`groups.*` and `groups.memberships.*`: the groups of the Directory, as Cloud Identity has them.

There is one tenant: what the Directory API makes is seen here, and what is made here is asked of
the Directory. Groups that a snapshot holds in `resources` are served beside them. Source: Discovery
document; texts of refusals are not verified against the live API.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import merge
from itertools import chain

from mockserver.apis.cloudidentity import READS
from mockserver.apis.cloudidentity.state import cel_test
from mockserver.collections import Index
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    bad_fields,
    each_of,
    finished_operation,
    invalid,
    list_page,
    not_found,
    own_customer,
)
from mockserver.model import JsonObject
from mockserver.state import (
    GROUPS,
    World,
    all_member_ids,
    customer_id,
    find_group,
    find_membership,
    find_user,
    groups_of_member,
    is_inside,
    members_with_address,
    memberships,
)

_SECURITY = "cloudidentity:v1/securitySettings"
_BASIC_PAGES = PageRule(default=200, maximum=1000)
_FULL_PAGES = PageRule(default=50, maximum=500)
_DISCUSSION_LABEL = {"cloudidentity.googleapis.com/groups.discussion_forum": ""}
_MEMBER = re.compile(r"""member_key_id\s*==\s*(["'])(?P<id>[^"']+)\1""")
_ROLES = frozenset({"OWNER", "MANAGER", "MEMBER"})
_TYPES = frozenset({"USER", "GROUP", "SERVICE_ACCOUNT", "OTHER"})
_BASIC_FIELDS = ("name", "groupKey", "parent", "displayName", "description", "labels")


def _group_resource(world: World, row: JsonObject) -> JsonObject:
    """A group of the Directory in this API's form."""
    made = {
        "name": f"groups/{row['id']}",
        "groupKey": {"id": row["email"]},
        "additionalGroupKeys": [{"id": each} for each in row.get("aliases", ())],
        "parent": f"customers/{customer_id(world)}",
        "displayName": row.get("name", ""),
        "description": row.get("description", ""),
        "labels": _DISCUSSION_LABEL,
    }
    return {name: value for name, value in made.items() if value not in ("", [])}


def _membership_resource(group_id: str, member: JsonObject) -> JsonObject:
    """A member of the Directory in this API's form; owners and managers are members, too."""
    role = str(member.get("role", "MEMBER"))
    kind = str(member.get("type", "USER"))
    return {
        "name": f"groups/{group_id}/memberships/{member['id']}",
        "preferredMemberKey": {"id": member.get("email", member["id"])},
        "roles": [{"name": name} for name in dict.fromkeys((role, "MEMBER"))],
        "type": kind if kind in _TYPES else "OTHER",
    }


def _snapshot_rows(world: World, name: str) -> Iterator[JsonObject]:
    """What a snapshot's `resources` hold of a collection.

    Yields:
        Resources as they were written.
    """
    for table in sorted(READS):
        if table.endswith(f"/{name}"):
            yield from world.table(table).rows().values()


def _all_groups(world: World) -> Iterator[JsonObject]:
    """Every group, by address, looked for as they are asked for."""
    table = world.table(GROUPS)
    given = {row["name"]: row for row in _snapshot_rows(world, "groups") if row.get("name")}
    others = (row for name, row in given.items() if name.removeprefix("groups/") not in table)
    own = (_group_resource(world, row) for row in each_of(table.ordered(_BY_ADDRESS)))
    return merge(sorted(others, key=_address), own, key=_address)


def _address(row: JsonObject) -> str:
    return str(row.get("groupKey", {}).get("id", ""))


_BY_ADDRESS = Index(lambda _, row: (str(row["email"]),))


def _direct_memberships(world: World, group: str) -> Iterator[JsonObject]:
    """The direct memberships of `groups/03...`, looked for as they are asked for."""
    key = group.removeprefix("groups/")
    rows = each_of(memberships(world, key))
    own = (_membership_resource(key, row["member"]) for row in rows)
    return chain(own, _given_memberships(world, group))


def _given_memberships(world: World, group: str) -> list[JsonObject]:
    """The memberships of a group that a snapshot's `resources` hold."""
    prefix = f"{group}/memberships/"
    rows = _snapshot_rows(world, "memberships")
    return [row for row in rows if str(row.get("name", "")).startswith(prefix)]


def _find_group(world: World, name: str) -> JsonObject:
    """The group of this name.

    Raises:
        ApiError: 404; there is none.
    """
    row = world.table(GROUPS).get(name.removeprefix("groups/"))
    if row is not None and name.startswith("groups/"):
        return _group_resource(world, row)
    given = [row for row in _snapshot_rows(world, "groups") if row.get("name") == name]
    if not given or not name:
        raise not_found(name=name)
    return given[-1]


def _list_groups(call: Call) -> JsonObject:
    parent = str(call.params.get("parent", ""))
    if not parent:
        raise bad_fields([("parent", "The parent is required.")])
    own_customer(call.world, parent)
    return _view_page(call, "groups", _all_groups(call.world), _BASIC_FIELDS)


def _view_page(
    call: Call, field: str, rows: Iterable[JsonObject], basic: Sequence[str]
) -> JsonObject:
    """A page of rows in the view that a call asks for; that of few fields unless it is `FULL`."""
    if call.params.get("view") == "FULL":
        return list_page(call, field, rows, _FULL_PAGES)

    def show(row: JsonObject) -> JsonObject:
        return {name: row[name] for name in basic if name in row}

    return list_page(call, field, rows, _BASIC_PAGES, show)


def _search_groups(call: Call) -> JsonObject:
    """Answers `groups.search`.

    Raises:
        ApiError: 400 for what is no query, or names no parent; 403 for another customer.
    """
    text = str(call.params.get("query", ""))
    if "parent" not in text:
        raise invalid("The query must name a parent")
    customer = f"customers/{customer_id(call.world)}"
    test = cel_test(text, customer, frozenset(_FIELDS))
    rows = (row for row in _all_groups(call.world) if test(_search_values(row, customer)))
    return _view_page(call, "groups", _order_rows(call, rows), _BASIC_FIELDS)


_FIELDS = ("parent", "labels", "display_name", "group_key", "description")


def _search_values(row: JsonObject, customer: str) -> JsonObject:
    return {
        "parent": row.get("parent", customer),
        "labels": row.get("labels", {}),
        "display_name": row.get("displayName", ""),
        "description": row.get("description", ""),
        "group_key": str(row.get("groupKey", {}).get("id", "")),
    }


def _get_group(call: Call) -> JsonObject:
    return _find_group(call.world, str(call.params["name"]))


def _lookup_group(call: Call) -> JsonObject:
    wanted = str(call.params.get("groupKey.id", "")).casefold()
    own = find_group(call.world, wanted)
    found = [] if own is None else [_group_resource(call.world, own)]
    for row in (*found, *_snapshot_rows(call.world, "groups")):
        keys = [row.get("groupKey", {}), *row.get("additionalGroupKeys", ())]
        if wanted and wanted in {str(each.get("id", "")).casefold() for each in keys}:
            return {"name": row["name"]}
    raise not_found(name=wanted)


def _create_group(call: Call) -> JsonObject:
    """Answers `groups.create`: the Directory makes the group.

    Raises:
        ApiError: 400 without a key, a parent or labels; what the Directory refuses.
    """
    body = call.body
    missing = [name for name in ("groupKey", "parent", "labels") if not body.get(name)]
    if missing:
        raise bad_fields([(f"group.{name}", f"{name} is required.") for name in missing])
    own_customer(call.world, str(body["parent"]))
    given = {"email": str(body["groupKey"].get("id", "")), "name": body.get("displayName", "")}
    if "description" in body:
        given["description"] = body["description"]
    made = call.ask("directory.groups.insert", {}, given)
    group = _group_resource(call.world, made)
    if call.params.get("initialGroupConfig") == "WITH_INITIAL_OWNER" and call.caller.email:
        owner = {"email": call.caller.email, "role": "OWNER"}
        call.ask("directory.members.insert", {"groupKey": made["id"]}, owner)
    return _operation(call, group, "Group")


def _patch_group(call: Call) -> JsonObject:
    group = _find_group(call.world, str(call.params["name"]))
    mask = {name.strip() for name in str(call.params.get("updateMask", "*")).split(",")}
    names = {"displayName": "name", "description": "description"}
    told = {"displayName": {"displayName", "display_name"}, "description": {"description"}}
    change = {
        to: call.body[name]
        for name, to in names.items()
        if name in call.body and mask & {*told[name], "*"}
    }
    _check_in_directory(call, group)
    row = call.ask("directory.groups.patch", {"groupKey": group["name"][7:]}, change)
    return _operation(call, _group_resource(call.world, row), "Group")


def _security_settings(call: Call) -> JsonObject:
    """Answers `groups.getSecuritySettings` and `updateSecuritySettings`; raises ApiError: 404.

    A restriction of members is kept, and every group is taken to comply with it.
    """
    name = str(call.params["name"])
    _find_group(call.world, name.removesuffix("/securitySettings"))
    row = call.world.table(_SECURITY).get(name) or {"name": name}
    if call.id.endswith(".getSecuritySettings"):
        return row
    query = str((call.body.get("memberRestriction") or {}).get("query") or "")
    evaluated = {"query": query, "evaluation": {"state": "COMPLIANT"}}
    row = {"name": name, "memberRestriction": evaluated}
    call.world.put(_SECURITY, name, row)
    return _operation(call, row, "SecuritySettings")


def _delete_group(call: Call) -> JsonObject:
    group = _find_group(call.world, str(call.params["name"]))
    _check_in_directory(call, group)
    call.ask("directory.groups.delete", {"groupKey": group["name"][7:]})
    return _operation(call, None)


def _check_in_directory(call: Call, group: JsonObject) -> None:
    """Hold a write to what the Directory has; what only `resources` hold is read alone.

    Raises:
        ApiError: 501 for a group of `resources`.
    """
    if find_group(call.world, str(group["name"]).removeprefix("groups/")) is None:
        text = f"{group['name']} is held in 'resources' and can be read alone: hold it in 'groups'"
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")


def _list_members(call: Call) -> JsonObject:
    rows = _direct_memberships(
        call.world, _find_group(call.world, str(call.params["parent"]))["name"]
    )
    return _view_page(call, "memberships", rows, ("name", "preferredMemberKey", "roles"))


def _find_membership(call: Call) -> JsonObject:
    name = str(call.params["name"])
    group = name.partition("/memberships/")[0]
    key = _find_group(call.world, group)["name"].removeprefix("groups/")
    own = find_membership(call.world, key, name.rpartition("/")[2])
    if own is not None:
        return _membership_resource(key, own["member"])
    for row in _given_memberships(call.world, group):
        if row["name"] == name:
            return row
    raise not_found(name=name)


def _lookup_member(call: Call) -> JsonObject:
    group = _find_group(call.world, str(call.params["parent"]))["name"]
    wanted = str(call.params.get("memberKey.id", "")).casefold()
    key = group.removeprefix("groups/")
    found = [*members_with_address(call.world, key, wanted)[:1]]
    unaddressed = find_membership(call.world, key, wanted)
    if unaddressed is not None and "email" not in unaddressed["member"]:
        found.append(unaddressed)
    own = (_membership_resource(key, row["member"]) for row in found)
    for row in (*own, *_given_memberships(call.world, group)):
        if wanted == str(row.get("preferredMemberKey", {}).get("id", "")).casefold():
            return {"name": row["name"]}
    raise not_found(name=wanted)


def _create_member(call: Call) -> JsonObject:
    """Answers `memberships.create`: the Directory makes the member.

    Raises:
        ApiError: 400 without a key or with a role there is not; what the Directory refuses.
    """
    group = _find_group(call.world, str(call.params["parent"]))
    key = str((call.body.get("preferredMemberKey") or {}).get("id", ""))
    if not key:
        raise bad_fields([("membership.preferred_member_key", "The member key is required.")])
    _check_in_directory(call, group)
    body = {"email": key, "role": _highest_role(call.body.get("roles") or [{"name": "MEMBER"}])}
    params = {"groupKey": group["name"][7:]}
    made = call.ask("directory.members.insert", params, body)
    return _operation(call, _membership_resource(group["name"][7:], made), "Membership")


def _highest_role(roles: object) -> str:
    """The role of the Directory for roles of this API.

    Raises:
        ApiError: 400; a role there is not, or none at all.
    """
    given = [str(each.get("name")) for each in roles if isinstance(each, dict)] if isinstance(
        roles, list
    ) else []  # fmt: skip
    if not given or not _ROLES.issuperset(given):
        raise bad_fields([("membership.roles", f"Roles must be of {', '.join(sorted(_ROLES))}.")])
    return next(name for name in ("OWNER", "MANAGER", "MEMBER") if name in given)


def _delete_member(call: Call) -> JsonObject:
    call.ask("directory.members.delete", _directory_params(call))
    return _operation(call, None)


def _directory_params(call: Call) -> JsonObject:
    """The Directory's parameters for the membership that a call names."""
    row = _find_membership(call)
    group, _, member = str(row["name"]).partition("/memberships/")
    _check_in_directory(call, {"name": group})
    return {"groupKey": group.removeprefix("groups/"), "memberKey": member}


def _modify_roles(call: Call) -> JsonObject:
    params, before = _directory_params(call), _find_membership(call)
    roles = [
        each for each in before["roles"] if each["name"] not in call.body.get("removeRoles", ())
    ]
    roles += [each for each in call.body.get("addRoles", ()) if each not in roles]
    changed = call.ask("directory.members.patch", params, {"role": _highest_role(roles)})
    return {"membership": _membership_resource(params["groupKey"], changed)}


def _check_transitive(call: Call) -> JsonObject:
    group = _find_group(call.world, str(call.params["parent"]))["name"].removeprefix("groups/")
    account = _account_of_query(call)
    inside = account is not None and is_inside(call.world, account["id"], group)
    return {"hasMembership": inside}


def _account_of_query(call: Call) -> JsonObject | None:
    """The account that a query names, or None for an unknown address.

    Raises:
        ApiError: 400; the query names no member.
    """
    hit = _MEMBER.search(str(call.params.get("query", "")))
    if hit is None:
        raise invalid("The query must name a member: member_key_id == '...'")
    return find_user(call.world, hit["id"]) or find_group(call.world, hit["id"])


def _groups_of_member(call: Call, *, deep: bool) -> JsonObject:
    if call.params.get("parent") != "groups/-":
        raise bad_fields([("parent", "The parent must be groups/-.")])
    account = _account_of_query(call)
    waiting = list(groups_of_member(call.world, account["id"])) if account else []
    direct, above = frozenset(waiting), dict.fromkeys(waiting)
    while deep and waiting:
        for each in groups_of_member(call.world, waiting.pop()):
            if each not in above:
                above[each] = None
                waiting.append(each)
    text = str(call.params["query"])
    test = cel_test(text, "", frozenset({"member_key_id", "labels"}))
    member = _MEMBER.search(text)
    asked = member["id"] if member else ""
    rows = []
    for each in sorted(above):
        group = _find_group(call.world, f"groups/{each}")
        if test({"member_key_id": asked, "labels": group["labels"]}):
            rows.append(_group_relation(group, direct=each in direct, deep=deep))
    return list_page(call, "memberships", _order_rows(call, rows), _BASIC_PAGES)


def _order_rows(call: Call, rows: Iterable[JsonObject]) -> Iterable[JsonObject]:
    """Rows in the order that is asked for.

    Raises:
        ApiError: 400; an order there is not.
    """
    name, _, way = str(call.params.get("orderBy") or "").partition(" ")
    if not name:
        return rows
    if name not in _ORDERS or way not in {"", "asc", "desc"}:
        raise bad_fields([("order_by", f"Invalid order '{name}'.")])
    return sorted(rows, key=_ORDERS[name], reverse=way == "desc")


_ORDERS: Mapping[str, Callable[[JsonObject], str]] = {
    "group_name": lambda row: str(row.get("displayName", "")).casefold(),
    "display_name": lambda row: str(row.get("displayName", "")).casefold(),
    "email": lambda row: str(row["groupKey"]["id"]).casefold(),
    "group_key": lambda row: str(row["groupKey"]["id"]).casefold(),
}


def _group_relation(group: JsonObject, *, direct: bool, deep: bool) -> JsonObject:
    told = {
        "group": group["name"],
        "groupKey": group["groupKey"],
        "displayName": group.get("displayName", ""),
        "labels": group["labels"],
        **({"relationType": "DIRECT" if direct else "INDIRECT"} if deep else {}),
    }
    return {name: value for name, value in told.items() if value != ""}


def _transitive_members(call: Call) -> JsonObject:
    group = _find_group(call.world, str(call.params["parent"]))["name"].removeprefix("groups/")
    idents = sorted(all_member_ids(call.world, group))
    show = partial(_member_relation, call.world, group)
    return list_page(call, "memberships", idents, _BASIC_PAGES, show)


def _member_relation(world: World, group: str, ident: str) -> JsonObject:
    """How a group has a member; only a membership tells the address of somebody from elsewhere."""
    own, within = find_membership(world, group, ident), find_group(world, ident)
    [above, *_] = groups_of_member(world, ident)
    held = own or find_membership(world, above, ident) or {"member": {}}
    account = find_user(world, ident) or within or held["member"]
    address = account.get("primaryEmail") or account.get("email")
    return {
        "member": f"{'users' if address and within is None else 'groups'}/{ident}",
        "preferredMemberKey": [{"id": address or ident}],
        "relationType": "INDIRECT" if own is None else "DIRECT",
    }


def _operation(call: Call, response: JsonObject | None, name: str = "") -> JsonObject:
    version = call.version or "v1"
    kind = f"type.googleapis.com/google.apps.cloudidentity.groups.{version}.{name}"
    return finished_operation(
        f"operations/{call.world.ids.base36('operation', 24)}", response, kind
    )


_MEMBERS = "cloudidentity.groups.memberships"

GROUP_HANDLERS: Mapping[str, Handler] = {
    "cloudidentity.groups.list": _list_groups,
    "cloudidentity.groups.search": _search_groups,
    "cloudidentity.groups.get": _get_group,
    "cloudidentity.groups.lookup": _lookup_group,
    "cloudidentity.groups.create": _create_group,
    "cloudidentity.groups.patch": _patch_group,
    "cloudidentity.groups.delete": _delete_group,
    "cloudidentity.groups.getSecuritySettings": _security_settings,
    "cloudidentity.groups.updateSecuritySettings": _security_settings,
    f"{_MEMBERS}.list": _list_members,
    f"{_MEMBERS}.get": _find_membership,
    f"{_MEMBERS}.lookup": _lookup_member,
    f"{_MEMBERS}.create": _create_member,
    f"{_MEMBERS}.delete": _delete_member,
    f"{_MEMBERS}.modifyMembershipRoles": _modify_roles,
    f"{_MEMBERS}.checkTransitiveMembership": _check_transitive,
    f"{_MEMBERS}.searchTransitiveGroups": lambda call: _groups_of_member(call, deep=True),
    f"{_MEMBERS}.searchDirectGroups": lambda call: _groups_of_member(call, deep=False),
    f"{_MEMBERS}.searchTransitiveMemberships": _transitive_members,
}
