"""The `filters` of a request: conditions on the parameters of an event."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.googleapi import ApiError, Comparison, FilterError, Leaf, invalid
from mockserver.googleapi.filters import FilterDialect, parse
from mockserver.model import JsonMapping

_RELATION = r"==|<>|<=|>=|<|>"
_SEPARATOR = rf",(?=[^,<>=]+(?:{_RELATION}))"
_VALUE = rf"(?:(?!{_SEPARATOR}).)"
_OPERATOR = rf"(?:{_RELATION})(?={_VALUE})"
DIALECT = FilterDialect(
    blank="",
    terms={"name": rf"(?:(?!{_SEPARATOR})[^<>=])+(?={_OPERATOR})"},
    after_name={"operator": _OPERATOR},
    after_operator={"word": f"{_VALUE}+"},
    after_term={"keyword": _SEPARATOR},
    quotes="",
    and_=frozenset({","}),
    implicit_and=False,
    empty_groups=False,
    texts=False,
)
"""Conditions are joined by commas; a comma that no condition follows is part of a value."""
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """One condition on an event parameter.

    Attributes:
        parameter: Its name, `doc_id`.
        operator: `==`, `<>`, `<`, `<=`, `>` or `>=`.
        value: What it is compared with, as text.
    """

    parameter: str
    operator: str
    value: str


def parse_conditions(text: str) -> tuple[Condition, ...]:
    """The conditions of `filters`; of two on one parameter the last counts.

    Raises:
        ApiError: 400: a part without a relational operator.

    >>> parse_conditions("doc_id==12,size>=3")[1]
    Condition(parameter='size', operator='>=', value='3')
    """
    read: list[Condition] = []
    try:
        parse(text, DIALECT, lambda leaf: read.append(_condition(leaf)))
    except FilterError as error:
        raise _without_operator(text, len(read)) from error
    if not read:
        raise _without_operator(text, 0)
    return tuple({condition.parameter: condition for condition in read}.values())


def _condition(leaf: Leaf) -> Condition:
    if not isinstance(leaf, Comparison):
        raise TypeError("the language has nothing but comparisons")
    return Condition(leaf.field.strip(), leaf.operator, leaf.text.strip())


def _without_operator(text: str, number: int) -> ApiError:
    part = re.split(_SEPARATOR, text)[number]
    message = f"Invalid value '{text}' for filters: {part!r} has no relational operator."
    return invalid(message, location="filters", reason="invalidParameter")


def meets(event: JsonMapping, conditions: Iterable[Condition]) -> bool:
    """Whether an event has every parameter named, with a value that meets the condition."""
    values = {item["name"]: _values(item) for item in event.get("parameters") or ()}
    return all(
        any(_compares(condition, value) for value in values.get(condition.parameter, ()))
        for condition in conditions
    )


def _values(parameter: JsonMapping) -> list[str]:
    for name in ("value", "intValue", "boolValue"):
        if name in parameter:
            value = parameter[name]
            return [str(value).lower() if isinstance(value, bool) else str(value)]
    return [
        str(item) for name in ("multiValue", "multiIntValue") for item in parameter.get(name, ())
    ]


def _compares(condition: Condition, value: str) -> bool:
    compare = _OPERATORS[condition.operator]
    try:
        return compare(float(value), float(condition.value))
    except ValueError:
        return compare(value, condition.value)
