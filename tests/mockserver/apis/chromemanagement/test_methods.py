import json

import pytest

from mockserver.apis.chromemanagement import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG, ROOT, SALES, WEB, ask, refused, world

OF = "chromemanagement.customers.chromeBrowsers"
MINE = {"parent": "customers/my_customer"}


def name(device: str) -> JsonObject:
    return {"name": f"customers/my_customer/chromeBrowsers/{device}"}


def listed(world: World, **params: object) -> list[str]:
    found = ask(API, world, f"{OF}.list", {**MINE, **params}).get("chromeBrowsers", [])
    return [item["browserPermanentId"] for item in found]


def test_a_browser_is_shown_as_the_api_shows_it(tenant: World) -> None:
    assert ask(API, tenant, f"{OF}.get", name("dev-2")) == {
        "name": f"customers/{CUSTOMER}/chromeBrowsers/dev-2",
        "browserPermanentId": "dev-2",
        "orgUnitId": WEB,
        "machineName": "web-mb-02",
        "osPlatform": "Mac OS X",
        "lastActivityTime": "2026-01-05T08:00:00Z",
        "browsers": [{"browserVersion": "138.0.2", "channel": "CHANNEL_BETA"}],
        "browserVersions": ["138.0.2"],
        "extensionCount": "12",
        "annotatedUser": "Grace",
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["dev-1", "dev-2", "dev-3"]),
        ('machine_name = "eng-lt-01"', ["dev-1"]),
        ("machine_name:LT", ["dev-1"]),
        ("machine_name=*-01", ["dev-1", "dev-3"]),
        ("os_platform:mac", ["dev-2"]),
        ("os_platform!=Windows", ["dev-2", "dev-3"]),
        ("browser_version=138.*", ["dev-2"]),
        (f"org_unit_id={ENG}", ["dev-1"]),
        ("org_unit_path=/Eng/Web", ["dev-2"]),
        ('last_activity_time >= "2026-02-01T00:00:00Z"', ["dev-1"]),
        ('last_activity_time<"2026-02-01T00:00:00Z"', ["dev-2"]),
        ('last_activity_time="2026-01-05T08:00:00Z"', ["dev-2"]),
        ("extension_count>4", ["dev-2"]),
        ("ada", ["dev-1"]),
        ("eng AND 142", ["dev-1"]),
        ("browser_version_channel=beta", ["dev-2"]),
    ],
)
def test_a_filter_chooses_browsers(tenant: World, text: str, found: list[str]) -> None:
    assert listed(tenant, filter=text) == found


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("machine_name desc", ["dev-2", "dev-3", "dev-1"]),
        ("last_activity_time", ["dev-3", "dev-2", "dev-1"]),
        ("extension_count desc, browser_permanent_id", ["dev-2", "dev-1", "dev-3"]),
    ],
)
def test_browsers_are_listed_in_the_order_asked_for(
    tenant: World, order: str, found: list[str]
) -> None:
    assert listed(tenant, orderBy=order) == found


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"filter": "colour=red"}, 400),
        ({"filter": "(machine_name=x"}, 400),
        ({"filter": "last_activity_time>=soon"}, 400),
        ({"filter": 'in_group("groups/1")'}, 501),
        ({"orderBy": "colour"}, 400),
        ({"parent": "customers/C0other"}, 403),
    ],
)
def test_what_cannot_be_listed_is_refused(tenant: World, params: JsonObject, status: int) -> None:
    assert refused(API, tenant, f"{OF}.list", {**MINE, **params}).status == status


def test_browsers_come_in_pages(tenant: World) -> None:
    first = ask(API, tenant, f"{OF}.list", {**MINE, "pageSize": 2})
    assert listed(tenant, pageSize=2, pageToken=first["nextPageToken"]) == ["dev-3"]


def test_annotations_can_be_patched_and_cleared(tenant: World) -> None:
    params = {**name("dev-2"), "updateMask": "annotated_notes,annotatedUser"}
    patched = ask(API, tenant, f"{OF}.patch", params, {"annotatedNotes": "spare"})
    assert patched["annotatedNotes"] == "spare"
    assert "annotatedUser" not in patched


def test_nothing_but_annotations_can_be_patched(tenant: World) -> None:
    params = {**name("dev-2"), "updateMask": "machine_name"}
    error = refused(API, tenant, f"{OF}.patch", params, {"machineName": "x"})
    assert error.status == 400


