"""Enrollment tokens: whether they still work, and how they are shown."""

from typing import Literal

from mockserver.apis.chromemanagement.browsers import path_of, unit_of
from mockserver.model import JsonObject
from mockserver.state import World, customer_id, find_user, org_tree, parse_rfc3339, rfc3339

TOKENS = "enrollmentTokens"

State = Literal["ACTIVE", "EXPIRED", "REVOKED"]


def token_state(world: World, row: JsonObject) -> State:
    """Whether a token can enroll a browser now, in session time."""
    if row.get("revokeTime") or row.get("status") == "revoked":
        return "REVOKED"
    expires = row.get("expireTime")
    late = bool(expires) and parse_rfc3339(str(expires)) <= world.clock.now()
    return "EXPIRED" if late or row.get("status") == "expired" else "ACTIVE"


def token_view(world: World, row: JsonObject) -> JsonObject:
    """A token as the Chrome Management API shows it. Source: Discovery document."""
    shown = {
        "name": f"customers/{customer_id(world)}/enrollmentTokens/{row['tokenId']}",
        "tokenPermanentId": row["tokenId"],
        "token": row.get("token"),
        "customerId": customer_id(world),
        "orgUnitId": unit_of(org_tree(world), row),
        "tokenType": "ENROLLMENT_TOKEN_TYPE_CHROME_BROWSER",
        "state": f"ENROLLMENT_TOKEN_STATE_{token_state(world, row)}",
        "createTime": row.get("createTime"),
        "creatorId": row.get("creatorId"),
        "revokeTime": row.get("revokeTime"),
        "revokerId": row.get("revokerId"),
    }
    return {name: value for name, value in shown.items() if value}


def legacy_token_view(world: World, row: JsonObject) -> JsonObject:
    """A token as the older API shows it. Not verified against the live API."""
    tree = org_tree(world)
    shown = {
        "kind": "admin#directory#chromeEnrollmentToken",
        "tokenId": row.get("token"),
        "tokenPermanentId": row["tokenId"],
        "customerId": customer_id(world),
        "orgUnitPath": path_of(tree, unit_of(tree, row)),
        "tokenType": "chromeBrowser",
        "state": token_state(world, row).lower(),
        "createTime": row.get("createTime"),
        "creatorId": row.get("creatorId"),
        "expireTime": row.get("expireTime"),
        "revokeTime": row.get("revokeTime"),
        "revokerId": row.get("revokerId"),
    }
    return {name: value for name, value in shown.items() if value}


def active_token(world: World, unit: str) -> JsonObject | None:
    """The token that enrolls browsers into an org unit, or None."""
    tree = org_tree(world)
    for row in world.table(TOKENS).rows().values():
        if unit_of(tree, row) == unit and token_state(world, row) == "ACTIVE":
            return row
    return None


def new_token(world: World, unit: str, *, email: str, token_id: str = "") -> JsonObject:
    """Make a token for an org unit, in the name of an account."""
    row: JsonObject = {
        "tokenId": token_id or world.ids.base36("enrollment", 22),
        "token": world.ids.uuid("enrollment"),
        "orgUnitId": unit,
        "createTime": rfc3339(world.clock.now()),
        "creatorId": _account_id(world, email),
    }
    world.put(TOKENS, row["tokenId"], row)
    return row


def revoked(world: World, row: JsonObject, *, email: str) -> JsonObject:
    """Make a token stop working, in the name of an account."""
    now = rfc3339(world.clock.now())
    row = {**row, "revokeTime": now, "revokerId": _account_id(world, email)}
    world.put(TOKENS, row["tokenId"], row)
    return row


def _account_id(world: World, email: str) -> str:
    user = find_user(world, email) if email else None
    return str(user["id"]) if user else ""
