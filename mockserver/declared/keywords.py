"""JSON Schemas as values: which keywords are sound, and what a schema says of fields and types.

Holding a large schema against the meta-schema takes seconds; nearly all schemas have plain keywords
alone, whose forms are soon looked at. What is not plain is for the validator to judge.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from mockserver.model import Json, JsonObject

_MOST_PARTS = 60
_LONGEST_CHAIN = 50
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value % 1 == 0


def _is_a(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


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
    names = [value] if isinstance(value, str) else value
    return _are_names(names) and bool(names) and _TYPES.issuperset(names)


_FORMS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), _is_number),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
        _is_count,
    ),
    **dict.fromkeys(("uniqueItems", "readOnly", "writeOnly", "deprecated"), _is_a(bool)),
    **dict.fromkeys(("title", "description", "format", "$ref", "$comment"), _is_a(str)),
    **dict.fromkeys(("enum", "examples"), _is_a(list)),
    **dict.fromkeys(("const", "default"), _is_a(object)),
    "pattern": _is_pattern,
    "required": _are_names,
    "type": _is_type,
    "multipleOf": lambda value: _is_number(value) and value > 0,
}
_SCHEMAS = frozenset({"items", "additionalProperties", "not"})
_LISTS_OF_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions"})


def is_sound(word: str, value: Json) -> bool:
    """Whether a keyword that holds no schemas is known, and has a value of its form."""
    return word in _FORMS and _FORMS[word](value)


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
            if is_sound(word, value):
                continue
            if word in _SCHEMAS:
                waiting.append(value)
            elif word in _NAMED_SCHEMAS and isinstance(value, dict):
                waiting += value.values()
            elif word in _LISTS_OF_SCHEMAS and isinstance(value, list) and value:
                waiting += value
            else:
                return False
    return True


def as_object(value: Any) -> JsonObject:
    """A value where it is an object; `{}` otherwise."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Json]:
    """A value where it is an array; `[]` otherwise."""
    return value if isinstance(value, list) else []


def at_pointer(root: Json, reference: str) -> Json:
    """The value that a reference into a document means, `#/$defs/row`.

    Raises:
        LookupError: It is not there.
    """
    before, *parts = unquote(reference).split("/")
    if before not in {"", "#"}:  # another document, or an anchor
        raise LookupError(reference)
    for part in parts:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(root, list) and name.isdecimal() and int(name) < len(root):
            root = root[int(name)]
        else:
            root = as_object(root).get(name)
        if root is None:
            raise LookupError(reference)
    return root


class Schema:
    """A schema and what its references lead into; false where it says nothing.

    Attributes:
        raw: The schema as it is written; `{}` for what is no object.
        whole: The same, or the one that it refers to; `{}` where that is not there.
        root: The document that it is of.

    Args:
        raw: The schema.
        root: The document.
    """

    def __init__(self, raw: Any = None, root: Json = None) -> None:
        self.raw = self.whole = as_object(raw)
        self.root = root
        for _ in range(_LONGEST_CHAIN):
            reference = self.whole.get("$ref")
            if not isinstance(reference, str):
                break
            try:
                self.whole = as_object(at_pointer(root, reference))
            except LookupError:
                self.whole = {}

    def __bool__(self) -> bool:
        return bool(self.raw)

    def get(self, word: str) -> Json:
        """What it says under a keyword; None where it does not."""
        return self.whole.get(word)

    def inner(self, word: str) -> "Schema":
        """The schema under one of its keywords."""
        return Schema(self.whole.get(word), self.root)

    def parts(self, *, one_choice: bool = False) -> Iterator[tuple["Schema", bool]]:
        """The schemas that speak of the same values: itself, and those that it is put together of.

        Args:
            one_choice: Whether of alternatives the first that is an object counts alone.

        Yields:
            The first few of them, each once; and whether every value fits it.
        """
        waiting = [(self, True)]
        seen: set[int] = set()
        while waiting and len(seen) < _MOST_PARTS:
            each, is_certain = waiting.pop(0)
            if id(each.whole) in seen:
                continue
            seen.add(id(each.whole))
            yield each, is_certain
            for word in ("allOf", "oneOf", "anyOf"):
                if word not in each.whole:
                    continue
                inner = [Schema(part, self.root) for part in as_list(each.whole[word])]
                if one_choice and word != "allOf":
                    inner = [part for part in inner if part.kind == "object"][:1]
                waiting += [(part, is_certain and word == "allOf") for part in inner]

    @property
    def own_fields(self) -> "dict[str, Schema]":
        """The fields that it names itself."""
        named = as_object(self.whole.get("properties"))
        return {name: Schema(each, self.root) for name, each in named.items()}

    @cached_property
    def fields(self) -> "dict[str, Schema]":
        """The fields that it names, with those of its parts and of its alternatives."""
        return self.fields_of(one_choice=False)

    def fields_of(self, *, one_choice: bool) -> "dict[str, Schema]":
        """The fields that it names: of alternatives all, or those of the first object."""
        found: dict[str, Schema] = {}
        for part, _ in self.parts(one_choice=one_choice):
            found |= {name: each for name, each in part.own_fields.items() if name not in found}
        return found

    @property
    def required(self) -> set[str]:
        """The fields that every value must have."""
        return {str(name) for part, is_certain in self.parts() if is_certain
                for name in as_list(part.get("required"))}  # fmt: skip

    @property
    def choice(self) -> list[Json]:
        """The values that there are alone; none where it does not say."""
        return as_list(self.get("enum"))

    @property
    def own_kinds(self) -> list[str]:
        """The JSON types that it tells itself, else those of fields and items that it names."""
        given = self.whole.get("type")
        if given is None:
            inferred = (("properties", "object"), ("items", "array"))
            return [kind for word, kind in inferred if word in self.whole]
        return [each for each in (given if isinstance(given, list) else [given])
                if isinstance(each, str)]  # fmt: skip

    @property
    def kind(self) -> str:
        """The JSON type of its values, the first that it tells; empty where it does not say."""
        kinds = (kind for part, _ in self.parts() for kind in part.own_kinds)
        return next((kind for kind in kinds if kind != "null"), "")

    @property
    def kinds(self) -> frozenset[str]:
        """The JSON types that its values may have; none where it does not say.

        A choice of certain texts counts for none, so that another text is held against the rest.
        """
        found: set[str] = set()
        for part, _ in self.parts():
            dropped = {"string"} if {"enum", "const"} & part.whole.keys() else set()
            found |= _TYPES.intersection(part.own_kinds) - dropped
            found |= {"null"} if part.get("nullable") is True else set()
        return frozenset(found)
