"""What captured answers of the Directory API are in a snapshot."""

from mockserver.model import Answered, Capture, Captures, JsonObject

_UNITS = ("orgUnitId",)
_ID = ("id",)


def _live(user: JsonObject, asked: Answered) -> JsonObject | None:
    return None if asked.params.get("showDeleted") in {True, "true"} else user


def _deleted(user: JsonObject, asked: Answered) -> JsonObject | None:
    return user if _live(user, asked) is None else None


CAPTURES: Captures = {
    "directory.customers.get": (Capture("customer", shape="object"),),
    "directory.domains.list": (Capture("domains", "domains", ("domainName",)),),
    "directory.orgunits.list": (Capture("orgUnits", "organizationUnits", _UNITS),),
    "directory.orgunits.get": (Capture("orgUnits", "", _UNITS),),
    "directory.users.list": (
        Capture("users", "users", _ID, reshape=_live),
        Capture("deletedUsers", "users", _ID, reshape=_deleted),
    ),
    "directory.users.get": (Capture("users", "", _ID),),
    "directory.groups.list": (Capture("groups", "groups", _ID),),
    "directory.groups.get": (Capture("groups", "", _ID),),
    "directory.members.list": (
        Capture("members", "members", _ID, shape="lists", under="groupKey"),
    ),
}
"""Discovery id to what its answers fill."""
