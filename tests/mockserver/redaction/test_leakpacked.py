import base64
import gzip
import zlib

import pytest

from mockserver.redaction import encodings
from mockserver.redaction.encodings import Layer, unpacked_layers

TEXT = b"ann.lovelace@corp.test"


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode], ids=["std", "url"])
def test_base64_is_read_at_every_alignment(before: int, encode: object) -> None:
    assert callable(encode)
    content = b"v" * before + encode(TEXT)
    assert any(TEXT in layer.content for layer in unpacked_layers(Layer(content), set()))


@pytest.mark.parametrize("content", [TEXT.hex(), TEXT.hex().upper(), "a" + TEXT.hex()])
def test_hexadecimal_is_read_at_both_alignments(content: str) -> None:
    assert any(TEXT in layer.content for layer in unpacked_layers(Layer(content.encode()), set()))


def test_gzip_is_unpacked_wherever_it_begins() -> None:
    content = b"\0\1" + gzip.compress(TEXT)
    assert [layer.content for layer in unpacked_layers(Layer(content), set())] == [TEXT + b"\n"]


def test_zlib_is_unpacked_at_the_begin_of_a_piece() -> None:
    (layer,) = unpacked_layers(Layer(base64.b64encode(zlib.compress(TEXT * 9))), set())
    inner = [inner.content for inner in unpacked_layers(layer, set())]
    assert TEXT * 9 + b"\n" in inner


def test_of_a_torn_stream_what_is_whole_is_read() -> None:
    torn = gzip.compress(TEXT * 2000)[:-20]
    (layer,) = unpacked_layers(Layer(torn), set())
    assert TEXT in layer.content


def test_what_only_looks_packed_is_no_reading() -> None:
    assert not list(unpacked_layers(Layer(b"\x1f\x8b\x08 not gzip"), set()))


def test_a_stream_that_unpacks_to_too_much_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "LARGEST", 1000)
    (layer,) = unpacked_layers(Layer(gzip.compress(bytes(5000))), set())
    assert layer.cut
    assert len(layer.content) <= 1001


def test_the_same_is_unpacked_once() -> None:
    seen: set[int] = set()
    content = base64.b64encode(TEXT)
    assert list(unpacked_layers(Layer(content), seen))
    assert not list(unpacked_layers(Layer(content), seen))
