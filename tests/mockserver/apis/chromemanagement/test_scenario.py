"""Browsers, enrollment tokens and reports of Chrome, with every answer in whole."""

from typing import Any

from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check, over_http

NEW = "https://chromemanagement.googleapis.com/v1/customers/my_customer"
OLD = "https://admin.googleapis.com/admin/directory/v1.1beta1/customer/my_customer"
SALES, ENG = "03ph8a2z1sales", "03ph8a2z1eng"
ADA = "ada@example.com"


def _unit(path: str, ident: str) -> JsonObject:
    return {"orgUnitPath": path, "name": path.strip("/"), "orgUnitId": f"id:{ident}"}


SNAPSHOT: JsonObject = {
    "orgUnits": [_unit("/Sales", SALES), _unit("/Eng", ENG)],
    "users": [{"id": "11", "primaryEmail": ADA}],
    "browsers": [
        {"deviceId": "d1", "machineName": "eng-01", "orgUnitId": f"id:{ENG}",
         "osPlatform": "Windows", "lastDeviceUser": ADA, "extensionCount": 3, "policyCount": 10,
         "lastActivityTime": "2026-02-28T09:00:00Z", "lastRegistrationTime": "2026-02-02T09:00:00Z",
         "browsers": [{"browserVersion": "142.0.1", "channel": "STABLE"},
                      {"browserVersion": "143.0.1", "channel": "CHANNEL_BETA",
                       "pendingInstallVersion": "143.0.2"}]},
        {"id": "d2", "machineName": "web-02", "orgUnitPath": "/Sales", "osPlatform": "Mac OS X",
         "lastActivityTime": "2026-02-02T09:00:00Z", "extensionCount": "12",
         "lastRegistrationTime": "2026-02-02T08:59:59Z", "browserVersions": ["142.0.1", "141.0.0"]},
        {"machineName": "lost-03", "orgUnitPath": "/Gone", "osPlatform": "BeOS", "version": "9",
         "channel": "dev", "annotatedUser": "Grace 12", "extensionCount": "many"},
        {"browserPermanentId": "d4", "orgUnitPath": "/", "lastActivityTime": "2026-02-02T08:59:59Z",
         "browsers": None},
    ],
    "enrollmentTokens": [
        {"tokenId": "t1", "token": "a-1", "orgUnitId": ENG, "status": "valid",
         "createTime": "2026-01-01T00:00:00Z", "expireTime": "2026-03-02T09:00:30Z"},
        {"id": "t2", "token": "a-2", "orgUnitPath": "/Sales",
        "state": "ENROLLMENT_TOKEN_STATE_ACTIVE"},
        {"token": "a-3", "orgUnitPath": "/", "status": "revoked"},
        {"tokenPermanentId": "t4", "orgUnitPath": "/Gone", "status": "expired"},
    ],
    "chromeReports": {
        "printJobs": [
            {"id": "1", "printerId": "p1", "printer": "Lobby", "userEmail": ADA,
             "completeTime": "2026-01-20T08:00:00Z"},
            {"id": "2", "printerId": "p1", "printer": "Lobby", "userEmail": "bo@example.com",
             "userId": "12", "completeTime": "2026-02-02T08:00:00Z"},
            {"id": "3", "printerId": "p2",
            "userEmail": ADA, "completeTime": "2026-02-03T08:00:00Z"},
        ],
        "crashEventCounts": [
            {"browserVersion": "142.0.1", "count": "3", "majorBrowserVersion": "142",
             "pastNumberDays": 7, "date": {"year": 2026, "month": 3, "day": 1}},
            {"browserVersion": "141.0.1", "count": "2", "majorBrowserVersion": "141"},
        ],
        "saasReports": [{"app": "Sheets", "category": "Office", "visitsCount": "7"},
                        {"app": "Chat", "category": "Talk", "visitsCount": "70"}],
        "profileReports": [{"email": ADA, "osPlatform": "LINUX", "app": "Sheets"},
                           {"email": "bo@example.com", "app": "Chat"}],
        "installedApps": [
            {"appId": "a", "displayName": "A", "appType": "EXTENSION", "browserDeviceCount": "3",
             "appInstallType": "ADMIN", "orgUnitId": ENG, "permissions": ["tabs"]},
            {"appId": "b", "displayName": "B", "browserDeviceCount": "20", "orgUnitId": SALES,
             "lastActiveDate": "2026-02-01"},
        ],
        "devices": [{"machine": "m1", "deviceId": "d1", "appId": "a", "appType": "EXTENSION",
                     "orgUnitId": ENG},
                    {"machine": "m2", "deviceId": "d2", "appId": "b", "appType": "EXTENSION",
                     "orgUnitId": SALES}],
        "browserVersions": [
            {"version": "142.0.1", "channel": "CHANNEL_STABLE", "system": "Windows 11", "count": 4},
            {"version": "141.0.1", "count": "1"},
        ],
    },
    "resources": {
        "admin:directory_v1": {"chromeosdevices": [
            {"deviceId": "c1", "status": "ACTIVE", "orgUnitPath": "/Sales", "model": "Book",
             "lastSync": "2026-02-23T09:00:00Z", "bootMode": "Verified", "channel": "stable",
             "autoUpdateExpiration": "1893456000000", "systemRamTotal": "8",
             "cpuInfo": [{"model": "Fast"}, {"model": "Slow"}],
             "diskSpaceUsage": {"capacityBytes": "64"}, "serialNumber": "s1",
             "activeTimeRanges": [{"date": "2026-02-01"}],
             "osUpdateStatus": {"updateState": "needReboot"}},
            {"deviceId": "c2", "status": "ACTIVE", "orgUnitPath": "/Eng", "model": "Book",
             "lastSync": "2026-02-02T09:00:00Z", "bootMode": "Dev", "channel": "Beta",
             "autoUpdateExpiration": "1893456000000", "osVersionCompliance": "notCompliant",
             "osUpdateStatus": {"updateState": "updateStateUnspecified"}, "cpuInfo": []},
            {"deviceId": "c3", "status": "DEPROVISIONED", "model": "Box"},
            {"deviceId": "c4", "orgUnitPath": "/", "lastSync": "2026-03-02T00:00:00Z",
             "autoUpdateExpiration": "-1000", "model": "Old"},
            {"deviceId": "c5", "orgUnitPath": "/Gone", "autoUpdateExpiration": "1772323200000",
             "lastSync": "2026-01-31T00:00:00Z"},
        ]},
        "chromemanagement:v1": {"devices": [
            {"name": "customers/C00000000/telemetry/devices/c1", "cpuStatusReport": []},
            {"name": "customers/C00000000/telemetry/devices/c9", "serialNumber": "s9",
             "batteryInfo": [{"serialNumber": "b"}]},
        ]},
    },
}  # fmt: skip


