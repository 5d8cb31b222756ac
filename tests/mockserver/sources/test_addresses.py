"""Where a caller reached this server."""

import pytest

from mockserver.asgi.requests import Request
from mockserver.googleapi import Catalog
from mockserver.sources.addresses import Addresses


@pytest.fixture
def addresses() -> Addresses:
    catalog = Catalog(preferred=[("drive", "v3")], supplements=[])
    return Addresses("http://127.0.0.1:8765", catalog)


def request(host: str, scheme: str = "http") -> Request:
    headers = [(b"host", host.encode())]
    return Request({
        "method": "GET", "raw_path": b"/", "query_string": b"", "headers": headers,
        "scheme": scheme,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("localhost:9", "http://localhost:9/s/a"),
        ("www.googleapis.com", "http://127.0.0.1:8765/s/a"),
        ("", "http://127.0.0.1:8765/s/a"),
    ],
    ids=["its own", "of an API", "none"],
)
def test_a_session_is_where_its_caller_reached_it(
    addresses: Addresses, host: str, base: str
) -> None:
    assert [addresses.base(host.encode(), "a") for _ in range(2)] == [base, base]


def test_a_link_keeps_the_name_that_an_api_was_called_by(addresses: Addresses) -> None:
    proxied = request("www.googleapis.com", "https")
    assert addresses.link(proxied, "a") == "https://www.googleapis.com"
    assert addresses.link(request("localhost:9"), "a") == "http://localhost:9/s/a"
