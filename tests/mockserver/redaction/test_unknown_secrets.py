import base64
import textwrap
import zlib
from dataclasses import replace

import pytest

from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.unknown_secrets import (
    UnknownSecrets,
    _codes_a_stand_in,
    _is_fraction,
    find_random_texts,
    find_vendor_secrets,
)

RULES = RuleSet.default()
UNKNOWN = UnknownSecrets(RULES)
SAMPLES = {
    "email": "mail ann.lovelace@corp.io now",
    "api_key": "key AIzaSyA1234567890abcdefghijklmnopqrstuv end",
    "access_token": "use ya29.a0AfH6SMBx-12345 here",
    "card": "card 4111 1111 1111 1111 used",
    "ipv4": "from 10.20.30.40 at",
    "jwt": "t eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl x",
    "assigned": 'password="hunter2hunter2"',
    "random": "value Zx8Qp0vN3rT6yB1kM9wL4sD7 end",
    "aws_access_key": "id AKIA" + "IOSFODNN7EXAMPLZ end",
}


@pytest.mark.parametrize("kind", SAMPLES, ids=str)
def test_what_looks_like_a_secret_is_found(kind: str) -> None:
    assert kind in {found.kind for found in UNKNOWN.find(SAMPLES[kind].encode())}


@pytest.mark.parametrize("kind", sorted(SAMPLES.keys() - {"random"}), ids=str)
def test_a_pseudonym_is_no_finding(kind: str) -> None:
    redacted = Redactor(RULES, b"key").redact_text(SAMPLES[kind])
    assert redacted != SAMPLES[kind]
    assert list(UNKNOWN.find(redacted.encode())) == []


@pytest.mark.parametrize(
    "text",
    ["ann@example.com", "192.0.2.7", "10.1.2.300", "4111 1111 1111 1112", "token: [redacted]"],
)
def test_what_stands_for_nobody_is_no_finding(text: str) -> None:
    assert list(UNKNOWN.find(text.encode())) == []


def test_what_is_allowed_is_no_finding() -> None:
    allowing = UnknownSecrets(replace(RULES, allow=(r"[a-z]+@corp\.io", "[A-Za-z0-9]{24}")))
    assert list(allowing.find(b"ann@corp.io Zx8Qp0vN3rT6yB1kM9wL4sD7")) == []
    assert [found.kind for found in allowing.find(b"ann.l@corp.io")] == ["email"]


def test_a_judgement_is_remembered() -> None:
    text = b"ann@corp.io ann@corp.io"
    assert [found.start for found in UNKNOWN.find(text) if found.kind == "email"] == [0, 12]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Basic cmVkYWN0ZWQtc2VjcmV0LWM0ZGVhMzc4MjMxZGU4M2E6", id="basic"),
        pytest.param("refresh_token=1%2F%2Fredacted-14b0ff565f57fa14&x=1", id="form"),
        pytest.param(
            "postgresql://redacted-secret-c4dea378231de83a:redacted-secret-9b4cb009f5d747c1"
            "@db.corp.io:5432/reports",
            id="a URL's password",
        ),
        pytest.param(
            "X-Goog-Signature=00000000e452e35a28269fc6a0aadb0e8f73b0d6d0768498", id="assigned"
        ),
    ],
)
def test_a_pseudonym_is_no_finding_however_it_is_coded(text: str) -> None:
    assert list(UNKNOWN.find(text.encode())) == []


def test_what_parts_the_parts_of_a_message_is_no_finding() -> None:
    boundary = "9eda6228-472c-780e-f720-6a47f2579271"
    text = f"content-type: multipart/form-data; boundary={boundary}\n--{boundary}--"
    assert list(UnknownSecrets(RULES).find(text.encode())) == []
    assert [found.kind for found in UnknownSecrets(RULES).find(boundary.encode())] == ["uuid"]


def test_credentials_and_their_coding_are_found_beside_pseudonyms() -> None:
    for text in ("Basic cmVwb3J0aW5nOnRyMG1ib25lLVF1YXJyeS04MQ==", "postgresql://bob:pass99@a.io"):
        assert list(UNKNOWN.find(text.encode()))


STOOD_IN = b"id redacted-id-0123456789abcdef and more of it"


