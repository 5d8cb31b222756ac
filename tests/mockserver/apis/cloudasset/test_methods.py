from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.cloudasset.methods import (
    has_words,
    is_in_scope,
    project_of,
    query_test,
    search_result,
)
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.cloudasset.conftest import CLUSTER, RAW

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]
WINDOW = "readTimeWindow"


def names(answer: JsonObject) -> list[str]:
    return [row["name"].rpartition("/")[2] for row in answer.get("results", [])]


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        ("projects/shop", ["prod", "exports"]),
        ("projects/42", ["prod", "exports"]),
        ("projects/99", ["t"]),
        ("folders/7", ["prod"]),
        ("organizations/1", ["prod"]),
        ("organizations/2", []),
    ],
    ids=str,
)
def test_a_search_is_of_its_scope(call: Ask, scope: str, found: list[str]) -> None:
    assert names(call("searchAllResources", scope=scope)) == found


def test_types_are_several_and_may_be_expressions(call: Ask, refusal: Refusal) -> None:
    types = ["storage.googleapis.com/Bucket", "pubsub.*"]
    assert names(call("searchAllResources", scope="projects/shop", assetTypes=types)) == ["exports"]
    assert names(call("searchAllResources", scope="projects/shop", assetTypes=[".*Cluster"])) == [
        "prod"
    ]
    assert refusal("searchAllResources", scope="projects/shop", assetTypes=["("]).status == 400


def test_results_are_ordered_paged_and_masked(call: Ask, refusal: Refusal) -> None:
    search: JsonObject = {"scope": "projects/shop", "orderBy": "location"}
    first = call("searchAllResources", pageSize=1, **search)
    rest = call("searchAllResources", pageSize=1, pageToken=first["nextPageToken"], **search)
    assert names(first) + names(rest) == ["exports", "prod"]
    masked = call("searchAllResources", scope="projects/shop", readMask="display_name")
    assert masked["results"][0] == {"displayName": "prod"}
    assert refusal("searchAllResources", scope="projects/shop", orderBy="labels").status == 400
    assert refusal("searchAllResources", scope="users/a").status == 400


def test_assets_are_listed_with_the_content_asked_for(call: Ask, refusal: Refusal) -> None:
    bare = call("assets.list", parent="projects/shop")["assets"][0]
    assert "resource" not in bare
    whole = call("assets.list", parent="projects/shop", contentType="RESOURCE")["assets"][0]
    assert (whole["resource"]["location"], "iamPolicy" in whole) == ("us-west1", False)
    policy = call("assets.list", parent="projects/shop", contentType="IAM_POLICY")
    assert "iamPolicy" in policy["assets"][0]
    assert "nextPageToken" in call("assets.list", parent="projects/shop", pageSize=1)
    assert refusal("assets.list", parent="projects/shop", contentType="ALL").status == 400


@pytest.mark.parametrize(
    ("start", "end", "count"),
    [
        ("2026-01-01T00:00:00Z", "", 2),
        ("2026-02-02T00:00:00Z", "", 1),
        ("2026-01-01T00:00:00Z", "2026-01-20T00:00:00Z", 1),
        ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z", 0),
    ],
)
def test_history_is_what_overlaps_the_window(call: Ask, start: str, end: str, count: int) -> None:
    window = {f"{WINDOW}.startTime": start, **({f"{WINDOW}.endTime": end} if end else {})}
    answer = call("batchGetAssetsHistory", parent="projects/shop", assetNames=[CLUSTER], **window)
    assert len(answer.get("assets", [])) == count


def test_an_asset_without_history_is_as_it_is_now(call: Ask, refusal: Refusal) -> None:
    name = "//storage.googleapis.com/exports"
    asked: JsonObject = {"parent": "projects/shop", f"{WINDOW}.startTime": "2026-01-01T00:00:00Z"}
    (moment,) = call("batchGetAssetsHistory", assetNames=[name], **asked)["assets"]
    assert moment["asset"]["name"] == name
    assert call("batchGetAssetsHistory", assetNames=["//none"], **asked) == {}
    assert refusal("batchGetAssetsHistory", assetNames=["a"] * 101, **asked).status == 400
    assert refusal("batchGetAssetsHistory", parent="projects/shop", assetNames=[name]).status == 400


def test_a_result_has_what_the_data_of_an_asset_tells() -> None:
    found = search_result(RAW["assets"][0])
    assert found == {
        "name": CLUSTER,
        "assetType": "container.googleapis.com/Cluster",
        "project": "projects/42",
        "folders": ["folders/7"],
        "organization": "organizations/1",
        "displayName": "prod",
        "location": "us-west1",
        "labels": {"env": "prod"},
        "createTime": "2026-01-05T00:00:00Z",
        "updateTime": "2026-02-01T00:00:00Z",
        "state": "RUNNING",
        "parentFullResourceName": "//cloudresourcemanager.googleapis.com/projects/42",
    }


