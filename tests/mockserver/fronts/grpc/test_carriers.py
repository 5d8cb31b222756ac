"""What metadata says about its caller."""

import pytest

from mockserver.asgi.requests import Name
from mockserver.fronts.grpc.requests import Metadata, call_metadata

TOKEN = ("token", "b")
BAGGAGE = (("baggage", "d"),)
BEARER = ("authorization", "bearer ya29.mock~b~0")


@pytest.mark.parametrize(
    ("metadata", "names", "baggage"),
    [
        ((), (), ()),
        ((("x-mock-session", "a"), BEARER), (("header", "a"), TOKEN), ()),
        ((("x-mock-session", ""), BEARER), (("header", ""), TOKEN), ()),
        ((BEARER, ("baggage", "mock.session=d")), (TOKEN,), BAGGAGE),
        ((("authorization", "Bearer of-someone-else"),), (), ()),
        ((("authorization", "Basic ya29.mock~b~0"), ("baggage", "mock.session=d")), (), BAGGAGE),
        ((("baggage", "a=1 , mock.session = d;ttl=5,b=2"),), (), BAGGAGE),
        ((("baggage", "notmock.session=d"),), (), ()),
        ((("x-mock-session", b"raw"),), (("header", "raw"),), ()),
    ],
    ids=[
        "nothing", "header-first", "empty-header", "token", "other-token", "baggage",
        "baggage-list", "other-baggage", "bytes",
    ],
)  # fmt: skip
def test_the_names_of_sessions_are_in_order(
    metadata: Metadata, names: tuple[Name, ...], baggage: tuple[Name, ...]
) -> None:
    assert call_metadata(metadata)[:2] == (names, baggage)


def test_the_client_library_is_told_before_the_agent() -> None:
    metadata = (("user-agent", "grpc-python/1"), ("x-goog-api-client", "gl-python/3 gapic/2"))
    assert call_metadata(metadata).client == b"gl-python/3 gapic/2"
    assert call_metadata(metadata[:1]).client == b"grpc-python/1"
    assert call_metadata(()).client == b""


def test_a_token_is_kept_as_sent() -> None:
    assert call_metadata((("authorization", "Bearer  ya29.x "),)).token == "ya29.x"
