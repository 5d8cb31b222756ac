from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.cloudasset.conftest import CLUSTER

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
