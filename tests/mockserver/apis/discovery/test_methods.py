import pytest

from mockserver.apis.discovery import API, rest_document
from mockserver.apis.discovery.methods import (
    document_at,
    document_names,
    local_directory,
    local_document,
)
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from tests.tenants import world

LOCAL = "http://127.0.0.1:8765/s/s1"


def ask(method: str, **params: object) -> JsonObject:
    call = Call(id=method, params=params, body={}, world=world(API), base_url=LOCAL)
    return API.handlers[method](call) or {}


def test_the_directory_is_narrowed_by_name_and_preference() -> None:
    both = ask("discovery.apis.list", name="cloudidentity")["items"]
    assert {item["version"] for item in both} == {"v1", "v1beta1"}
    only = ask("discovery.apis.list", name="cloudidentity", preferred=True)["items"]
    assert [item["version"] for item in only] == ["v1"]


def test_a_directory_of_nothing_has_no_items() -> None:
    assert sorted(ask("discovery.apis.list", name="nothing")) == ["discoveryVersion", "kind"]


def test_a_document_is_answered() -> None:
    assert ask("discovery.apis.getRest", api="oauth2", version="v2")["id"] == "oauth2:v2"


def test_an_unknown_document_is_not_found_and_the_nearest_is_named() -> None:
    with pytest.raises(ApiError) as caught:
        ask("discovery.apis.getRest", api="cloudidentity", version="v2")
    assert (caught.value.status, caught.value.message) == (404, "Not Found")
    assert caught.value.miss is not None
    assert caught.value.miss.nearest.startswith("cloudidentity/")


def test_a_host_answers_its_document() -> None:
    found = rest_document("admin.googleapis.com", "reports_v1", LOCAL)
    assert found["rootUrl"] == f"{LOCAL}/admin.googleapis.com/"
    with pytest.raises(ApiError):
        rest_document("admin.googleapis.com", "v99", LOCAL)


def test_a_client_can_be_built_from_an_answered_document() -> None:
    from google.auth.credentials import AnonymousCredentials
    from googleapiclient.discovery import build_from_document

    found = rest_document("admin.googleapis.com", "directory_v1", LOCAL)
    client = build_from_document(found, credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    request = client.orgunits().get(customerId="my_customer", orgUnitPath="/")
    where = "admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits//?alt=json"
    assert request.uri == f"{LOCAL}/{where}"


def test_a_document_leads_to_where_it_was_asked_for() -> None:
    found = local_document("admin", "directory_v1", LOCAL)
    assert found is not None
    root = f"{LOCAL}/admin.googleapis.com/"
    assert found["rootUrl"] == found["baseUrl"] == found["mtlsRootUrl"] == root


def test_a_service_path_stays_below_the_root() -> None:
    found = local_document("drive", "v3", LOCAL)
    assert found is not None
    assert found["baseUrl"] == f"{LOCAL}/www.googleapis.com/drive/v3/"


@pytest.mark.parametrize("base_url", ["", "https://admin.googleapis.com"])
def test_on_googles_own_host_a_document_is_as_it_is(base_url: str) -> None:
    found = local_document("admin", "directory_v1", base_url)
    assert found is not None
    assert found["rootUrl"] == "https://admin.googleapis.com/"
    assert local_directory(base_url)["items"][0]["discoveryRestUrl"].startswith("https://")


def test_an_unknown_document_is_none() -> None:
    assert local_document("admin", "v99", LOCAL) is None
    assert local_document("../admin", "directory_v1", LOCAL) is None


@pytest.mark.parametrize(
    ("host", "version", "found"),
    [
        ("admin.googleapis.com", "directory_v1", "admin:directory_v1"),
        ("cloudidentity.googleapis.com", "v1beta1", "cloudidentity:v1beta1"),
        ("chromepolicy.googleapis.com", "", "chromepolicy:v1"),
        ("calendar-json.googleapis.com", "v3", "calendar:v3"),
    ],
)
def test_a_host_serves_its_own_documents(host: str, version: str, found: str) -> None:
    served = document_at(host, version, LOCAL)
    assert served is not None
    assert served["id"] == found


def test_links_of_the_directory_lead_here() -> None:
    items = local_directory(LOCAL)["items"]
    assert all(item["discoveryRestUrl"].startswith(f"{LOCAL}/") for item in items)
    assert len(items) == len(document_names()) > 300
