"""Texts and bodies as YAML scalars: written so that every reader reads the same, read back fast.

A text is plain where no YAML reader could take it for anything but a string, else in single quotes,
and in double quotes where a character must be escaped; what is in double quotes is also a JSON
string. A body is text that a reviewer can read, exact to the byte, or base64 where it is no text.
"""

import base64
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
        return quote(text)
    return "'" + text.replace("'", "''") + "'"


def quote(text: str) -> str:
    r"""A text in double quotes, on one line.

    >>> quote("a\r\n\x7f")
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


LINE = 100
"""Characters: a longer text without line ends is broken into lines."""
_BREAKS = re.compile(
    r"""(?<=[,{\[])(?=\\"|[{\[0-9-])|(?<=[,{\[]\ )(?=\\"|[{\[0-9-])|(?<=\\n)(?=[^ "])"""
)
"""Where a line may end: never before a space, and never inside an escape."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTINUED = re.compile(r"\\\n *")
_DEEPEST = 12
_BASE64_LINE = 76


def body_text(body: bytes) -> str | None:
    r"""The text a body is written as; None where it is written in base64.

    >>> body_text(b"a\n"), body_text(b"\x00"), body_text(b"\xff")
    ('a\n', None, None)
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROLS.search(text) else text


def write_body(body: bytes, indent: int) -> str:
    r"""What stands after `string:`, with a space before it and without the last line end.

    Args:
        body: The content.
        indent: How many spaces stand before each line that follows.

    >>> write_body(b'{"a": 1}', 8)
    ' \'{"a": 1}\''
    """
    text = body_text(body)
    if text is None:
        return _binary(body, " " * indent)
    if "\n" not in text and len(text) <= LINE and not UNREADABLE.search(text):
        return " '" + text.replace("'", "''") + "'"
    if "\n" in text.rstrip("\n") and text[0] not in " \t\n" and not UNREADABLE.search(text):
        return _block(text, " " * indent)
    return " " + _break_lines(quote(text), indent)


def _binary(body: bytes, pad: str) -> str:
    coded = base64.b64encode(body).decode()
    lines = [
        pad + coded[start : start + _BASE64_LINE] for start in range(0, len(coded), _BASE64_LINE)
    ]
    return "\n".join([" !!binary |", *lines])


def _block(text: str, pad: str) -> str:
    """A literal block: `|` ends with one line end, `|-` with none, `|+` with several."""
    kept = text.rstrip("\n")
    ends = len(text) - len(kept)
    sign = ("-", "", "+")[min(ends, 2)]
    content = re.sub(r"(?m)^(?=.)", pad, text)
    return f" |{sign}\n{content[:-1] if ends else content}"


def _break_lines(text: str, indent: int) -> str:
    """A long scalar in double quotes, one member or line of its text on each line."""
    lines = _BREAKS.split(text)
    depth = 0
    out = []
    for line in lines:
        out.append(" " * (indent + 2 * depth) + line)
        change = sum(map(line.count, "{[")) - sum(map(line.count, "}]"))
        depth = max(0, min(_DEEPEST, depth + change))
    return "\\\n".join(out).lstrip(" ")


def read_block(sign: str, lines: str, pad: str) -> str | None:
    """The text of a literal block of ours.

    Args:
        sign: What stands after the `|`.
        lines: The lines as they stand there, with the last line end.
        pad: The spaces before each line that is not empty.

    Returns:
        The text; None for a block that we would not write.
    """
    if lines[: len(pad)] != pad or lines[len(pad) : len(pad) + 1] in {" ", "\t", "\n", ""}:
        return None
    text = lines[len(pad) :].replace("\n" + pad, "\n")
    kept = text.rstrip("\n")
    if sign == "+":
        return text
    if len(text) - len(kept) != 1:
        return None  # what is cut or clipped depends on the reader's rules, not ours
    return kept if sign == "-" else text


def read_binary(lines: str) -> bytes | None:
    """The bytes of lines of base64; None where they are none."""
    coded = lines.replace("\n", "").replace(" ", "")
    try:
        body = base64.b64decode(coded, validate=True)
    except ValueError:
        return None
    return body if base64.b64encode(body).decode() == coded else None


def read_flow(text: str) -> str | None:
    """The text of a scalar of ours that may go over several lines."""
    if text[:1] != '"':
        return None if "\n" in text else read_scalar(text)
    joined = _CONTINUED.sub("", text)
    return None if "\n" in joined else read_quoted(joined)
