"""`directory.domains.*` and `directory.customers.*`."""

import re

from mockserver.apis.directory.state import (
    DOMAINS,
    domain_row,
    list_with_etag,
    require_customer,
    with_body_fields,
    with_kind_and_etag,
)
from mockserver.googleapi import Call, duplicate, forbidden, invalid, nearest, not_found
from mockserver.model import JsonObject
from mockserver.state import CUSTOMER, customer

_DOMAIN = re.compile(r"^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$")
_CUSTOMER_FIELDS = ("alternateEmail", "customerDomain", "language", "phoneNumber")


def list_domains(call: Call) -> JsonObject:
    """All domains of the customer; not paged.

    Raises:
        ApiError: 403 or 400 for another customer.
    """
    require_customer(call.world, call.params["customer"])
    return list_with_etag("domains", "domains", call.world.table(DOMAINS).rows().values())


def get_domain(call: Call) -> JsonObject:
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


def insert_domain(call: Call) -> JsonObject:
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


def delete_domain(call: Call) -> None:
    """Remove a domain that is not the primary one.

    Raises:
        ApiError: 404 for an unknown domain, 403 for the primary one or another customer.
    """
    row = get_domain(call)
    if row["isPrimary"]:
        raise forbidden()
    call.world.delete(DOMAINS, row["domainName"])


def get_customer(call: Call) -> JsonObject:
    """The customer itself, by id or `my_customer`.

    Raises:
        ApiError: 403 or 400 for another customer.
    """
    require_customer(call.world, call.params["customerKey"])
    return {key: value for key, value in customer(call.world).items() if key != "customerEmail"}


def change_customer(call: Call) -> JsonObject:
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
    return get_customer(call)
