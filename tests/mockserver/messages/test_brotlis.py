import brotli
import pytest

from mockserver.messages.brotlis import closed, opened, recipe

TEXT = b'{"name": "Sales", "path": "/Sales"}' * 5000


@pytest.mark.parametrize("quality", [1, 4, 5, 6, 9, 11])
def test_what_the_library_made_is_made_again(quality: int) -> None:
    wire = brotli.compress(TEXT[:2000], quality=quality)
    assert closed(TEXT[:2000], recipe(TEXT[:2000], wire)) == wire


def test_a_content_larger_than_one_piece_is_whole() -> None:
    assert opened(brotli.compress(TEXT), len(TEXT)) == TEXT
    assert opened(brotli.compress(TEXT), len(TEXT) - 1) is None


def test_what_others_made_has_no_quality() -> None:
    assert recipe(b"x", b"others") == {}
    assert recipe(b"x" * 2_000_000, b"others") == {}
