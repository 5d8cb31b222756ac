import pytest

from mockserver.googleapi import ApiError, own_customer
from mockserver.state import Base, Clock, Ids, World
from tests.tenants import CUSTOMER, NOW, TENANT


@pytest.fixture
def tenant() -> World:
    base = Base(tables=TENANT, times={}, captured_at=NOW)
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


@pytest.mark.parametrize("name", ["my_customer", CUSTOMER])
def test_the_alias_becomes_the_real_customer(tenant: World, name: str) -> None:
    assert own_customer(tenant, f"customers/{name}") == f"customers/{CUSTOMER}"


def test_another_customer_is_forbidden(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        own_customer(tenant, "customers/C0other")
    assert caught.value.status == 403
