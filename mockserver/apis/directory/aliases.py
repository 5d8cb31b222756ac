"""`directory.users.aliases.*` and `directory.groups.aliases.*`."""

from collections.abc import Callable
from functools import partial

from mockserver.apis.directory.resources import group_row, listing, stamped, user_row
from mockserver.apis.directory.state import (
    missing,
    require_free_address,
    require_group,
    require_user,
)
from mockserver.googleapi import Call, Handler
from mockserver.model import JsonObject
from mockserver.state import GROUPS, USERS, customer_id

Find = Callable[[Call], JsonObject]


def _user(call: Call) -> JsonObject:
    return require_user(call.world, call.params["userKey"])


def _group(call: Call) -> JsonObject:
    return require_group(call.world, call.params["groupKey"])


def list_aliases(call: Call, *, find: Find) -> JsonObject:
    """The aliases of an account.

    Raises:
        ApiError: 404 for an unknown account.
    """
    account = find(call)
    return listing("aliases", "aliases", (_alias(account, name) for name in _names(account)))


def insert_alias(call: Call, *, find: Find) -> JsonObject:
    """Give an account another address.

    Raises:
        ApiError: 404 for an unknown account or foreign domain, 400 for no address, 409 when taken.
    """
    account = find(call)
    name = str(call.body.get("alias") or "").lower()
    require_free_address(call.world, name, field="resource")
    return _alias(_put(call, {**account, "aliases": [*_names(account), name]}), name)


def delete_alias(call: Call, *, find: Find) -> None:
    """Take an alias from an account.

    Raises:
        ApiError: 404 for an unknown account or alias.
    """
    account = find(call)
    asked = str(call.params["alias"])
    kept = [name for name in _names(account) if name.casefold() != asked.casefold()]
    if len(kept) == len(_names(account)):
        raise missing("alias", asked, _names(account))
    _put(call, {**account, "aliases": kept})


def _names(account: JsonObject) -> list[str]:
    return list(account.get("aliases", ()))


def _alias(account: JsonObject, name: str) -> JsonObject:
    primary = account.get("primaryEmail") or account["email"]
    return stamped("alias", {"id": account["id"], "primaryEmail": primary, "alias": name})


def _put(call: Call, account: JsonObject) -> JsonObject:
    row = {key: value for key, value in account.items() if key != "aliases" or value}
    if "primaryEmail" in row:
        row["emails"] = [item for item in row["emails"] if _is_kept(item, account)]
        made, collection = user_row(row, customer_id(call.world)), USERS
    else:
        made, collection = group_row(row), GROUPS
    call.world.put(collection, made["id"], made)
    return made


def _is_kept(item: JsonObject, account: JsonObject) -> bool:
    """Whether an address of a user has more to it than having been an alias."""
    return item.keys() != {"address"} or item["address"] in account["aliases"]


ALIAS_HANDLERS: dict[str, Handler] = {
    f"directory.{owner}.aliases.{verb}": partial(handler, find=find)
    for owner, find in (("users", _user), ("groups", _group))
    for verb, handler in (
        ("list", list_aliases),
        ("insert", insert_alias),
        ("delete", delete_alias),
    )
}
"""Discovery id to handler, for both kinds of account."""
