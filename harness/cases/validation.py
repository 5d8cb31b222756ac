"""Holds a parsed value against a model and tells everything that does not fit, with its place."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from harness.documents import Document, Findings, Pointer
from harness.model import Json
from mockserver.model import did_you_mean

Model = TypeVar("Model", bound=BaseModel)


def validated(
    model: type[Model], document: Document, pointer: Pointer, findings: Findings
) -> Model | None:
    """The part of a document as a model, or None after noting each place that does not fit."""
    value = _part(document.value, pointer)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            if details["type"] == "too_short" and details["input"]:
                continue  # only because its items are wrong, which is told anyway
            inner = tuple(_inside(value, details["loc"]))
            named = ".".join(map(str, inner)) if document.lines else ""  # or the place says it
            message, hint = _said(model, details, named)
            findings.error(document.where((*pointer, *inner)), message, hint)
    return None


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


def _said(model: type[BaseModel], details: ErrorDetails, named: str) -> tuple[str, str]:
    context = details.get("ctx", {})
    last = str(details["loc"][-1]) if details["loc"] else ""
    match details["type"]:
        case "extra_forbidden":
            hint = did_you_mean(last, _known(model, details["loc"][:-1]))
            return f"unknown key {named or last!r}", hint
        case "missing":
            return _at(named, f"{last!r} is missing"), ""
        case "literal_error":
            known = [word.strip(" '") for word in re.split(r", | or ", context["expected"])]
            message = f"{details['input']!r} is not one of {context['expected']}"
            return _at(named, message), did_you_mean(str(details["input"]), known)
        case _:
            return _at(named, _plainly(details)), ""


def _plainly(details: ErrorDetails) -> str:
    if details["type"] == "value_error":
        return str(details["ctx"]["error"])
    if details["type"] == "too_short":
        return "must not be empty"
    if details["type"] == "model_type":
        return f"expected an object, found {_short(details['input'])}"
    said = details["msg"]
    return f"{said[:1].lower()}{said[1:]}, found {_short(details['input'])}"


def _at(place: str, message: str) -> str:
    return f"{place}: {message}" if place else message


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _known(model: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """The keys that a model knows at a place of its value."""
    types: list[Any] = [model]
    for step in loc:
        types = [inner for kind in types for inner in _stepped(kind, step)] or types
    return [
        field.alias or name
        for kind in types
        if _is_model(kind)
        for name, field in kind.model_fields.items()
    ]


def _stepped(kind: Any, step: str | int) -> Iterator[Any]:
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
