import pytest

from mockserver.apis.chromemanagement.filters import browser_selection, order_browsers
from mockserver.googleapi import ApiError
from mockserver.state import World, org_tree


def found(tenant: World, text: str) -> list[str]:
    table = tenant.table("browsers")
    return [entry[2] for entry in browser_selection(table, text, org_tree(tenant)).places()]


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ('machine_name = "ENG-LT-01"', ["dev-1"]),
        ("machineName:web", ["dev-2"]),
        ("machine_name = *-0*", ["dev-1", "dev-2", "dev-3"]),
        ("extension_count > 3", ["dev-2"]),
        ("extension_count <= 3", ["dev-1"]),
        ("extension_count >= 12", ["dev-2"]),
        ("extension_count < 12", ["dev-1"]),
        ("os_platform != BeOS", ["dev-1", "dev-2"]),
        ('last_activity_time < "2026-02-01T00:00:00Z"', ["dev-2"]),
        ('last_activity_time <= "2026-01-05T08:00:00Z"', ["dev-2"]),
        ('last_activity_time > "2026-02-01T00:00:00Z"', ["dev-1"]),
        ('last_activity_time >= "2026-03-01T08:00:00Z"', ["dev-1"]),
        ('last_activity_time = "2026-03-01T08:00:00Z"', ["dev-1"]),
        ("browser_version:142", ["dev-1"]),
        ("browser_version_channel = STABLE", ["dev-1"]),
        ("org_unit_path = /Sales", ["dev-3"]),
        ("grace", ["dev-2"]),
        ("os_platform:os OR machine_name:eng", ["dev-1", "dev-2", "dev-3"]),
        ("NOT machine_name:eng AND extension_count > 1", ["dev-2"]),
    ],
    ids=str,
)
def test_a_filter_finds_the_browsers_it_means(tenant: World, text: str, devices: list[str]) -> None:
    assert found(tenant, text) == devices


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("machine_name = web-mb-02", "index machine_name = web-mb-02: 1 of 3 rows"),
        ("osPlatform != BeOS", "all but (index osPlatform = BeOS: 1 of 3 rows)"),
        ("machine_name:web OR id:dev", "each row asked: filter machine_name:web OR id:dev"),
        ("NOT machine_name = web*", "each row asked: filter NOT machine_name = web*"),
        (
            "id = dev-1 web",
            "index id = dev-1: 1 of 3 rows, then each row asked: filter id = dev-1 web",
        ),
        (
            "id = dev-1 OR id = dev-2",
            "(index id = dev-1: 1 of 3 rows or index id = dev-2: 1 of 3 rows)",
        ),
    ],
    ids=str,
)
def test_equal_texts_are_looked_up(tenant: World, text: str, how: str) -> None:
    table = tenant.table("browsers")
    assert browser_selection(table, text, org_tree(tenant)).explain() == how


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("colour = red", 400),
        ("machine_name = (", 400),
        ('last_activity_time > "yesterday"', 400),
        ("in_group(staff)", 501),
    ],
    ids=str,
)
def test_a_filter_that_cannot_be_is_refused(tenant: World, text: str, status: int) -> None:
    with pytest.raises(ApiError) as refused:
        browser_selection(tenant.table("browsers"), text, org_tree(tenant))
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("", ["dev-1", "dev-2", "dev-3"]),
        ("machine_name desc", ["dev-2", "dev-3", "dev-1"]),
        ("extension_count", ["dev-3", "dev-1", "dev-2"]),
        ("last_activity_time desc", ["dev-1", "dev-2", "dev-3"]),
    ],
    ids=str,
)
def test_browsers_are_listed_in_the_order_asked_for(
    tenant: World, text: str, devices: list[str]
) -> None:
    rows = list(tenant.table("browsers").rows().values())
    assert [row["deviceId"] for row in order_browsers(rows, text, org_tree(tenant))] == devices


def test_an_order_by_an_unknown_field_is_refused(tenant: World) -> None:
    with pytest.raises(ApiError, match="Invalid order_by field 'colour'"):
        order_browsers([], "colour", org_tree(tenant))
