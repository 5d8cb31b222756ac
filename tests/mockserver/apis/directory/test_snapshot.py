import pytest

from mockserver.apis.directory import API
from mockserver.apis.directory.snapshot import (
    CAPTURES,
    import_accounts,
    import_org_units,
    import_snapshot,
)
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall, JsonObject
from mockserver.state import ROLES
from tests.mockserver.apis.directory.conftest import RAW


def imported(**raw: object) -> SnapshotImport:
    found = SnapshotImport(raw=raw, customer="C0example")
    import_snapshot(found)
    return found


def test_an_empty_snapshot_still_has_a_customer_a_root_and_a_domain() -> None:
    found = imported()
    assert found.problems == []
    assert found.tables["customer"]["customer"]["customerDomain"] == "example.com"
    assert [unit["orgUnitPath"] for unit in found.tables["orgUnits"].values()] == ["/"]
    assert list(found.tables["domains"]) == ["example.com"]
    assert [pointer for pointer, _ in found.changes] == ["/customer", "/orgUnits", "/domains"]


def test_the_same_snapshot_gives_the_same_tables() -> None:
    assert imported(**RAW).tables == imported(**RAW).tables


def test_what_an_export_says_is_kept() -> None:
    found = imported(**RAW)
    assert found.problems == []
    assert [pointer for pointer, _ in found.changes] == ["/customer"]


def test_a_customer_that_is_no_object_is_a_problem() -> None:
    assert imported(customer=["C0x"]).problems[0].where == "/customer"


def test_a_domain_without_a_name_is_a_problem() -> None:
    assert imported(domains=[{}]).problems[0].where == "/domains/0/domainName"


def test_every_table_is_a_collection_that_may_be_written_down() -> None:
    found = imported()
    assert {*found.tables, *found.sources} - {ROLES} == {each.name for each in API.collections}


def imported_account(**raw: object) -> SnapshotImport:
    found = SnapshotImport(raw=raw, customer="C0example")
    import_org_units(found, root_name="example.com")
    import_accounts(found)
    return found


def test_a_deleted_user_is_in_a_table_of_its_own() -> None:
    users = [
        {"id": "1", "primaryEmail": "a@example.com"},
        {"id": "2", "primaryEmail": "a@example.com", "deletionTime": "2026-01-01T00:00:00Z"},
    ]
    found = imported_account(
        users=users, deletedUsers=[{"id": "3", "primaryEmail": "c@example.com"}]
    )
    assert found.problems == []
    assert list(found.sources["users"]) == ["1"]
    assert list(found.sources["deletedUsers"]) == ["2", "3"]


def test_missing_ids_are_made_from_addresses() -> None:
    raw = {"users": [{"primaryEmail": "a@example.com"}], "groups": [{"email": "g@example.com"}]}
    one, other = imported_account(**raw), imported_account(**raw)
    assert one.sources == other.sources
    assert [pointer for pointer, _ in one.changes[-2:]] == ["/users/0", "/groups/0"]


def test_members_are_found_by_address_and_foreign_ones_get_ids() -> None:
    found = imported_account(
        users=[{"id": "1", "primaryEmail": "a@example.com", "aliases": ["b@example.com"]}],
        groups=[{"id": "01g", "email": "g@example.com"}],
        members={
            "G@example.com": [
                "b@example.com",
                {"email": "x@y.example"},
                {"email": "z@y.example", "id": "7"},
            ]
        },
    )
    assert found.problems == []
    keys = list(found.sources["members"])
    assert keys[0] == "01g/1"
    assert len(keys[1]) == len("01g/") + 21
    assert keys[2] == "01g/7"


def test_a_wrong_id_of_a_member_is_corrected_and_told() -> None:
    found = imported_account(
        users=[{"id": "1", "primaryEmail": "a@example.com"}],
        groups=[{"id": "01g", "email": "g@example.com"}],
        members={"g@example.com": [{"email": "a@example.com", "id": "9"}]},
    )
    assert ("/members/g@example.com/0/id", "written as 1, the account's id") in found.changes


