"""Browsers and enrollment tokens as a session holds them, and as the API shows them."""

from collections.abc import Mapping
from typing import Literal

from mockserver.apis.chromemanagement import TOKENS
from mockserver.collections import Index
from mockserver.googleapi import each_of
from mockserver.model import JsonObject
from mockserver.state import (
    OrgTree,
    World,
    customer_id,
    find_user,
    org_tree,
    parse_rfc3339,
    rfc3339,
)

ANNOTATIONS = ("annotatedAssetId", "annotatedLocation", "annotatedNotes", "annotatedUser")

_CHANNEL = "CHANNEL_"
_COUNTS = ("extensionCount", "policyCount")
_PLACE = frozenset({"deviceId", "orgUnitId", "orgUnitPath"})
_SYSTEMS: Mapping[str, str] = {
    "win": "SYSTEM_WINDOWS",
    "mac": "SYSTEM_MAC",
    "darwin": "SYSTEM_MAC",
    "linux": "SYSTEM_LINUX",
    "cros": "SYSTEM_CROS",
    "chrome": "SYSTEM_CROS",
    "android": "SYSTEM_ANDROID",
    "ios": "SYSTEM_IOS",
}
"""Start of an operating system's name to the name that reports give it."""


def unit_of(tree: OrgTree, row: JsonObject) -> str:
    """The bare id of the org unit that a browser or token is in; the root when that is gone."""
    bare = str(row.get("orgUnitId", ""))
    if bare in tree.by_id:
        return bare
    return tree.find(str(row.get("orgUnitPath", "/"))) or tree.root


def path_of(tree: OrgTree, bare: str) -> str:
    """The path of an org unit."""
    return str(tree.by_id.get(bare, {}).get("orgUnitPath", "/"))


def browser_view(world: World, row: JsonObject) -> JsonObject:
    """A browser as the Chrome Management API shows it. Source: Discovery document."""
    return {
        "name": f"customers/{customer_id(world)}/chromeBrowsers/{row['deviceId']}",
        "browserPermanentId": row["deviceId"],
        "orgUnitId": unit_of(org_tree(world), row),
        **_shared_fields(row),
        "browsers": [
            {**item, "channel": f"{_CHANNEL}{item['channel']}"} if item.get("channel") else item
            for item in row.get("browsers", ())
        ],
    }


def legacy_browser_view(world: World, row: JsonObject) -> JsonObject:
    """A browser as the older API shows it. Not verified against the live API."""
    tree = org_tree(world)
    bare = unit_of(tree, row)
    return {
        "kind": "admin#directory#browserdevice",
        "deviceId": row["deviceId"],
        "orgUnitPath": path_of(tree, bare),
        **_shared_fields(row),
    }


def _shared_fields(row: JsonObject) -> JsonObject:
    fields = {name: value for name, value in row.items() if name not in _PLACE}
    fields |= {name: str(fields[name]) for name in _COUNTS if name in fields}
    return {**fields, "browserVersions": installed_versions(row)}


def installed_versions(row: JsonObject) -> list[str]:
    """The browser versions installed on a device."""
    listed = [str(item) for item in row.get("browserVersions", ())]
    found = [str(item.get("browserVersion", "")) for item in row.get("browsers", ())]
    return listed or list(dict.fromkeys(version for version in found if version))


def system_of(name: str) -> str:
    """What reports call an operating system.

    >>> system_of("Windows 11"), system_of("SYSTEM_MAC"), system_of("BeOS")
    ('SYSTEM_WINDOWS', 'SYSTEM_MAC', 'SYSTEM_OTHER')
    """
    folded = name.casefold().removeprefix("system_")
    found = (system for start, system in _SYSTEMS.items() if folded.startswith(start))
    return next(found, "SYSTEM_OTHER")


def channel_of(name: str) -> str:
    """A release channel without its prefix.

    >>> channel_of("CHANNEL_STABLE"), channel_of("beta")
    ('STABLE', 'BETA')
    """
    return name.upper().removeprefix(_CHANNEL)


TokenState = Literal["ACTIVE", "EXPIRED", "REVOKED"]


def token_state(world: World, row: JsonObject) -> TokenState:
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
    tree, table = org_tree(world), world.table(TOKENS)
    lost = (each for each in table.values(_ALIVE) if each not in tree.units)
    for place in (unit, *(lost if unit == tree.root else ())):
        for row in each_of(table.find(_ALIVE, place)):
            if token_state(world, row) == "ACTIVE":
                return row
    return None


_ALIVE = Index(
    lambda _, row: (
        ()
        if row.get("revokeTime") or row.get("status") in {"revoked", "expired"}
        else (str(row.get("orgUnitId", "")),)
    )
)
"""Tokens that may be active, by org unit."""


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


def revoke(world: World, row: JsonObject, *, email: str) -> JsonObject:
    """Make a token stop working, in the name of an account."""
    now = rfc3339(world.clock.now())
    row = {**row, "revokeTime": now, "revokerId": _account_id(world, email)}
    world.put(TOKENS, row["tokenId"], row)
    return row


def _account_id(world: World, email: str) -> str:
    user = find_user(world, email) if email else None
    return str(user["id"]) if user else ""
