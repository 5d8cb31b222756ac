import pytest

from mockserver.googleapi import Import, bare_org_unit, each_object, org_units_by_path, text_at
from mockserver.model import Json


def test_objects_come_with_their_pointers() -> None:
    found = Import({"users": [{"id": "1"}, {"id": "2"}]})
    assert list(each_object(found, "users")) == [
        ("/users/0", {"id": "1"}),
        ("/users/1", {"id": "2"}),
    ]
    assert found.problems == []


@pytest.mark.parametrize("raw", [{}, {"users": None}, {"users": []}], ids=str)
def test_a_missing_key_has_no_objects(raw: dict[str, Json]) -> None:
    found = Import(raw)
    assert list(each_object(found, "users")) == []
    assert found.problems == []


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "/users: expected an array, found an object"),
        (5, "/users: expected an array, found a number"),
        (["x"], "/users/0: expected an object, found text"),
        ([None], "/users/0: expected an object, found null"),
        ([True], "/users/0: expected an object, found a boolean"),
    ],
    ids=str,
)
def test_what_is_no_object_is_noted_with_its_place(value: Json, problem: str) -> None:
    found = Import({"users": value})
    assert list(each_object(found, "users")) == []
    assert [str(each) for each in found.problems] == [problem]


@pytest.mark.parametrize(
    ("row", "text", "problems"),
    [
        ({"id": "1"}, "1", []),
        ({}, None, ["/users/0/id: 'id' is missing"]),
        ({"id": 5}, None, ["/users/0/id: 'id' is a number, expected text"]),
    ],
    ids=str,
)
def test_a_required_text_is_there_or_noted(
    row: dict[str, Json], text: str | None, problems: list[str]
) -> None:
    found = Import({})
    assert text_at(found, "/users/0", row, "id") == text
    assert [str(each) for each in found.problems] == problems


@pytest.mark.parametrize("name", ["03ph1", "id:03ph1", "orgunits/03ph1", "orgUnits/id:03ph1"])
def test_an_org_unit_has_one_bare_id(name: str) -> None:
    assert bare_org_unit(name) == "03ph1"


def test_org_units_are_found_by_path_whatever_its_case() -> None:
    eng = {"orgUnitPath": "/Eng", "orgUnitId": "id:03ph2", "parentOrgUnitId": "id:03ph1"}
    found = Import({"orgUnits": [eng, "not a unit"]})
    assert org_units_by_path(found) == {"/eng": "03ph2", "/": "03ph1"}


def test_a_root_that_is_listed_keeps_its_own_id() -> None:
    root = {"orgUnitPath": "/", "orgUnitId": "orgunits/03ph0"}
    child = {"orgUnitPath": "/Eng", "orgUnitId": "03ph2"}
    assert org_units_by_path(Import({"orgUnits": [root, child]}))["/"] == "03ph0"
    assert org_units_by_path(Import({"orgUnits": "nothing"})) == {}
