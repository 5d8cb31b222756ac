"""Holding JSON against a JSON Schema, with bounded patterns and no reference fetched."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.trials.regexes import PatternError, search_pattern
from harness.trials.values import Json, JsonObject


class InvalidSchemaError(Exception):
    """The JSON Schema of a case is not one."""


def schema_errors(schema: JsonObject, document: Json) -> list[str]:
    """What is wrong with a document, as `/pointer: message`, in the order of the pointers.

    Raises:
        InvalidSchemaError: when the schema is invalid, refers outside itself, or has a pattern
            that is none or searches for too long.
    """
    from jsonschema import SchemaError, validators
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        kind.check_schema(schema)
        strict = validators.extend(kind, {"pattern": _pattern})  # type: ignore[no-untyped-call]
        # an empty registry: a reference to elsewhere is an error, never a download
        found = list(strict(schema, registry=Registry()).iter_errors(document))
    except SchemaError as error:
        raise InvalidSchemaError(f"the case's JSON Schema is invalid: {error.message}") from error
    except Unresolvable as error:
        raise InvalidSchemaError(
            f"the case's JSON Schema refers outside itself: {error}"
        ) from error
    except PatternError as error:
        raise InvalidSchemaError(f"a pattern of the JSON Schema cannot be used: {error}") from error
    except RecursionError:
        return ["/: nested too deeply to be checked"]
    return sorted(f"/{'/'.join(str(part) for part in each.path)}: {each.message}" for each in found)


def _pattern(
    _validator: object, pattern: str, instance: Json, _schema: Mapping[str, Any]
) -> Iterator[Exception]:
    from jsonschema import ValidationError

    if isinstance(instance, str) and not search_pattern(pattern, ignore_case=False).search(
        instance
    ):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
