from datetime import timedelta

import pytest

from mockserver.apis.oauth.state import (
    account_id,
    account_name,
    find_live_token,
    is_account,
    long_scopes,
    revoke_credential,
)
from mockserver.state import World, first_token, is_revoked, issue_token
from tests.tenants import world


def test_short_scopes_have_long_names() -> None:
    assert long_scopes(("profile", "x")) == (
        "https://www.googleapis.com/auth/userinfo.profile",
        "x",
    )


@pytest.mark.parametrize(
    ("address", "found"),
    [("ann@example.com", True), ("ADMIN@example.com", True), ("eve@example.com", False)],
)
def test_accounts_are_the_users_and_the_administrator(
    tenant: World, address: str, found: bool
) -> None:
    assert is_account(tenant, address) is found


def test_a_snapshot_without_people_takes_anyone() -> None:
    from mockserver.apis.oauth import API

    assert is_account(world(API), "eve@example.com")


def test_accounts_that_are_no_users_have_a_lasting_id_and_no_name(tenant: World) -> None:
    assert account_id(tenant, "ann@example.com") == "1ann"
    assert account_id(tenant, "robot@x.example") == account_id(tenant, "ROBOT@x.example")
    assert account_name(tenant, "robot@x.example") == {}


def test_a_token_lives_until_its_time_or_until_it_is_revoked(tenant: World) -> None:
    one, other = (
        issue_token(tenant, email="ann@example.com", scopes=(), lifetime_s=60) for _ in range(2)
    )
    assert revoke_credential(tenant, one)
    assert find_live_token(tenant, one) is None
    assert not revoke_credential(tenant, one)
    assert find_live_token(tenant, other) is not None
    tenant.clock.advance(timedelta(seconds=60))
    assert find_live_token(tenant, other) is None


def test_the_first_token_can_be_revoked_too(tenant: World) -> None:
    assert revoke_credential(tenant, first_token(tenant.session, tenant.secret))
    assert find_live_token(tenant, first_token(tenant.session, tenant.secret)) is None


def test_a_refresh_token_is_revoked_once_and_foreign_access_tokens_never(tenant: World) -> None:
    assert revoke_credential(tenant, "1//refresh")
    assert is_revoked(tenant, "1//refresh")
    assert not revoke_credential(tenant, "1//refresh")
    assert not revoke_credential(tenant, "ya29.foreign")


def test_tokens_are_no_change_of_the_world(tenant: World) -> None:
    before = tenant.diff()
    revoke_credential(tenant, "1//refresh")
    assert tenant.diff() == before
