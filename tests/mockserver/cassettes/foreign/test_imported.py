import gzip

import pytest

from mockserver.cassettes.foreign.common import Source, decode_if_coded, decoded_headers
from mockserver.model import Header


def nothing(name: str) -> bytes:
    raise LookupError(name)


SOURCE = Source(nothing)


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
    assert decoded_headers(headers, body) == (headers, "")


def test_the_coding_is_taken_from_the_headers() -> None:
    assert decoded_headers((("content-encoding", "BR"), ("A", "1")), b"x") == ((("A", "1"),), "br")


CODED = gzip.compress(b"hello", mtime=0)


@pytest.mark.parametrize(
    ("coding", "body", "expected"),
    [
        ("gzip", CODED, b"hello"),
        ("gzip", b"hello", b"hello"),
        ("br", b"hello", b"hello"),
        ("gzip", CODED[:-9], CODED[:-9]),
        ("", b"hello", b"hello"),
    ],
    ids=["coded", "opened", "opened brotli", "damaged", "not coded"],
)
def test_a_body_is_opened_unless_the_recorder_did_so(
    coding: str, body: bytes, expected: bytes
) -> None:
    headers = (("Content-Encoding", coding),) if coding else ()
    kept, content, recipe = decode_if_coded(headers, body)
    assert content == expected
    assert recipe.partition(";")[0] == (coding if content == b"hello" else "")
    assert bool(kept) == (content != b"hello")