def scenario() -> Scenario:
    return over_http(NEW, _ask_all, **SNAPSHOT)


def _ask_all(call: Scenario) -> None:
    _counts(call)
    for wait in (29, 1):
        call(f"GET {NEW}/enrollmentTokens/t1", wait=wait)
        call(f"GET {NEW}/enrollmentTokens?filter=token_state = ACTIVE", wait=0)
    _lists(call)
    _telemetry(call)
    _browsers(call)
    _old_browsers(call)
    _tokens(call)
    _old_tokens(call)


def _browsers(call: Scenario) -> None:
    browsers = f"{NEW}/chromeBrowsers"
    call(f"GET {browsers}")
    call(f"GET {browsers}?pageSize=1&orderBy=machine_name desc, extension_count")
    orders = (
        "extension_count", "last_activity_time desc", "browser_version", "org_unit_path, id desc",
        "osPlatform desc", "last_device_user", "colour",
    )  # fmt: skip
    for order in orders:
        call(f"GET {browsers}?orderBy={order}&fields=chromeBrowsers(name)")
    filters = (
        "extension_count > 3", "extension_count > 12", "extension_count >= many",
        "annotated_user > 12", "extension_count < 12", "policy_count = 10", "policy_count : 1",
        "browser_version = 142.0.1", "browser_version_channel = dev", "channel = dev",
        f"org_unit_id = {ENG}", "org_unit_path = /", "grace", "142", "last_activity_time:x",
        "machine_name = LOST*", "user:grace", "NOT id = d1", "num_extensions != 12", "a = (",
        'last_activity_time = "2026-02-02T09:00:00Z"', "in_group(x)", "annotated_note:x",
    )  # fmt: skip
    for text in filters:
        call(f"GET {browsers}?filter={text}&fields=chromeBrowsers(name)")
    for ident in ("d1", "d4", "none"):
        call(f"GET {browsers}/{ident}")
    body = {"annotatedUser": "U", "annotatedNotes": "N", "osPlatform": "P"}
    masks = ("annotated_user", "annotatedUser, annotated_location", "*", "os_platform", "x", "")
    for mask in masks:
        call(f"PATCH {browsers}/d1?updateMask={mask}", body)
    call(f"PATCH {browsers}/d1", {"annotatedAssetId": "A"})
    for devices, unit in (
        (["d1", "d2"], SALES), (["d1"], f"id:{ENG}"), (["d1"], "orgunits/none"), ([], ENG),
        (["d1", "none"], ENG), (["d1"] * 600, ENG), (["d1"] * 601, ENG), (["d1"], ""),
    ):  # fmt: skip
        call(f"POST {browsers}:move", {"resourceIds": devices, "destinationOrgUnitId": unit})
    call(f"GET {browsers}/d1")
    for _ in range(2):
        call(f"DELETE {browsers}/d4")
    call("GET https://chromemanagement.googleapis.com/v1/customers/C0other/chromeBrowsers")


