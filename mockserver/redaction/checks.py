"""What a match must pass besides its pattern."""

import ipaddress
import re
from collections.abc import Callable, Mapping

from mockserver.redaction.numbers import luhn, valid_iban
from mockserver.redaction.reserved import looks_opaque, stands_for_all
from mockserver.redaction.rule import Rule

_ISSUERS = re.compile(r"3[0-9]|4|5[0-9]|6|2[2-7]")


def passes(check: str, text: str) -> bool:
    """Whether a match is what its rule looks for.

    Args:
        check: One of `mockserver.redaction.rules.CHECKS`.
        text: What the pattern or the field gave.

    >>> passes("ipv4", "10.1.2.3"), passes("ipv4", "10.1.2.300"), passes("opaque", "open")
    (True, False, False)
    """
    test = _TESTS.get(check)
    return test is None or test(text)


def fits_field(rule: Rule, text: str) -> bool:
    """Whether the value of a field that a rule names is what the rule looks for.

    A field called `iban` holds an account whether its check digits are right or not; only ids must
    look like one.
    """
    return rule.check != "opaque" or _is_opaque(text)


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return _ISSUERS.match(digits) is not None and luhn(digits)


def _is_opaque(text: str) -> bool:
    return looks_opaque(text) and not stands_for_all(text)


def is_text_in_hex(text: str) -> bool:
    """Whether hex digits are a text: it is opened then, instead of being taken for a hash.

    >>> is_text_in_hex("616461406578616d706c652e6f7267"), is_text_in_hex("d41d8cd98f00b204")
    (True, False)
    """
    try:
        return bytes.fromhex(text).decode("ascii").isprintable()
    except ValueError:
        return False


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return any(sign.isdigit() for sign in text)


_TESTS: Mapping[str, Callable[[str], bool]] = {
    "luhn": _is_card,
    "iban": valid_iban,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "hex": lambda text: not is_text_in_hex(text),
    "opaque": _is_opaque,
}
