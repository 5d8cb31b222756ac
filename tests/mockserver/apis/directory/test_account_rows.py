import pytest

from mockserver.apis.directory.snapshot import import_accounts, import_org_units
from mockserver.googleapi import Import


def imported(**raw: object) -> Import:
    found = Import(raw=raw, customer="C0example")
    import_org_units(found, root_name="example.com")
    import_accounts(found)
    return found


def test_a_deleted_user_is_in_a_table_of_its_own() -> None:
    users = [
        {"id": "1", "primaryEmail": "a@example.com"},
        {"id": "2", "primaryEmail": "a@example.com", "deletionTime": "2026-01-01T00:00:00Z"},
    ]
    found = imported(users=users, deletedUsers=[{"id": "3", "primaryEmail": "c@example.com"}])
    assert found.problems == []
    assert list(found.tables["users"]) == ["1"]
    assert list(found.tables["deletedUsers"]) == ["2", "3"]


def test_missing_ids_are_made_from_addresses() -> None:
    raw = {"users": [{"primaryEmail": "a@example.com"}], "groups": [{"email": "g@example.com"}]}
    one, other = imported(**raw), imported(**raw)
    assert one.tables == other.tables
    assert [pointer for pointer, _ in one.changes[-2:]] == ["/users/0", "/groups/0"]


def test_members_are_found_by_address_and_foreign_ones_get_ids() -> None:
    found = imported(
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
    keys = list(found.tables["members"])
    assert keys[0] == "01g/1"
    assert len(keys[1]) == len("01g/") + 21
    assert keys[2] == "01g/7"


def test_a_wrong_id_of_a_member_is_corrected_and_told() -> None:
    found = imported(
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
    problem = imported(**raw).problems[0]
    assert problem.where == where
    assert message in problem.message


def test_a_user_in_an_unknown_unit_is_a_warning() -> None:
    found = imported(users=[{"primaryEmail": "a@example.com", "orgUnitPath": "/Gone"}])
    assert [(item.where, item.level) for item in found.problems] == [
        ("/users/0/orgUnitPath", "warning")
    ]
