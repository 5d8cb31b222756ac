from typing import Any

import pytest

from mockserver.apis.cloudtrace import API
from mockserver.apis.cloudtrace.methods import HANDLERS, project_of, span_as_version1
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.cloudtrace.conftest import QUICK, SLOW, TRACES
from tests.tenants import ask, refused


def test_both_versions_are_served() -> None:
    assert {name.rpartition(".")[2] for name in HANDLERS} == {
        "list",
        "get",
        "patchTraces",
        "batchWrite",
        "createSpan",
    }


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


PATCH = "cloudtrace.projects.patchTraces"
BATCH = "cloudtrace.projects.traces.batchWrite"
CREATE = "cloudtrace.projects.traces.spans.createSpan"
NEW = "d" * 32
NAME = f"projects/shop/traces/{NEW.upper()}/spans/00000000000000ff"


def spans(shop: World, ident: str) -> list[str]:
    found = ask(
        API, shop, "cloudtrace.projects.traces.get", {"projectId": "shop", "traceId": ident}
    )
    return [each["spanId"] for each in found["spans"]]


def span(**more: object) -> JsonObject:
    return {"name": NAME, "spanId": "00000000000000ff", "displayName": {"value": "x"}, **more}


def test_traces_are_patched(shop: World) -> None:
    body = {
        "traces": [
            {"traceId": NEW, "projectId": "shop", "spans": [{"spanId": "5", "name": "n"}]},
            {"traceId": SLOW.upper(), "spans": [{"spanId": "2"}]},
            {"traceId": NEW},
        ]
    }
    assert ask(API, shop, PATCH, {"projectId": "shop"}, body) == {}
    assert (spans(shop, NEW), spans(shop, SLOW)) == (["5"], ["1", "2"])
    assert ask(API, shop, PATCH, {"projectId": "shop"}, {}) == {}


@pytest.mark.parametrize(
    "bad",
    [
        {"traceId": "x"},
        {"traceId": "0" * 32},
        {"traceId": NEW, "projectId": "other"},
        {"traceId": NEW, "spans": [{"name": "x"}]},
        {"traceId": NEW, "spans": [{"spanId": "0"}]},
    ],
    ids=repr,
)
def test_a_patch_that_cannot_be_changes_nothing(shop: World, bad: JsonObject) -> None:
    good = {"traceId": NEW, "spans": [{"spanId": "5"}]}
    body = {"traces": [good, bad]}
    assert refused(API, shop, PATCH, {"projectId": "shop"}, body).status == 400


def test_spans_of_version_2_are_written(shop: World) -> None:
    ask(API, shop, BATCH, {"name": "projects/shop"}, {"spans": [span()]})
    assert spans(shop, NEW) == ["255"]
    other = NAME.replace("ff", "fe")
    made = ask(API, shop, CREATE, {"name": other}, {"displayName": {"value": "y"}})
    assert made == {"name": other, "displayName": {"value": "y"}}
    assert spans(shop, NEW) == ["255", "254"]


@pytest.mark.parametrize(
    "bad",
    [
        span(name="x"),
        span(name=NAME.replace("shop", "other")),
        span(name=NAME.replace(NEW.upper(), "xyz")),
        span(displayName={}),
        span(spanId="zz"),
    ],
    ids=["name", "project", "trace", "display name", "span"],
)
def test_a_span_that_cannot_be_changes_nothing(shop: World, bad: JsonObject) -> None:
    body = {"spans": [span(), bad]}
    assert refused(API, shop, BATCH, {"name": "projects/shop"}, body).status == 400


SPAN: JsonObject = {
    "spanId": "00000000000000ff",
    "parentSpanId": "10",
    "displayName": {"value": "Get"},
    "startTime": "2026-03-02T08:00:00Z",
    "endTime": "2026-03-02T08:00:01Z",
    "spanKind": "SERVER",
    "status": {"code": 4, "message": "late"},
    "attributes": {
        "attributeMap": {
            "text": {"stringValue": {"value": "x"}},
            "count": {"intValue": "7"},
            "yes": {"boolValue": True},
            "no": {"boolValue": False},
        }
    },
}


def test_a_span_of_version_2_becomes_one_of_version_1() -> None:
    assert span_as_version1(SPAN) == {
        "spanId": "255",
        "parentSpanId": "16",
        "name": "Get",
        "kind": "RPC_SERVER",
        "startTime": "2026-03-02T08:00:00Z",
        "endTime": "2026-03-02T08:00:01Z",
        "labels": {
            "text": "x",
            "count": "7",
            "yes": "true",
            "no": "false",
            "/error/message": "late",
        },
    }


def test_what_a_span_does_not_say_is_left_out() -> None:
    assert span_as_version1({"spanId": "1", "spanKind": "INTERNAL"}) == {"spanId": "1", "name": ""}
    assert span_as_version1({"spanId": "1", "status": {"code": 2}})["labels"] == {
        "/error/message": "2"
    }


@pytest.mark.parametrize("ident", ["", "0", "xyz", "f" * 17, "-1"], ids=repr)
def test_a_span_id_is_hexadecimal_and_not_zero(ident: str) -> None:
    with pytest.raises(ApiError, match="Invalid span id"):
        span_as_version1({"spanId": ident})
