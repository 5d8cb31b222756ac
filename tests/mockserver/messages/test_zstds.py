import pytest
import zstandard

from mockserver.messages.zstds import closed, opened, recipe

TEXT = b'{"name": "Sales", "path": "/Sales"}' * 5000


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("level", [1, 3, 9])
def test_what_the_library_made_is_made_again(level: int, checksum: bool) -> None:
    wire = zstandard.ZstdCompressor(level=level, write_checksum=checksum).compress(TEXT)
    assert closed(TEXT, recipe(TEXT, wire)) == wire


def test_frames_one_after_the_other_are_one_content() -> None:
    wire = closed(b"one ", {}) + closed(b"two", {})
    assert opened(wire, 7) == b"one two"
    assert opened(wire, 6) is None
    assert opened(wire[:-1], 7) is None


def test_what_others_made_has_no_level() -> None:
    assert recipe(b"x", b"others") == {}
    assert recipe(b"x" * 2_000_000, b"others") == {}
