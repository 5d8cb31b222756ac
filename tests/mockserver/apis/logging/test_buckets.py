from typing import Any

import pytest

from mockserver.apis.logging import API
from mockserver.googleapi import Call, poll_operation
from mockserver.state import World
from tests.mockserver.apis.logging.conftest import ENTRIES, OTHER, SHOP, listed, with_projects
from tests.tenants import ask, refused, world

BUCKETS = "logging.projects.locations.buckets"
EU = f"{SHOP}/locations/eu/buckets/own"


@pytest.fixture
def stocked() -> World:
    raw: Any = {
        "logEntries": ENTRIES,
        "logBuckets": [{"name": EU, "retentionDays": 9}],
        "logViews": [{"name": f"{EU}/views/errors", "filter": "severity>=ERROR"},
                     {"name": f"{SHOP}/locations/global/buckets/_Required/views/none"}],
        "logLinks": [{"name": f"{EU}/links/l1"}],
    }  # fmt: skip
    return with_projects(world(API, **raw))


def names(world_: World, verb: str, parent: str) -> list[str]:
    answer = ask(API, world_, verb, {"parent": parent})
    return [row["name"].rpartition("/")[2] for rows in answer.values() for row in rows]


def test_buckets_of_all_locations_are_listed_with_the_built_in_ones(stocked: World) -> None:
    assert names(stocked, f"{BUCKETS}.list", f"{SHOP}/locations/-") == [
        "own",
        "_Default",
        "_Required",
    ]
    assert names(stocked, "logging.locations.buckets.list", f"{SHOP}/locations/eu") == ["own"]
    assert names(stocked, f"{BUCKETS}.list", f"{OTHER}/locations/-") == ["_Default", "_Required"]


def test_a_bucket_is_made_changed_and_deleted(stocked: World) -> None:
    parent = f"{SHOP}/locations/global"
    made = ask(
        API,
        stocked,
        f"{BUCKETS}.create",
        {"parent": parent, "bucketId": "b1"},
        {"description": "x"},
    )
    assert (made["retentionDays"], made["lifecycleState"]) == (30, "ACTIVE")
    name = f"{parent}/buckets/b1"
    how = {"name": name, "updateMask": "retention_days"}
    changed = ask(API, stocked, f"{BUCKETS}.patch", how, {"retentionDays": 7, "description": "y"})
    assert (changed["retentionDays"], changed["description"]) == (7, "x")
    assert ask(API, stocked, f"{BUCKETS}.get", {"name": name}) == changed
    ask(API, stocked, f"{BUCKETS}.delete", {"name": name})
    assert refused(API, stocked, f"{BUCKETS}.get", {"name": name}).status == 404


def test_the_built_in_buckets_stay_and_a_locked_one_keeps_its_retention(stocked: World) -> None:
    name = f"{SHOP}/locations/global/buckets/_Required"
    assert refused(API, stocked, f"{BUCKETS}.delete", {"name": name}).status == 400
    how = {"name": name, "updateMask": "retentionDays"}
    error = refused(API, stocked, f"{BUCKETS}.patch", how, {"retentionDays": 1})
    assert (error.status, error.code_name) == (400, "FAILED_PRECONDITION")


def test_everybody_has_the_built_in_buckets(stocked: World) -> None:
    name, path = "folders/7/locations/global/buckets/_Default", "logging.folders.locations.buckets"
    assert ask(API, stocked, f"{path}.get", {"name": name})["retentionDays"] == 30
    ask(API, stocked, f"{path}.patch", {"name": name}, {"retentionDays": 7})
    assert ask(API, stocked, f"{path}.get", {"name": name})["retentionDays"] == 7
    error = refused(API, stocked, f"{path}.get", {"name": name.replace("_Default", "mine")})
    assert error.message == "Bucket `mine` in location `global` does not exist"


def test_links_of_a_bucket_are_made_by_operations(stocked: World) -> None:
    assert names(stocked, f"{BUCKETS}.links.list", EU) == ["l1"]
    how = {"parent": EU, "linkId": "l2"}
    operation = ask(API, stocked, f"{BUCKETS}.links.create", how, {})
    assert operation["metadata"]["createLinkRequest"] == {"linkId": "l2", "parent": EU}
    operation = poll_operation(Call("", {}, {}, stocked), operation["name"])
    assert operation["done"] is True
    dataset = operation["response"]["bigqueryDataset"]["datasetId"]
    assert dataset == "bigquery.googleapis.com/projects/shop/datasets/l2"
    assert names(stocked, f"{BUCKETS}.links.list", EU) == ["l1", "l2"]
    gone = ask(API, stocked, f"{BUCKETS}.links.delete", {"name": f"{EU}/links/l1"})
    gone = poll_operation(Call("", {}, {}, stocked), gone["name"])
    assert gone["response"] == {"@type": "type.googleapis.com/google.protobuf.Empty"}


def test_views_show_what_their_filter_says(stocked: World) -> None:
    assert names(stocked, f"{BUCKETS}.views.list", EU) == ["errors"]
    ask(
        API,
        stocked,
        f"{BUCKETS}.views.create",
        {"parent": EU, "viewId": "carts"},
        {"filter": "cart"},
    )
    assert listed(stocked, resourceNames=[f"{EU}/views/errors"]) == "bcf"
    assert listed(stocked, resourceNames=[f"{EU}/views/carts"]) == "ac"
    required = f"{SHOP}/locations/global/buckets/_Required/views/none"
    assert listed(stocked, resourceNames=[required]) == "d"


def test_every_owner_has_the_same_methods() -> None:
    ids = [name for name in API.handlers if ".buckets" in name and ".logs." not in name]
    assert "logging.folders.locations.buckets.links.get" in ids
    assert len(ids) == 5 * (5 + 5 + 4)