def test_what_a_row_says_itself_counts() -> None:
    assert search_result(RAW["assets"][1])["displayName"] == "Important exports"
    topic = search_result(RAW["assets"][2])
    assert topic["displayName"] == "t"


def test_a_project_is_in_a_scope_by_id_and_number(tenant: World) -> None:
    assert is_in_scope(tenant, {"project": "projects/shop"}, "projects/42")
    assert is_in_scope(tenant, {"ancestors": ["projects/42"]}, "projects/shop")
    assert not is_in_scope(tenant, {}, "projects/42")
    assert project_of(tenant, "//x.googleapis.com/projects/shop/a") == "projects/42"
    assert project_of(tenant, "//x.googleapis.com/projects/none/a") == ""


ROW = {
    "name": "//compute.googleapis.com/projects/p/zones/us-west1-b/instances/important-vm",
    "displayName": "Important VM",
    "location": "us-west1",
    "labels": {"env": "prod", "team": "shop"},
    "state": "ACTIVE",
    "createTime": "2026-01-01T00:00:00Z",
}


@pytest.mark.parametrize(
    "text",
    [
        "name:Important",
        "displayName:Impor*",
        'displayName="important vm"',
        "location:us-west*",
        "labels:prod",
        "labels:team",
        "labels.env:prod",
        "labels.env:*",
        "state:ACTIVE",
        "NOT state:DELETED",
        "state!=DELETED",
        "createTime<1893456000",
        "createTime>=2026-01-01",
        'createTime<="2026-01-01T00:00:00Z"',
        "Impor*",
        "important location:(us-west1 OR global)",
        "zebra OR vm",
    ],
)
def test_queries_that_find(text: str) -> None:
    test = query_test(text)
    assert test is not None
    assert test(ROW)


@pytest.mark.parametrize(
    "text",
    [
        "name:Import",
        "displayName=Important",
        "labels.env:dev",
        "labels.none:*",
        "state!=ACTIVE",
        "createTime>1893456000",
        "createTime>never",
        "createTime>99999999999999999999",
        "zebra",
        "important location:(us-east1 OR global)",
    ],
)
def test_queries_that_do_not(text: str) -> None:
    test = query_test(text)
    assert test is not None
    assert not test(ROW)


def test_what_cannot_be_read_is_refused() -> None:
    assert query_test(" ") is None
    with pytest.raises(ApiError) as caught:
        query_test("name:(a")
    assert caught.value.status == 400


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4))
def test_a_text_has_its_own_words_and_their_beginnings(words: list[str]) -> None:
    text = "-".join(words)
    assert has_words(text, text.upper())
    assert has_words(f"x {text}", f"{words[0]}*")
    assert has_words(text, "*")
    assert not has_words(text, "-")


@pytest.mark.parametrize(
    ("scope", "query", "roles"),
    [
        ("projects/shop", "", ["roles/owner", "roles/compute.admin", "roles/viewer"]),
        ("projects/42", "policy:amy@example.com", ["roles/owner"]),
        ("projects/shop", "policy:roles/compute.admin", ["roles/compute.admin"]),
        ("projects/shop", "policy:comp*", ["roles/compute.admin"]),
        ("projects/shop", "roles:roles/viewer", ["roles/viewer"]),
        ("projects/shop", "memberTypes:group", ["roles/compute.admin"]),
        ("projects/shop", "resource:projects/shop policy:amy", ["roles/owner"]),
        ("projects/shop", "allUsers", ["roles/viewer"]),
        ("projects/shop", "policy.role.name:owner", ["roles/owner"]),
        ("organizations/1", "", ["roles/viewer"]),
        ("folders/7", "policy:cy", ["roles/viewer"]),
        ("folders/7", "policy:amy", []),
    ],
    ids=str,
)
def test_the_bindings_that_meet_a_query_are_found(
    call: Ask, scope: str, query: str, roles: list[str]
) -> None:
    found = call("searchAllIamPolicies", scope=scope, query=query).get("results", [])
    bindings = [each for row in found for each in row["policy"]["bindings"]]
    assert sorted(each["role"] for each in bindings) == sorted(roles)


def test_policies_are_paged_and_of_the_types_asked_for(call: Ask) -> None:
    assert "nextPageToken" in call("searchAllIamPolicies", scope="projects/shop", pageSize=1)
    types = ["cloudresourcemanager.googleapis.com/Project"]
    found = call("searchAllIamPolicies", scope="projects/shop", assetTypes=types)["results"]
    assert [row["project"] for row in found] == ["projects/42"]
