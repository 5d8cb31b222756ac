import pytest

from mockserver.model import Header
from mockserver.storage.cassettes.foreign.imported import opened


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ((("Content-Encoding", "gzip"),), b""),
        ((("Content-Encoding", "secret"),), b"x"),
        ((("Content-Length", "9"),), b"x"),
    ],
    ids=["no body", "unknown coding", "not coded"],
)
def test_headers_that_say_nothing_of_coding_stay(headers: tuple[Header, ...], body: bytes) -> None:
    assert opened(headers, body) == (headers, "")


def test_the_coding_is_taken_from_the_headers() -> None:
    assert opened((("content-encoding", "BR"), ("A", "1")), b"x") == ((("A", "1"),), "br")
