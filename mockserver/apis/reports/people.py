"""Filters on who acted: one user, an org unit, groups, an address."""

from collections.abc import Callable, Iterator
from functools import partial
from ipaddress import ip_address

from mockserver.apis.reports.index import actors
from mockserver.googleapi import invalid, nearest, not_found
from mockserver.model import JsonMapping
from mockserver.state import USERS, World, all_member_ids, find_user, org_tree

Test = Callable[[JsonMapping], bool]


def people_tests(world: World, params: JsonMapping) -> Iterator[Test]:
    """One test for each filter on the actor that a request has.

    Yields:
        Tests that an activity must pass, all of them.

    Raises:
        ApiError: 404 for a user who neither exists nor acted, 400 for an unknown org unit.
    """
    if params["userKey"] != "all":
        yield _by(_names_of(world, str(params["userKey"])))
    if params.get("orgUnitID"):
        yield _by(_in_unit(world, params["orgUnitID"]))
    if params.get("groupIdFilter"):
        yield _by(_in_groups(world, params["groupIdFilter"]))
    if params.get("actorIpAddress"):
        yield partial(_from_address, asked=_address(params["actorIpAddress"]))


def _by(names: frozenset[str]) -> Test:
    return lambda row: bool(_actor(row) & names)


def _actor(row: JsonMapping) -> frozenset[str]:
    actor = row.get("actor", {})
    return frozenset(
        {
            str(actor.get("email", "")).casefold(),
            str(actor.get("profileId", "")),
        }
    ) - {""}


def _names_of(world: World, key: str) -> frozenset[str]:
    """The id and addresses of a user; of one that only acted, the key itself."""
    user = find_user(world, key)
    if user is not None:
        return _names(user)
    known = actors(world)
    if key.casefold() not in known:
        near = nearest(key, [*known, *_all_addresses(world)])
        raise not_found("Resource Not Found: userKey", asked=key, nearest=near)
    return frozenset({key.casefold()})


def _names(user: JsonMapping) -> frozenset[str]:
    addresses = (user["primaryEmail"], *user.get("aliases", ()))
    return frozenset({str(user["id"]), *(str(address).casefold() for address in addresses)})


def _all_addresses(world: World) -> list[str]:
    return [str(row["primaryEmail"]) for row in world.table(USERS).rows().values()]


def _in_unit(world: World, name: str) -> frozenset[str]:
    """Everyone in an org unit or below it (that those below count is not verified)."""
    tree = org_tree(world)
    unit = tree.find(name)
    if unit is None:
        raise invalid("Invalid Input: INVALID_OU_ID", location="orgUnitID")
    below = str(tree.by_id[unit]["orgUnitPath"]).rstrip("/").casefold() + "/"
    return frozenset(
        found
        for user in world.table(USERS).rows().values()
        if (str(user.get("orgUnitPath", "/")).rstrip("/").casefold() + "/").startswith(below)
        for found in _names(user)
    )


def _in_groups(world: World, text: str) -> frozenset[str]:
    ids = [name.strip().removeprefix("id:") for name in text.split(",")]
    members = {member for group in ids for member in all_member_ids(world, group)}
    rows = world.table(USERS).rows()
    return frozenset(name for key in members if key in rows for name in _names(rows[key]))


def _from_address(row: JsonMapping, *, asked: str) -> bool:
    return _address(str(row.get("ipAddress", ""))) == asked


def _address(text: str) -> str:
    """An IP address in its shortest form; other text stays."""
    try:
        return str(ip_address(text))
    except ValueError:
        return text
