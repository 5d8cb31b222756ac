import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.apis import APIS
from mockserver.capture.google_catalog import google_catalog
from mockserver.capture.snapshots import (
    SnapshotMaker,
    SnapshotResult,
    check_base,
    minimal_override,
    write_base,
    write_json,
    write_override,
)
from mockserver.errors import CaptureError, MockServerError, SessionError
from mockserver.googleapi import Catalog
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage import overlay

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
        heard("https://www.googleapis.com/drive/v3/files/generateIds", {"ids": ["a"]}),
        heard("https://example.com/api", {"a": 1}),
    )
    assert found.unused == {"drive.files.generateIds": 1, "GET example.com/api": 1}


def test_lists_and_reads_of_other_apis_become_resources(catalog: Catalog) -> None:
    calendar = "https://www.googleapis.com/calendar/v3"
    found = made(
        catalog,
        heard(f"{DIRECTORY}/users/ann@example.com/tokens", {"items": []}),
        heard(f"{calendar}/calendars/team/events", {"items": [{"id": "e1", "summary": "Lunch"}]}),
        heard(f"{calendar}/calendars/team/events/e1", {"id": "e1", "location": "Oak"}),
        heard("https://gmail.googleapis.com/gmail/v1/users/me/labels", {"labels": [{"id": "L"}]}),
    )
    event = {"calendarId": "team", "id": "e1", "summary": "Lunch", "location": "Oak"}
    assert found.raw["resources"] == {
        "admin:directory_v1": {"tokens": []},
        "calendar:v3": {"events": [event]},
        "gmail:v1": {"labels": [{"id": "L"}]},
    }
    assert found.unused == {}


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


RAW = {"capturedAt": "2026-11-20T09:00:00Z", "users": [{"id": "1"}], "orgUnits": []}


def test_each_collection_is_a_file_and_the_moment_is_one(tmp_path: Path) -> None:
    files = write_base(tmp_path / "suite", RAW, replace=False)
    assert [path.name for path in files] == ["00-capture.json", "users.json", "orgUnits.json"]
    assert json.loads(files[1].read_text(encoding="utf-8")) == {"users": [{"id": "1"}]}
    assert json.loads(files[0].read_text(encoding="utf-8")) == {"capturedAt": RAW["capturedAt"]}
    assert len(list((tmp_path / "suite" / "base").iterdir())) == 3


def test_a_base_that_is_there_is_replaced_only_when_asked_to(tmp_path: Path) -> None:
    write_base(tmp_path, RAW, replace=False)
    with pytest.raises(MockServerError, match="--replace"):
        check_base(tmp_path, replace=False)
    with pytest.raises(MockServerError, match="is there already"):
        write_base(tmp_path, RAW, replace=False)
    [users] = write_base(tmp_path, {"users": []}, replace=True)
    assert json.loads(users.read_text(encoding="utf-8")) == {"users": []}


def test_no_file_is_written_beside_another_that_holds_the_same_collection(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    write_json(tmp_path / "base" / "30-people.json", {"users": [], "groups": []})
    with pytest.raises(MockServerError, match=r"30-people\.json holds users already"):
        write_base(tmp_path, RAW, replace=True)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "suite").write_text("a file", encoding="utf-8")
    with pytest.raises(CaptureError, match="cannot write"):
        write_base(tmp_path / "suite", RAW, replace=False)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "users.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_json(tmp_path / "users.json", [])
    assert [path.name for path in tmp_path.iterdir()] == ["users.json"]


UNITS = [{"orgUnitId": f"id:03{n}", "name": f"U{n}", "orgUnitPath": f"/U{n}"} for n in range(9)]


def suite(folder: Path, **raw: Any) -> Path:
    (folder / "base").mkdir(parents=True)
    (folder / "base" / "all.json").write_text(json.dumps(raw), encoding="utf-8")
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return suite(tmp_path / "base-suite", orgUnits=UNITS, policySchemas=[])


@pytest.fixture
def captured(tmp_path: Path) -> Path:
    changed = [{**UNITS[0], "name": "Renamed"}, *UNITS[1:]]
    return suite(
        tmp_path / "captured", capturedAt="2026-11-20T09:00:00Z", orgUnits=changed, browsers=[]
    )


values = st.recursive(
    st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=6,
)
snapshots = st.dictionaries(st.sampled_from(["users", "members", "policies"]), values)


@given(snapshots, snapshots)
@settings(max_examples=60)
def test_a_base_with_its_override_is_what_was_captured(
    base: JsonObject, captured: JsonObject
) -> None:
    """CEP-67: what was captured comes back when the minimal override is put over the base."""
    override, patch = minimal_override(base, captured)
    found = jsonpatch.apply_patch(overlay(base, override), patch)
    assert found == {**base, **captured}


def test_what_differs_is_written_as_the_override_of_a_case(base: Path, captured: Path) -> None:
    lines = list(write_override(captured, base, "EC-051", (), replace=False))
    assert lines == [
        f"{base / 'EC-051' / 'overrides.json'}: browsers",
        f"{base / 'EC-051' / 'captured.patch.json'}: 1 steps",
    ]
    patch = json.loads((base / "EC-051" / "captured.patch.json").read_text(encoding="utf-8"))
    assert patch == [{"op": "replace", "path": "/orgUnits/0/name", "value": "Renamed"}]


def test_only_the_collections_that_count_are_written(base: Path, captured: Path) -> None:
    [line] = write_override(captured, base, "EC-051", ("orgUnits",), replace=False)
    assert line.endswith("captured.patch.json: 1 steps")


def test_an_override_that_is_there_is_replaced_only_when_asked_to(
    base: Path, captured: Path
) -> None:
    list(write_override(captured, base, "EC-051", (), replace=False))
    with pytest.raises(MockServerError, match="--replace"):
        list(write_override(captured, base, "EC-051", (), replace=False))
    list(write_override(captured, base, "EC-051", ("browsers",), replace=True))
    assert [path.name for path in (base / "EC-051").iterdir()] == ["overrides.json"]


def test_what_cannot_be_made_is_refused(base: Path, captured: Path) -> None:
    with pytest.raises(MockServerError, match="did you mean 'orgUnits'"):
        list(write_override(captured, base, "EC-051", ("orgUnit",), replace=False))
    with pytest.raises(MockServerError, match="is what the base"):
        list(write_override(base, base, "EC-051", (), replace=False))
    for name in ("../out", "base"):
        with pytest.raises(SessionError, match="cannot be the name"):
            list(write_override(captured, base, name, (), replace=False))


def test_a_folder_of_an_override_that_cannot_be_made_is_told(base: Path, captured: Path) -> None:
    (base / "EC-051").write_text("a file", encoding="utf-8")
    with pytest.raises(CaptureError, match="cannot write"):
        list(write_override(captured, base, "EC-051", (), replace=False))
