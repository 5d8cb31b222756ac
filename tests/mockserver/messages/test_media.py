import pytest

from mockserver.messages import (
    charset,
    is_event_stream,
    is_form,
    is_json,
    is_json_lines,
    is_multipart,
    is_text,
    media_parameter,
    media_type,
)


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
