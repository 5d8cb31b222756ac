import pytest

from mockserver.apis.oauth import API
from mockserver.googleapi import Catalog


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog(preferred=API.documents, supplements=API.supplements)


@pytest.mark.parametrize(
    ("verb", "host", "path", "method_id"),
    [
        ("POST", "oauth2.googleapis.com", "/token", "oauth2.token"),
        ("GET", "oauth2.googleapis.com", "/tokeninfo", "oauth2.tokeninfo.get"),
        ("POST", "www.googleapis.com", "/oauth2/v4/token", "oauth2.v4.token"),
        ("GET", "www.googleapis.com", "/oauth2/v1/tokeninfo", "oauth2.v1.tokeninfo"),
        ("POST", "www.googleapis.com", "/oauth2/v2/tokeninfo", "oauth2.tokeninfo"),
        ("GET", "www.googleapis.com", "/oauth2/v2/userinfo", "oauth2.userinfo.get"),
        ("POST", "accounts.google.com", "/o/oauth2/token", "oauth2.accounts.token"),
        ("GET", "openidconnect.googleapis.com", "/v1/userinfo", "oauth2.openidconnect.userinfo"),
    ],
)
def test_endpoints_are_where_clients_look_for_them(
    catalog: Catalog, verb: str, host: str, path: str, method_id: str
) -> None:
    router = catalog.router(host)
    assert router is not None
    match = router.match(verb, path)
    assert match is not None
    assert match.method.id == method_id


def test_userinfo_asks_for_a_credential_and_tokens_do_not(catalog: Catalog) -> None:
    userinfo, token = catalog.method("oauth2.v3.userinfo"), catalog.method("oauth2.token")
    assert userinfo is not None
    assert token is not None
    assert userinfo.scopes
    assert not token.scopes
