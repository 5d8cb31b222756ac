"""Where a caller reached this server, in links of answers."""

import pytest

from mockserver.apis import APIS
from mockserver.asgi.requests import Request
from mockserver.routing import Routes
from mockserver.sources.dispatch import Dispatcher

DISPATCHER = Dispatcher(Routes(APIS), url="http://127.0.0.1:8765")


def request(host: str, scheme: str = "http") -> Request:
    headers = [(b"host", host.encode())]
    return Request({
        "method": "GET", "raw_path": b"/", "query_string": b"", "headers": headers,
        "scheme": scheme,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("host", "scheme", "link"),
    [
        ("localhost:9", "http", "http://localhost:9/s/a"),
        ("www.googleapis.com", "https", "https://www.googleapis.com"),
        ("", "http", "http://127.0.0.1:8765/s/a"),
    ],
    ids=["its own", "of an API", "none"],
)
def test_a_link_keeps_the_name_that_a_session_or_an_api_was_called_by(
    host: str, scheme: str, link: str
) -> None:
    assert [DISPATCHER.link_base(request(host, scheme), "a") for _ in range(2)] == [link, link]
