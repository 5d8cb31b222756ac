"""Multipart bodies are read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import (
    MultipartError,
    Part,
    boundary_of,
    parse_headers,
    parse_multipart,
    split_head,
    write_multipart,
)

HEADERS = {"Content-Type": "application/http"}


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ('multipart/mixed; boundary="===12=="', "===12=="),
        ("multipart/related; type=a; boundary=abc", "abc"),
        ("multipart/mixed;BOUNDARY=x; charset=utf-8", "x"),
    ],
    ids=["quoted", "bare", "upper case"],
)
def test_a_boundary_is_read(content_type: str, boundary: str) -> None:
    assert boundary_of(content_type) == boundary


@pytest.mark.parametrize("content_type", ["", "multipart/mixed", "text/plain; boundary="], ids=str)
def test_a_type_without_a_boundary_is_refused(content_type: str) -> None:
    with pytest.raises(MultipartError, match="no boundary"):
        boundary_of(content_type)


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=5))
def test_what_is_written_is_read_again(bodies: list[bytes]) -> None:
    text = write_multipart([(HEADERS, body) for body in bodies], "b-7f3a")
    expected = [Part({"content-type": "application/http"}, body) for body in bodies]
    assert parse_multipart(text, "b-7f3a") == expected


def test_line_feeds_alone_will_do_and_what_is_around_is_ignored() -> None:
    text = b"preamble\n--x\nA: 1\n\none\n--x\n\ntwo\n--x--\nepilogue"
    assert parse_multipart(text, "x") == [Part({"a": "1"}, b"one"), Part({}, b"two")]


def test_a_boundary_inside_a_line_is_text() -> None:
    (part,) = parse_multipart(b"--x\r\n\r\na --x b\r\n--xy\r\n--x--", "x")
    assert part.body == b"a --x b\r\n--xy"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "no part begins"),
        (b"--y\r\n\r\n1\r\n--y--", "no part begins"),
        (b"--x\r\n\r\n1", "--x--, is missing"),
    ],
    ids=["empty", "another boundary", "no end"],
)
def test_a_body_that_is_not_what_its_type_says_is_refused(text: bytes, says: str) -> None:
    with pytest.raises(MultipartError, match=says):
        parse_multipart(text, "x")


def test_headers_and_body_are_parted_at_the_first_empty_line() -> None:
    assert split_head(b"A: 1\r\n\r\nb\r\n\r\nc") == (b"A: 1", b"b\r\n\r\nc")
    assert split_head(b"A: 1") == (b"A: 1", b"")
    assert parse_headers(b"A: 1\nnothing\nB:2:3") == {"a": "1", "b": "2:3"}


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        (b"Id: <u +\r\n 1>\r\nB: 2", {"id": "<u + 1>", "b": "2"}),
        (b"Id: <u +\n\t1>\nB: 2", {"id": "<u +\t1>", "b": "2"}),
        (b"Id:\r\n <u + 1\r\n  2>\r\n", {"id": "<u + 1  2>"}),
        (b"nothing\r\n of: anyone\r\nA: 1", {"nothing of": "anyone", "a": "1"}),
        (b"A: 1\x85\x1c2\rB: 3", {"a": "1\x85\x1c2", "b": "3"}),
    ],
    ids=["folded", "with a tab", "twice", "after a line of nobody", "what breaks no line"],
)
def test_folded_lines_are_unfolded(text: bytes, headers: dict[str, str]) -> None:
    assert parse_headers(text) == headers


@pytest.mark.parametrize(
    "content",
    [b"--x\r\n" * 5000 + b"--x--", b"--xy\n" * 5000, b"--x\r\n" + b"A: b\r\n" * 20_000 + b"--x--"],
    ids=["boundaries", "lines like boundaries", "a head without end"],
)
def test_a_body_of_too_many_parts_or_headers_is_refused(content: bytes) -> None:
    with pytest.raises(MultipartError, match=r"more than|over"):
        parse_multipart(content, "x")
