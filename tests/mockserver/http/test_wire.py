"""Plain answers as bytes; what says more of the connection is left to uvicorn."""

from typing import Any

import pytest

from mockserver.asgi.requests import Request
from mockserver.http.wire import AnswerWriter
from mockserver.sessions.faults import Damage
from mockserver.sources.response import Header, Response, WholeAnswer

NO_DATE: list[Header] = []


def request(verb: str = "GET", **headers: str) -> Request:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"method": verb, "raw_path": b"/", "query_string": b"", "headers": sent})


def response(body: bytes = b"{}", **fields: Any) -> Response:
    made = Response()
    made.body, made.plain = body, True
    for name, value in fields.items():
        setattr(made, name, value)
    return made


class Recorded:
    """A recorded answer."""

    def __init__(self, whole: WholeAnswer | None) -> None:
        self._whole = whole

    def whole(self, _: Request) -> WholeAnswer | None:
        return self._whole

    async def send(self, *_: Any) -> None:
        raise AssertionError


def written(answer: Response, asked: Request, *, keep_alive: bool = True) -> Any:
    writer = AnswerWriter()
    found = [writer.answer_bytes(answer, asked, NO_DATE, keep_alive=keep_alive) for _ in range(2)]
    assert found[0] == found[1]
    return found[0]


HEAD = (
    b"HTTP/1.1 200 OK\r\nx-mock-source: state\r\ncontent-type: application/json; charset=UTF-8\r\n"
)


def test_head_and_body_are_those_of_uvicorn() -> None:
    assert written(response(), request()) == (HEAD + b"content-length: 2\r\n\r\n", b"{}")
    closing = (HEAD + b"content-length: 2\r\nconnection: close\r\n\r\n", b"{}")
    assert written(response(), request(), keep_alive=False) == closing
    assert written(response(), request("HEAD")) == (HEAD + b"content-length: 2\r\n\r\n", b"")


def test_headers_of_the_server_come_first_and_change() -> None:
    writer = AnswerWriter()
    for date in (b"one", b"two"):
        head, _ = writer.answer_bytes(
            response(), request(), [(b"date", date)], keep_alive=True
        ) or (b"", b"")
        assert head.startswith(b"HTTP/1.1 200 OK\r\ndate: " + date + b"\r\nx-mock-source")


def test_headers_of_one_answer_come_last_and_are_not_those_of_the_next() -> None:
    writer = AnswerWriter()
    for tag in (b"1", b"2", b"1"):
        answer = response(headers=((b"ETag", tag),))
        head, _ = writer.answer_bytes(answer, request(), NO_DATE, keep_alive=True) or (b"", b"")
        assert head == HEAD + b"content-length: 2\r\netag: " + tag + b"\r\n\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        response(delay_ms=1),
        response(damage=Damage("dribble", "f")),
        response(headers=((b"connection", b"close"),)),
        response(headers=((b"Transfer-Encoding", b"chunked"),)),
        response(headers=((b"content-length", b"7"),)),
        response(headers=((b"a b", b"c"),)),
        response(headers=((b"a", b"b\r\nc: d"),)),
        response(status=204),
        response(b"", status=101),
        response(b"", status=777),
        response(playback=Recorded(None)),
        response(playback=Recorded(WholeAnswer(200, [(b"content-length", b"9")], (), (b"x",)))),
        response(playback=Recorded(WholeAnswer(200, [(b"connection", b"close")], (), (b"x",)))),
        response(playback=Recorded(WholeAnswer(204, [], (), (b"x",)))),
        response(playback=Recorded(WholeAnswer(204, [], ((b"te st", b""),), ()))),
    ],
)
def test_what_is_not_plain_is_left_alone(answer: Response) -> None:
    assert written(answer, request()) is None


def test_a_recorded_answer_has_its_own_headers() -> None:
    headers, extra = [(b"Content-Length", b"1")], ((b"x-mock-recording", b"t#1"),)
    recorded = WholeAnswer(200, headers, extra, (b"x",), {})
    asked = written(response(playback=Recorded(recorded)), request())
    assert asked == (
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\nx-mock-recording: t#1\r\n\r\n", b"x"
    )  # fmt: skip
    of_head = WholeAnswer(200, [(b"content-length", b"70")], (), (), {})
    assert written(response(playback=Recorded(of_head)), request("HEAD"), keep_alive=False) == (
        b"HTTP/1.1 200 OK\r\ncontent-length: 70\r\nconnection: close\r\n\r\n", b""
    )  # fmt: skip


def test_a_recorded_answer_is_written_once_for_connections_that_go_on_and_for_others() -> None:
    kept: dict[bool, tuple[bytes, bytes]] = {}
    recorded = WholeAnswer(200, [(b"content-length", b"1")], (), (b"x",), kept)
    for keep_alive in (True, False, True):
        head, _ = written(response(playback=Recorded(recorded)), request(), keep_alive=keep_alive)
        assert (b"connection: close" in head) is not keep_alive
        assert kept[keep_alive][0] is head


def test_an_answer_of_no_length_is_sent_in_its_pieces() -> None:
    pieces = (b"0123456789abcdef", b"", b"x")
    streamed = response(playback=Recorded(WholeAnswer(200, [], (), pieces, is_dated=True)))
    writer = AnswerWriter()
    assert writer.answer_bytes(streamed, request(), [(b"date", b"d")], keep_alive=False) == (
        b"HTTP/1.1 200 OK\r\ndate: d\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n",
        b"10\r\n0123456789abcdef\r\n1\r\nx\r\n0\r\n\r\n",
    )
    assert written(streamed, request("HEAD")) == (b"HTTP/1.1 200 OK\r\n\r\n", b"")


def test_a_long_answer_is_not_kept_a_second_time() -> None:
    kept: dict[bool, tuple[bytes, bytes]] = {}
    written(response(playback=Recorded(WholeAnswer(200, [], (), (b"x" * 9999,), kept))), request())
    assert not kept