def _old_browsers(call: Scenario) -> None:
    devices = f"{OLD}/devices/chromebrowsers"
    call(f"GET {devices}")
    asked = (
        "orderBy=machine_name&sortOrder=DESCENDING", "orderBy=id&sortOrder=ASCENDING",
        "sortOrder=DESCENDING", "query=machine_name:web", "query=(", "orgUnitPath=/Sales",
        "orgUnitPath=/None", "maxResults=1", "orgUnitPath=/", "projection=FULL",
    )  # fmt: skip
    for text in asked:
        call(f"GET {devices}?{text}")
    call(f"GET {devices}/d1")
    call(f"PUT {devices}/d1", {"annotatedUser": "V", "deviceId": "d9", "osPlatform": "x"})
    call(f"PUT {devices}/none", {"annotatedUser": "V"})
    for path, several in (("/Sales", ["d1"]), ("/None", ["d1"]), ("/", []), ("/", ["none"])):
        body = {"orgUnitPath": path, "resourceIds": several}
        call(f"POST {devices}/moveChromeBrowsersToOu", body)
    for _ in range(2):
        call(f"DELETE {devices}/d1")
    call(f"GET {devices.replace('my_customer', 'C0other')}")


def _tokens(call: Scenario) -> None:
    tokens = f"{NEW}/enrollmentTokens"
    call(f"GET {tokens}")
    texts = (
        "token_state = ACTIVE", "token_state = expired", "token_state != REVOKED",
        f"org_unit_id = id:{ENG}", "org_unit_path = /sales", "device_type = CHROME_BROWSER",
        "device_type = X", "colour = red", "active", "(",
    )  # fmt: skip
    for text in texts:
        call(f"GET {tokens}?filter={text}", wait=0)
    for ident in ("t1", "none"):
        call(f"GET {tokens}/{ident}")
    asked: Any = (
        ("", {}), ("", {"orgUnitId": f"orgunits/{ENG}"}), ("", {"orgUnitId": "none"}),
        ("?enrollmentTokenId=mine", {"orgUnitId": SALES}),
        ("?enrollmentTokenId=mine", {"orgUnitId": ENG}),
        ("?enrollmentTokenId=a b", {"orgUnitId": ENG}),
        (f"?enrollmentTokenId={'a' * 64}", {"orgUnitId": ENG}),
    )  # fmt: skip
    for _ in range(2):
        for ident in ("t1", "t2", "t4", "none"):
            call(f"POST {tokens}/{ident}:revoke", {})
        for query, body in asked:
            call(f"POST {tokens}{query}", body)
    call(f"GET {tokens}?pageSize=2")


def _old_tokens(call: Scenario) -> None:
    tokens = f"{OLD}/chrome/enrollmentTokens"
    call(f"GET {tokens}")
    for text in ("orgUnitPath=/Sales", "orgUnitPath=/None", "query=x", "pageSize=1"):
        call(f"GET {tokens}?{text}")
    for row in call(f"GET {tokens}")["chromeEnrollmentTokens"]:
        if row["state"] == "active":
            call(f"POST {tokens}/{row['tokenPermanentId']}:revoke", {})
    made: JsonObject = {}
    asked: Any = (
        {"orgUnitPath": "/Eng", "expireTime": "2026-03-05T00:00:00Z"}, {"orgUnitPath": "/None"},
        {"expireTime": "soon"}, {},
    )  # fmt: skip
    for _ in range(2):
        for body in asked:
            told = call(f"POST {tokens}", body)
            made = told if "tokenPermanentId" in told else made
        for ident in (made.get("tokenPermanentId", "x"), "none"):
            call(f"POST {tokens}/{ident}:revoke", {})


