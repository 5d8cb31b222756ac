from mockserver.apis.directory.state import (
    changed,
    domain_row,
    group_row,
    listing,
    member_row,
    stamped,
    user_row,
)


def test_an_etag_says_what_the_resource_says() -> None:
    row = stamped("group", {"id": "1", "name": "a"})
    assert stamped("group", row) == row
    assert stamped("group", {**row, "name": "b"})["etag"] != row["etag"]


def test_a_list_without_rows_has_neither_list_nor_token() -> None:
    assert sorted(listing("users", "users", [])) == ["etag", "kind"]
    assert listing("users", "users", [stamped("user", {"id": "1"})], "t")["nextPageToken"] == "t"


def test_null_clears_and_unnamed_fields_stay() -> None:
    assert changed({"a": 1}, {"a": None, "b": 2}, ("a",)) == {}
    assert changed({"a": 1}, {}, ("a",)) == {"a": 1}


def test_a_user_never_keeps_a_password() -> None:
    row = user_row({"id": "1", "primaryEmail": "a@example.com", "password": "p"}, "C0x")
    assert "password" not in row
    assert row["orgUnitPath"] == "/"


def test_a_users_addresses_start_with_the_primary_one() -> None:
    given = {
        "id": "1",
        "primaryEmail": "a@example.com",
        "emails": [{"address": "a@home.example"}, {"address": "old@example.com", "primary": True}],
        "aliases": ["b@example.com", "A@home.example"],
    }
    addresses = [item["address"] for item in user_row(given, "C0x")["emails"]]
    assert addresses == ["a@example.com", "a@home.example", "b@example.com"]


def test_a_suspended_user_says_why_and_a_restored_one_does_not() -> None:
    row = user_row({"id": "1", "primaryEmail": "a@example.com", "suspended": True}, "C0x")
    assert row["suspensionReason"] == "ADMIN"
    assert "suspensionReason" not in user_row({**row, "suspended": False}, "C0x")


def test_a_groups_count_is_not_kept() -> None:
    row = group_row({"id": "1", "email": "a@example.com", "directMembersCount": "9"})
    assert "directMembersCount" not in row
    assert row["name"] == "a"


def test_a_member_is_a_plain_member_unless_it_says_otherwise() -> None:
    member = member_row("1", {"id": "2", "email": "a@example.com"})["member"]
    assert (member["role"], member["type"], member["status"]) == ("MEMBER", "USER", "ACTIVE")


def test_a_domain_is_lower_case() -> None:
    assert domain_row({"domainName": "Example.COM"})["domainName"] == "example.com"
