import gzip
import io
import zlib
from hashlib import sha256

import brotli
import pytest
import zstandard

from mockserver.messages import READABLE, content_encoding, decode_body, encode_body, header
from mockserver.messages.content_coding import (
    brotli_recipe,
    compress_brotli,
    compress_deflate,
    compress_gzip,
    compress_zstd,
    decompress_brotli,
    decompress_deflate,
    decompress_gzip,
    decompress_zstd,
    deflate_recipe,
    gzip_recipe,
    zstd_recipe,
)

TEXT = b'{"orgUnits": [' + b'{"name": "Sales", "orgUnitPath": "/Sales"},' * 50 + b"{}]}"
CODED = {
    "gzip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT, quality=4),
    "zstd": zstandard.ZstdCompressor().compress(TEXT),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_body_is_opened_and_closed_to_the_byte(name: str) -> None:
    coded = CODED[name]
    headers = [("content-encoding", name), ("Content-Length", str(len(coded))), ("X", "1")]
    kept, body, coding = decode_body(headers, coded)
    assert (body, kept) == (TEXT, (("Content-Length", str(len(TEXT))), ("X", "1")))
    assert encode_body(body, coding) == coded
    assert content_encoding(coding) == name


def test_codings_one_upon_the_other_are_opened_from_the_outside() -> None:
    coded = brotli.compress(gzip.compress(TEXT, 9), quality=5)
    _, body, coding = decode_body([("Content-Encoding", "X-GZip, br")], coded)
    assert body == TEXT
    assert encode_body(body, coding) == coded
    assert content_encoding(coding) == "gzip, br"


@pytest.mark.parametrize("name", [*READABLE, "compress"])
def test_what_is_damaged_or_foreign_stays_as_it_is(name: str) -> None:
    for broken in (b"\x1f\x8b nothing of the kind", CODED.get(name, TEXT)[:-9]):
        headers = (("Content-Encoding", name),)
        assert decode_body(headers, broken) == (headers, broken, "")


@pytest.mark.parametrize("name", READABLE)
def test_what_would_grow_too_large_stays_as_it_is(name: str) -> None:
    headers = (("Content-Encoding", name),)
    assert decode_body(headers, CODED[name], largest=len(TEXT) - 1) == (headers, CODED[name], "")


def test_a_length_that_was_wrong_stays_wrong() -> None:
    headers = [("Content-Encoding", "gzip"), ("Content-Length", "7")]
    assert header(decode_body(headers, CODED["gzip"])[0], "content-length") == "7"


@pytest.mark.parametrize("value", ["", "identity"])
def test_what_is_not_coded_is_returned_as_it_is(value: str) -> None:
    headers = (("Content-Encoding", value),)
    assert decode_body(headers, b"x") == (headers, b"x", "")
    assert decode_body([("Content-Encoding", "gzip")], b"")[1:] == (b"", "")
    assert encode_body(b"x", "") == b"x"
    assert content_encoding("") == ""


def test_a_recipe_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'lzma' is no content coding; known: gzip"):
        encode_body(b"x", "lzma")


ROWS = b"".join(b'{"row": %d, "name": "n%d"}' % (n, n * 7919) for n in range(400))
MANY_ROWS = ROWS * 30
ROOM = 10_000_000


def coded(content: bytes, level: int, memory: int = 8, *, window: int = 31) -> bytes:
    coder = zlib.compressobj(level, wbits=window, memLevel=memory)
    return coder.compress(content) + coder.flush()


@pytest.mark.parametrize(
    "content", [b"", b"x", ROWS, MANY_ROWS], ids=["none", "one", "some", "many"]
)
@pytest.mark.parametrize(("level", "memory"), [(1, 8), (6, 8), (9, 8), (6, 9)])
def test_what_zlib_made_is_made_again(content: bytes, memory: int, level: int) -> None:
    wire = coded(content, level, memory)
    assert decompress_gzip(wire, ROOM) == content
    assert compress_gzip(content, gzip_recipe(content, wire)) == wire


def test_the_head_is_made_again_with_its_time() -> None:
    wire = gzip.compress(ROWS, mtime=1_700_000_000)
    assert compress_gzip(ROWS, gzip_recipe(ROWS, wire)) == wire


def test_members_one_after_the_other_are_one_content_and_have_no_recipe() -> None:
    wire = gzip.compress(b"one ") + gzip.compress(b"two")
    assert decompress_gzip(wire, ROOM) == b"one two"
    assert decompress_gzip(wire, 5) is None
    assert gzip_recipe(b"one two", wire) == {}
    assert decompress_gzip(compress_gzip(b"one two", {}), ROOM) == b"one two"


def test_a_file_name_is_not_made_again() -> None:
    file = io.BytesIO()
    with gzip.GzipFile("secret.txt", "wb", fileobj=file) as writer:
        writer.write(ROWS)
    assert gzip_recipe(ROWS, file.getvalue()) == {}


@pytest.mark.parametrize("window", [15, -15], ids=["framed", "raw"])
@pytest.mark.parametrize("level", [1, 6, 9])
def test_deflate_is_made_again_with_or_without_its_frame(window: int, level: int) -> None:
    wire = coded(ROWS, level, window=window)
    assert decompress_deflate(wire, ROOM) == ROWS
    assert compress_deflate(ROWS, deflate_recipe(ROWS, wire)) == wire


def test_what_another_program_deflated_has_no_level() -> None:
    coder = zlib.compressobj(6, wbits=15)
    wire = coder.compress(ROWS) + coder.flush(zlib.Z_SYNC_FLUSH) + coder.flush()
    assert deflate_recipe(ROWS, wire) == {}
    assert decompress_deflate(compress_deflate(ROWS, {}), ROOM) == ROWS


@pytest.mark.parametrize("level", range(10))
def test_a_small_content_is_tried_at_every_level(level: int) -> None:
    content = ROWS[:9000]
    wire = coded(content, level)
    assert compress_gzip(content, gzip_recipe(content, wire)) == wire


def test_a_large_content_of_another_program_is_given_up_early() -> None:
    noise = b"".join(sha256(b"%d" % number).hexdigest().encode() for number in range(4000))
    assert gzip_recipe(noise, coded(noise, 2)) == {}


SALES = b'{"name": "Sales", "path": "/Sales"}' * 5000


@pytest.mark.parametrize("quality", [1, 4, 5, 6, 9, 11])
def test_what_the_brotli_library_made_is_made_again(quality: int) -> None:
    wire = brotli.compress(SALES[:2000], quality=quality)
    assert compress_brotli(SALES[:2000], brotli_recipe(SALES[:2000], wire)) == wire


def test_a_content_larger_than_one_piece_is_whole() -> None:
    assert decompress_brotli(brotli.compress(SALES), len(SALES)) == SALES
    assert decompress_brotli(brotli.compress(SALES), len(SALES) - 1) is None


def test_what_others_made_has_no_quality() -> None:
    assert brotli_recipe(b"x", b"others") == {}
    assert brotli_recipe(b"x" * 2_000_000, b"others") == {}


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("level", [1, 3, 9])
def test_what_the_zstd_library_made_is_made_again(level: int, checksum: bool) -> None:
    wire = zstandard.ZstdCompressor(level=level, write_checksum=checksum).compress(SALES)
    assert compress_zstd(SALES, zstd_recipe(SALES, wire)) == wire


def test_frames_one_after_the_other_are_one_content() -> None:
    wire = compress_zstd(b"one ", {}) + compress_zstd(b"two", {})
    assert decompress_zstd(wire, 7) == b"one two"
    assert decompress_zstd(wire, 6) is None
    assert decompress_zstd(wire[:-1], 7) is None


def test_what_others_made_has_no_level() -> None:
    assert zstd_recipe(b"x", b"others") == {}
    assert zstd_recipe(b"x" * 2_000_000, b"others") == {}
