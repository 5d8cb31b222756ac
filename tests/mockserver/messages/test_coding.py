import gzip
import zlib

import brotli
import pytest
import zstandard

from mockserver.messages import READABLE, content_encoding, decoded, encoded, header

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
    kept, body, coding = decoded(headers, coded)
    assert (body, kept) == (TEXT, (("Content-Length", str(len(TEXT))), ("X", "1")))
    assert encoded(body, coding) == coded
    assert content_encoding(coding) == name


def test_codings_one_upon_the_other_are_opened_from_the_outside() -> None:
    coded = brotli.compress(gzip.compress(TEXT, 9), quality=5)
    _, body, coding = decoded([("Content-Encoding", "X-GZip, br")], coded)
    assert body == TEXT
    assert encoded(body, coding) == coded
    assert content_encoding(coding) == "gzip, br"


@pytest.mark.parametrize("name", [*READABLE, "compress"])
def test_what_is_damaged_or_foreign_stays_as_it_is(name: str) -> None:
    for broken in (b"\x1f\x8b nothing of the kind", CODED.get(name, TEXT)[:-9]):
        headers = (("Content-Encoding", name),)
        assert decoded(headers, broken) == (headers, broken, "")


@pytest.mark.parametrize("name", READABLE)
def test_what_would_grow_too_large_stays_as_it_is(name: str) -> None:
    headers = (("Content-Encoding", name),)
    assert decoded(headers, CODED[name], largest=len(TEXT) - 1) == (headers, CODED[name], "")


def test_a_length_that_was_wrong_stays_wrong() -> None:
    headers = [("Content-Encoding", "gzip"), ("Content-Length", "7")]
    assert header(decoded(headers, CODED["gzip"])[0], "content-length") == "7"


@pytest.mark.parametrize("value", ["", "identity"])
def test_what_is_not_coded_is_returned_as_it_is(value: str) -> None:
    headers = (("Content-Encoding", value),)
    assert decoded(headers, b"x") == (headers, b"x", "")
    assert decoded([("Content-Encoding", "gzip")], b"")[1:] == (b"", "")
    assert encoded(b"x", "") == b"x"
    assert content_encoding("") == ""


def test_a_recipe_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'lzma' is no content coding; known: gzip"):
        encoded(b"x", "lzma")
