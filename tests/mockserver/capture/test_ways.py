from typing import Any

import pytest

from mockserver.capture.upstream import ForwardRoute, NoAnswerError, ReverseRoute, parse_upstream
from mockserver.errors import MockServerError

REVERSE = ReverseRoute("https://api.example.com/base", "http://127.0.0.1:8766")


def scope(path: str = "/v1/a", query: str = "", **headers: str) -> dict[str, Any]:
    sent = {"host": "127.0.0.1:8766", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return {
        "method": "POST",
        "scheme": "https",
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }


def test_a_reverse_proxy_asks_its_upstream_to_the_character() -> None:
    request = REVERSE.request(scope("/v1/a%2Fb", "q=%20&r"), b"")
    assert request.url == "https://api.example.com/base/v1/a%2Fb?q=%20&r"
    assert ("host", "api.example.com") in request.headers


def test_urls_of_the_proxy_in_a_request_become_those_of_the_upstream() -> None:
    asked = scope(content_type="application/json", referer="http://127.0.0.1:8766/v1/x")
    request = REVERSE.request(asked, b'{"next": "http://127.0.0.1:8766/v1/x"}')
    assert request.body == b'{"next": "https://api.example.com/base/v1/x"}'
    assert ("referer", "https://api.example.com/base/v1/x") in request.headers
    assert ("content-length", str(len(request.body))) in request.headers


def test_headers_of_the_connection_end_at_the_proxy() -> None:
    asked = scope(connection="keep-alive, x-hop", x_hop="1", te="trailers", expect="100-continue")
    names = [name for name, _ in REVERSE.request(asked, b"").headers]
    assert names == ["host"]


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("gzip, deflate, sdch", "gzip, deflate"), ("sdch;q=1, exi", "identity"),
        ("gzip;q=0.5, identity", "gzip;q=0.5, identity"),
    ],
)  # fmt: skip
def test_no_coding_is_asked_for_that_could_not_be_opened(asked: str, sent: str) -> None:
    request = REVERSE.request(scope(accept_encoding=asked), b"")
    assert ("accept-encoding", sent) in request.headers


def test_a_forward_proxy_asks_what_it_is_told() -> None:
    asked = {**scope(), "headers": [(b"host", b"api.example.com:8443")]}
    assert ForwardRoute().request(asked, b"x").url == "https://api.example.com:8443/v1/a"


@pytest.mark.parametrize(
    "headers", [[], [(b"host", b"127.0.0.1:8766")]], ids=["no host", "the proxy itself"]
)
def test_a_forward_proxy_follows_no_request_to_nowhere(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(NoAnswerError) as caught:
        ForwardRoute(frozenset({"127.0.0.1:8766"})).request({**scope(), "headers": headers}, b"")
    assert caught.value.status == 400


@pytest.mark.parametrize(
    "text",
    ["api.example.com", "ftp://a.example", "https://u:p@a.example", "https://a.example/?q=1"],
)
def test_an_upstream_is_scheme_host_port_and_path(text: str) -> None:
    with pytest.raises(MockServerError, match="--upstream"):
        parse_upstream(text)
