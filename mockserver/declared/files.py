"""The declarations of a suite, read as untrusted input: all that is wrong is told at once."""

from collections.abc import Collection as Known
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from mockserver.declared.checks import Finding, findings
from mockserver.declared.declaration import Declaration
from mockserver.declared.folder import declaration_files
from mockserver.declared.schemas import RowSchema, SchemaFiles
from mockserver.errors import FormatError, InvalidFilesError, Problem
from mockserver.model import FEW, Json, JsonObject, did_you_mean
from mockserver.storage import kind_of
from mockserver.storage.documents import (
    document_text,
    parsed_document,
    places_in,
)
from mockserver.storage.untrusted_json import Place

_UNION = ("union", "literal[", "function-", "tuple[", "dict[", "json-or", "nullable")


@dataclass(frozen=True)
class DeclaredFile:
    """One declaration with where it was written.

    Attributes:
        path: The file.
        declaration: What it says.
        schemas: The JSON Schemas that it names, by place: `("collections", "bookings")`.
        text: The file's text; empty for a declaration that was made otherwise.
    """

    path: Path
    declaration: Declaration
    schemas: Mapping[Place, RowSchema] = field(default_factory=dict)
    text: str = ""


def read_declarations(
    suite: Path, *, taken: Known[str] = frozenset(), trusted: bool = False
) -> tuple[DeclaredFile, ...]:
    """The declarations of a suite.

    Args:
        suite: The suite's folder.
        taken: Names that no declared API may have: keys of snapshots that others own.
        trusted: Whether Python functions that it names may be run.

    Raises:
        InvalidFilesError: Everything that is wrong in them, each with file, line and pointer.
    """
    problems: list[Problem] = []
    files: list[DeclaredFile] = []
    schemas = SchemaFiles(suite)
    for path in declaration_files(suite):
        try:
            text = document_text(path)
            value = parsed_document(text, path)
        except FormatError as error:
            problems.append(error.problem)
            continue
        file, found = parsed_declaration(value, path, text=text, schemas=schemas)
        problems += found
        if file is not None:
            files.append(file)
    read = [each.declaration for each in files]
    for number, wrong in findings(read, taken=taken, trusted=trusted):
        problems += _placed(files[number].path, files[number].text, wrong)
    if problems:
        raise InvalidFilesError(problems[:FEW])
    return tuple(files)


def parsed_declaration(
    value: Json, path: Path, *, text: str = "", schemas: SchemaFiles | None = None
) -> tuple[DeclaredFile | None, list[Problem]]:
    """A declaration of its JSON form, and what is wrong in it; None where anything is.

    Args:
        value: What the file holds.
        path: The file, for messages, and for schemas beside it.
        text: The file's text, for lines.
        schemas: The schemas of the suite; None does not look at those in files.
    """
    if not isinstance(value, dict):
        return None, [Problem(str(path), f"expected an object, found {kind_of(value)}")]
    try:
        declaration = Declaration.model_validate(value)
    except ValidationError as error:
        return None, _placed(path, text, list(_invalid(value, error)))
    compiled: dict[Place, RowSchema] = {}
    problems: list[Problem] = []
    for place, given in _schemas(declaration):
        if schemas is None:
            break
        try:
            compiled[place] = schemas.compiled(given, path)
        except FormatError as error:
            at = Finding((*place, "schema"), f"the schema cannot be used: {error.message}")
            problems += _placed(path, text, [at])
    if problems:
        return None, problems
    return DeclaredFile(path, declaration, compiled, text), []


def _schemas(declaration: Declaration) -> Iterator[tuple[Place, str | JsonObject]]:
    for name, collection in declaration.collections.items():
        place: Place = ("collections", name)
        if collection.schema_ is not None:
            yield place, collection.schema_
        for action, each in collection.actions.items():
            if each.schema_ is not None:
                yield (*place, "actions", action), each.schema_


def _invalid(value: JsonObject, error: ValidationError) -> Iterator[Finding]:
    """What is wrong with the fields of a declaration.

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
            near = did_you_mean(str(place[-1]), _fields_at(item["loc"])) if len(seen) < FEW else ""
            yield Finding(place, f"unknown field {str(place[-1])[:80]!r}", near)
        elif item["type"] == "missing":
            yield Finding(place[:-1], f"the field {place[-1]!r} is missing")
        else:
            yield Finding(place, item["msg"].removeprefix("Value error, "))


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


def _fields_at(location: Sequence[str | int]) -> Iterator[str]:
    """The fields that an object at a place of a declaration may have.

    Yields:
        Their names.
    """
    model: Any = Declaration
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


def _placed(path: Path, text: str, found: Sequence[Finding]) -> list[Problem]:
    few = found[:FEW]
    places = places_in(path, text, [each.place for each in few])
    return [
        Problem(where, each.message, each.hint) for where, each in zip(places, few, strict=True)
    ]
