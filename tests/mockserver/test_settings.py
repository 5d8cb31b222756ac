"""What a server is started with."""

import pytest

from mockserver.settings import Settings, is_loopback, url_of


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


def test_the_token_is_in_no_representation() -> None:
    assert "s3cret" not in repr(Settings(token="s3cret"))
