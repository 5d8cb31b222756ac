import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.messages import Url, join_pairs, split_pairs, split_url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://H.example.com/a%2Fb", Url("https://", "", "H.example.com", "", "/a%2Fb", "", "")),
        ("http://[::1]:80?x", Url("http://", "", "[::1]", ":80", "", "?x", "")),
        ("http://u:p@h/", Url("http://", "u:p@", "h", "", "/", "", "")),
        ("/a?u=https://x/y", Url("", "", "", "", "/a", "?u=https://x/y", "")),
        ("/redirect/https://x", Url("", "", "", "", "/redirect/https://x", "", "")),
        ("", Url("", "", "", "", "", "", "")),
    ],
)
def test_a_url_is_taken_apart(url: str, expected: Url) -> None:
    assert split_url(url) == expected


LETTERS = st.text("ab/?#@:&=%[].", max_size=12)


@given(st.tuples(st.sampled_from(["", "https://", "http://h"]), LETTERS).map("".join))
def test_a_url_is_put_together_to_the_character(url: str) -> None:
    assert split_url(url).join() == url


@given(LETTERS)
def test_pairs_are_put_together_to_the_character(query: str) -> None:
    assert join_pairs(split_pairs(query)) == query.removeprefix("?")
