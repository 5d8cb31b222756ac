"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection
from mockserver.state import CUSTOMER, GROUPS, MEMBERS, ORG_UNITS, USERS

DOMAINS = "domains"

DELETED_USERS = "deletedUsers"

_API = "admin:directory_v1"

COLLECTIONS = (
    Collection(CUSTOMER, "the customer (Directory resource)", (("customerCreationTime",),)),
    Collection(ORG_UNITS, "org units", resource=f"{_API}#OrgUnit"),
    Collection(
        USERS, "users", (("creationTime",), ("lastLoginTime",), ("suspensionTime",)), f"{_API}#User"
    ),
    Collection(
        DELETED_USERS,
        "deleted users",
        (("creationTime",), ("lastLoginTime",), ("suspensionTime",), ("deletionTime",)),
        f"{_API}#User",
    ),
    Collection(GROUPS, "groups", resource=f"{_API}#Group"),
    Collection(MEMBERS, "group address to its members", resource=f"{_API}#Member"),
    Collection(DOMAINS, "domains", resource=f"{_API}#Domains"),
)
