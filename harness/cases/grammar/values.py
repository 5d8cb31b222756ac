"""Small values that authors write: needles, patterns, schemas, clocks, and their short forms."""

import re
import unicodedata
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from harness.model import Json, JsonObject, never_matches, search_pattern

_MODEL_NAME = r"^python:[A-Za-z_][\w.]*:[A-Za-z_]\w*$"


def listed(kind: Any) -> BeforeValidator:
    """Lets a single value stand for a list of one."""
    return BeforeValidator(
        lambda value: value if isinstance(value, list | tuple) else [value],
        json_schema_input_type=kind | list[kind],
    )


def named(key: str, kind: Any) -> BeforeValidator:
    """Lets a text stand for an object of this kind with only this key.

    A number or a truth value is held to be a text that lacks its quotes.
    """
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, _SCALAR) else value,
        json_schema_input_type=str | kind,
    )


_SCALAR = str | bool | int | float


def _shows_something(text: str) -> str:
    if not any(unicodedata.category(letter)[0] in "LMN" for letter in text):
        raise ValueError(f"{text!r} is an empty needle: it needs a letter or a digit")
    return text


Needle = Annotated[str, AfterValidator(_shows_something)]
Needles = Annotated[tuple[Needle, ...], Field(min_length=1), listed(str)]

Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1), listed(str)]


def checked_pattern(pattern: str) -> str:
    """The pattern, if it is a regular expression that some texts match, and an empty one does not.

    Raises:
        ValueError: It is not.
    """
    if search_pattern(pattern).search(""):
        raise ValueError(f"{pattern!r} matches every reply, even an empty one")
    if never_matches(pattern):
        raise ValueError(f"{pattern!r} matches no text: something stands before ^ or after $")
    return pattern


Pattern = Annotated[str, Field(min_length=1), AfterValidator(checked_pattern)]


def checked_schema(schema: JsonObject) -> JsonObject:
    """The JSON Schema, if it is one.

    Raises:
        ValueError: It is not.
    """
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for

    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.message}") from error
    return schema


JsonSchema = Annotated[JsonObject, Field(min_length=1), AfterValidator(checked_schema)]


def _is_model(name: str) -> str:
    if not re.match(_MODEL_NAME, name):
        raise ValueError(f"{name!r} names no model: expected 'python:package.module:Model'")
    return name


ModelName = Annotated[str, AfterValidator(_is_model)]


_FIRST_YEAR, _LAST_YEAR = 1970, 9000
"""The mock server's clocks stand between them."""


def _is_clock(clock: str) -> str:
    if clock in ("shift", "real", "frozen"):
        return clock
    try:
        moment = datetime.fromisoformat(clock.removeprefix("frozen:"))
    except ValueError:
        moment = None
    if not clock.startswith("frozen:") or moment is None or moment.tzinfo is None:
        raise ValueError(
            f"{clock!r} is no clock: expected shift, real, frozen or frozen:<RFC 3339 time>"
        )
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise ValueError(f"{clock!r} is not between the years {_FIRST_YEAR} and {_LAST_YEAR}")
    return clock


Clock = Annotated[str, AfterValidator(_is_clock)]


def none_as_empty(value: Json) -> Json:
    """Takes an explicit null for a list that is not there."""
    return [] if value is None else value
