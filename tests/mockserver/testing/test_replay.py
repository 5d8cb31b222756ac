"""Between httpx and recordings."""

import httpx

from mockserver.testing.replay import header_pairs, recorded_request, replayed_response
from tests.tapes import recorded


def test_a_request_keeps_the_case_and_order_of_its_headers() -> None:
    request = httpx.Request("POST", "https://api.example.com/v1?a=1", headers=[("X-B", "1"), ("x-b", "2")], json=[])  # fmt: skip  # noqa: E501
    made = recorded_request(request)
    assert [pair for pair in made.headers if pair[0].lower() == "x-b"] == [
        ("X-B", "1"),
        ("x-b", "2"),
    ]
    assert (made.method, made.url, made.body) == ("POST", "https://api.example.com/v1?a=1", b"[]")
    assert "host" not in {name.lower() for name, _ in made.headers}


def test_a_response_says_its_own_phrase() -> None:
    request = httpx.Request("GET", "https://api.example.com/v1/units")
    answer = replayed_response(recorded(), request)
    assert (answer.reason_phrase, answer.read()) == ("OK", b'{"name": "first"}')
    assert header_pairs(answer.headers)[0] == ("content-type", "application/json")
