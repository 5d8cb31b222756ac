from collections.abc import Callable

import pytest

from harness.demo.google import Google
from harness.demo.tools.tenant import bare, customer_id, debug_auth, list_org_units


def test_org_units_come_with_the_root_and_bare_ids(google: Callable[..., Google]) -> None:
    units = list_org_units(google(), {})["orgUnits"]
    assert len(units) == 17
    assert units[0] == {"id": "03ph8a2zu5louxq", "path": "/", "parent": ""}


def test_the_token_is_looked_at(google: Callable[..., Google]) -> None:
    said = debug_auth(google(), {})
    assert said["email"] == "admin@example.com"
    assert said["scopes"]
    assert said["expiresIn"] > 0


def test_the_customer_has_a_real_id(google: Callable[..., Google]) -> None:
    assert customer_id(google()) == "C03xq7b2k"


@pytest.mark.parametrize("name", ["id:03ph1", "orgunits/03ph1", "orgUnits/03ph1", "03ph1"])
def test_ids_lose_the_prefix_of_their_api(name: str) -> None:
    assert bare(name) == "03ph1"
