"""Headers."""

from base64 import b64encode
from hashlib import md5

import pytest

from mockserver.redaction import Redactor
from mockserver.redaction.headers import redact_form, redact_parameter, redact_url, update_headers
from mockserver.redaction.value_redactor import ValueRedactor


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


@pytest.mark.parametrize(
    ("url", "kept", "gone"),
    [
        ("https://ada:pw-1234@h.io:8443/x", ["@h.io:8443/x"], ["ada", "pw-1234"]),
        ("/admin/users/ada%40corp.io?key=abcd1234", ["/admin/users/user-", "?key="], ["abcd1234"]),
        ("/v1/projects/my-proj/logs?pageToken=t1", ["/v1/projects/project-", "/logs"], ["t1"]),
        ("/v2/a?filter=logName%3D%22projects%2Fmy-proj%2Flogs%2Fx%22", ["%2Flogs%2Fx"],
         ["my-proj"]),
        ("/a%2Fb/devices/ser%2F99x", ["/a%2Fb/devices/"], ["ser%2F99x"]),
        ("/cb#access_token=abcd1234&state=s", ["/cb#access_token="], ["abcd1234"]),
        ("mailto:ada@corp.io", ["mailto:"], ["ada@"]),
        ("/x?next=https%3A%2F%2Fh.io%2Fy%3Fkey%3Dabcd1234", ["https%3A%2F%2Fh.io%2Fy%3Fkey%3D"],
         ["abcd1234"]),
        ("/x?q=ada%40corp.io+bob%40corp.io", ["+user-"], ["ada%40", "bob%40"]),
        ("/x?ada%40corp.io=1", ["=1"], ["ada%40"]),
        ("redis://u:pw-1234@h/0", ["@h/0"], ["pw-1234"]),
    ],
)  # fmt: skip
def test_parts_of_a_url(values: ValueRedactor, url: str, kept: list[str], gone: list[str]) -> None:
    made = redact_url(values, url)
    assert all(piece in made for piece in kept), made
    assert not any(piece in made for piece in gone), made
    assert redact_url(values, made) == made


@pytest.mark.parametrize(
    "url",
    ["/v1/projects/-/x?alt=json&prettyPrint=false", "/x?a&b=&a=1", "/x?customer=my_customer",
     "https://host.corp.io/a%20b;v=1/c?d=%7e", "/v1/policies:resolve", "/x?state=open", "/%FF/x"],
)  # fmt: skip
def test_a_url_without_secrets_stays_to_the_character(values: ValueRedactor, url: str) -> None:
    assert redact_url(values, url) == url


def test_a_form_is_redacted_by_its_names(values: ValueRedactor) -> None:
    made = redact_form(values, "grant_type=refresh_token&client_secret=abc+123&x=%20")
    assert made.startswith("grant_type=refresh_token&client_secret=redacted-secret-")
    assert made.endswith("&x=%20")


def test_a_parameter_is_the_same_in_a_query(redactor: Redactor, values: ValueRedactor) -> None:
    assert (
        redactor.redact_target(f"/x?key={'a1' * 8}")
        == f"/x?key={redact_parameter(values, 'key', 'a1' * 8)}"
    )
