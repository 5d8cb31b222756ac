import pytest

from mockserver.apis.chromepolicy import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG, GROUP, ROOT, SALES, WEB, ask, refused

RESOLVE = "chromepolicy.customers.policies.resolve"
MINE = {"customer": "customers/my_customer"}


def resolved(world: World, resource: str, schemas: str, **more: object) -> list[JsonObject]:
    key: JsonObject = {"targetResource": resource, **more}
    body = {"policyTargetKey": key, "policySchemaFilter": schemas}
    found: list[JsonObject] = ask(API, world, RESOLVE, MINE, body).get("resolvedPolicies", [])
    return found


def test_schemas_are_named_with_the_real_customer_id(tenant: World) -> None:
    answer = ask(
        API,
        tenant,
        "chromepolicy.customers.policySchemas.list",
        {"parent": "customers/my_customer", "pageSize": 1},
    )
    name = f"customers/{CUSTOMER}/policySchemas/chrome.devices.Reboot"
    assert answer["policySchemas"][0]["name"] == name
    assert answer["nextPageToken"]


def test_a_filter_without_matches_answers_an_empty_object(tenant: World) -> None:
    params = {"parent": "customers/my_customer", "filter": "namespace=chrome.printers"}
    assert ask(API, tenant, "chromepolicy.customers.policySchemas.list", params) == {}


def test_one_schema_is_found_by_its_name(tenant: World) -> None:
    name = "customers/my_customer/policySchemas/chrome.users.Incognito"
    found = ask(API, tenant, "chromepolicy.customers.policySchemas.get", {"name": name})
    assert found["schemaName"] == "chrome.users.Incognito"


def test_an_unknown_schema_names_the_nearest(tenant: World) -> None:
    name = "customers/my_customer/policySchemas/chrome.users.Incognita"
    error = refused(API, tenant, "chromepolicy.customers.policySchemas.get", {"name": name})
    assert (error.status, error.message) == (404, "Requested entity was not found.")
    assert error.miss is not None
    assert error.miss.nearest == "chrome.users.Incognito"


def test_the_nearest_value_on_the_way_to_the_root_holds(tenant: World) -> None:
    [policy] = resolved(tenant, f"orgunits/{WEB}", "chrome.users.Incognito")
    assert policy == {
        "targetKey": {"targetResource": f"orgunits/{WEB}"},
        "sourceKey": {"targetResource": f"orgunits/{ENG}"},
        "value": {"policySchema": "chrome.users.Incognito", "value": {"mode": "BLOCKED"}},
    }


def test_the_customers_default_has_no_source(tenant: World) -> None:
    [policy] = resolved(tenant, f"orgunits/{SALES}", "chrome.users.*")
    assert "sourceKey" not in policy
    assert policy["value"]["value"] == {"mode": "ALLOWED"}


def test_an_app_says_where_it_was_added(tenant: World) -> None:
    [policy] = resolved(tenant, f"orgunits/{WEB}", "chrome.users.apps.*")
    assert policy["sourceKey"]["targetResource"] == f"orgunits/{ENG}"
    assert policy["addedSourceKey"]["targetResource"] == f"orgunits/{ROOT}"
    assert policy["targetKey"]["additionalTargetKeys"] == {"app_id": "chrome:aaaa"}


def test_additional_keys_narrow_what_is_resolved(tenant: World) -> None:
    other = {"additionalTargetKeys": {"app_id": "chrome:bbbb"}}
    assert resolved(tenant, f"orgunits/{WEB}", "chrome.users.apps.*", **other) == []


def test_a_group_has_its_own_values_only(tenant: World) -> None:
    [policy] = resolved(tenant, f"groups/{GROUP}", "chrome.users.apps.InstallType")
    assert policy["value"]["value"] == {"appInstallType": "BLOCKED"}
    assert resolved(tenant, f"groups/{GROUP}", "chrome.users.*") == []


def test_resolved_policies_come_in_pages(tenant: World) -> None:
    body: JsonObject = {
        "policyTargetKey": {"targetResource": f"orgunits/{ENG}"},
        "policySchemaFilter": "chrome.users.apps.*",
        "pageSize": 1,
    }
    first = ask(API, tenant, RESOLVE, MINE, body)
    assert "nextPageToken" not in first
    body["policySchemaFilter"] = "chrome.users.*"
    assert len(ask(API, tenant, RESOLVE, MINE, body)["resolvedPolicies"]) == 1


@pytest.mark.parametrize(
    ("resource", "schemas", "status", "text"),
    [
        pytest.param("", "chrome.users.*", 400, "required", id="no target"),
        pytest.param("users/1", "chrome.users.*", 400, "'orgunits' or 'groups'", id="user"),
        pytest.param("orgunits/03nope", "chrome.users.*", 404, "not found", id="no such unit"),
        pytest.param("groups/nope", "chrome.users.*", 404, "not found", id="no such group"),
        pytest.param(f"orgunits/{ENG}", "chrome.*", 400, "Invalid policy schema", id="namespace"),
        pytest.param(f"orgunits/{ENG}", "", 400, "Invalid policy schema", id="no filter"),
        pytest.param(
            f"orgunits/{ENG}",
            "chrome.users.Incognito,chrome.devices.Reboot",
            400,
            "Invalid policy schema",
            id="comma list",
        ),
        pytest.param(f"orgunits/{ENG}", "chrome.users.Nope", 404, "not found", id="no schema"),
    ],
)
def test_what_cannot_be_resolved_is_refused(
    tenant: World, resource: str, schemas: str, status: int, text: str
) -> None:
    body = {"policyTargetKey": {"targetResource": resource}, "policySchemaFilter": schemas}
    error = refused(API, tenant, RESOLVE, MINE, body)
    assert error.status == status
    assert text in error.message


def test_another_customer_is_refused(tenant: World) -> None:
    body = {"policyTargetKey": {"targetResource": f"orgunits/{ENG}"}}
    assert refused(API, tenant, RESOLVE, {"customer": "customers/C0other"}, body).status == 403


def test_the_lenient_profile_forgives_a_comma_list(tenant: World) -> None:
    body = {
        "policyTargetKey": {"targetResource": f"orgunits/{ENG}"},
        "policySchemaFilter": "chrome.users.Incognito, chrome.users.Nope,",
    }
    answer = ask(API, tenant, RESOLVE, MINE, body, profile="lenient")
    assert len(answer["resolvedPolicies"]) == 1
