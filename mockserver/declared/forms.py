"""Forms as JSON: fields inside others by their brackets, and texts as the values that they mean."""

import re
from collections.abc import Iterable
from typing import Any

from mockserver.declared.errors import refusal
from mockserver.declared.keywords import Schema
from mockserver.model import Json, JsonObject, shortened

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_INSIDE = re.compile(r"\[([^\[\]]*)\]")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_DEEPEST = 20
_BOOLEANS = {"true": True, "false": False}


def nested_fields(pairs: Iterable[tuple[str, str]]) -> JsonObject:
    """The fields of a form as JSON: `metadata[a]` is inside `metadata`, `items[0][n]` in a list.

    A name that ends in `[]`, or that is sent several times, is a list of all its values. A name
    whose brackets do not close is a name like any other.

    Raises:
        ApiError: 400: a field is a value and an object at once, or brackets are nested too deeply.

    >>> nested_fields([("items[0][price]", "p"), ("items[0][quantity]", "2"), ("tags[]", "a")])
    {'items': [{'price': 'p', 'quantity': '2'}], 'tags': ['a']}
    """
    top = _Level()
    for name, value in pairs:
        match = _NAME.fullmatch(name)
        inside = _INSIDE.findall(match[2]) if match else []
        if len(inside) > _DEEPEST:
            raise refusal(400, f"The field {shortened(name)} is nested too deeply.")
        top.add([match[1] if match else name, *inside], value, name)
    return {name: _plain(each) for name, each in top.fields.items()}


class _Level:
    """Fields inside another one, while a form is read."""

    def __init__(self) -> None:
        self.fields: dict[str, _Level | list[str]] = {}
        self.items = 0

    def add(self, names: list[str], value: str, whole: str) -> None:
        """Put a value at its place.

        Raises:
            ApiError: 400: there is an object where a value belongs, or the other way round.
        """
        level = self
        for name in names[:-1]:
            if not name and level is not self:
                name = level.next_item()
            inner = level.fields.setdefault(name, _Level())
            if isinstance(inner, list):
                raise refusal(400, f"The field {shortened(whole)} is inside one that has a value.")
            level = inner
        last = names[-1]
        if not last and level is not self:
            last = level.next_item()
        held = level.fields.setdefault(last, [])
        if isinstance(held, _Level):
            raise refusal(400, f"The field {shortened(whole)} has a value and fields inside.")
        held.append(value)

    def next_item(self) -> str:
        """The number of one more item of a list: `tags[]`."""
        while str(self.items) in self.fields:
            self.items += 1
        return str(self.items)


def _plain(value: "_Level | list[str]") -> Json:
    if isinstance(value, list):
        return value[0] if len(value) == 1 else value
    names = value.fields
    if all(name.isascii() and name.isdecimal() and len(name) < 10 for name in names):
        return [_plain(names[name]) for name in sorted(names, key=int)]
    return {name: _plain(each) for name, each in names.items()}


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
    if isinstance(value, list) and value and {"object", "array"} & schema.kinds == {"object"}:
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
