import zlib

import pytest

from mockserver.capture.recorder_queue import Pieces, is_stream
from mockserver.model import Chunk, Header

EVENTS: tuple[Header, ...] = (("Content-Type", "text/event-stream"),)
JSON: tuple[Header, ...] = (("Content-Type", "application/json"),)


def gathered(*pieces: tuple[float, bytes]) -> Pieces:
    made = Pieces()
    for at_ms, piece in pieces:
        made.add(piece, at_ms)
    return made


@pytest.mark.parametrize(
    ("media", "found"),
    [
        ("text/event-stream", True), ("application/x-ndjson; charset=utf-8", True),
        ("application/json", False),
    ],
)  # fmt: skip
def test_some_media_types_are_streams(media: str, found: bool) -> None:
    assert is_stream([("content-type", media)]) is found


def test_each_piece_of_a_stream_is_kept_with_its_time() -> None:
    pieces = gathered((0.0, b"one"), (0.1, b"four"), (30.0, b"x"))
    assert pieces.chunks(EVENTS) == (Chunk(0.0, 3), Chunk(0.1, 4), Chunk(30.0, 1))


def test_what_came_together_is_no_stream() -> None:
    assert gathered((0.0, b"a"), (0.2, b"b"), (1.0, b"c")).chunks(JSON) == ()


def test_pauses_are_kept_even_in_what_is_no_stream_by_its_type() -> None:
    pieces = gathered((0.0, b"a"), (0.2, b"b"), (60.0, b"c"))
    assert pieces.chunks(JSON) == (Chunk(0.0, 2), Chunk(60.0, 1))


def test_a_body_whose_length_was_told_is_no_stream() -> None:
    headers = (*JSON, ("Content-Length", "2"))
    assert gathered((0.0, b"a"), (60.0, b"c")).chunks(headers) == ()


def test_pieces_of_a_coded_stream_are_sized_as_they_are_without() -> None:
    coder = zlib.compressobj(wbits=31)
    first = coder.compress(b"event one") + coder.flush(zlib.Z_SYNC_FLUSH)
    second = coder.compress(b"two") + coder.flush()
    headers = (*EVENTS, ("Content-Encoding", "gzip"))
    found = gathered((0.0, first), (9.0, second)).chunks(headers)
    assert found == (Chunk(0.0, 9), Chunk(9.0, 3))


def test_a_coding_that_hides_its_pieces_leaves_none() -> None:
    headers = (*EVENTS, ("Content-Encoding", "br"))
    assert gathered((0.0, b"\x0b\x02"), (9.0, b"\x80")).chunks(headers) == ()
