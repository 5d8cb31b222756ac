import pytest

from mockserver.apis.directory.state import (
    domain_row,
    group_row,
    is_own_domain,
    list_with_etag,
    member_row,
    require_customer,
    require_domain,
    require_free_address,
    require_unit,
    unit_path,
    user_row,
    with_body_fields,
    with_kind_and_etag,
)
from mockserver.googleapi import ApiError
from mockserver.googleapi.names import require_group, require_user
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG


def test_the_customer_is_known_by_alias_and_id(tenant: World) -> None:
    require_customer(tenant, "my_customer")
    require_customer(tenant, CUSTOMER)


def test_domains_include_aliases_of_domains(tenant: World) -> None:
    row = {"domainName": "b.example", "domainAliases": [{"domainAliasName": "C.example"}]}
    tenant.put("domains", "b.example", row)
    for name in ("example.com", "labs.example.com", "b.example", "c.example"):
        assert is_own_domain(tenant, name)
    assert not is_own_domain(tenant, "d.example")
    assert not is_own_domain(tenant, "")


def test_units_are_spelled_as_the_tenant_spells_them(tenant: World) -> None:
    assert unit_path(tenant, "/eng/WEB") == "/Eng/Web"
    assert require_unit(tenant, "eng") == ENG


@pytest.mark.parametrize(
    ("key", "nearest"), [("anne@example.com", "ann@example.com"), ("????", "")]
)
def test_an_unknown_user_is_a_fixture_gap(tenant: World, key: str, nearest: str) -> None:
    with pytest.raises(ApiError) as caught:
        require_user(tenant, key)
    assert caught.value.message == "Resource Not Found: userKey"
    assert caught.value.miss is not None
    assert (caught.value.miss.blame, caught.value.miss.nearest) == ("fixture_gap", nearest)


def test_an_unknown_group_is_a_fixture_gap(tenant: World) -> None:
    with pytest.raises(ApiError, match="Resource Not Found: groupKey"):
        require_group(tenant, "sry@example.com")


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("new@example.com", None),
        ("new@labs.example.com", None),
        ("nobody", 400),
        ("new@elsewhere.example", 404),
        ("ann@example.com", 409),
        ("annie@example.com", 409),
        ("SRE@example.com", 409),
    ],
)
def test_an_address_is_given_once(tenant: World, address: str, status: int | None) -> None:
    if status is None:
        require_free_address(tenant, address, field="email")
        return
    with pytest.raises(ApiError) as caught:
        require_free_address(tenant, address, field="email")
    assert caught.value.status == status


def test_an_account_may_keep_its_own_address(tenant: World) -> None:
    require_free_address(tenant, "annie@example.com", field="email", owner="1ann")


def test_a_foreign_domain_is_not_found(tenant: World) -> None:
    with pytest.raises(ApiError, match=r"Domain not found\."):
        require_domain(tenant, "elsewhere.example")


def test_an_etag_says_what_the_resource_says() -> None:
    row = with_kind_and_etag("group", {"id": "1", "name": "a"})
    assert with_kind_and_etag("group", row) == row
    assert with_kind_and_etag("group", {**row, "name": "b"})["etag"] != row["etag"]


def test_a_list_without_rows_has_neither_list_nor_token() -> None:
    assert sorted(list_with_etag("users", "users", [])) == ["etag", "kind"]
    assert (
        list_with_etag("users", "users", [with_kind_and_etag("user", {"id": "1"})], "t")[
            "nextPageToken"
        ]
        == "t"
    )


def test_null_clears_and_unnamed_fields_stay() -> None:
    assert with_body_fields({"a": 1}, {"a": None, "b": 2}, ("a",)) == {}
    assert with_body_fields({"a": 1}, {}, ("a",)) == {"a": 1}


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
