from types import SimpleNamespace

import pytest

from mockserver.testing.transports.http_client import _target


@pytest.mark.parametrize(
    ("url", "tunnel", "target"),
    [
        ("https://a.example.com/x", (), ("a.example.com", 443)),
        ("http://a.example.com/x", (), ("a.example.com", 80)),
        ("http://a.example.com:8080/x", (), ("a.example.com", 8080)),
        ("/x", ("a.example.com", 8443), ("a.example.com", 8443)),
        ("/x", ("a.example.com", None), ("a.example.com", 443)),
        ("/x", (None, None), ("proxy", 3128)),
        ("/x", (), ("proxy", 3128)),
    ],
)
def test_a_connection_is_known_by_what_it_reaches_in_the_end(
    url: str, tunnel: tuple[str | None, int | None] | tuple[()], target: tuple[str, int]
) -> None:
    connection = SimpleNamespace(host="proxy", port=3128)
    if tunnel:
        connection._tunnel_host, connection._tunnel_port = tunnel
    assert _target(connection, url) == target
