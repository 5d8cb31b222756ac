"""What a match must pass."""

import re
from base64 import b64encode

import pytest

from mockserver.redaction.match_checks import is_text_in_hex, passes_check
from mockserver.redaction.rule import CHECKS, FIELD_CHECKS
from tests.documents import DOCS

DOCUMENT = DOCS["redaction"]


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        ("", "anything", True),
        ("luhn", "4111 1111 1111 1111", True),
        ("luhn", "4111 1111 1111 1112", False),
        ("luhn", "1111111111111117", False),
        ("luhn", "4006381000093", False),  # an EAN by its check digit, too
        ("iban", "DE89370400440532013000", True),
        ("iban", "DE88370400440532013000", False),
        ("ipv4", "10.0.0.1", True),
        ("ipv4", "10.0.0.256", False),
        ("ipv6", "2001:db8::1", True),
        ("ipv6", "10:30:12", False),
        ("ipv6", "a::b", False),
        ("hex", "d41d8cd98f00b204e9800998ecf8427e", True),
        ("hex", b"a text in hex...".hex(), False),
        ("opaque", "PF2X9K1", True),
        ("opaque", "DEVICE_ID_1", False),
        ("pem", "BEGIN\nMIIEvQIBADANBgkq\nEND", True),
        ("pem", "no key", False),
        ("scheme", "Bearer a81f", True),
        ("scheme", "Bearer token", False),
        ("secretlike", "Tulip-42", True),
        ("secretlike", "tulips", False),
        ("secretlike", "v10.4.2", False),
        ("random", "q1w2e3r4t5y6", True),
        ("random", "resetpassword", False),
        ("name", "Ada Berg", True),
        ("name", "Support Team", False),
        ("national", "12345678Z", True),
        ("national", "12345678A", False),
        ("national", "001-45-6789", True),
        ("national", "000-45-6789", False),
        ("national", "666-45-6789", False),
        ("mnemonic", "tulip " * 12, True),
        ("mnemonic", "tulip " * 11 + "the", False),
        ("etag", '"a1/b2"', True),
        ("etag", '"33a64df5"', False),
        ("mac", "00:1B:44:11:3A:B7", True),
        ("mac", "00:00:00:00:00:00", False),
        ("mac", "aa:aa:aa:aa:aa:aa", False),
        ("mac", "11:22:33:44:55:66", False),
        ("mac", "ab-ab-ab-ab-ab-ab", True),
        ("name", "Ada Lovelace", True),
        ("name", "Ada van der Lovelace", True),
        ("name", "Ada King Lovelace", True),
        ("name", "Ada lovelace", False),
        ("name", "ada Lovelace", False),
        ("name", "ada King Lovelace", False),
        ("name", "Ada King lovelace", False),
        ("name", "Ada", False),
        ("name", "Ada System", False),
        ("etag", '"abc/def"', True),
        ("etag", '"abcdef"', False),
        ("person", "ann/tools", False),
        ("person", "Ann Tools", True),
        ("cookies", "theme=dark; sid=a81f", True),
        ("cookies", "theme=dark; Path=/", False),
        ("person", "Ada Berg", True),
        ("person", "corp/shop", False),
        ("code", "ab1", True),
        ("code", "required", False),
        ("set", "sunflower", True),
        ("set", "required", False),
        ("basic", b64encode(b"ann:sunflower").decode(), True),
        ("basic", "sunflower", False),
        ("phrase", "tulip 42 quarry", True),
        ("phrase", "must have 8 characters", False),
        ("assigned", "a81f", True),
        ("assigned", "getToken(", False),
        ("secretlike", "tul1ps", True),
        ("secretlike", "tul1p", False),
        ("secretlike", "tulip!", True),
        ("secretlike", "tUlips", True),
        ("secretlike", "Tulips", False),
        ("secretlike", "TULIPS", False),
        ("secretlike", "!!1234", False),
        ("secretlike", "!!!!!!", False),
        ("secretlike", "$TULIP42", False),
        ("random", "q1w2abcdefgh", True),
        ("random", "q1w2abcdefg", False),
        ("random", "q1wabcdefghi", False),
        ("random", "123456789012", False),
        ("random", "q1w2.bcdefgh", False),
        ("set", "Required", False),
        ("set", "42", False),
        ("set", "$TULIP", False),
        ("luhn", "378282246310005", True),
        ("luhn", "2223003122003222", True),
        ("luhn", "9111111111111112", False),
        ("name", "山田 太郎", True),
        ("name", "Ada B C D", True),
        ("name", "Ada B C D E", False),
        ("mnemonic", "tulip " * 13, False),
        ("mnemonic", "tulip " * 24, True),
        ("phrase", "tulip quarry", False),
        ("phrase", "tulip! quarry", True),
        ("phrase", "the tulip 42", False),
        ("phrase", "a tulip 42", False),
        ("basic", b64encode(b"annsunflower").decode(), False),
        ("basic", b64encode(b"ann:\x01").decode(), False),
        ("cookies", "sid=; Max-Age=9a; HttpOnly", False),
        ("cookies", 'sid="a81f"', True),
        ("mac", "001b.4411.3ab7", True),
        ("etag", 'W/"a1/b2"', True),
        ("ipv6", "::1", True),
        ("code", "1", True),
    ],
)
def test_checks(check: str, text: str, *, expected: bool) -> None:
    assert passes_check(check, text) is expected


def test_an_odd_number_of_digits_is_no_text() -> None:
    assert not is_text_in_hex("abc")


def test_each_check_has_what_it_accepts_and_what_it_refuses() -> None:
    cases = test_checks.pytestmark[0].args[1]  # type: ignore[attr-defined]
    tried = {(check, expected) for check, _, expected in cases if check}
    assert tried == {(check, expected) for check in CHECKS for expected in (True, False)}


def test_the_documentation_lists_the_checks() -> None:
    table = re.findall(r"(?m)^\| `(\w+)` \| (.+) \| (yes|no) \|$", DOCUMENT)
    assert table == [
        (name, about, "yes" if name in FIELD_CHECKS else "no") for name, about in CHECKS.items()
    ]
