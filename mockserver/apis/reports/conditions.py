"""The `filters` of a request: conditions on the parameters of an event."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.googleapi import invalid
from mockserver.model import JsonMapping

_NEXT = re.compile(r",(?=[^,<>=]+(?:==|<>|<=|>=|<|>))")
_CONDITION = re.compile(r"^\s*([^<>=]+?)\s*(==|<>|<=|>=|<|>)(.+)$", re.DOTALL)
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
    found: dict[str, Condition] = {}
    for part in _NEXT.split(text):
        match = _CONDITION.match(part)
        if match is None:
            message = f"Invalid value '{text}' for filters: {part!r} has no relational operator."
            raise invalid(message, location="filters", reason="invalidParameter")
        name, relation, value = match.groups()
        found[name] = Condition(name, relation, value.strip())
    return tuple(found.values())


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
