"""Finds what is too random to be a word or a name: tokens and keys that no pattern describes."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from operator import ne

from mockserver.redaction.leakpacked import is_packed

_RUN = re.compile(rb"[A-Za-z0-9+/_=-]{24,}")
_TOKEN = re.compile(rb"[A-Za-z0-9_+=-]{24,}")
_LONGEST = 512
"""Bytes: what is longer is content, which is looked into, and no secret."""

_LEAST_BITS = 4.0
_LEAST_LOWER_BITS = 3.7
_LEAST_CHANGES = 0.42
"""Of its characters, those that are of another class than the one before: words change seldom."""

_LEAST_OF_EACH = 3
_LEAST_DIGITS = 2
_LOWER_SIZE = 32
_TOGETHER = re.compile(rb"[A-Za-z0-9]{12}")
_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]+")
"""Hashes and ids have a rule of their own."""
_LINE = re.compile(rb"[ \t]*[A-Za-z0-9+/_-]+={0,2}[ \t\r]*\n?")
_LONG_LINE = 56
_CLASSES = bytes(
    1 if 97 <= code <= 122 else 2 if 65 <= code <= 90 else 3 if 48 <= code <= 57 else 0
    for code in range(256)
)


def random_texts(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Where something random stands in a text, and what.

    >>> [text for _, text in random_texts(b"id:Zx8Qp0vN3rT6yB1kM9wL4sD7 OrganizationalUnitsV1")]
    [b'Zx8Qp0vN3rT6yB1kM9wL4sD7']

    Yields:
        Offset and text.
    """
    for run in _RUN.finditer(content):
        if is_packed(run[0]) or _is_wrapped(content, run):
            continue
        for match in _TOKEN.finditer(run[0]):
            if len(match[0]) <= _LONGEST and _is_random(match[0]):
                yield run.start() + match.start(), match[0]


def _is_random(token: bytes) -> bool:
    classes = token.translate(_CLASSES)
    digits, lower, upper = (classes.count(kind) for kind in b"\3\1\2")
    if digits < _LEAST_DIGITS or not _TOGETHER.search(token) or _HEXADECIMAL.fullmatch(token):
        return False
    changes = sum(map(ne, classes, classes[1:])) / len(token)
    if changes < _LEAST_CHANGES:
        return False
    if min(lower, upper) >= _LEAST_OF_EACH:
        return _bits(token) >= _LEAST_BITS
    return len(token) >= _LOWER_SIZE and token.isalnum() and _bits(token) >= _LEAST_LOWER_BITS


def _bits(token: bytes) -> float:
    """Shannon's entropy, in bits a byte."""
    size = len(token)
    return -sum(count / size * math.log2(count / size) for count in Counter(token).values())


def _is_wrapped(content: bytes, run: re.Match[bytes]) -> bool:
    """Whether it is a line of many: binary content that was wrapped, which is looked into."""
    start = content.rfind(b"\n", 0, run.start()) + 1
    end = _line_end(content, start)
    if not _LINE.fullmatch(content, start, end):
        return False
    before = content.rfind(b"\n", 0, max(0, start - 1)) + 1
    neighbours = ((before, start), (end, _line_end(content, end)))
    return any(
        last - first >= _LONG_LINE and _LINE.fullmatch(content, first, last)
        for first, last in neighbours
    )


def _line_end(content: bytes, start: int) -> int:
    end = content.find(b"\n", start)
    return len(content) if end < 0 else end + 1
