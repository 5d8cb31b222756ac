import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.messages import (
    charset,
    header,
    header_values,
    is_event_stream,
    is_form,
    is_json,
    is_json_lines,
    is_multipart,
    is_text,
    media_parameter,
    media_type,
    with_header,
    without,
)

COOKIES = (("Set-Cookie", "a=1"), ("X", "y"), ("set-cookie", "b=2"))


def test_the_first_value_answers_whatever_the_case() -> None:
    assert header(COOKIES, "SET-COOKIE") == "a=1"
    assert header(COOKIES, "age") == ""


def test_a_header_that_came_twice_is_there_twice() -> None:
    assert header_values(COOKIES, "set-cookie") == ("a=1", "b=2")


def test_a_header_is_taken_out_wherever_it_stands() -> None:
    assert without(COOKIES, ["set-COOKIE"]) == (("X", "y"),)


def test_a_new_value_stands_where_the_first_stood() -> None:
    assert with_header(COOKIES, "set-cookie", "c=3") == (("Set-Cookie", "c=3"), ("X", "y"))


def test_a_header_that_was_not_there_stands_at_the_end() -> None:
    assert with_header(COOKIES, "Age", "1") == (*COOKIES, ("Age", "1"))


NAMES = st.sampled_from(["A", "a", "B", "c-d", "C-D"])


@given(st.lists(st.tuples(NAMES, st.text(max_size=3)), max_size=5), NAMES, st.text(max_size=3))
def test_what_is_set_is_what_is_read_and_the_rest_stays(
    headers: list[tuple[str, str]], name: str, value: str
) -> None:
    changed = with_header(headers, name, value)
    assert header_values(changed, name) == (value,)
    assert without(changed, [name]) == without(headers, [name])


def test_a_media_type_is_told_without_its_parameters() -> None:
    assert media_type([("content-type", "Text/Event-Stream; charset=x")]) == "text/event-stream"
    assert media_type([]) == ""


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        ("application/json", [is_json, is_text]),
        ("application/vnd.api+json", [is_json, is_text]),
        ("application/x-ndjson", [is_json_lines, is_text]),
        ("text/event-stream", [is_event_stream, is_text]),
        ("application/x-www-form-urlencoded", [is_form, is_text]),
        ("multipart/form-data", [is_multipart]),
        ("image/svg+xml", [is_text]),
        ("application/yaml", [is_text]),
        ("application/octet-stream", []),
        ("application/grpc", []),
        ("", []),
    ],
)
def test_a_media_type_is_what_it_is(media: str, expected: list[object]) -> None:
    kinds = [is_json, is_json_lines, is_event_stream, is_form, is_multipart, is_text]
    assert [kind for kind in kinds if kind(media)] == expected


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("multipart/mixed; boundary=abc", "abc"),
        ('multipart/mixed; charset=x; BOUNDARY = "a\\"; b"', 'a"; b'),
        ("multipart/mixed; boundary=", ""),
        ("multipart/mixed", ""),
    ],
)
def test_a_parameter_is_unquoted(content_type: str, expected: str) -> None:
    assert media_parameter(content_type, "boundary") == expected


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/plain; charset=ISO-8859-1", "iso-8859-1"),
        ("text/plain", "utf-8"),
        ("text/plain; charset=../../x", "utf-8"),
    ],
)
def test_a_charset_that_nobody_knows_is_utf_8(content_type: str, expected: str) -> None:
    assert charset([("Content-Type", content_type)]) == expected
