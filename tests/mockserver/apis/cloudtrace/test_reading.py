from typing import Any

import pytest

from mockserver.apis.cloudtrace import API
from mockserver.apis.cloudtrace.methods import project_of
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.cloudtrace.conftest import QUICK, SLOW, TRACES
from tests.tenants import ask, refused

LIST, GET = "cloudtrace.projects.traces.list", "cloudtrace.projects.traces.get"


def listed(shop: World, **params: Any) -> str:
    found = ask(API, shop, LIST, {"projectId": "shop", **params})
    return "".join(each["traceId"][0] for each in found.get("traces", []))


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("", "cba"),
        ("start", "abc"),
        ("start desc", "cba"),
        ("trace_id desc", "cba"),
        ("name", "abc"),
        ("duration", "acb"),
        ("duration desc", "bca"),
    ],
    ids=repr,
)
def test_traces_are_ordered(shop: World, order: str, ids: str) -> None:
    assert listed(shop, orderBy=order) == ids


@pytest.mark.parametrize("order", ["size", "start up"])
def test_any_other_order_is_refused(shop: World, order: str) -> None:
    assert refused(API, shop, LIST, {"projectId": "shop", "orderBy": order}).status == 400


def test_a_span_of_time_is_inclusive(shop: World) -> None:
    both = {"startTime": "2026-03-02T08:00:10Z", "endTime": "2026-03-02T08:00:20Z"}
    assert listed(shop, **both) == "cb"
    assert listed(shop, startTime="2026-03-02T08:00:21Z") == ""


@pytest.mark.parametrize(
    ("view", "spans"),
    [("", None), ("MINIMAL", None), ("1", None), ("ROOTSPAN", ["1"]), ("2", ["1"]),
     ("COMPLETE", ["2", "1"]), ("3", ["2", "1"])],
    ids=repr,
)  # fmt: skip
def test_a_view_shows_its_spans(shop: World, view: str, spans: list[str] | None) -> None:
    answer = ask(API, shop, LIST, {"projectId": "shop", "view": view, "filter": "/cart"})
    (found,) = answer["traces"]
    assert ([each["spanId"] for each in found["spans"]] if "spans" in found else None) == spans


def test_the_root_view_of_a_trace_without_spans_has_none(shop: World) -> None:
    shop.put("traces", "shop/d", {"projectId": "shop", "traceId": "d"})
    answer = ask(API, shop, LIST, {"projectId": "shop", "view": "ROOTSPAN", "orderBy": "start"})
    assert answer["traces"][0] == {"projectId": "shop", "traceId": "d"}


@pytest.mark.parametrize("size", [1, 2, 50])
def test_the_pages_joined_are_the_list(shop: World, size: int) -> None:
    joined, token = "", ""
    while True:
        params: JsonObject = {"projectId": "shop", "pageSize": size, "pageToken": token}
        answer = ask(API, shop, LIST, params)
        joined += "".join(each["traceId"][0] for each in answer["traces"])
        token = answer.get("nextPageToken", "")
        if not token:
            break
    assert joined == "cba"


def test_a_negative_page_size_counts_as_none(shop: World) -> None:
    assert listed(shop, pageSize=-1) == "cba"


def test_the_strict_profile_asks_for_both_documented_times(shop: World) -> None:
    error = refused(API, shop, LIST, {"projectId": "shop"}, profile="strict")
    assert error.location == "startTime"
    params = {"projectId": "shop", "startTime": "2026-03-02T08:00:00Z"}
    assert refused(API, shop, LIST, params, profile="strict").location == "endTime"


def test_a_trace_is_read_whole_by_project_id_or_number(shop: World) -> None:
    shop.put("projects", "projects/111", {"name": "projects/111", "projectId": "shop"})
    assert project_of(shop, "111") == "shop"
    found = ask(API, shop, GET, {"projectId": "111", "traceId": QUICK})
    assert found == TRACES[0]


def test_an_unknown_trace_names_the_nearest(shop: World) -> None:
    error = refused(API, shop, GET, {"projectId": "shop", "traceId": SLOW[:-1] + "0"})
    assert error.status == 404
    assert error.miss is not None
    assert error.miss.nearest == f"shop/{SLOW}"
