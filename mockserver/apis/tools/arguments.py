"""Holds arguments against a tool's JSON Schema."""

import marshal
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from mockserver.googleapi import bad_fields
from mockserver.model import Json, JsonObject, shortened
from mockserver.stubs import compile_pattern

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MOST = 100
_MOST_ARGUMENTS = 1000
_ANYTHING: JsonObject = {"type": "object"}
_KEPT = 1024
_LONGEST_KEPT = 1024
"""Longer values are held against their schema anew each time, so that what is kept stays small."""

_NO_REFERENCES = 2
"""The format of marshal in which equal values have equal bytes; unlike JSON, it tells all apart."""


def check_arguments(schema: JsonObject | None, arguments: JsonObject) -> None:
    """Refuse arguments that a tool's schema does not allow.

    Raises:
        ApiError: 400 with every violation, up to a hundred.
    """
    if len(arguments) > _MOST_ARGUMENTS:
        raise bad_fields([("", f"there are more than {_MOST_ARGUMENTS} arguments")])
    found = schema_violations(schema or _ANYTHING, arguments)
    if found:
        raise bad_fields(found)


def schema_violations(schema: JsonObject, value: Json) -> list[tuple[str, str]]:
    """Where a value is not as a JSON Schema says, up to a hundred: field and reason."""
    text = orjson.dumps(schema, option=orjson.OPT_SORT_KEYS)
    try:
        sent = marshal.dumps(value, _NO_REFERENCES)
    except ValueError:  # a value of a type of its own
        return _found_violations(text, value)
    if len(sent) > _LONGEST_KEPT:
        return _found_violations(text, value)
    return list(_known_violations(text, sent))


def _found_violations(schema: bytes, value: Json) -> list[tuple[str, str]]:
    errors = islice(_validator(schema).iter_errors(value), _MOST)
    found = sorted(errors, key=lambda error: error.json_path)
    return [(shortened(_field(error.json_path)), shortened(error.message)) for error in found]


@lru_cache(maxsize=_KEPT)
def _known_violations(schema: bytes, value: bytes) -> tuple[tuple[str, str], ...]:
    # agents and tests call a tool with the same arguments again and again
    return tuple(_found_violations(schema, marshal.loads(value)))  # noqa: S302  (our own bytes)


def schema_problem(schema: Any) -> str:
    """What is wrong with a JSON Schema, or an empty string."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"{error.json_path}: {error.message}"
    return _pattern_problem(schema)


def _pattern_problem(schema: Any) -> str:
    """The first `pattern` of a schema that is no RE2 expression, or an empty string."""
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict) and isinstance(item.get("pattern"), str):
            try:
                compile_pattern(item["pattern"])
            except ValueError as error:
                return str(error)
        if isinstance(item, dict | list):
            waiting += item.values() if isinstance(item, dict) else item
    return ""


def _field(json_path: str) -> str:
    return json_path.removeprefix("$").lstrip(".")


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> "Validator":
    # imported here: takes a tenth of a second, and most sessions call no tool
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing import Registry

    kind: Any = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
    # an empty registry: references never leave the schema
    validator: Validator = kind(orjson.loads(schema), registry=Registry())
    return validator


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """`pattern` on RE2, so that no schema can make the server hang.

    Yields:
        A violation, when the text does not match.
    """
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and compile_pattern(pattern).search(instance) is None:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
