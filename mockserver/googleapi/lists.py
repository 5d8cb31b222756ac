"""Lists: filters (AIP-160) over plain rows, orders (AIP-132), and pages with opaque tokens."""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2s
from typing import Any, TypeVar

import orjson

from mockserver.collections.query import LazySequence
from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import invalid
from mockserver.googleapi.scalars import camel_case
from mockserver.model import Json, JsonObject


def values_at(row: Json, path: str) -> list[Json]:
    """The values at a dotted path; each item of a list on the way.

    >>> values_at({"a": [{"bC": 1}, {"bC": 2}]}, "a.b_c")
    [1, 2]
    """
    if not path:
        return row if isinstance(row, list) else [row]
    if isinstance(row, list):
        return [value for each in row for value in values_at(each, path)]
    if not isinstance(row, dict):
        return []
    # a key may have dots of its own: the longest that is there is meant
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        head, rest = ".".join(parts[:count]), ".".join(parts[count:])
        for name in (head, camel_case(head)):
            if name in row:
                return values_at(row[name], rest)
    return []


_TERM = re.compile(r"^([A-Za-z_][\w.]*)(?:\s+(asc|desc))?$", re.IGNORECASE)


def order_rows(call: Call, rows: Sequence[JsonObject], default: str = "") -> Sequence[JsonObject]:
    """Rows in the order that a call asks for; absent values come first, ties stay as they were.

    Args:
        call: The call.
        rows: The rows.
        default: The order when none is asked for; empty leaves the rows as they are.

    Raises:
        ApiError: 400; the order cannot be read.
    """
    terms = order_terms(str(call.params.get("orderBy") or default))
    for path, down in reversed(terms):
        rows = sorted(rows, key=lambda row: order_rank(values_at(row, path)), reverse=down)
    return rows


def order_terms(text: str, parameter: str = "orderBy") -> list[tuple[str, bool]]:
    """The fields of an order (AIP-132), and whether each is from the greatest value to the least.

    Raises:
        ApiError: 400; the order cannot be read.

    >>> order_terms("name, create_time desc")
    [('name', False), ('create_time', True)]
    """
    found = []
    for term in [each.strip() for each in text.split(",") if each.strip()]:
        match = _TERM.match(term)
        if match is None:
            raise invalid(f"Invalid {parameter}: '{term[:200]}'.", location=parameter)
        found.append((match[1], (match[2] or "").lower() == "desc"))
    return found


def order_rank(found: Sequence[Json]) -> tuple[int, float, str]:
    """What a row is put in order by that has some values: absent ones, numbers, texts."""
    value: Json = found[0] if found else None
    if value is None:
        return (0, 0.0, "")
    if isinstance(value, int | float):
        return (1, float(value), "")
    text = str(value)
    # 64-bit integers are text in JSON
    return (1, float(text), "") if text.lstrip("-").isdecimal() else (2, 0.0, text)


T = TypeVar("T")


@dataclass(frozen=True)
class PageRule:
    """How one method pages, as its document or reference page says.

    Attributes:
        default: Page size when none is asked for.
        maximum: Larger sizes are coerced to this.
        size: Name of the size parameter (`maxResults`, `pageSize`).
        token: Name of the token parameter; empty where all there is comes in one answer.
        ignore: Parameters that may change between pages, beside size and token.
        mismatch: Message of the 400 for a token of another query or of no query.
    """

    default: int
    maximum: int
    size: str = "pageSize"
    token: str = "pageToken"  # noqa: S105  (a parameter's name)
    ignore: tuple[str, ...] = ()
    mismatch: str = "Request contains an invalid argument."


def page(call: Call, items: Iterable[T], rule: PageRule) -> tuple[Sequence[T], str]:
    """The page that a call asks for, and the token of the next one (empty at the end).

    Of what is found one by one only what the page needs is looked for. The token holds the offset,
    a digest of the method and its other parameters, and which item the page ended with, so that the
    next one goes on behind it also where others were added or removed before.

    Raises:
        ApiError: A negative size, or a token that was not given out for this query.
    """
    start, last = _page_place(call, rule)
    size = _page_size(call, rule)
    if not isinstance(items, Sequence):
        items = LazySequence(items)
    if not rule.token:
        return items[:size], ""
    start = _place_behind(items, start, last)
    end = start + size
    found = items[max(start, 0) : end + 1]  # counting all may mean to look for all
    if start < 0 or (not found and start > len(items)):
        raise invalid(rule.mismatch, location=rule.token)
    token = _next_token(call, rule, end, _mark(found[size - 1])) if len(found) > size > 0 else ""
    return found[: end - start], token


def list_page(
    call: Call,
    field: str,
    items: Iterable[T],
    rule: PageRule,
    show: Callable[[T], Any] | None = None,
    head: JsonObject | None = None,
) -> JsonObject:
    """The answer of a list: the page that a call asks for.

    Args:
        call: The call.
        field: The answer's field that holds the items.
        items: All there are.
        rule: How the method pages.
        show: What a caller sees of one; the item itself when None.
        head: Fields that stand before the items.

    Raises:
        ApiError: As `page`.
    """
    found, token = page(call, items, rule)
    return list_answer(field, found if show is None else list(map(show, found)), token, head)


