"""Entity tags in headers."""

import pytest

from mockserver.googleapi import lists_etag
from mockserver.sources.exchange import quote_etag


@pytest.mark.parametrize(
    ("header", "tag", "has"),
    [
        (b'"a"', '"a"', True),
        (b"a", '"a"', True),
        (b'W/"a"', "a", True),
        (b'"b", "a"', "a", True),
        (b"*", "a", True),
        (b'"b"', "a", False),
        (b"", "a", False),
    ],
    ids=str,
)
def test_a_list_of_tags_has_one_or_not(header: bytes, tag: str, has: bool) -> None:
    assert lists_etag(header, tag) is has


def test_a_tag_is_quoted_once() -> None:
    assert quote_etag("a") == quote_etag('"a"') == b'"a"'
