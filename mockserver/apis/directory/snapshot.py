"""What Directory makes of a snapshot."""

from mockserver.apis.directory.account_rows import import_accounts
from mockserver.apis.directory.orgunit_rows import import_org_units
from mockserver.apis.directory.resources import domain_row, stamped
from mockserver.apis.directory.state import DELETED_USERS, DOMAINS
from mockserver.errors import Problem
from mockserver.googleapi import Collection, Import, Rows, each_object, kind, text_at
from mockserver.model import JsonObject
from mockserver.state import CUSTOMER, GROUPS, MEMBERS, ORG_UNITS, USERS

_DEFAULT_DOMAIN = "example.com"
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


def import_snapshot(found: Import) -> None:
    """Fill the tables that all APIs of a tenant share: customer, org units, accounts, domains."""
    customer = _customer(found)
    found.tables[CUSTOMER] = {CUSTOMER: customer}
    import_org_units(found, root_name=str(customer["customerDomain"]))
    import_accounts(found)
    found.tables[DOMAINS] = _domains(found, str(customer["customerDomain"]))


def _customer(found: Import) -> JsonObject:
    given = found.raw.get(CUSTOMER) or {}
    if not isinstance(given, dict):
        text = f"expected an object, found {kind(given)}"
        found.problems.append(Problem(f"/{CUSTOMER}", text))
        given = {}
    domain = given.get("customerDomain") or _DEFAULT_DOMAIN
    row = {**given, "id": found.customer, "customerDomain": domain}
    row.setdefault("customerEmail", f"admin@{domain}")
    added = [f"{key} {row[key]}" for key in row if key not in given]
    if added:
        found.changes.append((f"/{CUSTOMER}", "gets " + ", ".join(added)))
    return stamped("customer", row)


def _domains(found: Import, primary: str) -> Rows:
    rows: Rows = {}
    for pointer, row in each_object(found, DOMAINS):
        name = text_at(found, pointer, row, "domainName")
        if name is not None:
            rows[name.casefold()] = domain_row(row)
    if primary.casefold() not in rows:
        own = domain_row({"domainName": primary, "isPrimary": True})
        rows = {own["domainName"]: own, **rows}
        found.changes.append((f"/{DOMAINS}", f"the primary domain {primary} is added"))
    return rows
