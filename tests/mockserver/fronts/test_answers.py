import orjson
import pytest

from mockserver.fronts.connections import refusal_head


def test_the_reason_is_in_the_status_line_and_in_the_body() -> None:
    head, _, body = refusal_head(403, "x is\r\nnot emulated").partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 403 Forbidden: x is not emulated"
    assert b"Content-Length: %d" % len(body) in lines
    assert b"Connection: close" in lines
    assert orjson.loads(body) == {"error": {"message": "x is\r\nnot emulated"}}


@pytest.mark.parametrize(("status", "asks"), [(407, True), (403, False)])
def test_only_407_asks_for_credentials(status: int, *, asks: bool) -> None:
    assert (b"Proxy-Authenticate: Basic" in refusal_head(status, "no")) is asks


def test_a_status_line_is_short_and_plain() -> None:
    line = refusal_head(400, "ü" * 5000).split(b"\r\n")[0]
    assert len(line) < 300
    assert line.isascii()
