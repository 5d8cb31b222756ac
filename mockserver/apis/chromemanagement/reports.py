"""Reports of Chrome: installed apps, print jobs, crashes, and counts of ChromeOS devices.

What `chromeReports` of a snapshot has under the name of an answer's field is reported; counts of
devices are those of the Directory's ChromeOS devices. Source: reference pages; not verified against
the live API: what counts as recent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from mockserver.apis.chromemanagement import BROWSERS, REPORTS
from mockserver.apis.chromemanagement.state import unit_of
from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    bad_fields,
    bare_org_unit,
    camel_case,
    leaves,
    list_page,
    not_found,
    not_honoured,
    order_rows,
    own_customer,
    parse_filter,
)
from mockserver.googleapi.list_rules import field_of
from mockserver.googleapi.row_filters import row_test
from mockserver.model import JsonObject
from mockserver.state import customer_id, org_tree, parse_rfc3339

# Rows of a report

_PAGES = PageRule(default=100, maximum=100)
_FIXTURE = '{"chromeReports": {"installedApps": [{"appId": "a", "displayName": "A"}]}}'
_NAVIGATION = "first_navigation_time last_navigation_time org_unit_id"
_APP_FIELDS = {
    "appName": "displayName", "installType": "appInstallType",
    "totalInstallCount": "browserDeviceCount", "permissionName": "permissions",
    "riskScore": "riskAssessment",
}  # fmt: skip
"""What filters and orders call fields of an app by another name."""


@dataclass(frozen=True, slots=True)
class _List:
    """A report that lists rows.

    Attributes:
        key: Its field of the answer and of the snapshot's report.
        filtered: The fields of its filter.
        selecting: Parameters that rows tell by a field of their name, which is not shown.
        count: How its total is told.
    """

    key: str
    filtered: str
    selecting: tuple[str, ...] = ("orgUnitId",)
    count: Callable[[int], int | str] = int


_OF_APP = ("orgUnitId", "appId", "appType")
_OF_PRINTERS = ("printerOrgUnitId",)
_LISTS: Mapping[str, _List] = {
    "countInstalledApps": _List(
        "installedApps",
        "app_name app_type install_type number_of_permissions total_install_count app_id "
        "latest_profile_active_date permission_name manifest_versions risk_score",
    ),
    "findInstalledAppDevices": _List("devices", "last_active_date", _OF_APP),
    "findInstalledAppProfiles": _List("profiles", "last_active_date", _OF_APP),
    "countChromeProfileVersions": _List("profileBrowserVersions", "last_active_date"),
    "countChromeCrashEvents": _List(
        "crashEventCounts",
        "major_browser_version minor_browser_version browser_channel device_platform "
        "past_number_days",
    ),
    "countPrintJobsByPrinter": _List("printerReports", "complete_time", _OF_PRINTERS, str),
    "countPrintJobsByUser": _List("userPrintReports", "complete_time", _OF_PRINTERS, str),
    "enumeratePrintJobs": _List("printJobs", "complete_time printer_id user_id", _OF_PRINTERS, str),
    "findSaasUsage": _List(
        "saasReports",
        "app category organization founded_year headquarters primary_domain domains "
        "encryption_protocols visits_count distinct_users_count distinct_browsers_count "
        f"content_transfer_count {_NAVIGATION}",
        (),
        str,
    ),
    "findSaasUsageBrowsers": _List(
        "saasUsageBrowsers", f"machine os_platform {_NAVIGATION}", ("app",), str
    ),
    "findSaasUsageProfiles": _List(
        "profileReports", f"email os_platform {_NAVIGATION}", ("app",), str
    ),
}
_TOLD_ASIDE = frozenset(
    camel_case(each)
    for each in f"last_active_date {_LISTS['countChromeCrashEvents'].filtered}".split()
)
"""What rows tell for filters alone."""
_COUNTED: Mapping[str, tuple[Sequence[str], str, str]] = {
    "printerReports": (("printerId", "printer"), "userCount", "userEmail"),
    "userPrintReports": (("userEmail", "userId"), "printerCount", "printerId"),
}
"""Reports that count print jobs: what the jobs of a row have in common, and what is counted."""


def _list_report(name: str, call: Call) -> JsonObject:
    """Answers a report that lists rows.

    Raises:
        ApiError: 400 for a field that the report is not filtered by; 501 for apps where browsers
            are there and no report, and for an org unit that no row tells.
    """
    own_customer(call.world, call.params["customer"])
    what, world = _LISTS[name], call.world
    report = world.table(REPORTS).get(REPORTS) or {}
    if what.key == "installedApps" and what.key not in report and len(world.table(BROWSERS)):
        raise not_honoured(call.id, "browsers do not tell their apps", _FIXTURE)
    is_counted = what.key in _COUNTED and what.key not in report
    rows: Sequence[JsonObject] = report.get("printJobs" if is_counted else what.key) or ()
    for parameter in what.selecting:
        rows = _selected(call, rows, parameter)
    test = _filter_of(call, what)
    found: Sequence[JsonObject] = [row for row in map(_with_names, rows) if test(row)]
    if is_counted:
        found = _counted(found, *_COUNTED[what.key])
    hidden = {*what.selecting, *_TOLD_ASIDE, *_APP_FIELDS}
    shown = [
        {field: value for field, value in row.items() if field not in hidden}
        for row in order_rows(call, found)
    ]
    if what.key == "crashEventCounts":
        return {what.key: shown} if shown else {}
    answer = list_page(call, what.key, shown, _PAGES)
    return {**answer, "totalSize": what.count(len(shown))} if shown else answer


def _filter_of(call: Call, what: _List) -> Callable[[JsonObject], bool]:
    text = str(call.params.get("filter") or "")
    if not text.strip():
        return lambda _: True
    test = row_test(text)
    known = what.filtered.split()
    for leaf in leaves(parse_filter(text)):
        if getattr(leaf, "field", "") not in known:
            raise bad_fields([("filter", f"It can be filtered by {', '.join(known)}.")])
    return test


def _with_names(row: JsonObject) -> JsonObject:
    """A row with the names by which filters and orders call fields of apps."""
    return {**row, **{name: row[field] for name, field in _APP_FIELDS.items() if field in row}}


def _selected(call: Call, rows: Sequence[JsonObject], parameter: str) -> Sequence[JsonObject]:
    """The rows that a parameter means; those of the org unit at the top are all."""
    value = str(call.params.get(parameter) or "")
    if parameter.casefold().endswith("orgunitid"):
        value = bare_org_unit(value)
        value = "" if value == org_tree(call.world).root else value
    if not value or not rows:
        return rows
    if not any(parameter in row for row in rows):
        raise not_honoured(call.id, f"no row of the report tells its {parameter}", _FIXTURE)
    return [row for row in rows if row.get(parameter) == value]


def _counted(
    jobs: Iterable[JsonObject], alike: Sequence[str], count: str, counted: str
) -> Sequence[JsonObject]:
    groups: dict[str, list[JsonObject]] = {}
    for job in jobs:
        groups.setdefault(str(job.get(alike[0], "")), []).append(job)
    return [
        {
            **{name: several[0][name] for name in alike if name in several[0]},
            "jobCount": str(len(several)),
            count: str(len({job.get(counted) for job in several})),
        }
        for _, several in sorted(groups.items())
    ]


# Counts of devices

_DEVICES = "admin:directory_v1/chromeosdevices"
_RECENT = timedelta(days=28)
_MONTHS = (
    "JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER",
    "OCTOBER", "NOVEMBER", "DECEMBER",
)  # fmt: skip


def _devices(call: Call, table: str = _DEVICES) -> Iterator[JsonObject]:
    """The devices of the customer, or of an org unit and those below it.

    Yields:
        Those that are not deprovisioned.
    """
    own_customer(call.world, call.params["customer"])
    tree = org_tree(call.world)
    unit = bare_org_unit(str(call.params.get("orgUnitId") or "")) or tree.root
    inside = {unit, *tree.below(unit)} if unit in tree.by_id else {unit}
    for row in call.world.table(table).ordered(BY_KEY):
        if row.get("status") != "DEPROVISIONED" and unit_of(tree, row) in inside:
            yield row


_TELEMETRY = "chromemanagement:v1/devices"
_PAGES_OF_TELEMETRY = PageRule(default=100, maximum=1000)


def _telemetry_name(call: Call, ident: str) -> str:
    return f"customers/{customer_id(call.world)}/telemetry/devices/{ident}"


def _telemetry_of(call: Call, row: JsonObject) -> JsonObject:
    """What a ChromeOS device of the Directory tells of itself, and what `resources` add to it."""
    ident, customer = str(row["deviceId"]), customer_id(call.world)
    name = _telemetry_name(call, ident)
    memory, disk = row.get("systemRamTotal"), row.get("diskSpaceUsage") or {}
    told = {
        "name": name,
        "customer": f"customers/{customer}",
        "orgUnitId": unit_of(org_tree(call.world), row),
        "deviceId": ident,
        "serialNumber": row.get("serialNumber"),
        "cpuInfo": [{"model": each.get("model")} for each in row.get("cpuInfo") or ()],
        "memoryInfo": {"totalRamBytes": memory} if memory else None,
        "storageInfo": {"totalDiskBytes": disk["capacityBytes"]} if disk else None,
        **(call.world.table(_TELEMETRY).get(name) or {}),
    }
    return {field: value for field, value in told.items() if value}


def _telemetry(call: Call) -> JsonObject:
    """Answers `telemetry.devices.list` and `get`.

    Raises:
        ApiError: 404; 400 for a mask of other fields, and for a filter of others.
    """
    named = call.params.get("name") or call.params["parent"]
    own_customer(call.world, "/".join(str(named).split("/")[:2]))
    mask = [camel_case(each.strip()) for each in str(call.params.get("readMask") or "").split(",")]
    always = {"name", "customer", "deviceId", "orgUnitId", "serialNumber", *mask}
    devices, told = call.world.table(_DEVICES), call.world.table(_TELEMETRY)
    known_devices = field_of("deviceId")

    def view(row: JsonObject) -> JsonObject:
        told = _telemetry_of(call, row)
        return {field: value for field, value in told.items() if field in always or "" in mask}

    if "name" in call.params:
        ident = str(named).rpartition("/")[2]
        hits = known_devices.equal(devices, [ident]).places()
        if not hits and _telemetry_name(call, ident) not in told:
            raise not_found(name=str(named))
        return view(devices.rows()[hits[0][2]] if hits else {"deviceId": ident})
    rows: Sequence[JsonObject] = devices.ordered(BY_KEY)
    idents = [name.rpartition("/")[2] for name in told.rows()]
    if others := [each for each in idents if not known_devices.equal(devices, [each]).places()]:
        rows = [*rows, *({"deviceId": each} for each in others)]
    text = str(call.params.get("filter") or "")
    if not text.strip():
        return list_page(call, "devices", rows, _PAGES_OF_TELEMETRY, view)
    test = row_test(text)
    known = {"org_unit_id", "serial_number", "device_id"}
    if any(getattr(leaf, "field", "") not in known for leaf in leaves(parse_filter(text))):
        raise bad_fields([("filter", f"It can be filtered by {', '.join(sorted(known))}.")])
    rows = [row for row in rows if test(_telemetry_of(call, row))]
    return list_page(call, "devices", rows, _PAGES_OF_TELEMETRY, view)


def _time(row: JsonObject, *fields: str) -> datetime:
    """The latest of the times that a row tells; long ago where it tells none."""
    told = [parse_rfc3339(row[field]) for field in fields if isinstance(row.get(field), str)]
    return max(told, default=datetime.fromtimestamp(0, UTC))


def _day(call: Call) -> datetime:
    """The end of the day that a call names.

    Raises:
        ApiError: 400 for a day that is none.
    """
    year, month, day = (int(call.params.get(f"date.{part}") or 0) for part in _DATE)
    if not year:
        return call.world.clock.now()
    try:
        return datetime(year, month or 12, day or 28, tzinfo=UTC) + timedelta(days=1)
    except ValueError as error:
        raise bad_fields([("date", f"No date: {error}.")]) from error


_DATE = ("year", "month", "day")


def _count_active(call: Call) -> JsonObject:
    """Answers `countActiveDevices`: those that synchronized in the days before."""
    end = _day(call)
    ages = [end - _time(row, "lastSync") for row in _devices(call)]
    within = {"sevenDaysCount": 7, "thirtyDaysCount": 30}
    return {
        name: str(sum(timedelta() <= age <= timedelta(days) for age in ages))
        for name, days in within.items()
    }


def _count_by(field: str, names: Mapping[str, str], unknown: str, call: Call) -> JsonObject:
    _day(call)
    counts = Counter(
        names.get(str(row.get(field, "")).casefold(), unknown) for row in _devices(call)
    )
    return {name: str(counts[name]) for name in (*names.values(), unknown)}


def _count_in_need(call: Call) -> JsonObject:
    now = call.world.clock.now()
    needs: Mapping[str, Callable[[JsonObject], bool]] = {
        "noRecentPolicySyncCount": lambda row: now - _time(row, "lastSync") > _RECENT,
        "noRecentUserActivityCount": lambda row: not row.get("activeTimeRanges"),
        "osVersionNotCompliantCount": lambda row: row.get("osVersionCompliance") == "notCompliant",
        "pendingUpdate": lambda row: (
            bool(row.get("osUpdateStatus", {}).get("updateState"))
            and row["osUpdateStatus"]["updateState"] != "updateStateUnspecified"
        ),
        "unsupportedPolicyCount": lambda _: False,
    }
    asked = str(call.params.get("readMask") or "").split(",")
    names = [camel_case(each.strip()) for each in asked if each.strip()] or list(needs)
    wrong = [each for each in names if each not in needs]
    if wrong:
        raise bad_fields([("read_mask", f"Unknown field '{wrong[0]}'.")])
    rows = list(_devices(call))
    return {name: str(sum(needs[name](row) for row in rows)) for name in names}


def _count_expirations(call: Call) -> JsonObject:
    """Answers `countChromeDevicesReachingAutoExpirationDate`, by model and month."""
    now = call.world.clock.now()
    low, high = (str(call.params.get(f"{end}AueDate") or "") for end in ("min", "max"))
    counts: Counter[tuple[str, int, int]] = Counter()
    for row in _devices(call):
        told = str(row.get("autoUpdateExpiration") or "")
        if told.lstrip("-").isdecimal():
            at = datetime.fromtimestamp(int(told) / 1000, UTC)
            day = at.date().isoformat()
            if (not low or low <= day) and (not high or day <= high):
                counts[str(row.get("model", "")), at.year, at.month] += 1
    reports = [
        {
            "model": model,
            "aueYear": str(year),
            "aueMonth": _MONTHS[month - 1],
            "expired": (year, month) < (now.year, now.month),
            "count": str(count),
        }
        for (model, year, month), count in sorted(counts.items())
    ]
    return {"deviceAueCountReports": reports} if reports else {}


def _count_hardware(call: Call) -> JsonObject:
    """Answers `countChromeHardwareFleetDevices`: by model, processor, memory and storage."""
    places: Mapping[str, Callable[[JsonObject], object]] = {
        "modelReports": lambda row: row.get("model"),
        "cpuReports": lambda row: ([*(row.get("cpuInfo") or ()), {}])[0].get("model"),
        "memoryReports": lambda row: row.get("systemRamTotal"),
        "storageReports": lambda row: (row.get("diskSpaceUsage") or {}).get("capacityBytes"),
    }
    rows, answer = list(_devices(call)), dict[str, list[JsonObject]]()
    for name, place in places.items():
        counts = Counter(str(place(row)) for row in rows if place(row))
        if counts:
            found = sorted(counts.items())
            answer[name] = [{"bucket": bucket, "count": str(count)} for bucket, count in found]
    return dict(answer)


def _count_browsers_in_need(call: Call) -> JsonObject:
    now = call.world.clock.now()
    rows = list(_devices(call, BROWSERS))
    idle = sum(now - _time(row, "lastActivityTime") > _RECENT for row in rows)
    new = sum(now - _time(row, "lastRegistrationTime") <= _RECENT for row in rows)
    waiting = sum(
        any(each.get("pendingInstallVersion") for each in row.get("browsers") or ()) for row in rows
    )
    return {
        "noRecentActivityCount": str(idle),
        "recentlyEnrolledCount": str(new),
        "pendingBrowserUpdateCount": str(waiting),
    }


_CHANNELS = ("beta", "canary", "dev", "ltc", "lts", "stable", "unsupported")
_COUNTS: Mapping[str, Handler] = {
    "countActiveDevices": _count_active,
    "countDevicesPerBootType": partial(
        _count_by,
        "bootMode",
        {"dev": "devBootTypeCount", "verified": "verifiedBootTypeCount"},
        "unreportedBootTypeCount",
    ),
    "countDevicesPerReleaseChannel": partial(
        _count_by,
        "channel",
        {each: f"{each}ChannelCount" for each in _CHANNELS},
        "unreportedChannelCount",
    ),
    "countChromeDevicesThatNeedAttention": _count_in_need,
    "countChromeDevicesReachingAutoExpirationDate": _count_expirations,
    "countChromeHardwareFleetDevices": _count_hardware,
    "countChromeBrowsersNeedingAttention": _count_browsers_in_need,
}
_ANSWERS: Mapping[str, Handler] = {
    **{name: partial(_list_report, name) for name in _LISTS},
    **_COUNTS,
}
OF_REPORTS: Mapping[str, Handler] = {
    **{f"chromemanagement.customers.reports.{name}": each for name, each in _ANSWERS.items()},
    "chromemanagement.customers.telemetry.devices.list": _telemetry,
    "chromemanagement.customers.telemetry.devices.get": _telemetry,
}
"""Method id to what answers it."""