def test_a_deleted_browser_is_gone(tenant: World) -> None:
    assert ask(API, tenant, f"{OF}.delete", name("dev-1")) == {}
    error = refused(API, tenant, f"{OF}.get", name("dev-1"))
    assert error.status == 404
    assert error.miss is not None
    assert error.miss.nearest.startswith("dev-")


def test_browsers_move_together(tenant: World) -> None:
    body = {"resourceIds": ["dev-1", "dev-2"], "destinationOrgUnitId": f"id:{SALES}"}
    assert ask(API, tenant, f"{OF}.move", MINE, body) == {}
    assert listed(tenant, filter=f"org_unit_id={SALES}") == ["dev-1", "dev-2", "dev-3"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"resourceIds": ["dev-1", "dev-9"], "destinationOrgUnitId": SALES}, 404),
        ({"resourceIds": [], "destinationOrgUnitId": SALES}, 400),
        ({"resourceIds": ["dev-1"], "destinationOrgUnitId": "03nope"}, 400),
    ],
)
def test_a_move_with_a_mistake_moves_nothing(tenant: World, body: JsonObject, status: int) -> None:
    assert refused(API, tenant, f"{OF}.move", MINE, body).status == status


TOKEN_OF = "chromemanagement.customers.enrollmentTokens"


def name_token(token: str) -> JsonObject:
    return {"name": f"customers/my_customer/enrollmentTokens/{token}"}


def test_a_token_is_made_for_an_org_unit(tenant: World) -> None:
    made = ask(API, tenant, f"{TOKEN_OF}.create", MINE, {"orgUnitId": SALES})
    assert made["state"] == "ENROLLMENT_TOKEN_STATE_ACTIVE"
    assert made["name"] == f"customers/{CUSTOMER}/enrollmentTokens/{made['tokenPermanentId']}"
    assert ask(API, tenant, f"{TOKEN_OF}.get", {"name": made["name"]}) == made


def test_without_an_org_unit_a_token_is_for_the_root(tenant: World) -> None:
    params = {**MINE, "enrollmentTokenId": "my-token"}
    made = ask(API, tenant, f"{TOKEN_OF}.create", params)
    assert (made["orgUnitId"], made["tokenPermanentId"]) == (ROOT, "my-token")


@pytest.mark.parametrize(
    ("params", "unit", "status"),
    [
        pytest.param({}, "03ph8a2z1eng", 409, id="active token there"),
        pytest.param({"enrollmentTokenId": "tok-old"}, SALES, 409, id="id taken"),
        pytest.param({"enrollmentTokenId": "no spaces"}, SALES, 400, id="form of the id"),
        pytest.param({}, "03nope", 400, id="org unit"),
        pytest.param({"parent": "customers/C0other"}, SALES, 403, id="customer"),
    ],
)
def test_what_cannot_be_made_is_refused(
    tenant: World, params: JsonObject, unit: str, status: int
) -> None:
    error = refused(API, tenant, f"{TOKEN_OF}.create", {**MINE, **params}, {"orgUnitId": unit})
    assert error.status == status


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["tok-eng", "tok-gone", "tok-old"]),
        ('token_state = "ACTIVE"', ["tok-eng"]),
        ('token_state = "EXPIRED"', ["tok-old"]),
        ('token_state = "REVOKED" AND org_unit_path = "/Sales"', ["tok-gone"]),
        ('token_state != "ACTIVE"', ["tok-gone", "tok-old"]),
        ('org_unit_id = "id:03ph8a2z1eng"', ["tok-eng"]),
        ('device_type = "CHROME_BROWSER"', ["tok-eng", "tok-gone", "tok-old"]),
    ],
)
def test_a_filter_chooses_tokens(tenant: World, text: str, found: list[str]) -> None:
    answer = ask(API, tenant, f"{TOKEN_OF}.list", {**MINE, "filter": text})
    assert [item["tokenPermanentId"] for item in answer["enrollmentTokens"]] == found


@pytest.mark.parametrize("text", ["colour = red", "(", "loose"])
def test_what_is_no_filter_is_refused(tenant: World, text: str) -> None:
    assert refused(API, tenant, f"{TOKEN_OF}.list", {**MINE, "filter": text}).status == 400


def test_tokens_come_in_pages(tenant: World) -> None:
    first = ask(API, tenant, f"{TOKEN_OF}.list", {**MINE, "pageSize": 2})
    params = {**MINE, "pageSize": 2, "pageToken": first["nextPageToken"]}
    assert len(ask(API, tenant, f"{TOKEN_OF}.list", params)["enrollmentTokens"]) == 1


