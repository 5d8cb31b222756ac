import pytest

from mockserver.googleapi import Import, each_object, org_units_by_path, text_at
from mockserver.googleapi.raw import kind
from mockserver.model import Json


def test_objects_come_with_their_pointers_and_the_rest_is_a_problem() -> None:
    found = Import(raw={"rows": [{"a": 1}, 2, {"b": 3}]})
    assert list(each_object(found, "rows")) == [("/rows/0", {"a": 1}), ("/rows/2", {"b": 3})]
    assert [str(item) for item in found.problems] == ["/rows/1: expected an object, found a number"]


@pytest.mark.parametrize(("raw", "count"), [({}, 0), ({"rows": None}, 0), ({"rows": "x"}, 1)])
def test_what_is_no_array_has_no_objects(raw: dict[str, Json], count: int) -> None:
    found = Import(raw=raw)
    assert list(each_object(found, "rows")) == []
    assert len(found.problems) == count


@pytest.mark.parametrize(("row", "message"), [({}, "is missing"), ({"n": 1}, "is a number")])
def test_a_required_text_that_is_not_there_is_a_problem(row: dict[str, Json], message: str) -> None:
    found = Import(raw={})
    assert text_at(found, "/rows/0", row, "n") is None
    assert message in found.problems[0].message
    assert text_at(found, "/rows/0", {"n": "x"}, "n") == "x"


def test_the_root_is_known_from_what_is_right_below_it() -> None:
    units = [
        {"orgUnitPath": "/Eng", "orgUnitId": "id:03b", "parentOrgUnitId": "id:03a"},
        {"orgUnitPath": "/Eng/Web", "orgUnitId": "id:03c", "parentOrgUnitId": "id:03b"},
        "broken",
    ]
    by_path = org_units_by_path(Import(raw={"orgUnits": units}))
    assert by_path == {"/": "03a", "/eng": "03b", "/eng/web": "03c"}
    assert org_units_by_path(Import(raw={"orgUnits": 1})) == {}


def test_kinds_are_named_in_jsons_words() -> None:
    assert (kind({}), kind(1.5)) == ("an object", "a number")
