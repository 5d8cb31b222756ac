"""What metadata says about its caller."""

import pytest

from mockserver.fronts.grpc.carriers import Metadata, carried


@pytest.mark.parametrize(
    ("metadata", "session", "baggage"),
    [
        ((), None, None),
        ((("x-mock-session", "a"), ("authorization", "Bearer ya29.mock~b~0")), "a", None),
        ((("x-mock-session", ""), ("authorization", "Bearer ya29.mock~b~0")), "", None),
        ((("authorization", "bearer ya29.mock~b~0"), ("baggage", "mock.session=d")), "b", "d"),
        ((("authorization", "Bearer of-someone-else"),), None, None),
        ((("authorization", "Basic ya29.mock~b~0"), ("baggage", "mock.session=d")), None, "d"),
        ((("baggage", "a=1 , mock.session = d;ttl=5,b=2"),), None, "d"),
        ((("baggage", "notmock.session=d"),), None, None),
        ((("x-mock-session", b"raw"),), "raw", None),
    ],
    ids=[
        "nothing", "header-first", "empty-header", "token", "other-token", "baggage",
        "baggage-list", "other-baggage", "bytes",
    ],
)  # fmt: skip
def test_the_first_that_names_a_session_wins(
    metadata: Metadata, session: str | None, baggage: str | None
) -> None:
    assert carried(metadata)[:2] == (session, baggage)


def test_the_client_library_is_told_before_the_agent() -> None:
    metadata = (("user-agent", "grpc-python/1"), ("x-goog-api-client", "gl-python/3 gapic/2"))
    assert carried(metadata).client == b"gl-python/3 gapic/2"
    assert carried(metadata[:1]).client == b"grpc-python/1"
    assert carried(()).client == b""


def test_a_token_is_kept_as_sent() -> None:
    assert carried((("authorization", "Bearer  ya29.x "),)).token == "ya29.x"
