import pytest

from mockserver.apis.iamcredentials.methods import account_id, account_of, required
from mockserver.googleapi import ApiError, Call
from mockserver.state import World, robot_email
from tests.mockserver.apis.iamcredentials.conftest import NAME, ROBOT

PREFIX = "projects/-/serviceAccounts/"


def call(tenant: World, name: str) -> Call:
    return Call("x", {"name": name}, {"audience": "a"}, tenant)


def test_an_account_is_named_by_its_address(tenant: World) -> None:
    assert account_of(call(tenant, NAME)) == ROBOT


def test_the_sessions_own_one_by_its_id_too(tenant: World) -> None:
    own = robot_email(tenant)
    assert account_of(call(tenant, PREFIX + account_id(own))) == own


@pytest.mark.parametrize(
    ("name", "status"),
    [(f"{PREFIX}123", 404), (f"projects/shop-prod/serviceAccounts/{ROBOT}", 400)],
)
def test_other_names_are_refused(tenant: World, name: str, status: int) -> None:
    with pytest.raises(ApiError) as caught:
        account_of(call(tenant, name))
    assert caught.value.status == status


def test_a_field_that_is_missing_is_named(tenant: World) -> None:
    assert required(call(tenant, NAME), "audience") == "a"
    with pytest.raises(ApiError) as caught:
        required(call(tenant, NAME), "payload")
    assert caught.value.details[0]["fieldViolations"][0]["field"] == "payload"
