"""Whether rows meet the filter of a list."""

from collections.abc import Callable
from functools import lru_cache, partial

from mockserver.collections import LAST, Index, Store
from mockserver.collections.selections import ByIndex, Selection, Without
from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import invalid
from mockserver.googleapi.filter_trees import (
    ORDERS,
    Comparison,
    Function,
    Leaf,
    matches_wildcards,
    tree_selection,
    tree_test,
)
from mockserver.googleapi.filters import FilterError, parse_filter
from mockserver.googleapi.lists import values_at
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

Test = Callable[[JsonObject], bool]

_ANY = "*"
_LONGEST = 10_000


def filter_of(call: Call, parameter: str = "filter") -> Test | None:
    """The test that a call's filter puts to a row; None when there is no filter.

    Raises:
        ApiError: 400; the text is not in the language.
    """
    text = str(call.params.get(parameter) or "")
    return row_test(text, parameter) if text.strip() else None


def row_test(text: str, parameter: str = "filter") -> Test:
    """The test that a filter puts to a row.

    `=` compares text with `*` as a wildcard, numbers and times by value; `:` asks whether a list or
    map has something, or a text contains it; `field:*` whether it is there. A comparison with a
    list holds when it does for one of its items. A field that a row does not have is only unequal.

    Raises:
        ApiError: 400; the text is not in the language.
    """
    try:
        return _cached_test(text)
    except FilterError as error:
        raise invalid(f"Invalid {parameter}: {error}.", location=parameter) from error


def row_selection(text: str, store: Store, parameter: str = "filter") -> Selection:
    """The rows of a store that a filter means, as `row_test` says; equal values are looked up.

    Raises:
        ApiError: 400; the text is not in the language.
    """
    row_test(text, parameter)
    tree, look_up = parse_filter(text), partial(_look_up, store)
    return tree_selection(tree, store, _leaf_test, look_up, f"{parameter} {text}")


def _look_up(store: Store, leaf: Leaf) -> Selection | None:
    if not isinstance(leaf, Comparison) or leaf.operator not in {"=", "!="}:
        return None
    value = leaf.text
    if _ANY in value or _is_time(value):  # stored times are not those of the session
        return None
    ranks: list[tuple[str, Json]] = [("text", value), ("truth", value.lower())]
    number = _number(value)
    if number is not None and number == number:
        ranks.append(("number", number))
    bounds = [(rank, (*rank, LAST)) for rank in ranks]
    found = ByIndex(store, _index_of(leaf.field), bounds, words=f"{leaf.field} = {value[:80]}")
    return found if leaf.operator == "=" else Without(store, found)


@lru_cache(1024)
def _index_of(field: str) -> Index:
    """Rows by the values of a field: each with what it is, so that all can be compared."""
    return Index(lambda _, row: dict.fromkeys(filter(None, map(_rank, values_at(row, field)))))


def _rank(value: Json) -> tuple[str, Json] | None:
    if isinstance(value, bool):
        return "truth", str(value).lower()
    if isinstance(value, int | float):
        return "number", value
    return ("text", value) if isinstance(value, str) else None


def _is_time(text: str) -> bool:
    try:
        parse_rfc3339(text)
    except ValueError:
        return False
    return True


@lru_cache(256)
def _cached_test(text: str) -> Test:
    if len(text) > _LONGEST:
        raise FilterError(f"longer than {_LONGEST:,} characters")
    return tree_test(parse_filter(text), _leaf_test)


def _leaf_test(leaf: Leaf) -> Test:
    if isinstance(leaf, Function):
        raise FilterError(f"unknown function {leaf.name!r}")
    value = leaf.text
    if not isinstance(leaf, Comparison):
        return lambda row: any(value.casefold() in text for text in _texts(row))
    field, operator = leaf.field, leaf.operator
    if operator == "!=":
        return lambda row: not any(_is_equal(each, value) for each in values_at(row, field))
    if operator == ":" and value == _ANY:
        return lambda row: any(each not in ("", [], {}, None) for each in values_at(row, field))
    test = {":": _contains, "=": _is_equal}.get(operator) or _order_test(operator)
    return lambda row: any(test(each, value) for each in values_at(row, field))


def _is_equal(found: Json, value: str) -> bool:
    if isinstance(found, bool):
        return str(found).lower() == value.lower()
    if isinstance(found, int | float):
        number = _number(value)
        return number is not None and found == number
    if not isinstance(found, str):
        return False
    return matches_wildcards(found, value)


def _contains(found: Json, value: str) -> bool:
    if isinstance(found, dict):
        return value in found
    if isinstance(found, str):
        return value.replace(_ANY, "").casefold() in found.casefold()
    return _is_equal(found, value)


def _order_test(operator: str) -> Callable[[Json, str], bool]:
    test = ORDERS[operator]

    def compare(found: Json, value: str) -> bool:
        one, other = _number(found), _number(value)
        if one is not None and other is not None:
            return bool(test(one, other))
        try:
            return bool(test(parse_rfc3339(str(found)), parse_rfc3339(value)))
        except ValueError:
            return isinstance(found, str) and bool(test(found, value))

    return compare


def _number(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _texts(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [str(value).casefold()]
