import pytest

from mockserver.apis.discovery.state import (
    document_at,
    document_names,
    local_directory,
    local_document,
)

LOCAL = "http://127.0.0.1:8765/s/s1"


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
