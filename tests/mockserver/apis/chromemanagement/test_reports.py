"""Reports of Chrome: what a snapshot's report tells, and counts of devices."""

from typing import Any

import pytest

from mockserver.apis.chromemanagement import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG, SALES, ask, refused, world

APPS = [
    {"appId": "a", "displayName": "A", "browserDeviceCount": "3", "orgUnitId": ENG},
    {"appId": "b", "displayName": "B", "browserDeviceCount": "20", "orgUnitId": SALES},
]
JOBS = [
    {"id": "1", "printerId": "p1", "printer": "Lobby", "userEmail": "ann@example.com",
     "completeTime": "2026-01-20T08:00:00Z"},
    {"id": "2", "printerId": "p1", "printer": "Lobby", "userEmail": "bo@example.com",
     "completeTime": "2026-02-02T08:00:00Z"},
    {"id": "3", "printerId": "p2", "printer": "Attic", "userEmail": "bo@example.com",
     "completeTime": "2026-02-03T08:00:00Z"},
]  # fmt: skip
DEVICES: list[JsonObject] = [
    {"deviceId": "1", "model": "Book", "orgUnitPath": "/Sales", "lastSync": "2026-02-01T00:00:00Z",
     "bootMode": "Verified", "autoUpdateExpiration": "1893456000000", "systemRamTotal": "8",
     "cpuInfo": [{"model": "Fast"}], "diskSpaceUsage": {"capacityBytes": "64"},
     "activeTimeRanges": [{"date": "2026-02-01"}], "osUpdateStatus": {"updateState": "needReboot"}},
    {"deviceId": "2", "model": "Book", "orgUnitPath": "/Eng", "lastSync": "2025-11-01T00:00:00Z",
     "bootMode": "Dev", "osVersionCompliance": "notCompliant"},
    {"deviceId": "3", "model": "Box", "status": "DEPROVISIONED"},
]  # fmt: skip


def report(tenant: World, name: str, **params: Any) -> JsonObject:
    asked = {"customer": "customers/my_customer", **params}
    return ask(API, tenant, f"chromemanagement.customers.reports.{name}", asked)


@pytest.fixture
def reported(tenant: World) -> World:
    told = {"installedApps": APPS, "printJobs": JOBS}
    tenant.put("chromeReports", "chromeReports", told)
    for row in DEVICES:
        key = f"customer/-/devices/chromeos/{row['deviceId']}"
        tenant.put("admin:directory_v1/chromeosdevices", key, row)
    return tenant


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"orderBy": "app_id desc"}, ["b", "a"]),
        ({"filter": "total_install_count > 5"}, ["b"]),
        ({"filter": "app_name = A AND app_id = a"}, ["a"]),
        ({"orgUnitId": SALES}, ["b"]),
        ({"pageSize": 1}, ["a"]),
    ],
)
def test_apps_are_those_that_the_report_tells(
    reported: World, params: JsonObject, found: list[str]
) -> None:
    answer = report(reported, "countInstalledApps", **params)
    assert [each["appId"] for each in answer["installedApps"]] == found
    assert answer["totalSize"] == (2 if "pageSize" in params else len(found))
    assert "orgUnitId" not in answer["installedApps"][0]


def test_what_no_report_tells_is_refused() -> None:
    empty = world(API)
    assert report(empty, "countInstalledApps") == {}
    empty.put("browsers", "b", {"deviceId": "b"})
    asked: JsonObject = {"customer": "customers/my_customer"}
    method = "chromemanagement.customers.reports.countInstalledApps"
    assert refused(API, empty, method, asked).status == 501
    empty.put("chromeReports", "chromeReports", {"installedApps": [{"appId": "a"}]})
    assert refused(API, empty, method, {**asked, "orgUnitId": "elsewhere"}).status == 501
    assert refused(API, empty, method, {**asked, "filter": "colour = red"}).status == 400


