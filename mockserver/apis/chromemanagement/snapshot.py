"""Browsers, enrollment tokens and reports, as a snapshot holds them."""

from hashlib import sha256

from mockserver.apis.chromemanagement import BROWSERS, ONE_TOKEN, REPORTS, TOKENS
from mockserver.apis.chromemanagement.state import channel_of, system_of
from mockserver.errors import Problem
from mockserver.googleapi import (
    SnapshotImport,
    add_row,
    bare_org_unit,
    each_object,
    json_kind,
    org_units_by_path,
)
from mockserver.googleapi.raw_snapshot import Rows
from mockserver.model import AnsweredCall, Capture, Captures, Json, JsonObject

_DEVICE = ("deviceId",)
_TOKEN = ("tokenId",)


def keep_whole_customer(version: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """A count of the whole customer; that of one org unit is counted from browsers."""
    return None if call.params.get("orgUnitId") else version


def browser_with_id(row: JsonObject, _: AnsweredCall) -> JsonObject:
    """A browser with its id under the name that both APIs share.

    >>> browser_with_id({"browserPermanentId": "d1"}, AnsweredCall("", {}, {}, {}))
    {'deviceId': 'd1'}
    """
    rest = {name: row[name] for name in row if name != "browserPermanentId"}
    return {"deviceId": row.get("browserPermanentId"), **rest}


def token_with_id(row: JsonObject, _: AnsweredCall) -> JsonObject:
    """A token with its id under the name that both APIs share."""
    rest = {name: row[name] for name in row if name != "tokenPermanentId"}
    return {"tokenId": row.get("tokenPermanentId"), **rest}


def legacy_token_with_id(row: JsonObject, _: AnsweredCall) -> JsonObject:
    """A token of the older API, which calls the token's value its id.

    >>> call = AnsweredCall("", {}, {}, {})
    >>> legacy_token_with_id({"tokenId": "11f0", "tokenPermanentId": "p1"}, call)
    {'tokenId': 'p1', 'token': '11f0'}
    """
    rest = {name: row[name] for name in row if name not in {"tokenId", "tokenPermanentId"}}
    return {"tokenId": row.get("tokenPermanentId"), "token": row.get("tokenId"), **rest}


CAPTURES: Captures = {
    "chromemanagement.customers.reports.countChromeVersions": (
        Capture(
            "chromeReports",
            "browserVersions",
            ("version", "channel", "system"),
            shape="object",
            under="browserVersions",
            reshape=keep_whole_customer,
        ),
    ),
    "chromemanagement.customers.chromeBrowsers.list": (
        Capture("browsers", "chromeBrowsers", _DEVICE, reshape=browser_with_id),
    ),
    "chromemanagement.customers.chromeBrowsers.get": (
        Capture("browsers", "", _DEVICE, reshape=browser_with_id),
    ),
    "chromemanagement.customers.enrollmentTokens.list": (
        Capture("enrollmentTokens", "enrollmentTokens", _TOKEN, reshape=token_with_id),
    ),
}
"""Discovery id to what its answers fill."""

LEGACY_CAPTURES: Captures = {
    "directory.chromebrowsers.list": (Capture("browsers", "browsers", _DEVICE),),
    "directory.enrollmentTokens.list": (
        Capture("enrollmentTokens", "chromeEnrollmentTokens", _TOKEN, reshape=legacy_token_with_id),
    ),
}
"""The same for the older API."""


_ID_NAMES = ("deviceId", "browserPermanentId", "id")
_TOKEN_ID_NAMES = ("tokenId", "tokenPermanentId", "id")
_STATES = frozenset({"valid", "expired", "revoked"})
_ACTIVE_STATES = frozenset({"active", "enrollment_token_state_active"})


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables of browsers, enrollment tokens and reports."""
    units = org_units_by_path(found)
    browsers: Rows = {}
    for pointer, raw in each_object(found, BROWSERS):
        _add_browser(found, browsers, pointer, raw, units)
    tokens: Rows = {}
    for pointer, raw in each_object(found, TOKENS):
        _add_token(found, tokens, pointer, raw, units)
    one = found.raw.get(ONE_TOKEN)
    if isinstance(one, dict):
        _add_token(found, tokens, f"/{ONE_TOKEN}", one, units)
    elif one is not None:
        text = f"expected an object or null, found {json_kind(one)}"
        found.problems.append(Problem(f"/{ONE_TOKEN}", text))
    found.tables[BROWSERS] = browsers
    found.tables[TOKENS] = tokens
    report = _import_report(found)
    found.tables[REPORTS] = {} if report is None else {REPORTS: report}


def _add_browser(
    found: SnapshotImport, rows: Rows, pointer: str, raw: JsonObject, units: dict[str, str]
) -> None:
    device = next((str(raw[name]) for name in _ID_NAMES if raw.get(name)), "")
    if not device:
        machine = str(raw.get("machineName", ""))
        if not machine:
            text = "a browser needs a 'deviceId' or a 'machineName'"
            found.problems.append(Problem(pointer, text))
            return
        device = sha256(machine.encode()).hexdigest()[:32]
        found.changes.append((pointer, f"the browser {machine!r} gets the deviceId {device}"))
    row = {key: value for key, value in raw.items() if key not in {"id", "browserPermanentId"}}
    row |= {"deviceId": device, "browsers": _import_installed(found, pointer, raw)}
    placed = _with_unit_id(found, pointer, row, units)
    add_row(found, rows, device, placed, pointer=pointer, noun="browser")


def _import_installed(found: SnapshotImport, pointer: str, raw: JsonObject) -> list[JsonObject]:
    listed = raw.get("browsers")
    if isinstance(listed, list) and all(isinstance(item, dict) for item in listed):
        return [
            {**item, "channel": channel_of(str(item["channel"]))} if item.get("channel") else item
            for item in listed
        ]
    versions = raw.get("browserVersions") or [raw.get("browserVersion") or raw.get("version")]
    channel = channel_of(str(raw.get("channel") or "STABLE"))
    made = [{"browserVersion": str(item), "channel": channel} for item in versions if item]
    if made:
        found.changes.append((pointer, "its versions become the list 'browsers'"))
    return made


def _with_unit_id(
    found: SnapshotImport, pointer: str, row: JsonObject, units: dict[str, str]
) -> JsonObject:
    """A row with the bare id of its org unit instead of a path or a prefixed id."""
    path = str(row.get("orgUnitPath", ""))
    bare = bare_org_unit(str(row.get("orgUnitId") or ""))
    if not bare and path:
        bare = units.get("/" + path.strip("/").casefold(), "")
        if not bare and units and path != "/":
            text = f"no org unit {path!r} in this snapshot"
            hint = "it is served as it is written"
            found.problems.append(Problem(f"{pointer}/orgUnitPath", text, hint, "warning"))
    if not bare:
        return row
    if bare != row.get("orgUnitId"):
        given = row.get("orgUnitId") or path
        found.changes.append((pointer, f"the org unit {given} becomes the orgUnitId {bare}"))
    kept = {key: value for key, value in row.items() if key != "orgUnitPath"}
    return {**kept, "orgUnitId": bare}


def _add_token(
    found: SnapshotImport, rows: Rows, pointer: str, raw: JsonObject, units: dict[str, str]
) -> None:
    token_id = next((str(raw[name]) for name in _TOKEN_ID_NAMES if raw.get(name)), "")
    value = str(raw.get("token") or raw.get(ONE_TOKEN) or "")
    if not token_id and not value:
        text = "an enrollment token needs a 'tokenId' or a 'token'"
        found.problems.append(Problem(pointer, text))
        return
    status = str(raw.get("status") or raw.get("state") or "valid").lower()
    status = "valid" if status in _ACTIVE_STATES else status.removeprefix("enrollment_token_state_")
    if status not in _STATES:
        text = f"unknown status {status!r}"
        hint = f"known: {', '.join(sorted(_STATES))}"
        found.problems.append(Problem(f"{pointer}/status", text, hint))
        return
    if not token_id:
        token_id = sha256(value.encode()).hexdigest()[:22]
        found.changes.append((pointer, f"the token gets the tokenId {token_id}"))
    row = {key: item for key, item in raw.items() if key not in {"id", "state", ONE_TOKEN}}
    row |= {"tokenId": token_id, "token": value or token_id, "status": status}
    rows[token_id] = _with_unit_id(found, pointer, row, units)


def _import_report(found: SnapshotImport) -> JsonObject | None:
    raw = found.raw.get(REPORTS)
    if raw is None:
        return None
    if not isinstance(raw, dict):
        found.problems.append(Problem(f"/{REPORTS}", f"expected an object, found {json_kind(raw)}"))
        return None
    counted = raw.get("browserVersions")
    if counted is None:
        return raw
    where = f"/{REPORTS}/browserVersions"
    if not isinstance(counted, list):
        found.problems.append(Problem(where, f"expected an array, found {json_kind(counted)}"))
        return raw
    rows = [
        _import_version_count(found, f"{where}/{number}", item)
        for number, item in enumerate(counted)
    ]
    return {**raw, "browserVersions": [row for row in rows if row is not None]}


def _import_version_count(found: SnapshotImport, pointer: str, raw: Json) -> JsonObject | None:
    if not isinstance(raw, dict) or not raw.get("version"):
        found.problems.append(Problem(pointer, "expected an object with a 'version'"))
        return None
    row = {**raw, "count": str(raw.get("count", 0))}
    if raw.get("channel"):
        row["channel"] = channel_of(str(raw["channel"]))
    if raw.get("system"):
        row["system"] = system_of(str(raw["system"]))
    if row != raw:
        found.changes.append((pointer, "count, channel and system become those of the API"))
    return row
