"""Methods of the Admin SDK Directory API: Discovery id to handler."""

from collections.abc import Mapping
from typing import Any

from mockserver.apis.directory import domains, groups, orgunits, users
from mockserver.apis.directory.collections import DELETED_USERS
from mockserver.apis.directory.state import require_customer, require_domain
from mockserver.apis.directory.users import ALIAS_HANDLERS
from mockserver.googleapi import (
    Call,
    Events,
    Handler,
    close_channel,
    invalid,
    open_channel,
    watch_address,
)
from mockserver.model import JsonObject
from mockserver.state import USERS

_USER_EVENTS = Events(
    added="add", changed="update", removed="delete", flags={"isAdmin": ("makeAdmin", "update")},
    waiting=DELETED_USERS, returned="undelete", seconds=6 * 3600,
    kind="admin#directory#user", shown=("id", "etag", "primaryEmail"),
)  # fmt: skip


def _watch_users(call: Call) -> JsonObject:
    """Answers `users.watch`: of a domain, or of the customer.

    Raises:
        ApiError: 400 for a channel that cannot be, or without `domain` and `customer`.
    """
    params, only = call.params, dict[str, Any]()
    if domain := params.get("domain"):
        require_domain(call.world, domain)
        only["ending"] = {"primaryEmail": f"@{domain.lower()}"}
    elif "customer" in params:
        require_customer(call.world, params["customer"])
    else:
        raise invalid("Bad Request")
    if event := params.get("event"):
        only["event"] = event
    uri = watch_address(call, "admin/directory/v1/users", "customer", "domain", "event")
    return open_channel(call, _USER_EVENTS, USERS, "", uri, **only)


HANDLERS: Mapping[str, Handler] = {
    "directory.orgunits.list": orgunits.list_units,
    "directory.orgunits.get": orgunits.get_unit,
    "directory.orgunits.insert": orgunits.insert_unit,
    "directory.orgunits.update": orgunits.change_unit,
    "directory.orgunits.patch": orgunits.change_unit,
    "directory.orgunits.delete": orgunits.delete_unit,
    "directory.users.list": users.list_users,
    "directory.users.get": users.get_user,
    "directory.users.insert": users.insert_user,
    "directory.users.update": users.change_user,
    "directory.users.patch": users.change_user,
    "directory.users.delete": users.delete_user,
    "directory.users.undelete": users.undelete_user,
    "directory.users.makeAdmin": users.make_admin,
    "directory.users.signOut": users.sign_out,
    "directory.groups.list": groups.list_groups,
    "directory.groups.get": groups.get_group,
    "directory.groups.insert": groups.insert_group,
    "directory.groups.update": groups.change_group,
    "directory.groups.patch": groups.change_group,
    "directory.groups.delete": groups.delete_group,
    "directory.members.list": groups.list_members,
    "directory.members.get": groups.get_member,
    "directory.members.hasMember": groups.has_member,
    "directory.members.insert": groups.insert_member,
    "directory.members.update": groups.change_member,
    "directory.members.patch": groups.change_member,
    "directory.members.delete": groups.delete_member,
    "directory.domains.list": domains.list_domains,
    "directory.domains.get": domains.get_domain,
    "directory.domains.insert": domains.insert_domain,
    "directory.domains.delete": domains.delete_domain,
    "directory.customers.get": domains.get_customer,
    "directory.customers.update": domains.change_customer,
    "directory.customers.patch": domains.change_customer,
    "directory.users.watch": _watch_users,
    "admin.channels.stop": close_channel,
    **ALIAS_HANDLERS,
}
