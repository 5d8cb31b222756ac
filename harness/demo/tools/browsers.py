"""Enrolled browsers, and the tokens that enroll them."""

from typing import Any

from harness.demo.google import Google, JsonObject
from harness.demo.tools.tenant import MY_CUSTOMER, bare

_PARENT = f"customers/{MY_CUSTOMER}"
_STATE = "ENROLLMENT_TOKEN_STATE_"


def get_fleet_overview(google: Google, args: JsonObject) -> JsonObject:
    """Installed versions and enrolled machines.

    Returns:
        `{"versions": [{"version", "channel", "system", "count"}], "browsers": [{"id", "machine",
        "orgUnit" (bare id), "user", "version", "lastActivity"}]}`
    """
    management = google.management().customers()
    versions = google.pages(
        lambda token: management.reports().countChromeVersions(
            customer=_PARENT, **args, pageToken=token
        ),
        "browserVersions",
    )
    browsers = google.pages(
        lambda token: management.chromeBrowsers().list(parent=_PARENT, pageToken=token),
        "chromeBrowsers",
    )
    return {
        "versions": [
            {
                "version": row.get("version", ""),
                "channel": row.get("channel", ""),
                "system": row.get("system", "").removeprefix("SYSTEM_"),
                "count": int(row.get("count", 0)),
            }
            for row in versions
        ],
        "browsers": [_browser(row) for row in browsers],
    }


def _browser(row: JsonObject) -> JsonObject:
    installed: list[dict[str, Any]] = row.get("browsers", [])
    versions = [str(one.get("browserVersion", "")) for one in installed]
    return {
        "id": row.get("browserPermanentId") or row["name"].rpartition("/")[2],
        "machine": row.get("machineName", ""),
        "orgUnit": bare(row.get("orgUnitId", "")),
        "user": row.get("lastDeviceUser", ""),
        "version": next(iter(versions or row.get("browserVersions", [])), ""),
        "lastActivity": row.get("lastActivityTime", ""),
    }


def enroll_browser(google: Google, args: JsonObject) -> JsonObject:
    """Find the token that enrolls browsers into an org unit; nothing is created.

    Args:
        google: Where to ask.
        args: `orgUnit` (bare id); without it every token of the customer is listed.

    Returns:
        `{"tokens": [{"id", "orgUnit", "state"}], "usable": token id or None}`
    """
    tokens = google.pages(
        lambda token: (
            google.management().customers().enrollmentTokens().list(parent=_PARENT, pageToken=token)
        ),
        "enrollmentTokens",
    )
    rows = [_token(row) for row in tokens]
    here = [row for row in rows if args.get("orgUnit") in {None, row["orgUnit"]}]
    usable = next((row["id"] for row in here if row["state"] == "ACTIVE"), None)
    return {"tokens": rows, "usable": usable}


def _token(row: JsonObject) -> JsonObject:
    return {
        "id": row.get("tokenPermanentId") or row["name"].rpartition("/")[2],
        "orgUnit": bare(row.get("orgUnitId", "")),
        "state": str(row.get("state", "")).removeprefix(_STATE),
    }
