import gzip
import zlib

import pytest

from mockserver.messages import decode_body, encode_body
from mockserver.messages.stream_coding import BodyDecoder, CodingError, coded_pieces

CONTENT = b"".join(b"line %d of a text\n" % number for number in range(20_000))
RAW = zlib.compressobj(wbits=-15)
CODED = {
    "gzip": encode_body(CONTENT, "gzip"),
    "x-gzip": gzip.compress(CONTENT[:1000]) + gzip.compress(CONTENT[1000:]),
    "deflate": zlib.compress(CONTENT),
    "Deflate": RAW.compress(CONTENT) + RAW.flush(),
    "br": encode_body(CONTENT, "br"),
    "zstd": encode_body(CONTENT[:99], "zstd") + encode_body(CONTENT[99:], "zstd"),
    "gzip, br": encode_body(CONTENT, "gzip,br"),
    "identity": CONTENT,
}


def opened(name: str, coded: bytes) -> bytes:
    opener = BodyDecoder([("Content-Encoding", name)])
    found = b"".join(opener.feed(coded))
    opener.end()
    return found


@pytest.mark.parametrize("step", [1, 1000, 10**9])
@pytest.mark.parametrize("name", CODED)
def test_a_body_is_opened_as_it_comes(name: str, step: int) -> None:
    coded = CODED[name]
    coded = coded[:3000] if step == 1 and name == "identity" else coded
    opener = BodyDecoder([("Content-Encoding", name)])
    pieces = [coded[start : start + step] for start in range(0, len(coded), step)]
    found = b"".join(piece for each in pieces for piece in opener.feed(each))
    opener.end()
    assert found == CONTENT[: len(found) if name == "identity" else None]


@pytest.mark.parametrize("name", [name for name in CODED if name not in {"identity", "x-gzip"}])
def test_what_is_damaged_or_cut_short_is_told(name: str) -> None:
    for spoilt in (b"\xff" * 50 + CODED[name], CODED[name][:-4]):
        with pytest.raises(CodingError):
            opened(name, spoilt)


def test_a_coding_that_nobody_knows_is_told() -> None:
    with pytest.raises(CodingError):
        BodyDecoder([("Content-Encoding", "gzip, pack200")])


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_small_body_that_grows_is_opened_piece_by_piece(name: str) -> None:
    opener = BodyDecoder([("Content-Encoding", name)])
    coded = encode_body(bytes(64 << 20), name)
    sizes = [len(piece) for piece in opener.feed(coded)]
    assert sum(sizes) == 64 << 20
    assert max(sizes) <= 8 << 20


@pytest.mark.parametrize("coding", ["", "gzip;level=6", "deflate", "br", "zstd", "gzip,br"])
def test_a_body_is_closed_as_it_goes(coding: str) -> None:
    pieces = (CONTENT[start : start + 999] for start in range(0, len(CONTENT), 999))
    made = b"".join(coded_pieces(pieces, coding))
    names = ", ".join(each.partition(";")[0] for each in coding.split(","))
    assert decode_body([("Content-Encoding", names)], made)[1] == CONTENT
