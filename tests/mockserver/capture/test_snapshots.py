import json
from typing import Any
from urllib.parse import urlencode

import pytest

from mockserver.apis import APIS
from mockserver.capture.google import google_catalog
from mockserver.capture.snapshots import SnapshotMaker, SnapshotResult
from mockserver.googleapi import Catalog
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Interaction,
    Json,
    RecordedRequest,
    RecordedResponse,
)

DIRECTORY = "https://admin.googleapis.com/admin/directory/v1"
SERIES = "https://monitoring.googleapis.com/v3/projects/shop/timeSeries"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return google_catalog()


def heard(url: str, answer: Json, *, status: int = 200, body: Json = None) -> Interaction:
    return Interaction(
        RecordedRequest("GET" if body is None else "POST", url, (), _json(body)),
        RecordedResponse(status, body=_json(answer)),
    )


def _json(value: Json) -> bytes:
    return b"" if value is None else json.dumps(value).encode()


def made(catalog: Catalog, *interactions: Interaction, recorded_at: str = "") -> SnapshotResult:
    cassette = Cassette("c.yaml", interactions, CassetteInfo(recorded_at=recorded_at))
    return SnapshotMaker(APIS, catalog).make(cassette)


def test_every_line_of_the_tables_names_a_method_and_a_collection(catalog: Catalog) -> None:
    collections = {collection.name for api in APIS for collection in api.collections}
    for api in APIS:
        for method, captures in api.captures().items():
            assert catalog.method(method), method
            assert {capture.collection for capture in captures} <= collections


def test_pages_are_joined_and_doubles_are_one(catalog: Catalog) -> None:
    """CEP-64: org units, as the others, become the collection of a base snapshot."""
    one, two = {"orgUnitId": "id:1", "name": "A"}, {"orgUnitId": "id:2"}
    again = {"orgUnitId": "id:1", "description": "first"}
    url = f"{DIRECTORY}/customer/my_customer/orgunits"
    found = made(
        catalog,
        heard(url, {"organizationUnits": [one, two]}),
        heard(f"{url}/A", again),
        recorded_at="2026-11-20T09:00:00Z",
    )
    assert found.raw == {
        "capturedAt": "2026-11-20T09:00:00Z",
        "orgUnits": [{**one, **again}, two],
    }
    assert (found.used, found.failed, found.unused) == (2, [], {})


def test_members_are_by_group_and_a_customer_is_one_object(catalog: Catalog) -> None:
    found = made(
        catalog,
        heard(f"{DIRECTORY}/groups/a%40example.com/members", {"members": [{"id": "1"}]}),
        heard(f"{DIRECTORY}/groups/b%40example.com/members", {"kind": "members"}),
        heard(f"{DIRECTORY}/customers/my_customer", {"id": "C0example"}),
    )
    assert found.raw == {
        "members": {"a@example.com": [{"id": "1"}], "b@example.com": []},
        "customer": {"id": "C0example"},
    }


def test_a_report_is_an_object_with_its_rows(catalog: Catalog) -> None:
    url = "https://chromemanagement.googleapis.com/v1/customers/c/reports:countChromeVersions"
    rows = [{"version": "142.0", "count": "3"}, {"version": "141.0", "count": "1"}]
    found = made(catalog, heard(url, {"browserVersions": rows, "totalSize": 2}))
    assert found.raw == {"chromeReports": {"browserVersions": rows}}


def test_points_of_one_series_go_on_and_computed_series_are_left_out(catalog: Catalog) -> None:
    series = {"metric": {"type": "m"}, "resource": {"type": "global"}}
    first, second = {**series, "points": [1, 2]}, {**series, "points": [2, 3]}
    computed = urlencode({"aggregation.perSeriesAligner": "ALIGN_RATE"})
    found = made(
        catalog,
        heard(SERIES, {"timeSeries": [first]}),
        heard(SERIES, {"timeSeries": [second]}),
        heard(f"{SERIES}?{computed}", {"timeSeries": [{**series, "points": [9]}]}),
    )
    assert found.raw == {"timeSeries": [{**series, "points": [1, 2, 3]}]}


def test_deleted_users_are_made_only_where_they_were_asked_for(catalog: Catalog) -> None:
    url, user = f"{DIRECTORY}/users", {"id": "1"}
    assert made(catalog, heard(url, {"users": [user]})).raw == {"users": [user]}
    shown = made(catalog, heard(f"{url}?showDeleted=true", {"users": [user]}))
    assert shown.raw == {"deletedUsers": [user]}


def test_failed_answers_are_told_and_never_taken_for_empty_lists(catalog: Catalog) -> None:
    url = f"{DIRECTORY}/customer/my_customer/orgunits"
    found = made(catalog, heard(url, {"error": {}}, status=403), heard(url, None))
    assert found.raw == {}
    assert found.failed == [("directory.orgunits.list", 403), ("directory.orgunits.list", 200)]


def test_answers_of_no_collection_are_told(catalog: Catalog) -> None:
    found = made(
        catalog,
        heard(f"{DIRECTORY}/users/ann@example.com/tokens", {"items": []}),
        heard("https://example.com/api", {"a": 1}),
    )
    assert found.unused == {"directory.tokens.list": 1, "GET example.com/api": 1}


def test_parameters_that_were_too_long_for_an_address_are_read_from_the_body(
    catalog: Catalog,
) -> None:
    request = RecordedRequest(
        "POST",
        f"{DIRECTORY}/users",
        (("x-http-method-override", "GET"),),
        b"showDeleted=true",
    )
    answer = RecordedResponse(200, body=b'{"users": [{"id": "1"}]}')
    assert made(catalog, Interaction(request, answer)).raw == {"deletedUsers": [{"id": "1"}]}


def test_repeated_parameters_are_lists_and_others_are_not(catalog: Catalog) -> None:
    url = "https://cloudasset.googleapis.com/v1/projects/shop:searchAllIamPolicies"
    rows: list[Any] = [{"resource": "//r", "policy": {}}]
    query = urlencode([("assetTypes", "a"), ("assetTypes", "b"), ("query", "")])
    found = made(catalog, heard(f"{url}?{query}", {"results": rows}))
    assert found.raw == {"iamPolicies": rows}
