"""Custom roles: those that are deleted stay for a while, and can be restored.

Source: the reference of IAM; texts of refusals are not verified.
"""

from collections.abc import Mapping

from mockserver.collections import Index
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    by_parent,
    failed_precondition,
    list_answer,
    page,
    parent_of,
    require_row,
)
from mockserver.model import JsonObject
from mockserver.state import project_names

_ROLES = "iam:v1/roles"
_PAGES = PageRule(default=300, maximum=1000)
_THERE = Index(lambda key, row: () if row.get("deleted") else ((parent_of(key, 2),),))


def _role(call: Call) -> JsonObject:
    """The role that a call names; raises ApiError: 404."""
    name = str(call.params["name"])
    text = f"The role named {name} was not found."
    return require_row(call.world, _ROLES, name, text)


def _list(call: Call) -> JsonObject:
    index = by_parent(2) if call.params.get("showDeleted") else _THERE
    names = project_names(call.world, str(call.params["parent"]))
    table = call.world.table(_ROLES)
    found = [table.find(index, (name,)) for name in dict.fromkeys(names)]
    rows, token = page(call, next((each for each in found if len(each)), found[0]), _PAGES)
    if call.params.get("view") != "FULL":
        rows = [{k: v for k, v in row.items() if k != "includedPermissions"} for row in rows]
    return list_answer("roles", rows, token)


def _delete(call: Call) -> JsonObject:
    row = _role(call)
    if row.get("deleted"):
        raise failed_precondition(f"The role {row['name']} is already deleted.")
    call.world.put(_ROLES, row["name"], {**row, "deleted": True})
    return {**row, "deleted": True}


def _undelete(call: Call) -> JsonObject:
    row = _role(call)
    if not row.get("deleted"):
        raise failed_precondition(f"The role {row['name']} is not deleted.")
    row = {name: each for name, each in row.items() if name != "deleted"}
    call.world.put(_ROLES, row["name"], row)
    return row


HANDLERS: Mapping[str, Handler] = {
    f"iam.{owner}.roles.{verb}": answer
    for owner in ("projects", "organizations")
    for verb, answer in (("list", _list), ("delete", _delete), ("undelete", _undelete))
}
