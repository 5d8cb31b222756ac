"""What captured answers of the Directory API are in a snapshot, and what in them is secret."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject
from mockserver.redaction import Rule

_UNITS = ("orgUnitId",)
_ID = ("id",)


def _keep_live_user(user: JsonObject, call: AnsweredCall) -> JsonObject | None:
    return None if call.params.get("showDeleted") in {True, "true"} else user


def _keep_deleted_user(user: JsonObject, call: AnsweredCall) -> JsonObject | None:
    return user if _keep_live_user(user, call) is None else None


CAPTURES: Captures = {
    "directory.customers.get": (Capture("customer", shape="object"),),
    "directory.domains.list": (Capture("domains", "domains", ("domainName",)),),
    "directory.orgunits.list": (Capture("orgUnits", "organizationUnits", _UNITS),),
    "directory.orgunits.get": (Capture("orgUnits", "", _UNITS),),
    "directory.users.list": (
        Capture("users", "users", _ID, reshape=_keep_live_user),
        Capture("deletedUsers", "users", _ID, reshape=_keep_deleted_user),
    ),
    "directory.users.get": (Capture("users", "", _ID),),
    "directory.groups.list": (Capture("groups", "groups", _ID),),
    "directory.groups.get": (Capture("groups", "", _ID),),
    "directory.members.list": (
        Capture("members", "members", _ID, shape="lists", under="groupKey"),
    ),
}
"""Discovery id to what its answers fill."""


RULES: tuple[Rule, ...] = (
    Rule("directory_group", "group", ("groupid",), collections=("groups",), check="opaque",
         about="ids of groups"),
    Rule("directory_organization", "organization_name", ("organizationname",),
         about="the name of the customer"),
    Rule("directory_accounts", "username", ("im", "ims", "gecos", "posixusername"),
         about="names of accounts elsewhere"),
    Rule("directory_external_id", "external_id", ("externalids",), about="numbers of employees"),
    Rule("directory_relation", "person_name", ("relations", "manager"), about="names of relatives"),
    Rule("directory_ssh_key", "ssh_key", ("sshpublickeys", "fingerprint"), about="SSH keys"),
)  # fmt: skip
"""The table."""
