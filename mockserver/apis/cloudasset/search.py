"""The query language of Cloud Asset's searches: words of fields, prefixes, exact values.

`field:text` finds text as words of the field, `field=text` the whole value, a trailing `*` the
beginning of a word, and a word alone looks into every field. Source: Discovery document.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

from mockserver.googleapi import (
    Comparison,
    FilterError,
    Leaf,
    Text,
    bad_fields,
    holds,
    parse_filter,
    values_at,
)
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

Test = Callable[[JsonObject], bool]

_WORD = re.compile(r"[A-Za-z0-9_]+")
_ANY = "*"
_ORDERED = frozenset({"<", "<=", ">", ">="})


def query_test(text: str) -> Test | None:
    """The test that a query puts to a row; None when there is no query.

    Raises:
        ApiError: 400; the query cannot be read.
    """
    if not text.strip():
        return None
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise bad_fields([("query", f"Invalid query: {error}.")]) from error
    return lambda row: holds(tree, partial(_meets, row))


def _meets(row: JsonObject, leaf: Leaf) -> bool:
    if isinstance(leaf, Comparison):
        return _meets_field(values_at(row, leaf.field), leaf.operator, leaf.text)
    return isinstance(leaf, Text) and any(has_words(text, leaf.text) for text in texts(row))


def _meets_field(found: list[Json], operator: str, wanted: str) -> bool:
    if operator in _ORDERED:
        return any(_compared(each, operator, wanted) for each in found)
    if wanted == _ANY:
        return bool(found)
    told = [text for each in found for text in texts(each)]
    if operator == "=":
        return any(text.casefold() == wanted.casefold() for text in told)
    met = any(has_words(text, wanted) for text in told)
    return not met if operator == "!=" else met


def has_words(text: str, wanted: str) -> bool:
    """Whether the words of a query are words of a text, side by side; `*` ends a prefix.

    >>> has_words("us-west1-b", "us-west*"), has_words("important", "port")
    (True, False)
    """
    have = [word.casefold() for word in _WORD.findall(text)]
    want = [word.casefold() for word in _WORD.findall(wanted)]
    if not want:
        return wanted == _ANY
    prefix = wanted.endswith(_ANY)
    for start in range(len(have) - len(want) + 1):
        part = have[start : start + len(want)]
        last = part[-1].startswith(want[-1]) if prefix else part[-1] == want[-1]
        if last and part[:-1] == want[:-1]:
            return True
    return False


def texts(value: Json) -> Iterator[str]:
    """Every text in a value, keys of maps too.

    Yields:
        Each text.
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif value is not None:
        yield str(value)


def _compared(found: Json, operator: str, wanted: str) -> bool:
    try:
        one, other = parse_rfc3339(str(found)), _moment(wanted)
    except (ValueError, OverflowError):
        return False
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[operator]


def _moment(text: str) -> datetime:
    """A time as queries write it: seconds since 1970, a day, or a timestamp."""
    if text.isdecimal():
        return datetime.fromtimestamp(int(text), UTC)
    return parse_rfc3339(text if "T" in text else f"{text}T00:00:00Z")
