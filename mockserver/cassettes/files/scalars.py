"""Texts as YAML scalars: written so that every loader reads the same text, and read back fast.

Plain where no YAML reader could take it for anything but a string, else in single quotes, and in
double quotes where a character must be escaped. What is in double quotes is also a JSON string.
"""

import re
from functools import lru_cache

import orjson

_PLAIN = re.compile(r"[A-Za-z/](?:[!-9;-~]|:(?=[!-~])| (?=[!\"$-~]))*")
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})
_ESCAPED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What a YAML reader refuses or takes for an end of line when it stands there unescaped."""


@lru_cache(maxsize=4096)
def is_plain(text: str) -> bool:
    """Whether a text needs no quotes.

    >>> is_plain("text/html; q=0.5"), is_plain("12"), is_plain("No"), is_plain("a: b")
    (True, False, False, False)
    """
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS


@lru_cache(maxsize=4096)
def scalar(text: str) -> str:
    r"""A text as one line of YAML.

    >>> scalar("gzip"), scalar("it's 1"), scalar("12"), scalar("a\tb")
    ('gzip', "it's 1", "'12'", '"a\\tb"')
    """
    if is_plain(text):
        return text
    if _ESCAPED.search(text):
        return quoted(text)
    return "'" + text.replace("'", "''") + "'"


def quoted(text: str) -> str:
    r"""A text in double quotes, on one line.

    >>> quoted("a\r\n\x7f")
    '"a\\r\\n\\u007f"'
    """
    written = orjson.dumps(text).decode()
    return _DELETE.sub(_escape, written)


_DELETE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def read_scalar(text: str) -> str | None:
    """The text that a scalar of ours stands for; None for anything that we would not write.

    >>> read_scalar("'it''s'"), read_scalar("12")
    ("it's", None)
    """
    if text[:1] == "'":
        inner = text[1:-1]
        whole = len(text) > 1 and text[-1] == "'" and "'" not in inner.replace("''", "")
        return inner.replace("''", "'") if whole else None
    if text[:1] == '"':
        return read_quoted(text)
    return text if is_plain(text) else None


_FOREIGN_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
"""Halves of a pair: one character in JSON, two in YAML. We never write them."""


def read_quoted(text: str) -> str | None:
    """The text between double quotes, None unless it is a JSON string as we write them."""
    if _FOREIGN_ESCAPE.search(text):
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, str) else None
