import json

import pytest

from mockserver.apis.chromemanagement import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, WEB, ask, refused, world

COUNT = "chromemanagement.customers.reports.countChromeVersions"
MINE = {"customer": "customers/my_customer"}
REPORT = {
    "browserVersions": [
        {"version": "143.0", "channel": "beta", "system": "Windows", "count": 5},
        {"version": "142.0", "count": "7"},
    ]
}


def counted(world: World, **params: object) -> list[tuple[str, str]]:
    answer = ask(API, world, COUNT, {**MINE, **params})
    return [(item["version"], item["count"]) for item in answer.get("browserVersions", ())]


def test_the_snapshots_report_answers_for_the_customer() -> None:
    tenant = world(API, chromeReports=REPORT)
    assert ask(API, tenant, COUNT, MINE) == {
        "browserVersions": [
            {"version": "143.0", "channel": "BETA", "system": "SYSTEM_WINDOWS", "count": "5"},
            {"version": "142.0", "count": "7"},
        ],
        "totalSize": 2,
    }


def test_a_report_comes_in_pages() -> None:
    tenant = world(API, chromeReports=REPORT)
    first = ask(API, tenant, COUNT, {**MINE, "pageSize": 1})
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
        {**MINE, "filter": 'last_active_date >= "2026-02-01"'},
    )
    assert error.status == 501
    example = json.loads(error.details[0]["metadata"]["fixture"])
    assert counted(world(API, **example)) == [("142.0.7444.60", "1")]


@pytest.mark.parametrize("text", ["colour = red", "(", "loose"])
def test_what_is_no_filter_is_refused(tenant: World, text: str) -> None:
    assert refused(API, tenant, COUNT, {**MINE, "filter": text}).status == 400


@pytest.mark.parametrize(("report", "found"), [({}, 2), ({"browserVersions": []}, 0)])
def test_an_empty_report_is_not_the_same_as_none(report: JsonObject, found: int) -> None:
    from tests.mockserver.apis.chromemanagement.conftest import BROWSERS

    assert len(counted(world(API, chromeReports=report, browsers=BROWSERS))) == found
