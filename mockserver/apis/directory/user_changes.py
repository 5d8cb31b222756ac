"""`directory.users.*`: making, changing, deleting and restoring accounts.

Changes have patch semantics with `update` too (Discovery document). Texts of refused fields are not
verified against the live API.
"""

from mockserver.apis.directory.memberships import leave_all, renamed
from mockserver.apis.directory.resources import changed, user_row
from mockserver.apis.directory.state import (
    DELETED_USERS,
    missing,
    require_free_address,
    require_user,
    unit_path,
)
from mockserver.googleapi import Call, invalid
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import USERS, World, customer_id, rfc3339

_ADDRESS_FIELD = "primary_user_email"
_OUTPUT_ONLY = frozenset(
    {
        "agreedToTerms",
        "aliases",
        "creationTime",
        "customerId",
        "deletionTime",
        "etag",
        "id",
        "isAdmin",
        "isDelegatedAdmin",
        "isEnforcedIn2Sv",
        "isEnrolledIn2Sv",
        "isMailboxSetup",
        "kind",
        "lastLoginTime",
        "nonEditableAliases",
        "suspensionReason",
        "suspensionTime",
        "thumbnailPhotoEtag",
        "thumbnailPhotoUrl",
    }
)
_SECRETS = frozenset({"password", "hashFunction"})


def insert_user(call: Call) -> JsonObject:
    """A new user; its password is checked for presence and never kept.

    Raises:
        ApiError: 400 for a missing or bad field, 404 for a foreign domain, 409 for a taken address.
    """
    world, body = call.world, call.body
    address = str(body.get("primaryEmail") or "")
    require_free_address(world, address, field=_ADDRESS_FIELD)
    name = body.get("name") or {}
    for part in ("givenName", "familyName"):
        if not name.get(part):
            raise invalid(f"Invalid Given/Family Name: {part[0].upper()}{part[1:]}")
    if not body.get("password"):
        raise invalid("Invalid Password")
    row = {
        **_given(call),
        "id": world.ids.digits("user", 21),
        "primaryEmail": address.lower(),
        "orgUnitPath": unit_path(world, str(body.get("orgUnitPath") or "/")),
        "creationTime": rfc3339(world.clock.now()),
        "agreedToTerms": False,
        "isMailboxSetup": False,
    }
    user = user_row(row, customer_id(world))
    world.put(USERS, user["id"], user)
    return user


def change_user(call: Call) -> JsonObject:
    """Change the fields that are sent; null clears one, lists are replaced whole.

    A user that gets another address keeps the old one as an alias.

    Raises:
        ApiError: 400 for a bad field, 404 for an unknown user, 409 for a taken address.
    """
    world = call.world
    user = require_user(world, call.params["userKey"])
    given = _given(call)
    row = changed(user, given, given)
    row["name"] = {**user["name"], **(given.get("name") or {})}
    row["orgUnitPath"] = unit_path(world, str(row.get("orgUnitPath") or "/"))
    address = str(row.get("primaryEmail") or "")
    if address.casefold() != str(user["primaryEmail"]).casefold():
        require_free_address(world, address, field=_ADDRESS_FIELD, owner=user["id"])
        row["primaryEmail"] = address.lower()
        row["aliases"] = _aliases_after(user, address)
        renamed(world, user["id"], address.lower())
    return _put(world, row)


def _aliases_after(user: JsonMapping, address: str) -> list[str]:
    kept = [name for name in user.get("aliases", ()) if name.casefold() != address.casefold()]
    return [*kept, str(user["primaryEmail"])]


def delete_user(call: Call) -> None:
    """Delete a user: it leaves all groups, and can be restored by its id.

    Raises:
        ApiError: 404 `Resource Not Found: userKey`.
    """
    world = call.world
    user = require_user(world, call.params["userKey"])
    deleted = {**user, "deletionTime": rfc3339(world.clock.now())}
    leave_all(world, user["id"])
    world.delete(USERS, user["id"])
    world.put(DELETED_USERS, user["id"], user_row(deleted, customer_id(world)))


def undelete_user(call: Call) -> None:
    """Restore a deleted user by its id, into the org unit of the body.

    Raises:
        ApiError: 404 for an id that is not deleted, 400 for an unknown org unit, 409 when its
            address was taken.
    """
    world, key = call.world, str(call.params["userKey"])
    user = world.table(DELETED_USERS).get(key)
    if user is None:
        raise missing("userKey", key, world.table(DELETED_USERS).rows())
    require_free_address(world, user["primaryEmail"], field=_ADDRESS_FIELD)
    path = unit_path(world, str(call.body.get("orgUnitPath") or "/"))
    row = {name: value for name, value in user.items() if name != "deletionTime"}
    world.delete(DELETED_USERS, key)
    _put(world, {**row, "orgUnitPath": path})


def make_admin(call: Call) -> None:
    """Give a user all administrator rights, or take them with `status: false`.

    Raises:
        ApiError: 404 for an unknown user, 400 without `status`.
    """
    user = require_user(call.world, call.params["userKey"])
    if not isinstance(call.body.get("status"), bool):
        raise invalid("Invalid Input: status")
    _put(call.world, {**user, "isAdmin": call.body["status"]})


def sign_out(call: Call) -> None:
    """Sign a user out everywhere; nothing that can be read changes.

    Raises:
        ApiError: 404 `Resource Not Found: userKey`.
    """
    require_user(call.world, call.params["userKey"])


def _given(call: Call) -> JsonObject:
    """The fields of a body that can be set; the others are noted as ignored.

    Raises:
        ApiError: 400 for addresses in no list (text not verified against the live API).
    """
    emails = call.body.get("emails") or []
    if not (isinstance(emails, list) and all(isinstance(item, dict) for item in emails)):
        raise invalid("Invalid Input: emails")
    call.ignored += sorted(_OUTPUT_ONLY & call.body.keys())
    skip = _OUTPUT_ONLY | _SECRETS
    return {key: value for key, value in call.body.items() if key not in skip}


def _put(world: World, row: JsonObject) -> JsonObject:
    user = user_row(row, customer_id(world))
    world.put(USERS, user["id"], user)
    return user
