import pytest

from mockserver.apis.discovery import API, rest_document
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
