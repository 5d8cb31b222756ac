"""Texts of agents and servers made fit for reports: they do nothing, and show no credential."""

import re
from typing import Any

REDACTED = "[redacted]"
_LEAST_USD = 0.0001
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\ufffe\uffff]"
)


def inert(text: str) -> str:
    r"""A text without credentials, whose control and direction characters are written as escapes.

    Line feeds and tabs stay. What is a credential is known by its shape (`Bearer ...`, private
    keys, tokens of known vendors).

    >>> inert("a" + chr(27) + "[31m Bearer abcdefgh12345678")
    'a\\x1b[31m [redacted]'
    """
    from mockserver.redaction import hide_credentials

    # first the escapes: RE2 takes no lone surrogates
    return hide_credentials(_ACTING.sub(_escape, text), REDACTED)


def inert_value(value: Any) -> Any:
    """A JSON value, each text of which is `inert`.

    >>> inert_value({"a": ["Bearer abcdefgh12345678", 1]})
    {'a': ['[redacted]', 1]}
    """
    if isinstance(value, str):
        return inert(value)
    if isinstance(value, dict):
        return {inert(str(key)): inert_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [inert_value(each) for each in value]
    return value


def one_line(text: str, most: int = 0) -> str:
    r"""The same on one line, cut to at most so many characters (0: as long as it is).

    >>> one_line("a\n  b", 2)
    'a…'
    """
    return shorten(" ".join(inert(text).split()), most)


def printable_line(text: str) -> str:
    """One line that moves no cursor and changes no colour, whatever the agent wrote."""
    line = " ".join(text.split())
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in line)


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters (0: any number), ending in `…` where it was cut."""
    return text if not most or len(text) <= most else text[: most - 1] + "…"


def cost_text(cost_usd: float) -> str:
    """An amount of US dollars; a small one is not told as nothing.

    >>> cost_text(0.0123), cost_text(0.00001), cost_text(0)
    ('0.0123 USD', 'under 0.0001 USD', '0 USD')
    """
    if cost_usd and cost_usd < _LEAST_USD:
        return f"under {_LEAST_USD:.4f} USD"
    return f"{cost_usd:.4f} USD" if cost_usd else "0 USD"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
