import pytest

from mockserver.googleapi import SnapshotImport, each_object, named_rows, org_units_by_path, text_at
from mockserver.googleapi.raw_snapshot import json_kind
from mockserver.model import Json


def test_objects_come_with_their_pointers_and_the_rest_is_a_problem() -> None:
    found = SnapshotImport(raw={"rows": [{"a": 1}, 2, {"b": 3}]})
    assert list(each_object(found, "rows")) == [("/rows/0", {"a": 1}), ("/rows/2", {"b": 3})]
    assert [str(item) for item in found.problems] == ["/rows/1: expected an object, found a number"]


@pytest.mark.parametrize(("raw", "count"), [({}, 0), ({"rows": None}, 0), ({"rows": "x"}, 1)])
def test_what_is_no_array_has_no_objects(raw: dict[str, Json], count: int) -> None:
    found = SnapshotImport(raw=raw)
    assert list(each_object(found, "rows")) == []
    assert len(found.problems) == count


@pytest.mark.parametrize(("row", "message"), [({}, "is missing"), ({"n": 1}, "is a number")])
def test_a_required_text_that_is_not_there_is_a_problem(row: dict[str, Json], message: str) -> None:
    found = SnapshotImport(raw={})
    assert text_at(found, "/rows/0", row, "n") is None
    assert message in found.problems[0].message
    assert text_at(found, "/rows/0", {"n": "x"}, "n") == "x"


def test_the_root_is_known_from_what_is_right_below_it() -> None:
    units = [
        {"orgUnitPath": "/Eng", "orgUnitId": "id:03b", "parentOrgUnitId": "id:03a"},
        {"orgUnitPath": "/Eng/Web", "orgUnitId": "id:03c", "parentOrgUnitId": "id:03b"},
        "broken",
    ]
    by_path = org_units_by_path(SnapshotImport(raw={"orgUnits": units}))
    assert by_path == {"/": "03a", "/eng": "03b", "/eng/web": "03c"}
    assert org_units_by_path(SnapshotImport(raw={"orgUnits": 1})) == {}


def test_kinds_are_named_in_jsons_words() -> None:
    assert (json_kind({}), json_kind(1.5)) == ("an object", "a number")


def test_rows_are_kept_by_name_and_what_has_none_or_a_wrong_one_is_a_problem() -> None:
    rows: Json = [{"name": "things/a"}, {}, {"name": "odd"}, {"name": "things/a"}]
    found = SnapshotImport(raw={"rows": rows})
    assert named_rows(found, "rows", "things/{thing}") == {"things/a": {"name": "things/a"}}
    assert [problem.where for problem in found.problems] == [
        "/rows/1/name", "/rows/2/name", "/rows/3/name",
    ]  # fmt: skip
    assert list(named_rows(SnapshotImport(raw={"rows": [{"name": "odd"}]}), "rows")) == ["odd"]
