from mockserver.apis.chromemanagement.state import unit_of, versions
from mockserver.state import World, org_tree
from tests.tenants import ROOT, SALES


def test_a_browser_of_an_org_unit_that_is_gone_is_in_the_root(tenant: World) -> None:
    assert unit_of(org_tree(tenant), {"orgUnitId": "03gone"}) == ROOT
    assert unit_of(org_tree(tenant), {"orgUnitPath": "/Sales"}) == SALES


def test_versions_are_listed_once() -> None:
    assert versions({"browsers": [{"browserVersion": "1"}, {"browserVersion": "1"}, {}]}) == ["1"]
    assert versions({"browserVersions": ["2"]}) == ["2"]
