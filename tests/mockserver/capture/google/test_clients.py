import json

import pytest

from mockserver.apis import APIS
from mockserver.capture.google.calls import ApiClients, narrowest_scope, raw_document
from mockserver.capture.google_catalog import google_catalog
from mockserver.errors import MockServerError
from mockserver.googleapi import Catalog, Method
from mockserver.model import Json, JsonObject

SUPPLEMENTS = [document for api in APIS for document in api.supplements]


class Silent:
    """Requests are built here, and never sent."""

    def request(self, *arguments: object, **options: object) -> None:
        raise AssertionError("nothing is to be sent")

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return google_catalog()


@pytest.fixture(scope="module")
def clients(catalog: Catalog) -> ApiClients:
    return ApiClients(catalog, SUPPLEMENTS, Silent())


def method(catalog: Catalog, name: str) -> Method:
    found = catalog.method(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "params", "body", "uri"),
    [
        (
            "directory.orgunits.list",
            {"customerId": "my_customer", "type": "all"},
            None,
            "admin/directory/v1/customer/my_customer/orgunits?type=all&alt=json",
        ),
        (
            "monitoring.projects.timeSeries.list",
            {"name": "projects/shop", "interval.endTime": "2026-11-20T09:00:00Z"},
            None,
            "v3/projects/shop/timeSeries?interval.endTime=2026-11-20T09%3A00%3A00Z&alt=json",
        ),
        (
            "chromepolicy.customers.policies.resolve",
            {"customer": "customers/C0example", "never": None},
            {"policySchemaFilter": "chrome.users.*"},
            "v1/customers/C0example/policies:resolve?alt=json",
        ),
        (
            "directory.chromebrowsers.list",
            {"customer": "my_customer"},
            None,
            "admin/directory/v1.1beta1/customer/my_customer/devices/chromebrowsers?alt=json",
        ),
    ],
    ids=["path-and-query", "dotted", "body", "supplement"],
)
def test_requests_are_those_of_the_real_client(
    catalog: Catalog,
    clients: ApiClients,
    name: str,
    params: dict[str, Json],
    body: JsonObject | None,
    uri: str,
) -> None:
    request = clients.request(method(catalog, name), params, body)
    assert request.uri.partition("googleapis.com/")[2] == uri
    assert (json.loads(request.body) if request.body else None) == body


def test_a_parameter_of_another_form_is_refused_before_anything_is_sent(
    catalog: Catalog, clients: ApiClients
) -> None:
    wanted = method(catalog, "chromepolicy.customers.policySchemas.list")
    with pytest.raises(MockServerError, match=r"chromepolicy.*does not match the pattern"):
        clients.request(wanted, {"parent": "my_customer"}, None)


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("directory.orgunits.list", "admin.directory.orgunit.readonly"),
        ("logging.entries.list", "logging.read"),
        ("cloudasset.assets.list", "cloud-platform"),
    ],
    ids=str,
)
def test_the_scope_that_allows_least_is_asked_for(catalog: Catalog, name: str, scope: str) -> None:
    assert narrowest_scope(method(catalog, name)).rpartition("/")[2] == scope


def test_a_document_that_is_not_there_is_told(catalog: Catalog) -> None:
    with pytest.raises(MockServerError, match="no Discovery document nothing:v1"):
        raw_document(catalog, SUPPLEMENTS, "nothing", "v1")
