import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.metadata import (
    SCOPES,
    MetadataAnswer,
    access_token,
    identity_token,
    metadata_values,
    method_of,
    read_path,
    service_account,
)
from mockserver.apis.oauth import API
from mockserver.googleapi import read_jwt
from mockserver.model import JsonObject
from mockserver.state import find_token, service_account_email
from tests.tenants import world

ROOT = "/computeMetadata/v1"
ACCOUNT = f"{ROOT}/instance/service-accounts/default"
TENANT = world(API)


def found(path: str, **query: str) -> MetadataAnswer:
    return read_path(TENANT, path, dict(query))


@pytest.mark.parametrize(
    ("path", "query", "text"),
    [
        ("/", {}, "0.1/\ncomputeMetadata/\n"),
        ("/computeMetadata/", {}, "v1/\nv1beta1/\n"),
        (f"{ROOT}/", {}, "instance/\nproject/\nuniverse/\n"),
        (f"{ROOT}/project/project-id", {}, "example-com"),
        (f"{ROOT}/project/project-id", {"alt": "json"}, '"example-com"'),
        (f"{ROOT}/instance/tags", {}, ""),
        (f"{ACCOUNT}/", {}, "aliases\nemail\nidentity\nscopes\ntoken\n"),
        (f"{ACCOUNT}/aliases", {}, "default\n"),
        (f"{ROOT}/universe/", {"recursive": "TRUE"}, '{"universeDomain":"googleapis.com"}'),
        (
            f"{ROOT}/universe/",
            {"recursive": "true", "alt": "text"},
            "universe-domain googleapis.com\n",
        ),
    ],
)
def test_values_are_read(path: str, query: JsonObject, text: str) -> None:
    answer = read_path(TENANT, path, query)
    assert (answer.status, answer.body.decode()) == (200, text)


def test_everything_is_read_at_once() -> None:
    everything = orjson.loads(found(f"{ROOT}/", recursive="true").body)
    assert set(everything) == {"instance", "project", "universe"}
    lines = found(f"{ROOT}/", recursive="true", alt="text").body.decode().splitlines()
    assert "project/project-id example-com" in lines


@pytest.mark.parametrize(
    "name",
    ["default", service_account_email(TENANT), service_account_email(TENANT).replace("@", "%40")],
)
def test_an_account_has_two_names(name: str) -> None:
    path = f"{ROOT}/instance/service-accounts/{name}/email"
    assert found(path).body.decode() == service_account_email(TENANT)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{ROOT}/no/such", 404),
        (f"{ROOT}/project/project-id/more", 404),
        ("/computeMetadata/v2/", 404),
        (f"{ROOT}/instance/service-accounts/other/token", 404),
        (f"{ROOT}/instance/service-accounts/other/email", 404),
        (f"{ACCOUNT}/identity", 400),
        (f"{ACCOUNT}", 301),
    ],
)
def test_what_is_not_there_is_told(path: str, status: int) -> None:
    assert found(path).status == status


def test_tokens_are_made_anew() -> None:
    first, second = (orjson.loads(found(f"{ACCOUNT}/token").body) for _ in range(2))
    assert first["access_token"] != second["access_token"]
    assert orjson.loads(found(f"{ACCOUNT}/token", scopes="a,b").body)["token_type"] == "Bearer"
    assert found(f"{ACCOUNT}/identity", audience="a", format="full").body.startswith(b"eyJ")


@pytest.mark.parametrize(
    ("path", "method"),
    [
        (f"{ACCOUNT}/token", "metadata.token"),
        (f"{ACCOUNT}/identity/", "metadata.identity"),
        (f"{ACCOUNT}/email", "metadata.get"),
        ("/", "metadata.get"),
    ],
)
def test_paths_have_names_for_journals_and_faults(path: str, method: str) -> None:
    assert method_of(path) == method


@given(st.text(), st.sampled_from(["text", "json", "x"]), st.booleans())
def test_no_path_is_too_strange(path: str, alt: str, recursive: bool) -> None:
    answer = found(f"{ROOT}/{path}", alt=alt, recursive=str(recursive))
    assert answer.status in {200, 301, 404}
    assert answer.content_type


def test_a_token_has_the_scopes_asked_for_or_the_machines_own() -> None:
    tenant = world(API)
    for asked, granted in (((), list(SCOPES)), (("a",), ["a"])):
        answer = access_token(tenant, asked)
        found = find_token(tenant, answer["access_token"])
        assert found is not None
        assert (found["email"], found["scopes"]) == (service_account_email(tenant), granted)


def test_an_identity_is_signed_for_its_audience() -> None:
    tenant = world(API)
    full = read_jwt(identity_token(tenant, "a", full=True))
    bare = read_jwt(identity_token(tenant, "a", full=False))
    assert full is not None
    assert bare is not None
    assert (full.is_ours, full.claims["aud"]) == (True, "a")
    assert full.claims["email"] == service_account_email(tenant)
    assert "email" not in bare.claims


def test_a_machine_is_in_the_home_project_and_runs_as_the_sessions_account() -> None:
    tenant = world(API)
    found = metadata_values(tenant)
    number = found["project"]["numericProjectId"]
    assert found["instance"]["zone"] == f"projects/{number}/zones/us-central1-a"
    assert set(found["instance"]["serviceAccounts"]) == {"default", service_account_email(tenant)}
    assert metadata_values(world(API)) == found


def test_an_account_is_found_by_both_names() -> None:
    tenant = world(API)
    found = service_account(tenant, "default")
    assert found is not None
    assert found == service_account(tenant, found["email"])
    assert service_account(tenant, "other") is None
