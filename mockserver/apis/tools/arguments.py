"""Holds arguments against a tool's JSON Schema."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from mockserver.apis.tools.matchers import compiled
from mockserver.googleapi import bad_fields
from mockserver.model import JsonObject, shortened

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MOST = 100
_MOST_ARGUMENTS = 1000
_ANYTHING: JsonObject = {"type": "object"}


def check_arguments(schema: JsonObject | None, arguments: JsonObject) -> None:
    """Refuse arguments that a tool's schema does not allow.

    Raises:
        ApiError: 400 with every violation, up to a hundred.
    """
    if len(arguments) > _MOST_ARGUMENTS:
        raise bad_fields([("", f"there are more than {_MOST_ARGUMENTS} arguments")])
    text = orjson.dumps(schema or _ANYTHING, option=orjson.OPT_SORT_KEYS)
    errors = islice(_validator(text).iter_errors(arguments), _MOST)
    found = sorted(errors, key=lambda error: error.json_path)
    if found:
        raise bad_fields(
            [(shortened(_field(error.json_path)), shortened(error.message)) for error in found]
        )


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
                compiled(item["pattern"])
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

    if validator.is_type(instance, "string") and compiled(pattern).search(instance) is None:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
