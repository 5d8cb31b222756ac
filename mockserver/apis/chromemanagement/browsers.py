"""Managed browsers: where they are, and how they are shown."""

from collections.abc import Mapping

from mockserver.model import JsonObject
from mockserver.state import OrgTree, Table, World, customer_id, org_tree

BROWSERS = "browsers"
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


def in_order(table: Table) -> tuple[JsonObject, ...]:
    """All rows, by key."""
    return tuple(row for _, row in sorted(table.rows().items()))


def browser_view(world: World, row: JsonObject) -> JsonObject:
    """A browser as the Chrome Management API shows it. Source: Discovery document."""
    return {
        "name": f"customers/{customer_id(world)}/chromeBrowsers/{row['deviceId']}",
        "browserPermanentId": row["deviceId"],
        "orgUnitId": unit_of(org_tree(world), row),
        **_shared(row),
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
        **_shared(row),
    }


def _shared(row: JsonObject) -> JsonObject:
    fields = {name: value for name, value in row.items() if name not in _PLACE}
    fields |= {name: str(fields[name]) for name in _COUNTS if name in fields}
    return {**fields, "browserVersions": versions(row)}


def versions(row: JsonObject) -> list[str]:
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
