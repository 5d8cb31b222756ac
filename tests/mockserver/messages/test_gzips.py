import gzip
import io
import zlib
from hashlib import sha256

import pytest

from mockserver.messages.gzips import (
    deflate_recipe,
    deflated,
    gunzipped,
    gzip_recipe,
    gzipped,
    inflated,
)

TEXT = b"".join(b'{"row": %d, "name": "n%d"}' % (n, n * 7919) for n in range(400))
LARGE = TEXT * 30
ROOM = 10_000_000


def coded(content: bytes, level: int, memory: int = 8, *, window: int = 31) -> bytes:
    coder = zlib.compressobj(level, wbits=window, memLevel=memory)
    return coder.compress(content) + coder.flush()


@pytest.mark.parametrize("content", [b"", b"x", TEXT, LARGE], ids=["none", "one", "some", "many"])
@pytest.mark.parametrize(("level", "memory"), [(1, 8), (6, 8), (9, 8), (6, 9)])
def test_what_zlib_made_is_made_again(content: bytes, memory: int, level: int) -> None:
    wire = coded(content, level, memory)
    assert gunzipped(wire, ROOM) == content
    assert gzipped(content, gzip_recipe(content, wire)) == wire


def test_the_head_is_made_again_with_its_time() -> None:
    wire = gzip.compress(TEXT, mtime=1_700_000_000)
    assert gzipped(TEXT, gzip_recipe(TEXT, wire)) == wire


def test_members_one_after_the_other_are_one_content_and_have_no_recipe() -> None:
    wire = gzip.compress(b"one ") + gzip.compress(b"two")
    assert gunzipped(wire, ROOM) == b"one two"
    assert gunzipped(wire, 5) is None
    assert gzip_recipe(b"one two", wire) == {}
    assert gunzipped(gzipped(b"one two", {}), ROOM) == b"one two"


def test_a_file_name_is_not_made_again() -> None:
    file = io.BytesIO()
    with gzip.GzipFile("secret.txt", "wb", fileobj=file) as writer:
        writer.write(TEXT)
    assert gzip_recipe(TEXT, file.getvalue()) == {}


@pytest.mark.parametrize("window", [15, -15], ids=["framed", "raw"])
@pytest.mark.parametrize("level", [1, 6, 9])
def test_deflate_is_made_again_with_or_without_its_frame(window: int, level: int) -> None:
    wire = coded(TEXT, level, window=window)
    assert inflated(wire, ROOM) == TEXT
    assert deflated(TEXT, deflate_recipe(TEXT, wire)) == wire


def test_what_another_program_deflated_has_no_level() -> None:
    coder = zlib.compressobj(6, wbits=15)
    wire = coder.compress(TEXT) + coder.flush(zlib.Z_SYNC_FLUSH) + coder.flush()
    assert deflate_recipe(TEXT, wire) == {}
    assert inflated(deflated(TEXT, {}), ROOM) == TEXT


@pytest.mark.parametrize("level", range(10))
def test_a_small_content_is_tried_at_every_level(level: int) -> None:
    content = TEXT[:9000]
    wire = coded(content, level)
    assert gzipped(content, gzip_recipe(content, wire)) == wire


def test_a_large_content_of_another_program_is_given_up_early() -> None:
    noise = b"".join(sha256(b"%d" % number).hexdigest().encode() for number in range(4000))
    assert gzip_recipe(noise, coded(noise, 2)) == {}
