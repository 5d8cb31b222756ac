"""The bytes of uploads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import ApiError, Media
from mockserver.sessions.media import MOST_BYTES, STEP, MediaStore, Upload
from mockserver.state import Ids


def upload(total: int | None = None) -> Upload:
    return Upload("u", "drive.files.create", {}, "text/plain", total)


@given(st.binary(min_size=1, max_size=300), st.integers(1, 50))
def test_pieces_in_order_make_the_whole(content: bytes, size: int) -> None:
    one = upload()
    ends = []
    for start in range(0, len(content), size):
        piece = content[start : start + size]
        span = f"bytes {start}-{start + len(piece) - 1}/{len(content)}"
        ends.append(one.take(piece, span, strict=False))
    assert ends == [False] * (len(ends) - 1) + [True]
    assert one.media == Media(content, "text/plain")


def test_everything_may_come_at_once() -> None:
    assert upload().take(b"abc", "", strict=True)
    assert upload().take(b"", "", strict=True)
    assert upload().take(b"abc", "bytes 0-*/*", strict=True)
    assert upload().take(b"", "bytes 0-*/*", strict=True)


def test_a_stream_brings_all_that_is_left() -> None:
    one = upload()
    one.take(b"ab", "bytes 0-1/*", strict=False)
    assert not one.take(b"c", "bytes 2-*/4", strict=False)
    assert one.take(b"d", "bytes 3-*/*", strict=True)
    assert one.media.content == b"abcd"


def test_the_total_may_be_told_last() -> None:
    one = upload()
    assert not one.take(b"ab", "bytes 0-1/*", strict=False)
    assert not one.take(b"", "bytes */*", strict=False)
    assert one.take(b"c", "bytes 2-2/3", strict=False)


def test_bytes_that_are_there_already_are_skipped() -> None:
    one = upload()
    one.take(b"abc", "bytes 0-2/5", strict=False)
    assert one.take(b"bcde", "bytes 1-4/5", strict=False)
    assert one.media.content == b"abcde"


@pytest.mark.parametrize(
    ("content", "span", "says", "status"),
    [
        (b"x", "bytes 3-3/9", "only 2 bytes are there", 400),
        (b"xyz", "bytes 2-3/9", "not that of 3 bytes", 400),
        (b"x", "bytes 2-2/8", "has 9 bytes in all, not 8", 400),
        (b"x" * 9, "bytes 2-10/9", "beyond the upload", 400),
        (b"x", "bytes */9", "has a body", 400),
        (b"x", "2-2/9", "Invalid Content-Range", 400),
        (b"x", "bytes two", "Invalid Content-Range", 400),
    ],
    ids=["gap", "length", "total", "beyond", "query", "unit", "words"],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    content: bytes, span: str, says: str, status: int
) -> None:
    one = upload(9)
    one.take(b"ab", "bytes 0-1/9", strict=False)
    with pytest.raises(ApiError, match=says) as caught:
        one.take(content, span, strict=False)
    assert (caught.value.status, bytes(one.received)) == (status, b"ab")


def test_an_upload_is_bounded() -> None:
    with pytest.raises(ApiError) as caught:
        upload().take(b"x", f"bytes 0-0/{MOST_BYTES + 1}", strict=False)
    assert caught.value.status == 413


def test_a_total_below_what_is_there_is_refused() -> None:
    one = upload()
    one.take(b"abc", "bytes 0-2/*", strict=False)
    with pytest.raises(ApiError, match="more than 2"):
        one.take(b"", "bytes */2", strict=False)


def test_strict_holds_chunks_to_their_multiple() -> None:
    with pytest.raises(ApiError, match="no multiple"):
        upload().take(b"abc", "bytes 0-2/9", strict=True)
    assert not upload().take(b"x" * STEP, f"bytes 0-{STEP - 1}/*", strict=True)


def test_a_store_keeps_media_and_forgets_what_was_cancelled() -> None:
    store = MediaStore()
    made = store.begin(Ids(1), "drive.files.create", {}, "text/plain", None)
    assert store.upload(made.id) is made
    store.cancel(made.id)
    with pytest.raises(ApiError) as caught:
        store.upload(made.id)
    assert caught.value.status == 404
    key = ("drive.files.get", (("fileId", "a"),))
    assert store.get(key) is None
    store.put(key, Media(b"x"))
    assert store.get(key) == Media(b"x")