@pytest.mark.parametrize(
    ("raw", "where", "message"),
    [
        pytest.param({"users": {}}, "/users", "expected an array", id="users"),
        pytest.param({"users": [{}]}, "/users/0/primaryEmail", "is missing", id="address"),
        pytest.param(
            {"users": [{"primaryEmail": "a@example.com", "name": "A"}]},
            "/users/0/name",
            "expected an object",
            id="name",
        ),
        pytest.param(
            {"users": [{"primaryEmail": "a@b.example"}], "groups": [{"email": "A@b.example"}]},
            "/groups/0",
            "already the address of /users/0",
            id="taken",
        ),
        pytest.param({"groups": [{"email": 7}]}, "/groups/0/email", "expected text", id="group"),
        pytest.param({"members": []}, "/members", "expected an object", id="members"),
        pytest.param({"members": {"a/b": []}}, "/members/a~1b", "no group 'a/b'", id="no group"),
        pytest.param(
            {"groups": [{"email": "g@b.example"}], "members": {"g@b.example": {}}},
            "/members/g@b.example",
            "expected an array",
            id="member list",
        ),
        pytest.param(
            {"groups": [{"email": "g@b.example"}], "members": {"g@b.example": [{}]}},
            "/members/g@b.example/0",
            "expected a member",
            id="member",
        ),
    ],
)
def test_what_is_no_account_is_a_problem(raw: dict[str, object], where: str, message: str) -> None:
    problem = imported_account(**raw).problems[0]
    assert problem.where == where
    assert message in problem.message


@pytest.mark.parametrize("more", [{"emails": 5}, {"aliases": [7]}, {"emails": ["a@example.com"]}])
def test_a_user_that_cannot_be_made_is_refused_before_anybody_reads_it(more: JsonObject) -> None:
    with pytest.raises((TypeError, AttributeError)):  # an error of the snapshot, by the importer
        imported_account(users=[{"primaryEmail": "a@example.com", **more}])


def test_a_user_in_an_unknown_unit_is_a_warning() -> None:
    found = imported_account(users=[{"primaryEmail": "a@example.com", "orgUnitPath": "/Gone"}])
    assert [(item.where, item.level) for item in found.problems] == [
        ("/users/0/orgUnitPath", "warning")
    ]


def imported_orgunit(*units: object) -> SnapshotImport:
    found = SnapshotImport(raw={"orgUnits": list(units)}, customer="C0example")
    import_org_units(found, root_name="example.com")
    return found


def by_path(found: SnapshotImport) -> dict[str, JsonObject]:
    return {unit["orgUnitPath"]: unit for unit in found.tables["orgUnits"].values()}


def test_a_missing_root_has_the_id_its_children_give_it() -> None:
    found = imported_orgunit({"orgUnitPath": "/Eng", "parentOrgUnitId": "id:03ph8a2zroot"})
    assert by_path(found)["/"]["orgUnitId"] == "id:03ph8a2zroot"
    assert by_path(found)["/Eng"]["parentOrgUnitId"] == "id:03ph8a2zroot"


@pytest.mark.parametrize("text", ["orgunits/03ph1", "orgUnits/03ph1", "03ph1"])
def test_ids_are_written_in_one_form_and_the_change_is_told(text: str) -> None:
    found = imported_orgunit({"orgUnitId": text, "orgUnitPath": "/Eng"})
    assert by_path(found)["/Eng"]["orgUnitId"] == "id:03ph1"
    assert "03ph1" in found.tables["orgUnits"]
    assert ("/orgUnits/0/orgUnitId", "written as id:03ph1") in found.changes


def test_paths_come_from_names_and_parents_in_any_order() -> None:
    found = imported_orgunit(
        {"name": "Web", "parentOrgUnitId": "id:03eng", "orgUnitId": "id:03web"},
        {"name": "Eng", "parentOrgUnitPath": "/", "orgUnitId": "id:03eng"},
    )
    assert found.problems == []
    assert by_path(found)["/Eng/Web"]["parentOrgUnitPath"] == "/Eng"


def test_a_unit_without_an_id_gets_a_lasting_one() -> None:
    one, other = (
        imported_orgunit({"orgUnitPath": "/Eng"}),
        imported_orgunit({"orgUnitPath": "/Eng"}),
    )
    assert one.tables == other.tables
    assert any("gets the id" in text for _, text in one.changes)


def test_a_name_or_parent_id_that_contradicts_the_path_is_corrected_and_told() -> None:
    found = imported_orgunit(
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
    problem = imported_orgunit(*units).problems[0]
    assert problem.where == where
    assert message in problem.message


USER = {"id": "1", "primaryEmail": "ann@example.com"}


@pytest.mark.parametrize(
    ("shown", "collection"),
    [("true", "deletedUsers"), (True, "deletedUsers"), ("false", "users"), (None, "users")],
    ids=str,
)
def test_deleted_users_are_a_collection_of_their_own(shown: object, collection: str) -> None:
    asked = AnsweredCall("directory.users.list", {"showDeleted": shown}, {}, {})
    kept = [
        capture.collection
        for capture in CAPTURES["directory.users.list"]
        if capture.reshape and capture.reshape(USER, asked)
    ]
    assert kept == [collection]


def test_members_are_listed_under_their_group() -> None:
    [capture] = CAPTURES["directory.members.list"]
    assert (capture.shape, capture.under) == ("lists", "groupKey")
