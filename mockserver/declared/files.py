"""The declarations of a suite, read as untrusted input: all that is wrong is told at once."""

from collections.abc import Collection as Known
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from mockserver.declared.checks import findings
from mockserver.declared.declaration import Declaration
from mockserver.declared.documents.document import OpenApiDocument, read_openapi
from mockserver.declared.rows import collection_of
from mockserver.declared.schemas import RowSchema, SchemaFiles
from mockserver.errors import FormatError, InvalidFilesError, Problem
from mockserver.model import FEW, Json, JsonObject
from mockserver.storage import APIS, kind_of, suite_files
from mockserver.storage.documents import (
    document_text,
    parsed_document,
)
from mockserver.storage.findings import Finding, invalid_fields, locate_findings
from mockserver.storage.untrusted_json import Place


@dataclass(frozen=True)
class DeclaredFile:
    """One declaration with where it was written.

    Attributes:
        path: The file.
        declaration: What it says.
        schemas: The JSON Schemas that it names, by place: `("collections", "bookings")`.
        text: The file's text; empty for a declaration that was made otherwise.
        document: The OpenAPI document that it names, or None.
    """

    path: Path
    declaration: Declaration
    schemas: Mapping[Place, RowSchema] = field(default_factory=dict)
    text: str = ""
    document: OpenApiDocument | None = None


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
    for path in suite_files(suite, APIS):
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
        problems += locate_findings(files[number].path, files[number].text, wrong)
    for file in files if not problems else ():
        problems += locate_findings(file.path, file.text, list(_contradictions(file)))
    if problems:
        raise InvalidFilesError(problems[:FEW])
    return tuple(files)


def _contradictions(file: DeclaredFile) -> Iterator[Finding]:
    """Where a collection says two things that cannot both be.

    Yields:
        The first of each collection.
    """
    for name in file.declaration.collections:
        place = ("collections", name)
        try:
            collection_of(file.declaration, name, file.schemas.get(place))
        except ValueError as error:
            yield Finding(place, str(error).removeprefix(f"{name}: "))


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
        return None, locate_findings(path, text, list(invalid_fields(Declaration, value, error)))
    compiled: dict[Place, RowSchema] = {}
    problems: list[Problem] = []
    for place, given in _schemas(declaration):
        if schemas is None:
            break
        try:
            compiled[place] = schemas.compile(given, path)
        except FormatError as error:
            at = Finding((*place, "schema"), f"the schema cannot be used: {error.message}")
            problems += locate_findings(path, text, [at])
    document: OpenApiDocument | None = None
    if declaration.openapi is not None and schemas is not None:
        try:
            document = read_openapi(schemas.file_beside(path, declaration.openapi.file))
        except FormatError as error:
            text_of = f"the document cannot be used: {error.message}"
            problems += locate_findings(path, text, [Finding(("openapi",), text_of, error.hint)])
        except InvalidFilesError as error:
            problems += error.problems
    if problems:
        return None, problems
    if document is not None:
        said = {"title": document.title, "version": document.version, "hosts": document.hosts,
                "base_path": document.server_path}  # fmt: skip
        left = said.keys() - declaration.model_fields_set
        declaration = declaration.model_copy(update={name: said[name] for name in left})
    return DeclaredFile(path, declaration, compiled, text, document), []


def _schemas(declaration: Declaration) -> Iterator[tuple[Place, str | JsonObject]]:
    for name, collection in declaration.collections.items():
        place: Place = ("collections", name)
        if collection.schema_ is not None:
            yield place, collection.schema_
        for action, each in collection.actions.items():
            if each.schema_ is not None:
                yield (*place, "actions", action), each.schema_
