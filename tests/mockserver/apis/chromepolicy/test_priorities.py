import pytest

from mockserver.apis.chromepolicy import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import GROUP, ask, refused

LIST = "chromepolicy.customers.policies.groups.listGroupPriorityOrdering"
UPDATE = "chromepolicy.customers.policies.groups.updateGroupPriorityOrdering"
MINE = {"customer": "customers/my_customer"}
APP: JsonObject = {
    "policyTargetKey": {"additionalTargetKeys": {"app_id": "chrome:aaaa"}},
    "policyNamespace": "chrome.users.apps",
}


def test_groups_with_a_value_for_the_app_are_listed(tenant: World) -> None:
    assert ask(API, tenant, LIST, MINE, APP) == {**APP, "groupIds": [GROUP]}


def test_an_order_that_was_set_is_kept(tenant: World) -> None:
    assert ask(API, tenant, UPDATE, MINE, {**APP, "groupIds": [GROUP]}) == {}
    assert ask(API, tenant, LIST, MINE, APP)["groupIds"] == [GROUP]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({**APP, "policyTargetKey": {}}, id="no app"),
        pytest.param({**APP, "policyNamespace": ""}, id="no namespace"),
        pytest.param({**APP, "groupIds": ["other"]}, id="another group"),
    ],
)
def test_what_is_no_order_is_refused(tenant: World, body: JsonObject) -> None:
    assert refused(API, tenant, UPDATE, MINE, body).status == 400
