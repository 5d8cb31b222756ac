"""Who is asking, and how the organisation is laid out."""

from typing import Any

from harness.demo.google import Google, JsonObject

MY_CUSTOMER = "my_customer"


def list_org_units(google: Google, args: JsonObject) -> JsonObject:
    """All org units, the root included: `{"orgUnits": [{"id", "path", "parent"}]}`.

    Ids are bare (`03ph...`): Directory, Chrome Policy and Cloud Identity each write them with
    another prefix.
    """
    request = (
        google.directory()
        .orgunits()
        .list(customerId=MY_CUSTOMER, type="allIncludingParent", **args)
    )
    units = google.ask(request).get("organizationUnits", [])
    rows = [
        {
            "id": bare(unit["orgUnitId"]),
            "path": unit["orgUnitPath"],
            "parent": unit.get("parentOrgUnitPath", ""),
        }
        for unit in units
    ]
    return {"orgUnits": sorted(rows, key=lambda row: str(row["path"]))}


def debug_auth(google: Google, args: JsonObject) -> JsonObject:
    """What the access token is good for: `{"email", "scopes", "expiresIn"}` (seconds)."""
    token = google.ask(google.oauth().tokeninfo(access_token=google.token, **args))
    return {
        "email": token.get("email", ""),
        "scopes": str(token.get("scope", "")).split(),
        "expiresIn": int(token.get("expires_in", 0)),
    }


def bare(org_unit_id: str) -> str:
    """An org unit's id without the prefix of the API that gave it.

    >>> bare("id:03ph8a2z1"), bare("orgunits/03ph8a2z1")
    ('03ph8a2z1', '03ph8a2z1')
    """
    return org_unit_id.rpartition(":")[2].rpartition("/")[2]


def customer_id(google: Google) -> str:
    """The customer's real id: the filters of Cloud Identity do not take `my_customer`."""
    customer: dict[str, Any] = google.ask(
        google.directory().customers().get(customerKey=MY_CUSTOMER)
    )
    return str(customer["id"])
