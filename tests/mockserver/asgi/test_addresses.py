"""Addresses that servers listen on."""

import pytest

from mockserver.asgi.addresses import is_loopback, new_token, url_of


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("192.0.2.1", False), ("mock.example.com", False)],
)  # fmt: skip
def test_loopback_is_told_from_what_others_can_reach(host: str, expected: bool) -> None:
    assert is_loopback(host) == expected


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:80"), ("::", "http://127.0.0.1:80"),
     ("::1", "http://[::1]:80"), ("mock", "http://mock:80")],
)  # fmt: skip
def test_a_server_names_a_url_that_works_from_its_own_machine(host: str, url: str) -> None:
    assert url_of(host, 80) == url


@pytest.mark.parametrize(("host", "length"), [("::1", 0), ("0.0.0.0", 43)])
def test_a_token_is_made_up_where_others_reach_the_server(host: str, length: int) -> None:
    assert len(new_token(host)) == length
