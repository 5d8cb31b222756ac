import pytest

from mockserver.apis.directory import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ask, refused

LIST, GET, INSERT, DELETE = (
    f"directory.domains.{verb}" for verb in ("list", "get", "insert", "delete")
)
MINE = {"customer": "my_customer"}


def test_all_domains_are_listed(tenant: World) -> None:
    domains = ask(API, tenant, LIST, MINE)["domains"]
    assert [(row["domainName"], row["isPrimary"], row["verified"]) for row in domains] == [
        ("example.com", True, True),
        ("labs.example.com", False, False),
    ]


def test_a_domain_comes_and_goes(tenant: World) -> None:
    made = ask(API, tenant, INSERT, MINE, {"domainName": "New.Example"})
    assert made["creationTime"] == "1772442000000"
    assert made["verified"] is False
    params = {**MINE, "domainName": "NEW.example"}
    assert ask(API, tenant, GET, params) == made
    ask(API, tenant, DELETE, params)
    assert refused(API, tenant, GET, params).message == "Domain not found."


@pytest.mark.parametrize(
    ("method", "params", "body", "status"),
    [
        pytest.param(LIST, {"customer": "C0other"}, {}, 403, id="other customer"),
        pytest.param(GET, {**MINE, "domainName": "x.example"}, {}, 404, id="unknown"),
        pytest.param(INSERT, MINE, {"domainName": "nodots"}, 400, id="no domain"),
        pytest.param(INSERT, MINE, {"domainName": "example.com"}, 409, id="taken"),
        pytest.param(DELETE, {**MINE, "domainName": "example.com"}, {}, 403, id="primary"),
    ],
)
def test_what_cannot_be_is_refused(
    tenant: World, method: str, params: JsonObject, body: JsonObject, status: int
) -> None:
    assert refused(API, tenant, method, params, body).status == status


@pytest.mark.parametrize("key", ["my_customer", CUSTOMER])
def test_the_customer_is_answered_by_alias_and_id(tenant: World, key: str) -> None:
    customer = ask(API, tenant, "directory.customers.get", {"customerKey": key})
    assert (customer["id"], customer["customerDomain"]) == (CUSTOMER, "example.com")
    assert "customerEmail" not in customer


def test_contact_data_changes_and_ids_do_not(tenant: World) -> None:
    params = {"customerKey": "my_customer"}
    body = {
        "id": "C0other",
        "language": "de",
        "postalAddress": {"locality": "Bonn", "region": None},
    }
    changed = ask(API, tenant, "directory.customers.patch", params, body)
    assert (changed["id"], changed["language"]) == (CUSTOMER, "de")
    assert changed["postalAddress"] == {"locality": "Bonn"}
    assert ask(API, tenant, "directory.customers.get", params) == changed


def test_another_customer_is_not_answered(tenant: World) -> None:
    error = refused(API, tenant, "directory.customers.get", {"customerKey": "C0other"})
    assert error.status == 403
