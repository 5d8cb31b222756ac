"""What a match must pass."""

import pytest

from mockserver.redaction.checks import is_text_in_hex, passes_check


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        ("", "anything", True),
        ("luhn", "4111 1111 1111 1111", True),
        ("luhn", "4111 1111 1111 1112", False),
        ("luhn", "1111111111111117", False),
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
    ],
)
def test_checks(check: str, text: str, *, expected: bool) -> None:
    assert passes_check(check, text) is expected


def test_an_odd_number_of_digits_is_no_text() -> None:
    assert not is_text_in_hex("abc")
