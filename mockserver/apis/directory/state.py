"""What the Directory holds, and how its resources are answered: kinds, derived fields, etags."""

import re
from collections.abc import Iterable, Mapping

from mockserver.collections import Index
from mockserver.googleapi import ApiError, etag, forbidden, invalid, list_answer, nearest, not_found
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    BY_PATH,
    World,
    customer,
    find_group,
    find_user,
    is_customer,
    org_tree,
)

_CUSTOMER_ID = re.compile(r"^C\w+$")
ADDRESS = re.compile(r"^[^@\s,/]+@[^@\s,/]+\.[^@\s,/]+$")


def membership_key(group_id: str, member_id: str) -> str:
    """The key of a membership in its table."""
    return f"{group_id}/{member_id}"


def require_customer(world: World, name: str) -> None:
    """Refuse names of other customers.

    Raises:
        ApiError: 403 for another customer's id, 400 for what is no customer id.
    """
    if is_customer(world, name):
        return
    raise forbidden() if _CUSTOMER_ID.match(name) else invalid("Invalid Customer Id")


def require_unit(world: World, name: str) -> str:
    """The bare id of the org unit that a path or id names.

    Raises:
        ApiError: 404, with the nearest path.
    """
    tree = org_tree(world)
    found = tree.find(name)
    if found is None:
        near = nearest(name, tree.units, BY_PATH, "orgUnitPath")
        raise not_found("Org unit not found", name=name, nearest=near)
    return found


def unit_path(world: World, name: str) -> str:
    """The path, as the tenant spells it, of the org unit that an account is put into.

    Raises:
        ApiError: 400: there is no such unit.
    """
    tree = org_tree(world)
    found = tree.find(name)
    if found is None:
        raise invalid("Invalid Input: INVALID_OU_ID")
    return str(tree.by_id[found]["orgUnitPath"])


def is_own_domain(world: World, name: str) -> bool:
    """Whether a domain, in lower case, is of the customer; aliases of domains are, too."""
    first = str(customer(world).get("customerDomain", "")).casefold()
    return bool(name) and (
        name == first or world.table(DOMAINS).first(_DOMAIN_NAMES, name) is not None
    )


def _domain_names(key: str, row: JsonObject) -> Iterable[str]:
    aliases = (str(each.get("domainAliasName", "")) for each in row.get("domainAliases", ()))
    return dict.fromkeys(name.casefold() for name in (key, *aliases))


_DOMAIN_NAMES = Index(_domain_names)


def require_domain(world: World, name: str) -> None:
    """Refuse domains that are not the customer's.

    Raises:
        ApiError: 404.
    """
    if not is_own_domain(world, name.casefold()):
        first = str(customer(world).get("customerDomain", "")).casefold()
        near = nearest(name, world.table(DOMAINS), _DOMAIN_NAMES)
        raise not_found("Domain not found.", name=name, nearest=nearest(name, {near, first} - {""}))


def require_free_address(world: World, address: str, *, field: str, owner: str = "") -> None:
    """Refuse an address that cannot be given to an account (`owner`: the account that has it).

    Raises:
        ApiError: 400 when it is no address, 404 for a foreign domain, 409 when it is taken.
    """
    if not ADDRESS.match(address):
        raise invalid(f"Invalid Input: {field}")
    require_domain(world, address.rpartition("@")[2])
    holder = find_user(world, address) or find_group(world, address)
    if holder is not None and holder["id"] != owner:
        raise ApiError(409, "Entity already exists.", reason="duplicate")


DOMAINS = "domains"
KIND = "admin#directory#"
_BARE_UNIT = re.compile(r"^(?:id:|orgunits/|orgUnits/)?(03[0-9a-z]+)$")
_MEMBER_FIELDS = ("id", "email", "role", "type", "status", "delivery_settings")
_USER_FLAGS: Mapping[str, bool] = {
    "isAdmin": False,
    "isDelegatedAdmin": False,
    "agreedToTerms": True,
    "suspended": False,
    "archived": False,
    "changePasswordAtNextLogin": False,
    "ipWhitelisted": False,
    "isMailboxSetup": True,
    "isEnrolledIn2Sv": False,
    "isEnforcedIn2Sv": False,
    "includeInGlobalAddressList": True,
}


def with_kind_and_etag(kind: str, row: JsonMapping) -> JsonObject:
    """A resource with its kind, and the etag of its content.

    >>> with_kind_and_etag("group", {"id": "1"})["kind"]
    'admin#directory#group'
    """
    full = {"kind": "", "etag": "", **row}
    full["kind"] = KIND + kind
    full["etag"] = etag(full)
    return full


def list_with_etag(
    kind: str, field: str, rows: Iterable[JsonObject], token: str = ""
) -> JsonObject:
    """A list answer; without rows it has no list, as the API leaves empty ones out."""
    items = list(rows)
    head = {"kind": KIND + kind, "etag": etag({"of": [row["etag"] for row in items]})}
    return list_answer(field, items, token, head)


