"""The keys of snapshots that this API owns."""

from mockserver.apis.directory.state import DOMAINS, group_row, member_row, user_row
from mockserver.googleapi import Collection
from mockserver.model import JsonObject
from mockserver.state import CUSTOMER, GROUPS, MEMBERS, ORG_UNITS, USERS

DELETED_USERS = "deletedUsers"

_API = "admin:directory_v1"


def _user(key: str, source: JsonObject, customer: str) -> JsonObject:
    return user_row({**source, "id": key}, customer)


def _group(key: str, source: JsonObject, _: str) -> JsonObject:
    return group_row({**source, "id": key})


def _member(_: str, source: JsonObject, __: str) -> JsonObject:
    return member_row(source["groupId"], source)


COLLECTIONS = (
    Collection(CUSTOMER, "the customer (Directory resource)", (("customerCreationTime",),)),
    Collection(ORG_UNITS, "org units", resource=f"{_API}#OrgUnit"),
    Collection(
        USERS,
        "users",
        (("creationTime",), ("lastLoginTime",), ("suspensionTime",)),
        f"{_API}#User",
        make=_user,
    ),
    Collection(
        DELETED_USERS,
        "deleted users",
        (("creationTime",), ("lastLoginTime",), ("suspensionTime",), ("deletionTime",)),
        f"{_API}#User",
        make=_user,
    ),
    Collection(GROUPS, "groups", resource=f"{_API}#Group", make=_group),
    Collection(MEMBERS, "group address to its members", resource=f"{_API}#Member", make=_member),
    Collection(DOMAINS, "domains", resource=f"{_API}#Domains"),
)
