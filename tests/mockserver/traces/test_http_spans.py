"""Requests that spans hold whole: method, address, status, bodies."""

from typing import Any

import pytest

from mockserver.traces.http_spans import traced_requests
from mockserver.traces.spans import Span

_URL = "https://api.shop.example.com/orders/A1"
_ASKED = {"http.request.method": "POST", "url.full": _URL, "http.response.status_code": 201}


def span(attributes: dict[str, Any]) -> Span:
    return Span("t", "1", "", "POST", 1_000_000_000, 1_250_000_000, attributes)


def test_a_body_is_read_in_a_span_of_its_own() -> None:
    asked = span(_ASKED | {
            "http.request.body.text": '{"n": 1}',
            "http.request.header.content-type": ["application/json"],
            "http.response.header.x_limit": "7",
    })  # fmt: skip
    reading = Span("t", "2", "1", "Reading", 1_300_000_000, 1_400_000_000,
                   {"http.response.body.text": '{"id": "A1"}'})  # fmt: skip
    (found,) = traced_requests([asked, reading])
    assert found[:7] == (
        "POST", _URL, (("content-type", "application/json"),), '{"n": 1}', 201,
        (("x-limit", "7"),), '{"id": "A1"}',
    )  # fmt: skip
    assert (found.start_ns, found.duration_ms) == (1_000_000_000, 400)


@pytest.mark.parametrize(
    ("attributes", "sent", "answer"),
    [
        ({"http.response.body.text": "yes"}, "", "yes"),
        ({"http.response.body.text": {"a": 1}}, "", '{"a":1}'),
        ({"http.request.body.form": {"a": "1", "b": ["2", "3"]}}, "a=1&b=2&b=3", None),
        ({"http.response.status_code": 204}, "", ""),
        ({"http.response.status_code": 205}, "", ""),
        ({"http.response.status_code": 206}, "", None),
        ({"http.response.status_code": 304}, "", ""),
        ({"url.full": "http://shop.example.com/"}, "", None),
        ({"http.request.method": "head"}, "", ""),
        ({}, "", None),
    ],
)
def test_bodies_are_texts_or_are_not_told(
    attributes: dict[str, Any], sent: str, answer: str | None
) -> None:
    (found,) = traced_requests([span(_ASKED | attributes)])
    assert (found.sent, found.answer) == (sent, answer)
    assert found.method in {"POST", "HEAD"}


@pytest.mark.parametrize(
    "changes",
    [{"url.full": None}, {"url.full": "ftp://x"}, {"http.response.status_code": "201"},
     {"http.request.method": 7}, {"http.route": "/orders"}],
)  # fmt: skip
def test_other_spans_are_no_requests_of_a_client(changes: dict[str, Any]) -> None:
    assert not [*traced_requests([span(_ASKED | changes)])]


def test_earlier_conventions_say_the_same() -> None:
    told = {"http.method": "GET", "http.url": _URL, "http.status_code": 200}
    (found,) = traced_requests([span(told)])
    assert found[:2] == ("GET", _URL)
