from hypothesis import given
from hypothesis import strategies as st

from mockserver.messages import boundary_of, split_multipart

BODY = (
    b"preamble\r\n--b1 \r\n"
    b'Content-Disposition: form-data; name="a"\r\n\r\none\r\n--b1x is no boundary\r\n'
    b"--b1\r\n\r\ntwo\r\n--b1--\r\nepilogue"
)


def test_a_body_is_taken_apart_and_put_together_to_the_byte() -> None:
    found = split_multipart(BODY, "b1")
    assert found is not None
    assert [(part.name, part.body) for part in found.parts] == [
        ("a", b"one\r\n--b1x is no boundary"), ("", b"two"),
    ]  # fmt: skip
    assert found.parts[0].headers == (("Content-Disposition", 'form-data; name="a"'),)
    assert found.join() == BODY


def test_a_part_can_be_changed_and_nothing_else_is() -> None:
    found = split_multipart(BODY, "b1")
    assert found is not None
    changed = found.with_parts(tuple(part.with_body(b"!") for part in found.parts))
    assert changed.join() == BODY.replace(
        b"one\r\n--b1x is no boundary", b"!"
    ).replace(b"two", b"!")  # fmt: skip


def test_a_body_that_is_not_what_it_says_is_none() -> None:
    assert split_multipart(b"--b\r\n\r\nx", "b") is None
    assert split_multipart(b"nothing", "b") is None
    assert split_multipart(BODY, "") is None


def test_line_feeds_alone_and_empty_parts_are_parts_too() -> None:
    body = b"--b\n\n--b\nA: 1\n\n\n--b--\n"
    found = split_multipart(body, "b")
    assert found is not None
    assert [part.body for part in found.parts] == [b"", b""]
    assert found.join() == body


PIECES = [b"--b", b"--", b"\r\n", b"\n", b"\r", b" ", b"A: 1", b"x", b"--b--", b"b"]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join))
def test_whatever_can_be_taken_apart_is_put_together_to_the_byte(body: bytes) -> None:
    found = split_multipart(body, "b")
    assert found is None or found.join() == body


def test_a_folded_header_is_one() -> None:
    found = split_multipart(b"--x\r\nContent-ID: <u +\r\n 1>\r\nA: b\r\n\r\n\r\n--x--", "x")
    assert found is not None
    assert found.parts[0].headers == (("Content-ID", "<u + 1>"), ("A", "b"))


def test_the_boundary_is_read_from_the_content_type() -> None:
    assert boundary_of('multipart/form-data; boundary="x y"') == "x y"
