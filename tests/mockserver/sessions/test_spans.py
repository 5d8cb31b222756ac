"""The spans of a session: each once, bounded, without credentials."""

import json
from typing import Any
from unittest import mock

import pytest

from mockserver.model import SpanReport
from mockserver.sessions import spans as module
from mockserver.sessions.spans import SessionSpans
from mockserver.traces import Span
from mockserver.traces.spans import SpanEvent


def span(number: int, start: int = 0, **attributes: Any) -> Span:
    return Span(
        trace="t", id=str(number), parent="", name="n", start_ns=start, end_ns=start + 1,
        attributes=attributes, resource={"api_key": "s3cret"},
        events=(SpanEvent("e", {"password": "s3cret", "n": 1}),),
    )  # fmt: skip


def test_each_is_kept_once_and_in_the_order_of_time() -> None:
    spans = SessionSpans()
    assert [spans.add(each, 5) for each in (span(1, 7), span(2, 3), span(1), span(3, 7))] == [
        True
    ] * 4
    assert [each.id for each in spans.ordered()] == ["2", "1", "3"]
    assert (spans.received, spans.repeated, spans.rejected, spans.held_bytes) == (3, 1, 0, 15)
    report = SpanReport.model_validate(spans.as_json(spans.ordered()[:1]))
    assert ([each["id"] for each in report.spans], report.received, report.repeated) == (
        ["2"],
        3,
        1,
    )
    assert len(spans.as_json()["spans"]) == 3


@pytest.mark.parametrize("limit", [{"MOST_SPANS": 2}, {"MOST_BYTES": 10}])
def test_what_comes_once_there_is_no_room_is_rejected(limit: dict[str, Any]) -> None:
    spans = SessionSpans()
    with mock.patch.multiple(module, **limit):
        assert [spans.add(span(number), 5) for number in (1, 2, 3, 2)] == [True, True, False, True]
    assert (spans.received, spans.rejected, spans.as_json()["rejected"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("llm.api_key", "s3cret", "[redacted]"),
        ("input", '{"password": "s3cret", "n": 1}', {"password": "[redacted]", "n": 1}),
        ("input", '[{"password": "s3cret"}]', [{"password": "[redacted]"}]),
        ("input", '{ "n":1}', None),
        ("input", "{no JSON", None),
        ("input", {"password": "s3cret"}, {"password": "[redacted]"}),
        ("count", 7, None),
    ],
)
def test_credentials_are_replaced_also_in_texts_that_are_json(
    name: str, value: Any, shown: object
) -> None:
    spans = SessionSpans()
    spans.add(span(1, **{name: value}), 1)
    [told] = spans.as_json()["spans"]
    found = told["attributes"][name]
    is_text = isinstance(value, str) and shown is not None and not isinstance(shown, str)
    assert (json.loads(found) if is_text else found) == (value if shown is None else shown)
    assert told["resource"] == {"api_key": "[redacted]"}
    assert told["events"] == [{"name": "e", "attributes": {"password": "[redacted]", "n": 1}}]
