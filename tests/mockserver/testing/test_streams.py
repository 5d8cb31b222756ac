"""Bodies that are heard on their way."""

import httpx

from mockserver.testing.recording import ReceivedBody, Tee


def test_pieces_are_heard_and_the_end_is_told_once() -> None:
    told: list[ReceivedBody] = []
    tee = Tee(httpx.ByteStream(b"hello"), 0.0, told.append)
    assert list(tee) == [b"hello"]
    assert list(tee) == [b"hello"]
    tee.close()
    (heard,) = told
    assert (heard.content, heard.ended, len(heard.pieces)) == (b"hello", "complete", 1)


def test_what_is_given_up_halfway_is_not_told() -> None:
    told: list[ReceivedBody] = []
    body = iter(Tee(httpx.ByteStream(b"hello"), 0.0, told.append))
    assert next(body) == b"hello"
    assert told == []