def with_body_fields(row: JsonMapping, body: JsonMapping, fields: Iterable[str]) -> JsonObject:
    """A row with the named fields of a body: null clears a field, lists are replaced whole.

    >>> with_body_fields({"a": 1, "b": 2}, {"a": None, "c": 3, "d": 4}, ("a", "c"))
    {'b': 2, 'c': 3}
    """
    result = dict(row)
    for field in fields:
        if field not in body:
            continue
        if body[field] is None:
            result.pop(field, None)
        else:
            result[field] = body[field]
    return result


def bare_unit_id(name: str) -> str | None:
    """The bare id in any form an org unit id is written in, or None.

    >>> bare_unit_id("id:03ph8a2z1"), bare_unit_id("orgunits/03ph8a2z1"), bare_unit_id("/Eng")
    ('03ph8a2z1', '03ph8a2z1', None)
    """
    found = _BARE_UNIT.match(name)
    return found.group(1) if found else None


def unit_row(unit: JsonMapping) -> JsonObject:
    """An org unit from its name, path, ids and description; the root has no parent."""
    get = unit.get
    row = {
        "name": get("name"),
        "description": get("description") or "",
        "blockInheritance": bool(get("blockInheritance")),
        "orgUnitId": get("orgUnitId"),
        "orgUnitPath": get("orgUnitPath"),
        "parentOrgUnitId": get("parentOrgUnitId"),
        "parentOrgUnitPath": get("parentOrgUnitPath"),
    }
    if None in row.values():
        row = {key: value for key, value in row.items() if value is not None}
    return with_kind_and_etag("orgUnit", row)


def user_row(user: JsonMapping, customer_id: str) -> JsonObject:
    """A user with every field that Directory always answers; passwords are never kept."""
    given = {k: v for k, v in user.items() if k not in {"password", "hashFunction"}}
    name = dict(given.get("name") or {})
    full_name = f"{name.get('givenName', '')} {name.get('familyName', '')}".strip()
    name["fullName"] = full_name or name.get("fullName", "")
    row = {"id": given.get("id"), "primaryEmail": given["primaryEmail"], "name": name}
    row |= _USER_FLAGS
    row |= {flag: given[flag] for flag in _USER_FLAGS.keys() & given.keys()}
    row["emails"] = all_emails(given)
    row["customerId"] = customer_id
    row["orgUnitPath"] = given.get("orgUnitPath") or "/"
    if row["suspended"]:
        row["suspensionReason"] = given.get("suspensionReason") or "ADMIN"
    rest = {k: v for k, v in given.items() if k not in row and k != "suspensionReason"}
    return with_kind_and_etag("user", {**row, **rest})


FURTHER_ADDRESSES = frozenset({"emails", "aliases", "nonEditableAliases"})


def all_emails(user: JsonMapping) -> list[JsonObject]:
    """All addresses of a user: the primary one first, then its own, then its aliases."""
    primary = str(user["primaryEmail"])
    if not FURTHER_ADDRESSES & user.keys():
        return [{"address": primary, "primary": True}]
    named = [item for item in user.get("emails") or () if not item.get("primary")]
    known = {str(item.get("address", "")).casefold() for item in named} | {primary.casefold()}
    aliases = [*user.get("aliases", ()), *user.get("nonEditableAliases", ())]
    extra = [{"address": alias} for alias in aliases if alias.casefold() not in known]
    return [{"address": primary, "primary": True}, *named, *extra]


def group_row(group: JsonMapping) -> JsonObject:
    """A group; `directMembersCount` is counted when it is answered, not kept."""
    row = {
        "id": group.get("id"),
        "email": group["email"],
        "name": group.get("name") or str(group["email"]).partition("@")[0],
        "description": group.get("description") or "",
        "adminCreated": group.get("adminCreated", True),
    }
    rest = {k: v for k, v in group.items() if k not in row and k != "directMembersCount"}
    return with_kind_and_etag("group", {**row, **rest})


def member_row(group_id: str, member: JsonMapping) -> JsonObject:
    """A row of the memberships: the group's id, and the member as answered."""
    known = {field: member[field] for field in _MEMBER_FIELDS if member.get(field) is not None}
    row = {"role": "MEMBER", "type": "USER", "status": "ACTIVE", **known}
    return {"groupId": group_id, "member": with_kind_and_etag("member", row)}


def domain_row(domain: JsonMapping) -> JsonObject:
    """A domain of the customer."""
    row = {
        "domainName": str(domain["domainName"]).casefold(),
        "isPrimary": bool(domain.get("isPrimary")),
        "verified": bool(domain.get("verified", True)),
    }
    return with_kind_and_etag("domain", {**domain, **row})