def test_print_jobs_are_counted_by_printer_and_user(reported: World) -> None:
    late: JsonObject = {"filter": 'complete_time >= "2026-02-01T00:00:00Z"'}
    answer = report(reported, "countPrintJobsByPrinter", **late)
    assert answer == {
        "printerReports": [
            {"printerId": "p1", "printer": "Lobby", "jobCount": "1", "userCount": "1"},
            {"printerId": "p2", "printer": "Attic", "jobCount": "1", "userCount": "1"},
        ],
        "totalSize": "2",
    }
    users = report(reported, "countPrintJobsByUser", orderBy="job_count desc")["userPrintReports"]
    assert [(each["userEmail"], each["jobCount"]) for each in users] == [
        ("bo@example.com", "2"),
        ("ann@example.com", "1"),
    ]
    jobs = report(reported, "enumeratePrintJobs", **late)["printJobs"]
    assert [each["id"] for each in jobs] == ["2", "3"]


@pytest.mark.parametrize(
    ("name", "params", "answer"),
    [
        (
            "countActiveDevices",
            {"date.year": 2026, "date.month": 2, "date.day": 2},
            {"sevenDaysCount": "1", "thirtyDaysCount": "1"},
        ),
        (
            "countDevicesPerBootType",
            {},
            {
                "devBootTypeCount": "1",
                "verifiedBootTypeCount": "1",
                "unreportedBootTypeCount": "0",
            },
        ),
        (
            "countChromeDevicesThatNeedAttention",
            {"orgUnitId": ENG, "readMask": "noRecentUserActivityCount,osVersionNotCompliantCount"},
            {"noRecentUserActivityCount": "1", "osVersionNotCompliantCount": "1"},
        ),
        (
            "countChromeDevicesThatNeedAttention",
            {"readMask": "pending_update"},
            {"pendingUpdate": "1"},
        ),
        (
            "countChromeDevicesReachingAutoExpirationDate",
            {"minAueDate": "2029-01-01", "maxAueDate": "2031-01-01"},
            {
                "deviceAueCountReports": [
                    {
                        "model": "Book",
                        "aueYear": "2030",
                        "aueMonth": "JANUARY",
                        "expired": False,
                        "count": "1",
                    }
                ]
            },
        ),
        (
            "countChromeHardwareFleetDevices",
            {},
            {
                "modelReports": [{"bucket": "Book", "count": "2"}],
                "cpuReports": [{"bucket": "Fast", "count": "1"}],
                "memoryReports": [{"bucket": "8", "count": "1"}],
                "storageReports": [{"bucket": "64", "count": "1"}],
            },
        ),
    ],
)
def test_devices_of_the_directory_are_counted(
    reported: World, name: str, params: JsonObject, answer: JsonObject
) -> None:
    assert report(reported, name, **params) == answer


def test_browsers_that_need_attention_are_counted(tenant: World) -> None:
    answer = report(tenant, "countChromeBrowsersNeedingAttention")
    assert set(answer) == {
        "noRecentActivityCount", "recentlyEnrolledCount", "pendingBrowserUpdateCount",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("countActiveDevices", {"date.year": 2026, "date.month": 2, "date.day": 30}),
        ("countChromeDevicesThatNeedAttention", {"readMask": "colour"}),
    ],
)
def test_what_cannot_be_counted_is_refused(tenant: World, name: str, params: JsonObject) -> None:
    asked = {"customer": "customers/my_customer", **params}
    method = f"chromemanagement.customers.reports.{name}"
    assert refused(API, tenant, method, asked).status == 400


def test_devices_of_the_directory_tell_of_themselves(reported: World) -> None:
    where = "chromemanagement.customers.telemetry.devices"
    name = f"customers/{CUSTOMER}/telemetry/devices"
    reported.put("chromemanagement:v1/devices", f"{name}/9", {"serialNumber": "S9"})
    parent = {"parent": "customers/my_customer"}
    listed = ask(API, reported, f"{where}.list", parent)["devices"]
    assert [each["deviceId"] for each in listed] == ["1", "2", "3", "9"]
    assert listed[0]["memoryInfo"] == {"totalRamBytes": "8"}
    masked = ask(API, reported, f"{where}.get", {"name": f"{name}/1", "readMask": "cpu_info"})
    assert (masked["cpuInfo"], "memoryInfo" in masked) == ([{"model": "Fast"}], False)
    few = ask(API, reported, f"{where}.list", {**parent, "filter": 'serial_number = "S9"'})
    assert [each["deviceId"] for each in few["devices"]] == ["9"]
    assert refused(API, reported, f"{where}.get", {"name": f"{name}/8"}).status == 404
    bad = {**parent, "filter": "model = x"}
    assert refused(API, reported, f"{where}.list", bad).status == 400
