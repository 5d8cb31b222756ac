"""JSON Schemas of declared rows: read from the suite alone, checked when they are read."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jsonschema import FormatChecker
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, validator_for
from jsonschema_specifications import REGISTRY
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT202012

from mockserver.declared.keywords import as_list, as_object, is_plain
from mockserver.declared.references import references
from mockserver.errors import FormatError
from mockserver.model import FEW, Json, JsonObject, shortened
from mockserver.storage.documents import pointer_of, read_document

_ROOT = "file:///"
FORMATS = FormatChecker()


@dataclass(frozen=True, eq=False)
class RowSchema:
    """A compiled JSON Schema.

    Attributes:
        schema: The schema as written.
        validator: What holds values against it.
    """

    schema: Json
    validator: Validator

    @property
    def known_fields(self) -> frozenset[str]:
        """The fields that its top names, as properties or as required."""
        top = as_object(self.schema)
        return frozenset((*as_object(top.get("properties")), *as_list(top.get("required"))))

    @property
    def closed_fields(self) -> frozenset[str] | None:
        """The fields that values can have, where its top allows no others; else None."""
        schema = as_object(self.schema)
        is_closed = schema.get("additionalProperties") is False
        return None if "patternProperties" in schema or not is_closed else self.known_fields

    def problems(self, value: Json) -> list[tuple[str, str]]:
        """What is wrong with a value: JSON pointer and sentence of each, the first few."""
        found: list[tuple[str, str]] = []
        try:
            for error in self.validator.iter_errors(value):
                found.append((pointer_of(error.absolute_path), shortened(error.message)))
                if len(found) >= FEW:
                    break
        except RecursionError:
            return [("", "is nested too deeply")]
        return found


def _refusal(error: BaseException) -> str:
    """Why a reference was not followed, where a file was refused for it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, FormatError):
            return cause.message.removeprefix(f"{cause.where}: ")
        cause = cause.__cause__ or cause.__context__
    return "is not there"


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "refers to itself without an end"
    if isinstance(error, re.error):
        return f"has a pattern that is no regular expression: {error}"
    return f"refers to what is not there: {shortened(str(error))}"


class SchemaFiles:
    """The JSON Schemas of one suite; nothing outside its folder is read, nor any network."""

    def __init__(self, suite: Path) -> None:
        self._suite = suite.resolve()
        self._registry: Registry[Json] = REGISTRY.combine(
            Registry(retrieve=self._retrieve)  # type: ignore[call-arg]
        )

    def compile(self, given: str | JsonObject, beside: Path) -> RowSchema:
        """A schema that is ready for use.

        Args:
            given: The schema itself, or its file beside the declaration, `schemas/row.json`; a
                JSON pointer into the file may follow after `#`.
            beside: The declaration's file.

        Raises:
            FormatError: The file cannot be read or is outside the suite; it is no JSON Schema; or
                it refers to what is not there, to the network, or to itself without an end.
        """
        own = beside.resolve().relative_to(self._suite).as_posix()
        where, base = str(beside), f"{_ROOT}{own}"
        fragment, contents = "", given
        if isinstance(given, str):
            name = given.partition("#")[0]
            fragment = given[len(name) :]
            path = self._inside(beside.parent / name, given)
            where, base = str(path), f"{_ROOT}{path.relative_to(self._suite).as_posix()}"
            contents = read_document(path)
        if not isinstance(contents, dict | bool):
            raise FormatError(where, "is no JSON Schema: neither an object nor true nor false")
        resource = Resource.from_contents(contents, default_specification=DRAFT202012)
        registry = self._registry.with_resource(base, resource)
        try:
            self._check_references(contents, registry, base, where)
            schema = registry.resolver(base).lookup(fragment or "#").contents
            kind = validator_for(schema, default=Draft202012Validator)
            if not (kind is Draft202012Validator and is_plain(schema)):
                kind.check_schema(schema)
            # by its address, so that references in it are relative to its file
            address = {"$ref": f"{base}{fragment}"}
            validator = kind(address, registry=registry, format_checker=FORMATS)
            samples: tuple[Json, ...] = ({}, [], "")
            for value in samples:
                next(validator.iter_errors(value), None)
        except SchemaError as error:
            place = pointer_of(error.absolute_path)
            raise FormatError(f"{where}#{place}", shortened(error.message)) from error
        except (RecursionError, Unresolvable, re.error) as error:
            raise FormatError(where, _reason(error)) from error
        return RowSchema(schema, validator)

    def _check_references(
        self, contents: Json, registry: "Registry[Json]", base: str, where: str
    ) -> None:
        """Follow every reference once, so that none fails while requests are answered."""
        seen: set[int] = set()
        waiting = [(contents, registry.resolver(base))]
        while waiting:
            value, resolver = waiting.pop()
            if isinstance(value, dict) and isinstance(value.get("$id"), str):
                resolver = resolver.in_subresource(DRAFT202012.create_resource(value))
            for _, reference in references(value):
                try:
                    found = resolver.lookup(reference)
                except (Unresolvable, NoSuchResource, ValueError) as error:
                    reason = _refusal(error)
                    text = f"refers to {shortened(reference)!r}, which {reason}"
                    raise FormatError(where, text) from error
                if id(found.contents) not in seen:
                    seen.add(id(found.contents))
                    waiting.append((found.contents, found.resolver))

    def _retrieve(self, uri: str) -> "Resource[Json]":
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc:
            raise FormatError(
                uri, "is on the network, and nothing is read from there", hint="keep a copy beside"
            )
        path = self._inside(self._suite / unquote(parts.path).lstrip("/"), uri)
        contents = read_document(path)
        return Resource.from_contents(contents, default_specification=DRAFT202012)

    def file_beside(self, path: Path, name: str) -> Path:
        """A file of the suite that a declaration names.

        Args:
            path: The declaration.
            name: The file, beside it.

        Raises:
            FormatError: It is outside of the suite's folder.
        """
        return self._inside(path.parent / name, name)

    def _inside(self, path: Path, given: str) -> Path:
        try:
            found = path.resolve()
        except (OSError, ValueError) as error:
            raise FormatError(shortened(given), "cannot be the name of a file") from error
        if not found.is_relative_to(self._suite):
            raise FormatError(shortened(given), "leaves the suite's folder")
        return found
