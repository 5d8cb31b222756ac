"""Holds a parsed value against a model and tells everything that does not fit, with its place."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from harness.documents import Document, Findings, Pointer
from harness.errors import plain_reason
from harness.model import Json
from mockserver.model import did_you_mean

Model = TypeVar("Model", bound=BaseModel)


def validate_part(
    model: type[Model], document: Document, pointer: Pointer, findings: Findings
) -> Model | None:
    """The part of a document as a model, or None after noting each place that does not fit."""
    value = _part(document.value, pointer)
    try:
        found = model.model_validate(value)
        _warn_of_surprises(model, document, pointer, findings)
    except ValidationError as error:
        errors = error.errors()
        for details in errors:
            if details["type"] == "too_short" and _is_told_inside(details, errors):
                continue  # only because its items are wrong
            inner = tuple(_inside(value, details["loc"]))
            named = ".".join(map(str, inner)) if document.lines else ""  # or the place says it
            written = document.plain.get((*pointer, *inner))
            message, hint = _message(model, details, named, written)
            findings.error(document.where((*pointer, *inner)), message, hint)
        return None
    return found


def _warn_of_surprises(
    model: type[BaseModel], document: Document, pointer: Pointer, findings: Findings
) -> None:
    """Warns of words and times that YAML reads as something else, where anything is allowed."""
    for place, written in document.plain.items():
        inner = place[len(pointer) :]
        if place[: len(pointer)] != pointer or not inner:
            continue
        value = _part(document.value, place)
        if _is_surprising(written, value) and _allows_anything(model, inner):
            message = f"YAML reads {written} as {json.dumps(value)}"
            hint = f"put it in quotes for the text; write {json.dumps(value)} for the value"
            findings.warning(document.where(place), f"{'.'.join(map(str, inner))}: {message}", hint)


def _is_surprising(written: str, value: Json) -> bool:
    if isinstance(value, bool):
        return written.casefold() not in {"true", "false"}
    return isinstance(value, int) and written.lstrip("+") != str(value)


def _allows_anything(kind: Any, loc: Sequence[str | int]) -> bool:
    """Whether anything may stand at a place of a value of some type."""
    if hasattr(kind, "__metadata__"):
        return _allows_anything(kind.__origin__, loc)
    if kind is Any or not loc:
        return kind is Any
    step, rest = loc[0], loc[1:]
    if _is_model(kind):
        fields = kind.model_fields.items()
        inner = [(each.annotation, rest) for name, each in fields if step in (name, each.alias)]
    elif get_origin(kind) in (tuple, list):  # a single value may stand for a list of one
        inner = [(get_args(kind)[0], rest if isinstance(step, int) else loc)]
    elif get_origin(kind) is dict:
        inner = [(get_args(kind)[1], rest)]
    else:
        inner = [(member, loc) for member in get_args(kind)]
    return any(_allows_anything(each, left) for each, left in inner)


def _is_told_inside(details: ErrorDetails, errors: Sequence[ErrorDetails]) -> bool:
    """Whether something inside a value is told as well."""
    depth = len(details["loc"])
    return any(
        each["loc"][:depth] == details["loc"] and len(each["loc"]) > depth for each in errors
    )


def _part(value: Json, pointer: Pointer) -> Json:
    for key in pointer:
        value = value[key]
    return value


def _inside(value: Json, loc: Sequence[str | int]) -> Iterator[str | int]:
    for step in loc:
        if _has(value, step):  # not the name of a union's member
            value = value[step]
            yield step


def _has(value: Json, step: str | int) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)


def _message(
    model: type[BaseModel], details: ErrorDetails, named: str, written: str | None
) -> tuple[str, str]:
    context = details.get("ctx", {})
    last = str(details["loc"][-1]) if details["loc"] else ""
    match details["type"]:
        case "extra_forbidden":
            hint = did_you_mean(last, _known_keys(model, details["loc"][:-1]))
            return f"unknown key {named or last!r}", hint
        case "missing":
            return _at(named, f"{last!r} is missing"), ""
        case "literal_error":
            known = [word.strip(" '") for word in re.split(r", | or ", context["expected"])]
            message = f"{details['input']!r} is not one of {context['expected']}"
            return _at(named, message), did_you_mean(str(details["input"]), known)
        case "string_type":
            return _at(
                named, f"expected a text, found {_found_words(details['input'], written)}"
            ), (_quoting_advice(details["input"], written))
        case _:
            return _at(named, _plainly(details)), ""


def _plainly(details: ErrorDetails) -> str:
    found = _short(details["input"])
    if expected := _EXPECTED.get(details["type"]):
        return f"expected {expected}, found {found}"
    match details["type"]:
        case "value_error":
            return str(details["ctx"]["error"])
        case "too_short" if details["input"]:
            return f"needs at least {details['ctx']['min_length']}, found {found}"
        case "too_short" | "string_too_short":
            return "must not be empty"
        case "string_pattern_mismatch":
            pattern = details["ctx"]["pattern"]
            return _FORMS.get(pattern, f"does not have the form {pattern}") + f", found {found}"
        case _:
            said = plain_reason(details["msg"])
            return f"{said[:1].lower()}{said[1:]}, found {found}"


_EXPECTED = {
    "model_type": "an object",
    "dict_type": "an object",
    "tuple_type": "a list",
    "list_type": "a list",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
}
"""Kinds of errors of Pydantic to what it expected."""

_FORMS = {
    r"\S": "must say something: there are only blanks",
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$": "takes letters, digits, '.', '_' and '-', at most 64",
}
"""Patterns of texts, in words."""


def _found_words(value: Json, written: str | None) -> str:
    """What stands in the place of a text; also what YAML made of it."""
    if value is None:
        return f"{written}, which YAML reads as nothing" if written else "nothing"
    if written is None or isinstance(value, list | dict):
        return _short(value)
    read, kind = json.dumps(value), "a truth value" if isinstance(value, bool) else "a number"
    return (
        f"{written}, which is {kind}"
        if read == written
        else (f"{written}, which YAML reads as {read}")
    )


def _quoting_advice(value: Json, written: str | None) -> str:
    if isinstance(value, list | dict) or (value is None and not written):
        return ""
    return f'put it in quotes: "{written or json.dumps(value)}"'


def _at(place: str, message: str) -> str:
    return f"{place}: {message}" if place else message


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _known_keys(model: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """The keys that a model knows at a place of its value."""
    types: list[Any] = [model]
    for step in loc:
        types = [inner for kind in types for inner in _step_into(kind, step)] or types
    return [
        field.alias or name
        for kind in types
        if _is_model(kind)
        for name, field in kind.model_fields.items()
    ]


def _step_into(kind: Any, step: str | int) -> Iterator[Any]:
    if _is_model(kind):
        for name, field in kind.model_fields.items():
            if step in (name, field.alias):
                yield from _plain(field.annotation)
    elif isinstance(step, int) and get_origin(kind) is tuple:
        yield from _plain(get_args(kind)[0])
    elif get_origin(kind) is dict:
        yield from _plain(get_args(kind)[1])


def _plain(annotation: Any) -> Iterator[Any]:
    if hasattr(annotation, "__metadata__"):
        yield from _plain(annotation.__origin__)
    elif _is_model(annotation) or get_origin(annotation) in (tuple, dict):
        yield annotation
    else:
        for member in get_args(annotation):
            yield from _plain(member)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
