"""Methods of the Admin SDK Directory API: domains, the customer, and the table of all of them."""

import re
from collections.abc import Mapping
from typing import Any

from mockserver.apis.directory import groups, orgunits, users
from mockserver.apis.directory.collections import DELETED_USERS
from mockserver.apis.directory.state import (
    DOMAINS,
    domain_row,
    list_with_etag,
    require_customer,
    require_domain,
    with_body_fields,
    with_kind_and_etag,
)
from mockserver.apis.directory.users import ALIAS_HANDLERS
from mockserver.googleapi import (
    Call,
    Events,
    Handler,
    close_channel,
    duplicate,
    forbidden,
    invalid,
    nearest,
    not_found,
    open_channel,
    watch_address,
)
from mockserver.model import JsonObject
from mockserver.state import CUSTOMER, USERS, customer

_DOMAIN = re.compile(r"^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$")
_CUSTOMER_FIELDS = ("alternateEmail", "customerDomain", "language", "phoneNumber")


def _list_domains(call: Call) -> JsonObject:
    """All domains of the customer; not paged.

    Raises:
        ApiError: 403 or 400 for another customer.
    """
    require_customer(call.world, call.params["customer"])
    return list_with_etag("domains", "domains", call.world.table(DOMAINS).rows().values())


def _get_domain(call: Call) -> JsonObject:
    """One domain.

    Raises:
        ApiError: 404 `Domain not found.`; 403 or 400 for another customer.
    """
    require_customer(call.world, call.params["customer"])
    table = call.world.table(DOMAINS)
    name = str(call.params["domainName"])
    row = table.get(name.casefold())
    if row is None:
        raise not_found("Domain not found.", name=name, nearest=nearest(name, table))
    return row


def _insert_domain(call: Call) -> JsonObject:
    """A further domain, not verified yet.

    Raises:
        ApiError: 400 for a bad name, 409 for one that is there, 403 or 400 for another customer.
    """
    world = call.world
    require_customer(world, call.params["customer"])
    name = str(call.body.get("domainName") or "").casefold()
    if not _DOMAIN.match(name):
        raise invalid("Invalid Input: domainName")
    if name in world.table(DOMAINS):
        raise duplicate()
    created = str(int(world.clock.now().timestamp() * 1000))
    row = domain_row({"domainName": name, "verified": False, "creationTime": created})
    world.put(DOMAINS, name, row)
    return row


def _delete_domain(call: Call) -> None:
    """Remove a domain that is not the primary one.

    Raises:
        ApiError: 404 for an unknown domain, 403 for the primary one or another customer.
    """
    row = _get_domain(call)
    if row["isPrimary"]:
        raise forbidden()
    call.world.delete(DOMAINS, row["domainName"])


def _get_customer(call: Call) -> JsonObject:
    """The customer itself, by id or `my_customer`.

    Raises:
        ApiError: 403 or 400 for another customer.
    """
    require_customer(call.world, call.params["customerKey"])
    return {key: value for key, value in customer(call.world).items() if key != "customerEmail"}


def _change_customer(call: Call) -> JsonObject:
    """Change the contact data that is sent.

    Raises:
        ApiError: 403 or 400 for another customer.
    """
    world, body = call.world, call.body
    require_customer(world, call.params["customerKey"])
    before = customer(world)
    row = with_body_fields(before, body, _CUSTOMER_FIELDS)
    if "postalAddress" in body:
        address = {**before.get("postalAddress", {}), **(body["postalAddress"] or {})}
        row["postalAddress"] = {key: text for key, text in address.items() if text is not None}
    call.ignored += sorted(body.keys() & {"customerCreationTime", "etag", "id", "kind"})
    world.put(CUSTOMER, CUSTOMER, with_kind_and_etag("customer", row))
    return _get_customer(call)


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
    "directory.domains.list": _list_domains,
    "directory.domains.get": _get_domain,
    "directory.domains.insert": _insert_domain,
    "directory.domains.delete": _delete_domain,
    "directory.customers.get": _get_customer,
    "directory.customers.update": _change_customer,
    "directory.customers.patch": _change_customer,
    "directory.users.watch": _watch_users,
    "admin.channels.stop": close_channel,
    **ALIAS_HANDLERS,
}
