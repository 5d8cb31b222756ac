import pytest

from mockserver.apis.reports.filters import people_tests
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World

BY_ANN: JsonObject = {"actor": {"email": "Ann@example.com"}, "ipAddress": "192.0.2.1"}
BY_ID: JsonObject = {"actor": {"profileId": "1ann"}}
BY_KEY: JsonObject = {"actor": {"callerType": "KEY", "key": "robot"}, "ipAddress": "unknown"}


def passed(tenant: World, row: JsonObject, **params: str) -> bool:
    return all(test(row) for test in people_tests(tenant, {"userKey": "all", **params}))


@pytest.mark.parametrize("key", ["ann@example.com", "1ann"])
def test_a_user_is_found_by_address_or_profile(tenant: World, key: str) -> None:
    assert passed(tenant, BY_ANN, userKey=key)
    assert passed(tenant, BY_ID, userKey=key)
    assert not passed(tenant, BY_KEY, userKey=key)


def test_who_acted_without_being_a_user_is_found_too(tenant: World) -> None:
    row = {"actor": {"email": "ghost@example.com"}}
    assert passed(tenant, row, userKey="GHOST@example.com")


def test_an_unknown_user_is_a_fixture_gap(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        passed(tenant, BY_ANN, userKey="anne@example.com")
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == "ann@example.com"


@pytest.mark.parametrize(
    ("unit", "found"),
    [("id:03ph8a2z1root", True), ("id:03ph8a2z1eng", True), ("id:03ph8a2z1sales", False)],
)
def test_a_unit_means_everyone_below_it(tenant: World, unit: str, found: bool) -> None:
    assert passed(tenant, BY_ANN, orgUnitID=unit) is found


def test_an_unknown_group_has_nobody(tenant: World) -> None:
    assert not passed(tenant, BY_ANN, groupIdFilter="id:nobody")
    assert passed(tenant, BY_ANN, groupIdFilter="id:01grp000000")


@pytest.mark.parametrize(
    ("row", "address", "found"),
    [(BY_ANN, "192.0.2.1", True), (BY_ANN, "192.0.2.2", False), (BY_KEY, "unknown", True)],
)
def test_addresses_are_compared(tenant: World, row: JsonObject, address: str, found: bool) -> None:
    assert passed(tenant, row, actorIpAddress=address) is found
