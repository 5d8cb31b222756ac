"""What Directory knows: whose customer it is, which domains and addresses it has."""

import re
from collections.abc import Iterable

from mockserver.googleapi import ApiError, forbidden, invalid, nearest, not_found
from mockserver.model import JsonObject
from mockserver.state import (
    Table,
    World,
    customer,
    find_group,
    find_user,
    is_customer,
    org_tree,
)

DOMAINS = "domains"
DELETED_USERS = "deletedUsers"
_CUSTOMER_ID = re.compile(r"^C\w+$")
ADDRESS = re.compile(r"^[^@\s,/]+@[^@\s,/]+\.[^@\s,/]+$")


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
        paths = [str(unit["orgUnitPath"]) for unit in tree.by_id.values()]
        raise not_found("Org unit not found", asked=name, nearest=nearest(name, paths))
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


def require_user(world: World, key: str) -> JsonObject:
    """The user with this id, address or alias.

    Raises:
        ApiError: 404, with the nearest address.
    """
    found = find_user(world, key)
    if found is None:
        known = [str(row["primaryEmail"]) for row in world.table("users").rows().values()]
        raise missing("userKey", key, known)
    return found


def require_group(world: World, key: str) -> JsonObject:
    """The group with this id, address or alias.

    Raises:
        ApiError: 404, with the nearest address.
    """
    found = find_group(world, key)
    if found is None:
        known = [str(row["email"]) for row in world.table("groups").rows().values()]
        raise missing("groupKey", key, known)
    return found


def missing(parameter: str, asked: str, known: Iterable[str]) -> ApiError:
    """404 for an account that is not there."""
    text = f"Resource Not Found: {parameter}"
    return not_found(text, asked=asked, nearest=nearest(asked, known))


def domain_names(world: World) -> frozenset[str]:
    """All domains of the customer in lower case, aliases of domains included."""
    names = world.table(DOMAINS).derived(_names)
    return names | {str(customer(world).get("customerDomain", "")).casefold()} - {""}


def _names(table: Table) -> frozenset[str]:
    aliases = (
        str(alias.get("domainAliasName", ""))
        for row in table.rows().values()
        for alias in row.get("domainAliases", ())
    )
    return frozenset(name.casefold() for name in (*table.rows(), *aliases))


def require_domain(world: World, name: str) -> None:
    """Refuse domains that are not the customer's.

    Raises:
        ApiError: 404.
    """
    known = domain_names(world)
    if name.casefold() not in known:
        raise not_found("Domain not found.", asked=name, nearest=nearest(name, known))


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
