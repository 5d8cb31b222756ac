import pytest

from mockserver.apis.cloudtrace import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.cloudtrace.conftest import SLOW
from tests.tenants import ask, refused

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
