import pytest

from mockserver.apis.directory.snapshot import import_org_units
from mockserver.googleapi import Import
from mockserver.model import JsonObject


def imported(*units: object) -> Import:
    found = Import(raw={"orgUnits": list(units)}, customer="C0example")
    import_org_units(found, root_name="example.com")
    return found


def by_path(found: Import) -> dict[str, JsonObject]:
    return {unit["orgUnitPath"]: unit for unit in found.tables["orgUnits"].values()}


def test_a_missing_root_has_the_id_its_children_give_it() -> None:
    found = imported({"orgUnitPath": "/Eng", "parentOrgUnitId": "id:03ph8a2zroot"})
    assert by_path(found)["/"]["orgUnitId"] == "id:03ph8a2zroot"
    assert by_path(found)["/Eng"]["parentOrgUnitId"] == "id:03ph8a2zroot"


@pytest.mark.parametrize("text", ["orgunits/03ph1", "orgUnits/03ph1", "03ph1"])
def test_ids_are_written_in_one_form_and_the_change_is_told(text: str) -> None:
    found = imported({"orgUnitId": text, "orgUnitPath": "/Eng"})
    assert by_path(found)["/Eng"]["orgUnitId"] == "id:03ph1"
    assert "03ph1" in found.tables["orgUnits"]
    assert ("/orgUnits/0/orgUnitId", "written as id:03ph1") in found.changes


def test_paths_come_from_names_and_parents_in_any_order() -> None:
    found = imported(
        {"name": "Web", "parentOrgUnitId": "id:03eng", "orgUnitId": "id:03web"},
        {"name": "Eng", "parentOrgUnitPath": "/", "orgUnitId": "id:03eng"},
    )
    assert found.problems == []
    assert by_path(found)["/Eng/Web"]["parentOrgUnitPath"] == "/Eng"


def test_a_unit_without_an_id_gets_a_lasting_one() -> None:
    one, other = imported({"orgUnitPath": "/Eng"}), imported({"orgUnitPath": "/Eng"})
    assert one.tables == other.tables
    assert any("gets the id" in text for _, text in one.changes)


def test_a_name_or_parent_id_that_contradicts_the_path_is_corrected_and_told() -> None:
    found = imported(
        {"orgUnitPath": "/", "orgUnitId": "id:03root"},
        {"orgUnitPath": "/Eng", "orgUnitId": "id:03e", "name": "X", "parentOrgUnitId": "id:03y"},
    )
    assert [pointer for pointer, _ in found.changes] == [
        "/orgUnits/1/name",
        "/orgUnits/1/parentOrgUnitId",
    ]
    assert by_path(found)["/Eng"]["parentOrgUnitId"] == "id:03root"


@pytest.mark.parametrize(
    ("units", "where", "message"),
    [
        pytest.param([{"orgUnitPath": "/A/B"}], "/orgUnits/0", "no parent: no '/A'", id="parent"),
        pytest.param(
            [{"orgUnitPath": "/A"}, {"orgUnitPath": "/a"}], "/orgUnits/1", "there twice", id="path"
        ),
        pytest.param(
            [{"orgUnitPath": "/A", "orgUnitId": "03x"}, {"orgUnitPath": "/B", "orgUnitId": "03x"}],
            "/orgUnits/1",
            "there twice",
            id="id",
        ),
        pytest.param([{"name": "A"}], "/orgUnits/0", "without a place", id="nowhere"),
        pytest.param(["A"], "/orgUnits/0", "expected an object", id="text"),
    ],
)
def test_what_has_no_place_is_a_problem(units: list[object], where: str, message: str) -> None:
    problem = imported(*units).problems[0]
    assert problem.where == where
    assert message in problem.message