def _counts(call: Scenario) -> None:
    reports = f"{NEW}/reports"
    days = ("year=2026&date.month=2&date.day=23", "year=2026&date.month=13", "year=2026",
            "year=2026&date.month=3", "year=0")  # fmt: skip
    for name in ("countActiveDevices", "countDevicesPerBootType", "countDevicesPerReleaseChannel"):
        for day in days:
            call(f"GET {reports}:{name}?date.{day}", wait=0)
    units = (f"orgUnitId={ENG}", f"orgUnitId=id:{SALES}", "orgUnitId=none", "")
    names = (
        "countChromeVersions", "countChromeDevicesThatNeedAttention",
        "countChromeDevicesReachingAutoExpirationDate", "countChromeHardwareFleetDevices",
        "countChromeBrowsersNeedingAttention",
    )  # fmt: skip
    for name in names:
        for unit in units:
            call(f"GET {reports}:{name}?{unit}", wait=0)
    for mask in ("noRecentPolicySyncCount", "no_recent_user_activity_count, pendingUpdate", "x"):
        call(f"GET {reports}:{names[1]}?readMask={mask}", wait=0)
    for ends in (
        "minAueDate=2030-01-01", "minAueDate=2030-01-02", "maxAueDate=2030-01-01",
        "maxAueDate=2029-12-31", "minAueDate=2026-03-01&maxAueDate=2026-03-01",
    ):  # fmt: skip
        call(f"GET {reports}:{names[2]}?{ends}", wait=0)
    texts = (
        "last_active_date > 2026-02-27", "last_active_date = 2026-02-02", "last_active_date != x",
        'last_active_date <= "2026-02-02T23:00:00Z"', "colour = red", "(",
    )  # fmt: skip
    for text in texts:
        call(f"GET {reports}:countChromeVersions?filter={text}", wait=0)


def _lists(call: Scenario) -> None:
    reports = f"{NEW}/reports"
    asked = (
        "countInstalledApps", "countInstalledApps?orderBy=app_name desc&pageSize=1",
        "countInstalledApps?filter=total_install_count > 5", f"countInstalledApps?orgUnitId={ENG}",
        "countInstalledApps?filter=colour=red", "countInstalledApps?filter=install_type=ADMIN",
        "countInstalledApps?filter=latest_profile_active_date>2026-01-01",
        "findInstalledAppDevices?appId=a&appType=EXTENSION", "findInstalledAppDevices?appId=c",
        f"findInstalledAppDevices?appId=b&appType=EXTENSION&orgUnitId=id:{SALES}",
        "findInstalledAppDevices?filter=last_active_date > 2026-01-01",
        "findInstalledAppProfiles?appId=a", "countChromeProfileVersions",
        "countChromeCrashEvents", "countChromeCrashEvents?filter=major_browser_version = 142",
        "countChromeCrashEvents?filter=major_browser_version = 140",
        "countChromeCrashEvents?filter=past_number_days = 7", "countChromeCrashEvents?filter=x",
        "countPrintJobsByPrinter", "countPrintJobsByUser", "enumeratePrintJobs",
        "countPrintJobsByUser?orderBy=job_count desc", "countPrintJobsByPrinter?pageSize=1",
        "countPrintJobsByPrinter?printerOrgUnitId=x", "enumeratePrintJobs?orderBy=title",
        'countPrintJobsByPrinter?filter=complete_time >= "2026-02-02T08:00:00Z"',
        "enumeratePrintJobs?filter=printer_id = p1", "enumeratePrintJobs?filter=user_id = 12",
        "findSaasUsage", "findSaasUsage?filter=visits_count > 7", "findSaasUsage?filter=app=Chat",
        "findSaasUsageProfiles?app=Sheets", "findSaasUsageProfiles?filter=os_platform=LINUX",
        "findSaasUsageBrowsers?app=Sheets", "findSaasUsage?orderBy=app",
    )  # fmt: skip
    for text in asked:
        call(f"GET {reports}:{text}", wait=0)


def _telemetry(call: Scenario) -> None:
    devices = f"{NEW}/telemetry/devices"
    call(f"GET {devices}")
    asked = (
        "?readMask=cpuInfo", "?readMask=cpu_info, memory_info", "?pageSize=1", "?filter=colour=red",
        "?filter=serial_number = s1", f"?filter=org_unit_id = {SALES}", "?filter=device_id = c9",
        "/c1", "/c9", "/c1?readMask=storageInfo", "/none", "?filter=(",
    )  # fmt: skip
    for text in asked:
        call(f"GET {devices}{text}", wait=0)


def test_every_answer_is_told_in_whole() -> None:
    check(__file__, scenario())