@pytest.mark.parametrize("window", [zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS, 0])
@pytest.mark.parametrize(("plain", "is_one"), [(STOOD_IN, True), (STOOD_IN.upper(), False)])
def test_base64_of_a_stand_in_is_known_however_it_is_packed(
    window: int, plain: bytes, is_one: bool
) -> None:
    if window:
        coder = zlib.compressobj(wbits=window)
        plain = coder.compress(plain) + coder.flush()
    assert _codes_a_stand_in(base64.b64encode(plain)) is is_one


@pytest.mark.parametrize(
    ("content", "found"),
    [(b".1234", False), (b"a.1234", False), (b"0.1234", True), (b"1,1234", False)],
)
def test_digits_behind_a_point_are_a_fraction(content: bytes, found: bool) -> None:
    assert _is_fraction(content, content.index(b"1234")) is found


RANDOM = b"Zx8Qp0vN3rT6yB1kM9wL4sD7"
LOWER = b"q7w3x9k2m5z8v1b4n6p0r3t7y2h5j8d1"


@pytest.mark.parametrize("text", [RANDOM, LOWER, RANDOM[:12] + b"-" + RANDOM[12:]])
def test_what_is_random_is_found(text: bytes) -> None:
    assert list(find_random_texts(b'{"a": "' + text + b'"}')) == [(7, text)]


@pytest.mark.parametrize(
    "text",
    [
        b"OrganizationalUnitsListResponseV1Beta2",
        b"gke-prod-eu-default-pool-3c1d9e2f-7h2k",
        b"projects/shop-prod/locations/europe-west1/clusters/prod-eu",
        b"07f37c94ae2815c5fc2ee19a52675bf3ac2591f423a6ab7b9340ea68e6814ccc",
        b"00000000-1111-2222-3333-444444444444",
        b"1234567890123456789012345678901234567890",
        b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        RANDOM * 30,
    ],
    ids=["words", "pod", "path", "hash", "uuid", "number", "one letter", "content"],
)
def test_what_is_no_secret_is_left(text: bytes) -> None:
    assert not list(find_random_texts(text))


def test_content_that_was_wrapped_is_left_but_not_a_line_alone() -> None:
    coded = base64.b64encode(bytes((at * 89 + at // 7) % 256 for at in range(200)))
    wrapped = "\n".join(textwrap.wrap(coded.decode(), 76)).encode()
    assert not list(find_random_texts(wrapped))
    assert list(find_random_texts(b"a\n" + coded[:76] + b"\nb\n"))


EXAMPLES = {
    "aws_access_key": "AKIA" + "IOSFODNN7EXAMPLE",
    "github_token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "slack_token": "xoxb-" + "123456789012-123456789012-abcdefghij",
    "discord_bot_token": "M" + "1" * 23 + ".G1a2b3." + "c" * 27,
    "stripe_access_key": "sk_live_" + "a1b2c3d4e5f6g7h8i9j0k1l2",
    "basic_auth_credentials": "https://ann:" + "hunter2@corp.test/",
    "private_key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "mailchimp_access_key": "0123456789abcdef0123456789abcdef" + "-us12",
}


@pytest.mark.parametrize("kind", EXAMPLES, ids=str)
def test_what_vendors_hand_out_is_found(kind: str) -> None:
    content = b'first line\n{"text": "see ' + EXAMPLES[kind].encode() + b'", "more": 1}'
    assert kind in {found for _, _, found in find_vendor_secrets(content)}


def test_a_place_is_that_of_the_secret() -> None:
    content = b"x" * 5000 + b" " + EXAMPLES["github_token"].encode()
    assert {at for at, _, _ in find_vendor_secrets(content)} == {5001}


@pytest.mark.parametrize("before", [b"", b"x=", b"y" * 30 + b" "])
def test_what_has_its_sign_in_the_middle_is_found_from_its_begin(before: bytes) -> None:
    token = EXAMPLES["discord_bot_token"].encode()
    found = [(at, text) for at, text, _ in find_vendor_secrets(before + token + b"\nand more")]
    assert found == [(len(before), token)]


def test_ordinary_text_has_nothing() -> None:
    assert not list(find_vendor_secrets(b"https://example.com/ a@b SG.x AKIA short"))
