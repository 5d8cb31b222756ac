import pytest

from mockserver.apis.oauth import API
from mockserver.googleapi import signing_key
from mockserver.state import World, robot_email
from tests.tenants import ask, refused


def test_id_tokens_are_checked_by_the_servers_key(tenant: World) -> None:
    key = signing_key()
    assert ask(API, tenant, "oauth2.v1.certs") == {key.id: key.certificate}
    assert ask(API, tenant, "oauth2.v3.certs") == {"keys": [key.jwk]}


@pytest.mark.parametrize("place", ["robot", "serviceAccounts"])
def test_so_are_signatures_of_the_sessions_own_account(tenant: World, place: str) -> None:
    account = {"account": robot_email(tenant)}
    assert signing_key().id in ask(API, tenant, f"oauth2.{place}.x509", account)
    assert ask(API, tenant, f"oauth2.{place}.jwk", account) == {"keys": [signing_key().jwk]}


@pytest.mark.parametrize("form", ["x509", "jwk"])
def test_keys_of_other_accounts_are_not_known(tenant: World, form: str) -> None:
    other = {"account": "robot@project.example"}
    assert refused(API, tenant, f"oauth2.robot.{form}", other).status == 404
