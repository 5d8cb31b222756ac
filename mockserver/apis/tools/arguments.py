"""Holds arguments against a tool's JSON Schema, and against what a prepared response is for."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from mockserver.googleapi import bad_fields
from mockserver.model import Json, JsonObject, shortened

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


_ABSENT: Any = object()
MATCHERS = frozenset({"any", "regex", "in", "present"})
"""The one key of an object that is a matcher and not a value."""


def argument_differences(when: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Where a call's arguments differ from what a response wants; empty when they match.

    Arguments that the response does not mention do not matter. A wanted value is a literal (for
    objects: its own keys only), or a matcher: `{"any": true}`, `{"regex": "..."}` (RE2, the whole
    text), `{"in": [...]}`, `{"present": false}`.

    >>> argument_differences({"unit": {"regex": "/Eng.*"}, "n": 1}, {"unit": "/Eng/Web", "n": 2})
    ('n: wanted 1, got 2',)
    """
    return _object_differences(when, arguments, "")


def _object_differences(
    wanted: Mapping[str, Any], given: Mapping[str, Any], path: str
) -> tuple[str, ...]:
    return tuple(
        text
        for name, value in wanted.items()
        for text in _value_differences(value, given.get(name, _ABSENT), f"{path}{name}")
    )


def _value_differences(wanted: Any, given: Any, path: str) -> tuple[str, ...]:
    if isinstance(wanted, Mapping):
        if len(wanted) == 1 and next(iter(wanted)) in MATCHERS:
            [(kind, operand)] = wanted.items()
            return () if _matches(kind, operand, given) else (_difference(wanted, given, path),)
        if isinstance(given, Mapping):
            return _object_differences(wanted, given, f"{path}.")
    same = given is not _ABSENT and type(given) is type(wanted) and given == wanted
    return () if same or _same_number(wanted, given) else (_difference(wanted, given, path),)


def _matches(kind: str, operand: Any, given: Any) -> bool:
    match kind:
        case "any" | "present":
            return (given is not _ABSENT) is bool(operand)
        case "in":
            return given in operand
        case _:
            return isinstance(given, str) and compile_pattern(operand).fullmatch(given) is not None


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Any:
    """A regular expression on RE2, which takes linear time whatever it is.

    Raises:
        ValueError: It is not an RE2 expression.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except (re2.error, TypeError) as error:
        raise ValueError(f"not an RE2 expression: {text!r}") from error


def _same_number(wanted: Any, given: Any) -> bool:
    numbers = (int, float)
    if isinstance(wanted, bool) or isinstance(given, bool):
        return False
    return isinstance(wanted, numbers) and isinstance(given, numbers) and wanted == given


def _difference(wanted: Any, given: Any, path: str) -> str:
    got = "nothing" if given is _ABSENT else repr(given)
    return f"{path}: wanted {wanted!r}, got {got}"


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
    found = schema_violations(schema or _ANYTHING, arguments)
    if found:
        raise bad_fields(found)


def schema_violations(schema: JsonObject, value: Json) -> list[tuple[str, str]]:
    """Where a value is not as a JSON Schema says, up to a hundred: field and reason."""
    text = orjson.dumps(schema, option=orjson.OPT_SORT_KEYS)
    errors = islice(_validator(text).iter_errors(value), _MOST)
    found = sorted(errors, key=lambda error: error.json_path)
    return [(shortened(_field(error.json_path)), shortened(error.message)) for error in found]


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
