"""Headers."""

from base64 import b64encode
from hashlib import md5

import pytest

from mockserver.redaction import Redactor
from mockserver.redaction.headers import update_headers


@pytest.mark.parametrize(
    ("name", "value", "gone"),
    [
        ("X-Goog-Api-Key", "k-123456", "k-123456"),
        ("X-Forwarded-For", "10.2.3.4, 10.2.3.5", "10.2.3.4"),
        ("Location", "/u/ada@corp.io?token=abcd1234", "abcd1234"),
        ("Link", '<https://h.io/x?pageToken=abc123>; rel="next"', "abc123"),
        ("x-goog-user-project", "my-proj", "my-proj"),
        ("ETag", '"abc/123"', "abc/123"),
        (":path", "/x?key=abcd1234", "abcd1234"),
        ("X-Custom", "mail ada@corp.io", "ada@"),
        ("X-Amz-Security-Token", "abc", "abc"),
    ],
)
def test_headers_with_secrets(redactor: Redactor, name: str, value: str, gone: str) -> None:
    made = redactor.redact_header(name, value)
    assert gone not in made
    assert redactor.redact_header(name, made) == made


@pytest.mark.parametrize(
    ("name", "value"),
    [("Date", "Sat, 21 Nov 2026 03:00:00 GMT"), ("Content-Type", "application/json"),
     ("X-Empty", ""), ("User-Agent", "client/1.2.3 (gzip)"), ("Host", "admin.googleapis.com")],
)  # fmt: skip
def test_headers_without_secrets_stay(redactor: Redactor, name: str, value: str) -> None:
    assert redactor.redact_header(name, value) == value


def test_headers_that_came_twice_stay_twice(redactor: Redactor) -> None:
    made = redactor.redact_headers([("Set-Cookie", "a=1x1"), ("Set-Cookie", "b=2y2")])
    assert [value[:2] for _, value in made] == ["a=", "b="]


def test_headers_describe_the_body_as_it_is_now() -> None:
    digest = b64encode(md5(b"newer", usedforsecurity=False).digest()).decode()
    made = update_headers(
        (("content-length", "3"), ("Content-MD5", "x"), ("X-Goog-Hash", "crc32c=a")),
        b"old", b"newer", "",
    )  # fmt: skip
    assert made == (("content-length", "5"), ("Content-MD5", digest))


def test_a_length_is_that_of_what_is_sent() -> None:
    made = update_headers((("Content-Length", "9"),), b"old", b"n" * 500, "gzip;level=6")
    assert int(made[0][1]) < 100


def test_a_body_that_is_the_same_changes_no_header() -> None:
    headers = (("Content-Length", "lie"),)
    assert update_headers(headers, b"x", b"x", "") is headers
