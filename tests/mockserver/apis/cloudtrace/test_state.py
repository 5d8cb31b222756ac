from mockserver.apis.cloudtrace import TRACES
from mockserver.apis.cloudtrace.state import (
    add_span,
    duration_s,
    root_span,
    start_of_span,
    trace_key,
    traces_of,
)
from mockserver.state import World
from tests.mockserver.apis.cloudtrace.conftest import QUICK, SLOW, span


def test_the_root_is_the_span_without_parent() -> None:
    spans = [{"spanId": "2", "parentSpanId": "1"}, {"spanId": "1", "parentSpanId": "0"}]
    assert root_span({"spans": spans})["spanId"] == "1"
    orphan = {"spanId": "7", "parentSpanId": "6"}
    assert root_span({"spans": [orphan]}) == orphan
    circle = [{"spanId": "1", "parentSpanId": "2"}, {"spanId": "2", "parentSpanId": "1"}]
    assert root_span({"spans": circle}) == {}


def test_a_span_without_times_lasted_nothing() -> None:
    assert (start_of_span({}).year, duration_s({})) == (1970, 0)
    assert duration_s(span("1", "x", 1, 1500)) == 1.5


def test_spans_are_added_to_traces_and_change_them(shop: World) -> None:
    add_span(shop, "shop", SLOW, {"spanId": "9", "name": "new"})
    add_span(shop, "shop", SLOW, {"spanId": "1", "name": "renamed"})
    add_span(shop, "other", QUICK, {"spanId": "1"})
    row = shop.table(TRACES).get(trace_key("shop", SLOW))
    assert row is not None
    assert [(each["spanId"], each["name"]) for each in row["spans"]] == [
        ("1", "renamed"),
        ("9", "new"),
    ]
    assert row["spans"][0]["startTime"] == "2026-03-02T08:00:10.000Z"
    assert len(list(traces_of(shop.table(TRACES), "shop").places())) == 3
    assert len(list(traces_of(shop.table(TRACES), "other").places())) == 1
