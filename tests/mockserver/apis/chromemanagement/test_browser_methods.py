import pytest

from mockserver.apis.chromemanagement import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG, SALES, WEB, ask, refused

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
