from datetime import timedelta

from mockserver.apis.chromemanagement.state import (
    installed_versions,
    new_token,
    token_state,
    token_view,
    unit_of,
)
from mockserver.collections import Store
from mockserver.state import (
    World,
    org_tree,
)
from tests.tenants import ENG, ROOT, SALES


def test_a_browser_of_an_org_unit_that_is_gone_is_in_the_root(tenant: World) -> None:
    assert unit_of(org_tree(tenant), {"orgUnitId": "03gone"}) == ROOT
    assert unit_of(org_tree(tenant), {"orgUnitPath": "/Sales"}) == SALES


def test_versions_are_listed_once() -> None:
    assert installed_versions(
        {"browsers": [{"browserVersion": "1"}, {"browserVersion": "1"}, {}]}
    ) == ["1"]
    assert installed_versions({"browserVersions": ["2"]}) == ["2"]


def test_a_token_expires_with_the_session_clock(tenant: World) -> None:
    row = tenant.table("enrollmentTokens").get("tok-eng")
    assert row is not None
    assert token_state(tenant, row) == "ACTIVE"
    tenant.clock.advance(timedelta(days=365))
    assert token_state(tenant, row) == "EXPIRED"


def test_a_token_says_which_user_made_it(tenant: World) -> None:
    tenant.base.tables["users"] = Store(  # type: ignore[index]
        {"7": {"id": "7", "primaryEmail": "admin@example.com"}}
    )
    row = new_token(tenant, ENG, email="admin@example.com")
    assert token_view(tenant, row)["creatorId"] == "7"
    assert "creatorId" not in token_view(tenant, new_token(tenant, ENG, email=""))
