"""Headers."""

from base64 import b64encode
from hashlib import md5

import pytest

from mockserver.redaction import Redactor, generalise_pseudonyms
from mockserver.redaction.headers import redact_form, redact_parameter, redact_url, update_headers
from mockserver.redaction.value_redactor import ValueRedactor


def shown(redacted: str) -> str:
    """A redacted text, with the kind of each pseudonym in its place."""
    return generalise_pseudonyms(redacted, credentials_only=False)


@pytest.mark.parametrize(
    ("name", "value", "made"),
    [
        ("X-Goog-Api-Key", "k-123456", "<secret>"),
        ("X-Forwarded-For", "10.2.3.4, 10.2.3.5", "<ipv4>, <ipv4>"),
        ("Location", "/u/ada@corp.io?token=abcd1234", "/u/<email>?token=<secret>"),
        (
            "Link",
            '<https://h.io/x?pageToken=abc123>; rel="next"',
            '<https://h.io/x?pageToken=<id>>; rel="next"',
        ),
        ("x-goog-user-project", "my-proj", "<project>"),
        ("ETag", '"abc/123"', '"<id>"'),
        (":path", "/x?key=abcd1234", "/x?key=<secret>"),
        ("X-Custom", "mail ada@corp.io", "mail <email>"),
        ("X-Amz-Security-Token", "abc", "<secret>"),
    ],
)  # fmt: skip
def test_headers_with_secrets(redactor: Redactor, name: str, value: str, made: str) -> None:
    redacted = redactor.redact_header(name, value)
    assert shown(redacted) == made
    assert redactor.redact_header(name, redacted) == redacted


@pytest.mark.parametrize(
    ("name", "value"),
    [("Date", "Sat, 21 Nov 2026 03:00:00 GMT"), ("Content-Type", "application/json"),
     ("X-Empty", ""), ("User-Agent", "client/1.2.3 (gzip)"), ("Host", "admin.googleapis.com"),
     ("Host", "10.20.30.40:8080"), ("ACCEPT", "image/x; for=ada@corp.io")],
)  # fmt: skip
def test_headers_without_secrets_stay(redactor: Redactor, name: str, value: str) -> None:
    assert redactor.redact_header(name, value) == value


def test_headers_that_came_twice_stay_twice(redactor: Redactor) -> None:
    made = redactor.redact_headers([("Set-Cookie", "a=1x1"), ("Set-Cookie", "b=2y2")])
    assert [value[:2] for _, value in made] == ["a=", "b="]


def test_headers_describe_the_body_as_it_is_now() -> None:
    digest = b64encode(md5(b"newer", usedforsecurity=False).digest()).decode()
    made = update_headers(
        (("content-length", " 3"), ("Content-MD5", "x"), ("X-Goog-Hash", "crc32c=a"),
         ("content-length", "?"), ("X-Count", "3"), ("Content-Type", "a/b")),
        b"old", b"newer", "",
    )  # fmt: skip
    assert made == (
        ("content-length", "5"), ("Content-MD5", digest),
        ("content-length", "?"), ("X-Count", "3"), ("Content-Type", "a/b"),
    )  # fmt: skip


def test_a_length_is_that_of_what_is_sent() -> None:
    made = update_headers((("Content-Length", "9"),), b"old", b"n" * 500, "gzip;level=6")
    assert int(made[0][1]) < 100


def test_a_body_that_is_the_same_changes_no_header() -> None:
    headers = (("Content-Length", "lie"),)
    assert update_headers(headers, b"x", b"x", "") is headers


@pytest.mark.parametrize(
    ("url", "made"),
    [
        ("https://ada:pw-1234@h.io:8443/x", "https://<secret>:<secret>@h.io:8443/x"),
        ("/admin/users/ada%40corp.io?key=abcd1234", "/admin/users/<email>?key=<secret>"),
        ("/v1/projects/my-proj/logs?pageToken=t1", "/v1/projects/<project>/logs?pageToken=<id>"),
        (
            "/v2/a?filter=logName%3D%22projects%2Fmy-proj%2Flogs%2Fx%22",
            "/v2/a?filter=logName%3D%22projects%2F<project>%2Flogs%2Fx%22",
        ),
        ("/a%2Fb/devices/ser%2F99x", "/a%2Fb/devices/<id>"),
        ("/cb#access_token=abcd1234&state=s", "/cb#access_token=<secret>&state=s"),
        ("mailto:ada@corp.io", "mailto:<email>"),
        (
            "/x?next=https%3A%2F%2Fh.io%2Fy%3Fkey%3Dabcd1234",
            "/x?next=https%3A%2F%2Fh.io%2Fy%3Fkey%3D<secret>",
        ),
        (
            "/x?q=ada%40corp.io+bob%40corp.io",
            "/x?q=user-f5e40f2d%40<domain>+user-e9689b4a%40<domain>",
        ),
        ("/x?q=ada%40corp.io+a%20b", "/x?q=user-f5e40f2d%40<domain>%20a%20b"),
        ("/projects/v1/users/ada%40corp.io", "/projects/v1/users/<email>"),
        ("/x?ada%40corp.io=1", "/x?user-f5e40f2d%40<domain>=1"),
        ("redis://u:pw-1234@h/0", "redis://<secret>:<secret>@h/0"),
    ],
)  # fmt: skip
def test_parts_of_a_url(values: ValueRedactor, url: str, made: str) -> None:
    redacted = redact_url(values, url)
    assert shown(redacted) == made
    assert redact_url(values, redacted) == redacted


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
