"""Keywords of JSON Schema 2020-12: schemas that are sound beyond doubt, found without a validator.

Holding a large schema against the meta-schema takes seconds; nearly all schemas have plain keywords
alone, whose forms are soon looked at. What is not plain is for the validator to judge.
"""

import re
from collections.abc import Callable
from typing import Any

from mockserver.model import Json

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_anything(value: Any) -> bool:
    del value
    return True


def _is_pattern(value: Any) -> bool:
    try:
        re.compile(value)
    except (re.error, TypeError, OverflowError, RecursionError):
        return False
    return isinstance(value, str)


def _are_names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(each, str) for each in value)
        and len(set(value)) == len(value)
    )


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    return _are_names(value) and bool(value) and _TYPES.issuperset(value)


_FORMS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), _is_number),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
        _is_count,
    ),
    **dict.fromkeys(("uniqueItems", "readOnly", "writeOnly", "deprecated"), _is_boolean),
    **dict.fromkeys(("title", "description", "format", "$ref", "$comment"), _is_text),
    **dict.fromkeys(("enum", "examples"), _is_list),
    **dict.fromkeys(("const", "default"), _is_anything),
    "pattern": _is_pattern,
    "required": _are_names,
    "type": _is_type,
    "multipleOf": lambda value: _is_number(value) and value > 0,
}
_SCHEMAS = frozenset({"items", "additionalProperties", "not"})
_LISTS_OF_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions"})


def is_plain(schema: Json) -> bool:
    """Whether a schema has plain keywords alone, each with a value of its form.

    Args:
        schema: An object, true or false.

    >>> is_plain({"type": "string", "minLength": 1}), is_plain({"type": "text"})
    (True, False)
    """
    waiting: list[Any] = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, bool):
            continue
        if not isinstance(each, dict):
            return False
        for word, value in each.items():
            form = _FORMS.get(word)
            if form is not None:
                if not form(value):
                    return False
            elif word in _SCHEMAS:
                waiting.append(value)
            elif word in _NAMED_SCHEMAS and isinstance(value, dict):
                waiting += value.values()
            elif word in _LISTS_OF_SCHEMAS and isinstance(value, list) and value:
                waiting += value
            else:
                return False
    return True
