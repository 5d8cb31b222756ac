"""Forms as JSON: fields inside others by their brackets, and texts as the values that they mean."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from mockserver.declared.errors import refusal
from mockserver.declared.keywords import Schema, as_list
from mockserver.model import Json, JsonObject, shortened

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_INSIDE = re.compile(r"\[([^\[\]]*)\]")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_DEEPEST = 20
_BOOLEANS = {"true": True, "false": False}
_Fields = dict[str, "_Fields | list[str]"]
"""Fields while a form is read: the values of one, or the fields inside it."""


def nested_fields(pairs: Iterable[tuple[str, str]]) -> JsonObject:
    """The fields of a form as JSON: `metadata[a]` is inside `metadata`, `items[0][n]` in a list.

    A name that ends in `[]`, or that is sent several times, is a list of all its values. A name
    whose brackets do not close is a name like any other.

    Raises:
        ApiError: 400: a field is a value and an object at once, or brackets are nested too deeply.

    >>> nested_fields([("items[0][price]", "p"), ("items[0][quantity]", "2"), ("tags[]", "a")])
    {'items': [{'price': 'p', 'quantity': '2'}], 'tags': ['a']}
    """
    top: _Fields = {}
    items: Counter[int] = Counter()
    for name, value in pairs:
        match = _NAME.fullmatch(name)
        inside = _INSIDE.findall(match[2]) if match else []
        if len(inside) > _DEEPEST:
            raise refusal(400, f"The field {shortened(name)} is nested too deeply.")
        level = top
        parts = [match[1] if match else name, *inside]
        for number, part in enumerate(parts, 1):
            if not part and level is not top:  # one more item of a list: `tags[]`
                while (part := str(items[id(level)])) in level:
                    items[id(level)] += 1
            held = level.setdefault(part, [] if number == len(parts) else {})
            if isinstance(held, list) and number == len(parts):
                held.append(value)
            elif isinstance(held, list):
                raise refusal(400, f"The field {shortened(name)} is inside one that has a value.")
            elif number == len(parts):
                raise refusal(400, f"The field {shortened(name)} has a value and fields inside.")
            else:
                level = held
    return {name: _plain(each) for name, each in top.items()}


def _plain(held: "_Fields | list[str]") -> Json:
    if isinstance(held, list):
        return held[0] if len(held) == 1 else held
    if all(name.isascii() and name.isdecimal() and len(name) < 10 for name in held):
        return [_plain(held[name]) for name in sorted(held, key=int)]
    return {name: _plain(each) for name, each in held.items()}


def without_empty(fields: JsonObject) -> JsonObject:
    """Fields with null in place of empty texts, as a merge patch takes fields away.

    >>> without_empty({"a": "", "b": {"c": ""}, "d": "x"})
    {'a': None, 'b': {'c': None}, 'd': 'x'}
    """
    return {
        name: None if each == "" else without_empty(each) if isinstance(each, dict) else each
        for name, each in fields.items()
    }


def typed_fields(fields: JsonObject, schema: Any) -> JsonObject:
    """Texts of a form as the values that a JSON Schema wants there: numbers, truth values, lists.

    What the schema does not speak of, and what may be a text, stays as it is.

    Args:
        fields: The fields.
        schema: What is wanted; its references are followed inside of itself.

    >>> typed_fields({"n": "5", "ok": "true"}, {"properties": {"n": {"type": "integer"}}})
    {'n': 5, 'ok': 'true'}
    """
    made = _parse_value(fields, Schema(schema, schema), 0)
    return made if isinstance(made, dict) else fields


def _parse_value(value: Json, schema: Schema, depth: int) -> Json:
    if depth > _DEEPEST:
        return value
    parts = [each for each, _ in schema.parts()]
    named = [kind for each in parts for kind in as_list(each.get("type")) or [each.get("type")]]
    if isinstance(value, list) and value and "object" in named and "array" not in named:
        value = {str(number): each for number, each in enumerate(value)}
    if isinstance(value, dict):
        others = [each.inner("additionalProperties") for each in parts]
        other = next(filter(None, others), Schema())
        return {
            name: _parse_value(each, schema.fields.get(name, other), depth + 1)
            for name, each in value.items()
        }
    if isinstance(value, list):
        items = next(filter(None, (each.inner("items") for each in parts)), Schema())
        return [_parse_value(each, items, depth + 1) for each in value]
    return _scalar(value, schema) if isinstance(value, str) else value


def _scalar(text: str, schema: Schema) -> Json:
    kinds = schema.kinds
    if "string" in kinds or any(text in each.choice for each, _ in schema.parts()):
        return text
    if "boolean" in kinds and text in _BOOLEANS:
        return _BOOLEANS[text]
    if kinds & {"integer", "number"} and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text


def snake_case_fields(fields: JsonObject) -> JsonObject:
    """Fields with their names in snake case; what is inside others keeps its names.

    >>> snake_case_fields({"StatusCallback": "x", "To": {"AccountSid": 1}})
    {'status_callback': 'x', 'to': {'AccountSid': 1}}
    """
    return {snake_case(name): each for name, each in fields.items()}


_UPPER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """A name in snake case.

    >>> snake_case("AccountSID"), snake_case("PageSize")
    ('account_sid', 'page_size')
    """
    return _UPPER.sub("_", name).lower()
