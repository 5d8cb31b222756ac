"""What is wrong in a file of a suite: the field, the line, and what to do."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from mockserver.errors import Problem, plain_reason
from mockserver.model import FEW, Json, JsonObject, did_you_mean
from mockserver.storage.documents import places_in
from mockserver.storage.untrusted_json import Place

_UNION = ("union", "literal[", "function-", "list[", "tuple[", "dict[", "json-or", "nullable")


class Finding(NamedTuple):
    """One thing that is wrong in a file.

    Attributes:
        place: Keys and indexes from the top of the file.
        message: What is wrong.
        hint: What to do, or an empty string.
    """

    place: Place
    message: str
    hint: str = ""


def invalid_fields(
    model: type[BaseModel], value: JsonObject, error: ValidationError
) -> Iterator[Finding]:
    """What is wrong with the fields of a file.

    Args:
        model: What the file was to be.
        value: What it holds.
        error: What pydantic says.

    Yields:
        Each place once.
    """
    seen: set[Place] = set()
    for item in error.errors(include_input=False, include_url=False):
        place = _place(value, item["loc"])
        if place in seen:
            continue
        seen.add(place)
        if item["type"] == "extra_forbidden":
            fields = _fields_at(model, item["loc"]) if len(seen) < FEW else ()
            near = did_you_mean(str(place[-1]), fields)
            yield Finding(place, f"unknown field {str(place[-1])[:80]!r}", near)
        elif item["type"] == "missing":
            yield Finding(place[:-1], f"the field {place[-1]!r} is missing")
        else:
            yield Finding(place, plain_reason(item["msg"]))


def _place(value: Json, location: Sequence[str | int]) -> Place:
    """Where an error is in the file: pydantic's location without the branches of unions."""
    place: list[str | int] = []
    for number, part in enumerate(location):
        held = _inside(value, part)
        is_branch = str(part).startswith(_UNION) or part in _TYPES
        if held is None and (is_branch or number < len(location) - 1):
            continue
        value = held
        place.append(part)
    return tuple(place)


def _inside(value: Json, part: str | int) -> Json:
    """What a value holds at a key or an index; None where it has no such."""
    if isinstance(value, dict):
        return value.get(part)
    is_there = isinstance(value, list) and isinstance(part, int) and part < len(value)
    return value[part] if is_there else None


_TYPES = frozenset({"str", "int", "float", "bool"})


def _fields_at(model: Any, location: Sequence[str | int]) -> Iterator[str]:
    """The fields that an object at a place of a file may have.

    Yields:
        Their names.
    """
    for part in location[:-1]:
        if isinstance(model, type) and issubclass(model, BaseModel):
            fields = {each.alias or name: each for name, each in model.model_fields.items()}
            if part in fields:
                model = _model_in(fields[str(part)].annotation)
    if isinstance(model, type) and issubclass(model, BaseModel):
        yield from (each.alias or name for name, each in model.model_fields.items())


def _model_in(annotation: Any) -> Any:
    """The model in an annotation such as `dict[str, Model]` or `Model | None`."""
    waiting = [annotation]
    while waiting:
        each = waiting.pop()
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
        waiting += getattr(each, "__args__", ())
        waiting += [getattr(each, "__origin__", None)] if hasattr(each, "__metadata__") else []
    return None


def locate_findings(path: Path, text: str, found: Sequence[Finding]) -> list[Problem]:
    """Findings with file and line; the first few."""
    few = found[:FEW]
    places = places_in(path, text, [each.place for each in few])
    return [
        Problem(where, each.message, each.hint) for where, each in zip(places, few, strict=True)
    ]