def list_answer(
    field: str, items: Sequence[Any], token: str, head: JsonObject | None = None
) -> JsonObject:
    """The answer of a list, without an empty list and without an empty token.

    Args:
        field: The answer's field that holds the items.
        items: One page of them.
        token: The token of the next page, or an empty string.
        head: Fields that stand before the items.

    >>> list_answer("users", [{"id": "1"}], "", {"kind": "users"}), list_answer("users", [], "p2")
    ({'kind': 'users', 'users': [{'id': '1'}]}, {'nextPageToken': 'p2'})
    """
    answer = dict(head or {})
    if items:
        answer[field] = list(items)
    if token:
        answer["nextPageToken"] = token
    return answer


def each_of(rows: Sequence[T]) -> Iterator[T]:
    """Rows one after another, a few at a time read as they are asked for; no write comes between.

    Yields:
        Rows, in order.
    """
    start = 0
    while several := rows[start : start + _AT_ONCE]:  # to count all may mean to look for all
        yield from several
        start += _AT_ONCE


_AT_ONCE = 20


def _page_parameter(call: Call, name: str) -> object:
    return call.params[name] if name in call.params else call.body.get(name)


def _page_size(call: Call, rule: PageRule) -> int:
    asked = int(str(_page_parameter(call, rule.size) or 0))
    if asked < 0:
        raise invalid(
            f"Invalid value for {rule.size}: {asked}. It must not be negative.", location=rule.size
        )
    return min(asked or rule.default, rule.maximum)


def _page_place(call: Call, rule: PageRule) -> tuple[int, bytes]:
    """Where a page begins, and the mark of the item before it."""
    token = rule.token and _page_parameter(call, rule.token)
    if not token:
        return 0, b""
    try:
        offset, digest, last = urlsafe_b64decode(str(token).encode() + b"==").split(b".", 2)
        if digest != _query_digest(call, rule):
            raise invalid(rule.mismatch, location=rule.token)
        return int(offset), last
    except (ValueError, binascii.Error) as error:
        raise invalid(rule.mismatch, location=rule.token) from error


def _next_token(call: Call, rule: PageRule, offset: int, last: bytes) -> str:
    place = b"%d.%s.%s" % (offset, _query_digest(call, rule), last)
    return urlsafe_b64encode(place).decode().rstrip("=")


def _mark(item: object) -> bytes:
    """What an item is known by from page to page; empty for what has neither id nor name."""
    named = item
    if isinstance(item, dict):
        named = next((item[name] for name in _NAMES if item.get(name)), None)
    text = named if isinstance(named, str) else ""
    return blake2s(text.encode(), digest_size=4).hexdigest().encode() if text else b""


_NAMES = ("id", "name", "resourceName", "selfLink")
_MOST_MOVED = 1000
"""So far from where it was an item is looked for."""


def _place_behind(items: Sequence[Any], start: int, last: bytes) -> int:
    """Where a page begins behind the item that the one before ended with, wherever that is now."""
    if not last or start < 1 or any(_mark(each) == last for each in items[start - 1 : start]):
        return start
    ahead = items[start : start + _MOST_MOVED]
    first = max(start - 1 - _MOST_MOVED, 0)
    behind = items[first : start - 1]
    for place, each in enumerate(ahead):
        if _mark(each) == last:
            return start + place + 1
    for place, each in enumerate(reversed(behind)):
        if _mark(each) == last:
            return start - 1 - place
    return start - 1  # it was removed


def _query_digest(call: Call, rule: PageRule) -> bytes:
    skip = {rule.size, rule.token, *rule.ignore}
    query = [
        {name: value for name, value in given.items() if name not in skip}
        for given in (call.params, call.body)
    ]
    text = orjson.dumps([call.id, call.version, *query], option=orjson.OPT_SORT_KEYS)
    return blake2s(text, digest_size=9).hexdigest().encode()


def sync_token(owner: str, latest: int) -> str:
    """A token of a synchronization, of a list and the number of the latest change.

    >>> sync_token("ann", 7)
    'YW5uIDc'
    """
    return urlsafe_b64encode(f"{owner} {latest}".encode()).decode().rstrip("=")


def changed_since(call: Call, owner: str, token: str) -> dict[tuple[str, str], JsonObject] | None:
    """What changed since a token: table and key of each row, and the row as it was last.

    Returns:
        None for a token of another list, or of changes that are forgotten.
    """
    try:
        told, _, number = (
            urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode().rpartition(" ")
        )
        changes = call.world.history.since(int(number)) if told == owner else None
    except (binascii.Error, ValueError):
        changes = None
    if changes is None:
        return None
    found: dict[tuple[str, str], JsonObject] = {}
    for each in changes:
        place = each.collection, each.key
        row = call.world.table(each.collection).get(each.key)
        found[place] = row or each.before or found.get(place, {})
    return found