def test_a_token_is_revoked_once(tenant: World) -> None:
    answer = ask(API, tenant, f"{TOKEN_OF}.revoke", name_token("tok-eng"))
    assert answer["state"] == "ENROLLMENT_TOKEN_STATE_REVOKED"
    assert answer["revokeTime"] == "2026-03-02T09:00:00.000Z"
    assert refused(API, tenant, f"{TOKEN_OF}.revoke", name_token("tok-eng")).status == 400


def test_an_unknown_token_is_not_found(tenant: World) -> None:
    assert refused(API, tenant, f"{TOKEN_OF}.revoke", name_token("nope")).status == 404


COUNT = "chromemanagement.customers.reports.countChromeVersions"
REPORT_MINE = {"customer": "customers/my_customer"}
REPORT = {
    "browserVersions": [
        {"version": "143.0", "channel": "beta", "system": "Windows", "count": 5},
        {"version": "142.0", "count": "7"},
    ]
}


def counted(world: World, **params: object) -> list[tuple[str, str]]:
    answer = ask(API, world, COUNT, {**REPORT_MINE, **params})
    return [(item["version"], item["count"]) for item in answer.get("browserVersions", ())]


def test_the_snapshots_report_answers_for_the_customer() -> None:
    tenant = world(API, chromeReports=REPORT)
    assert ask(API, tenant, COUNT, REPORT_MINE) == {
        "browserVersions": [
            {"version": "143.0", "channel": "BETA", "system": "SYSTEM_WINDOWS", "count": "5"},
            {"version": "142.0", "count": "7"},
        ],
        "totalSize": 2,
    }


def test_a_report_comes_in_pages() -> None:
    tenant = world(API, chromeReports=REPORT)
    first = ask(API, tenant, COUNT, {**REPORT_MINE, "pageSize": 1})
    assert counted(tenant, pageSize=1, pageToken=first["nextPageToken"]) == [("142.0", "7")]


def test_without_a_report_browsers_are_counted(tenant: World) -> None:
    assert counted(tenant) == [("142.0.1", "1"), ("138.0.2", "1")]


def test_an_org_units_browsers_are_counted_with_those_below(tenant: World) -> None:
    assert counted(tenant, orgUnitId=ENG) == [("142.0.1", "1"), ("138.0.2", "1")]
    assert counted(tenant, orgUnitId=f"id:{WEB}") == [("138.0.2", "1")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('last_active_date >= "2026-02-01"', ["142.0.1"]),
        ('last_active_date < "2026-02-01T00:00:00Z"', ["138.0.2"]),
        ("last_active_date = 2026-01-05", ["138.0.2"]),
        ("last_active_date <= 30", ["142.0.1", "138.0.2"]),
    ],
)
def test_browsers_are_counted_by_their_last_day(tenant: World, text: str, found: list[str]) -> None:
    assert [version for version, _ in counted(tenant, filter=text)] == found


def test_a_filter_counts_browsers_where_there_is_a_report_too(tenant: World) -> None:
    from tests.mockserver.apis.chromemanagement.conftest import BROWSERS

    both = world(API, chromeReports=REPORT, browsers=BROWSERS)
    assert counted(both, filter="last_active_date <= 30") == counted(tenant)


def test_a_report_without_browsers_cannot_be_filtered() -> None:
    error = refused(
        API,
        world(API, chromeReports=REPORT),
        COUNT,
        {**REPORT_MINE, "filter": 'last_active_date >= "2026-02-01"'},
    )
    assert error.status == 501
    example = json.loads(error.details[0]["metadata"]["fixture"])
    assert counted(world(API, **example)) == [("142.0.7444.60", "1")]


@pytest.mark.parametrize("text", ["colour = red", "(", "loose"])
def test_what_is_no_filter_is_refused_report(tenant: World, text: str) -> None:
    assert refused(API, tenant, COUNT, {**REPORT_MINE, "filter": text}).status == 400


@pytest.mark.parametrize(("report", "found"), [({}, 2), ({"browserVersions": []}, 0)])
def test_an_empty_report_is_not_the_same_as_none(report: JsonObject, found: int) -> None:
    from tests.mockserver.apis.chromemanagement.conftest import BROWSERS

    assert len(counted(world(API, chromeReports=report, browsers=BROWSERS))) == found
