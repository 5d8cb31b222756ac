import pytest

from mockserver.apis.directory.state import (
    domain_names,
    require_customer,
    require_domain,
    require_free_address,
    require_group,
    require_unit,
    require_user,
    unit_path,
)
from mockserver.googleapi import ApiError
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG


def test_the_customer_is_known_by_alias_and_id(tenant: World) -> None:
    require_customer(tenant, "my_customer")
    require_customer(tenant, CUSTOMER)


def test_domains_include_aliases_of_domains(tenant: World) -> None:
    row = {"domainName": "b.example", "domainAliases": [{"domainAliasName": "C.example"}]}
    tenant.put("domains", "b.example", row)
    assert domain_names(tenant) == {"example.com", "labs.example.com", "b.example", "c.example"}


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
