"""What a match must pass besides its pattern."""

import ipaddress
import re

from mockserver.redaction.numbers import luhn, valid_iban
from mockserver.redaction.reserved import looks_opaque, stands_for_all

_ISSUERS = re.compile(r"3[0-9]|4|5[0-9]|6|2[2-7]")


def passes(check: str, text: str) -> bool:
    """Whether a match is what its rule looks for.

    Args:
        check: One of `mockserver.redaction.rules.CHECKS`.
        text: What the pattern or the field gave.

    >>> passes("ipv4", "10.1.2.3"), passes("ipv4", "10.1.2.300"), passes("opaque", "open")
    (True, False, False)
    """
    match check:
        case "luhn":
            digits = re.sub(r"\D", "", text)
            return _ISSUERS.match(digits) is not None and luhn(digits)
        case "iban":
            return valid_iban(text)
        case "ipv4" | "ipv6":
            return _is_address(check, text)
        case "hex":
            return not is_text_in_hex(text)
        case "opaque":
            return looks_opaque(text) and not stands_for_all(text)
        case _:
            return True


def is_text_in_hex(text: str) -> bool:
    """Whether hex digits are a text: it is opened then, instead of being taken for a hash.

    >>> is_text_in_hex("616461406578616d706c652e6f7267"), is_text_in_hex("d41d8cd98f00b204")
    (True, False)
    """
    try:
        return bytes.fromhex(text).decode("ascii").isprintable()
    except ValueError:
        return False


def _is_address(check: str, text: str) -> bool:
    try:
        if check == "ipv4":
            ipaddress.IPv4Address(text)
        else:
            ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return check == "ipv4" or any(sign.isdigit() for sign in text)
