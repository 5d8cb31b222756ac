from datetime import UTC, datetime

import pytest

from mockserver.googleapi import ApiError, own_customer
from mockserver.state import Base, Clock, Ids, Table, World

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def world() -> World:
    table = Table({"customer": {"id": "C0example"}})
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(Base({"customer": table}, {}, NOW), clock=clock, ids=Ids(0), session="s")


@pytest.mark.parametrize("name", ["customers/my_customer", "customers/C0example"])
def test_the_alias_and_the_id_mean_the_session_s_customer(name: str) -> None:
    assert own_customer(world(), name) == "customers/C0example"


def test_another_customer_is_nobody_s_business() -> None:
    with pytest.raises(ApiError) as caught:
        own_customer(world(), "customers/C0other")
    assert caught.value.status == 403
