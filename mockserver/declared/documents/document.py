"""OpenAPI 3.0, 3.1 and Swagger 2 documents in one form: operations, parameters, bodies, answers."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import orjson

from mockserver.declared.keywords import Schema, as_list, as_object
from mockserver.declared.references import (
    endless_references,
    references,
    wrong_reference,
)
from mockserver.errors import FormatError, InvalidFilesError, Problem
from mockserver.model import FEW, Json, JsonObject, shortened
from mockserver.storage import kind_of
from mockserver.storage.documents import (
    YAML_ENDINGS,
    document_text,
    parsed_document,
    places_in,
    pointer_of,
)
from mockserver.storage.findings import Finding
from mockserver.storage.parse_cache import cache_folder, parse_yaml
from mockserver.storage.untrusted_json import Place

VERBS = ("get", "head", "post", "put", "patch", "delete")
_HOST = re.compile(r"(?=.*\.)(?!(.*\.)?googleapis\.com$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_SEPARATORS = {
    "pipeDelimited": "|", "spaceDelimited": " ", "pipes": "|", "ssv": " ", "tsv": "\t", "multi": "",
}  # fmt: skip
_TOO_LONG = "an integer that 64 bits do not hold"


@dataclass(frozen=True)
class Parameter:
    """One parameter of an operation.

    Attributes:
        name: Its name.
        where: `path`, `query` or `header`.
        schema: What its values are.
        required: Whether it must be sent.
        separator: What stands between the items of an array; empty where each is sent by itself.
        description: What the document says of it.
    """

    name: str
    where: str
    schema: Schema
    required: bool = False
    separator: str = ""
    description: str = ""


@dataclass(frozen=True)
class Response:
    """One answer of an operation.

    Attributes:
        status: Such as `200`, `2XX` or `default`.
        content_type: The type of its body, JSON where there is a choice; empty without a body.
        schema: What its body is.
        examples: Bodies that the document shows.
        headers: The names of its headers, in lower case.
    """

    status: str
    content_type: str = ""
    schema: Schema = field(default_factory=Schema)
    examples: tuple[Json, ...] = ()
    headers: frozenset[str] = frozenset()


NO_RESPONSE = Response("")
"""The answer of a success that the document does not tell."""


@dataclass(frozen=True)
class DocumentedRoute:
    """Where one operation of a document stands.

    Attributes:
        id: Its operation id; verb and path where the document has none, or has it twice.
        verb: Upper case.
        path: As the document has it.
        place: Where it stands.
    """

    id: str
    verb: str
    path: str
    place: Place


@dataclass(frozen=True)
class DocumentedOperation(DocumentedRoute):
    """One verb of one path.

    Attributes:
        parameters: Those of the path and its own.
        body: The schema of the body that it takes, or None.
        body_types: The types of body that it takes.
        is_body_required: Whether a body must be sent.
        responses: Its answers.
        security: The names of the schemes of each alternative; None where it has none of its own.
        description: What the document says of it.
    """

    parameters: tuple[Parameter, ...] = ()
    body: Schema | None = None
    body_types: tuple[str, ...] = ()
    is_body_required: bool = False
    responses: tuple[Response, ...] = ()
    security: tuple[tuple[str, ...], ...] | None = None
    description: str = ""

    @property
    def success(self) -> Response:
        """The answer of a success, one with a body where there is one; an empty one without any."""
        good = [each for each in self.responses if each.status[:1] == "2"]
        with_body = (each for each in good if each.schema or each.examples)
        return next(with_body, good[0] if good else NO_RESPONSE)

    @property
    def sent(self) -> Schema:
        """The schema of the body that it takes; an empty one where it takes none."""
        return self.body or Schema()

    @property
    def query(self) -> dict[str, Parameter]:
        """The parameters of its query by name."""
        return {each.name: each for each in self.parameters if each.where == "query"}


NO_OPERATION = DocumentedOperation("", "", "", ())
"""An operation that the document does not have."""


class OpenApiDocument:
    """An OpenAPI document that was read and whose references hold.

    Attributes:
        path: The file.
        text: Its text; empty where it is not at hand.
        title: What the API is called.
        version: Its version.
        servers: The URLs that it is served at, with the defaults of their variables.
        schemes: How callers prove who they are: security schemes by name.
        security: The names of the schemes of each alternative, where an operation has none of its
            own.
        routes: What it can be asked, in the order of the document; of paths that are the same but
            for the names of their placeholders the first.

    Args:
        raw: The document.
        path: The file, for messages.
        text: The file's text, for lines.

    Raises:
        FormatError: It is no OpenAPI document.
        InvalidFilesError: It refers to what is not in it, or has a schema that consists of itself.
    """

    def __init__(self, raw: Json, path: Path, text: str = "") -> None:
        if not isinstance(raw, dict):
            raise FormatError(str(path), f"expected an OpenAPI document, found {kind_of(raw)}")
        self.raw = raw
        self.path = path
        self.text = text
        self.is_swagger = _checked_version(raw, path)
        self._check_references()
        info = as_object(raw.get("info"))
        self.title = str(info.get("title") or "")
        self.version = str(info.get("version") or "")
        self._warnings: list[Finding] = []
        self.servers = tuple(self._servers())
        components = raw if self.is_swagger else as_object(raw.get("components"))
        known = components.get("securityDefinitions" if self.is_swagger else "securitySchemes")
        self.schemes = {name: self.resolve(each) for name, each in as_object(known).items()}
        self.security = _alternatives(raw.get("security"))
        self.routes = tuple(self._routes())

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong without being in the way: duplicate ids, colliding paths."""
        return tuple(self.locate(self._warnings, "warning"))

    @cached_property
    def operations(self) -> tuple[DocumentedOperation, ...]:
        """Everything that it can be asked, with what is sent and answered."""
        return tuple(self.operation(each) for each in self.routes)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of its servers that a declared API may have."""
        named = [(each.hostname or "").lower() for each in self._addresses()]
        return tuple(dict.fromkeys(each for each in named if _HOST.fullmatch(each)))

    @cached_property
    def server_path(self) -> str:
        """The path of the first server that has one, without a slash at its end."""
        paths = (each.path.rstrip("/") for each in self._addresses())
        fits = (each for each in paths if each.startswith("/") and not set(each) & set("{}?# "))
        return next(fits, "")

    def paths_below(self, base_path: str) -> dict[str, str]:
        """Its paths below a base path; empty for those that are not below it.

        The base path may hold the path of its server, the beginning of its paths, or both. Where no
        path begins like it, all paths stand below it.
        """
        starts = (self.server_path, "", base_path)
        found = ({each.path: _below(f"{start}{each.path}", base_path) for each in self.routes}
                 for start in starts)  # fmt: skip
        return next((paths for paths in found if any(paths.values())), {})

    def resolve(self, value: Any) -> JsonObject:
        """An object, or the one that it refers to; `{}` for what is none."""
        return self._schema(value).whole

    def _schema(self, value: Any) -> Schema:
        return Schema(value, self.raw)

    def _check_references(self) -> None:
        """Refuse references that leave the document, that name nothing, and that have no end.

        Raises:
            InvalidFilesError: There are such.
        """
        first: dict[str, Place] = {}
        for place, reference in references(self.raw):
            first.setdefault(reference, place)
        wrong = {each: wrong_reference(self.raw, each) for each in first}
        hint = "keep the whole API in one file"
        if not any(wrong.values()):
            endless = endless_references(self.raw, first)
            wrong = {each: "which consists of itself" if each in endless else "" for each in first}
            hint = "no value is such a one: a schema may hold itself in a field or an array alone"
        found = [Finding(first[each], f"refers to {shortened(each)!r}, {reason}", hint)
                 for each, reason in wrong.items() if reason]  # fmt: skip
        if found:
            raise InvalidFilesError(self.locate(found[:FEW]))

    def locate(self, found: Iterable[Finding], level: str = "error") -> list[Problem]:
        """What was found, with file, line where it can be told, and pointer."""
        listed = list(found)
        places: Sequence[str] = [f"{self.path}#{pointer_of(each.place)}" for each in listed]
        if self.text and listed:  # which reads through the whole text
            places = places_in(self.path, self.text, [each.place for each in listed])
        return [
            Problem(where, each.message, each.hint, level)
            for where, each in zip(places, listed, strict=True)
        ]

    def _servers(self) -> Iterator[str]:
        host, base = self.raw.get("host"), self.raw.get("basePath")
        if self.is_swagger and (host or base):
            yield f"{f'https://{host}' if host else ''}{base or ''}"
        for each in () if self.is_swagger else as_list(self.raw.get("servers")):
            server = as_object(each)
            url = str(server.get("url") or "")
            for name, variable in as_object(server.get("variables")).items():
                url = url.replace(f"{{{name}}}", str(as_object(variable).get("default", "")))
            yield url

    def _addresses(self) -> Iterator[SplitResult]:
        for url in self.servers:
            with suppress(ValueError):
                yield urlsplit(url)

    def _routes(self) -> Iterator[DocumentedRoute]:
        """The operations, of those whose paths are the same but for their placeholders the first.

        Yields:
            Each route that no earlier one is in the way of.
        """
        ids: dict[str, Place] = {}
        first: dict[tuple[str, str], DocumentedRoute] = {}
        collisions: list[Finding] = []
        for path, given in as_object(self.raw.get("paths")).items():
            item = self.resolve(given)
            for verb in VERBS:
                operation = item.get(verb)
                if not isinstance(operation, dict) or not path.startswith("/"):
                    continue
                place: Place = ("paths", path, verb)
                name = str(operation.get("operationId") or f"{verb} {path}")
                if name in ids:
                    text = f"has the operation id {shortened(name)!r} of #{pointer_of(ids[name])}"
                    self._warnings.append(Finding((*place, "operationId"), text))
                    name = f"{verb} {path}"
                ids[name] = place
                route = DocumentedRoute(name, verb.upper(), path, place)
                other = first.setdefault((verb, pattern_of(path)), route)
                if other is route:
                    yield route
                    continue
                where = f"{other.path} of #{pointer_of(other.place[:2])}"
                collisions.append(Finding(place, f"{path} collides with {where}; it is left out"))
        self._warnings += collisions

    def operation(self, route: DocumentedRoute) -> DocumentedOperation:
        """What is sent and answered on one of the document's routes."""
        item = self.resolve(self.raw["paths"][route.path])
        raw = item[route.verb.lower()]
        listed = (*as_list(item.get("parameters")), *as_list(raw.get("parameters")))
        given = [self.resolve(each) for each in listed]
        found = {(str(each.get("in")), str(each.get("name"))): each for each in given}
        read_body = self._swagger_body if self.is_swagger else self._body
        body, types, is_required = read_body(raw, found)
        return DocumentedOperation(
            route.id,
            route.verb,
            route.path,
            route.place,
            parameters=tuple(
                self._parameter(name, where, each)
                for (where, name), each in found.items()
                if where in {"path", "query", "header"}
            ),
            body=body,
            body_types=types,
            is_body_required=is_required,
            responses=tuple(
                self._response(str(status), self.resolve(each), raw)
                for status, each in as_object(raw.get("responses")).items()
            ),
            security=_alternatives(raw["security"]) if "security" in raw else None,
            description=str(raw.get("description") or ""),
        )

    def _parameter(self, name: str, where: str, raw: JsonObject) -> Parameter:
        style = str(raw.get("style") or "")
        explode = raw.get("explode", style in {"", "form"}) is True
        separator = "" if explode else _SEPARATORS.get(style, ",")
        if self.is_swagger:
            separator = _SEPARATORS.get(str(raw.get("collectionFormat")), ",")
        content = as_object(raw.get("content"))
        schema: Json = raw if self.is_swagger else {}
        if "schema" in raw:
            schema = raw["schema"]
        elif content:
            schema = as_object(next(iter(content.values()))).get("schema")
        told = str(raw.get("description") or "")
        whole = self._schema(self.resolve(schema))
        return Parameter(name, where, whole, raw.get("required") is True, separator, told)

    def _swagger_body(
        self, raw: JsonObject, found: Mapping[tuple[str, str], JsonObject]
    ) -> tuple[Schema | None, tuple[str, ...], bool]:
        kinds = as_list(raw.get("consumes")) or as_list(self.raw.get("consumes"))
        types = tuple(str(each) for each in kinds)
        whole = [each for (where, _), each in found.items() if where == "body"]
        if whole:
            is_required = any(each.get("required") is True for each in whole)
            return self._schema(whole[0].get("schema")), types, is_required
        form = {name: each for (where, name), each in found.items() if where == "formData"}
        needed = [name for name, each in form.items() if each.get("required") is True]
        schema = self._schema({"properties": form, "required": needed})
        return schema if form else None, types, False

    def _body(self, raw: JsonObject, _: object) -> tuple[Schema | None, tuple[str, ...], bool]:
        body = self.resolve(raw.get("requestBody"))
        content = as_object(body.get("content"))
        best = best_type(content)
        schema = self._schema(as_object(content[best]).get("schema")) if best else None
        return schema, tuple(content), body.get("required") is True

    def _response(self, status: str, raw: JsonObject, operation: JsonObject) -> Response:
        headers = frozenset(name.lower() for name in as_object(raw.get("headers")))
        if self.is_swagger:
            types = as_list(operation.get("produces")) or as_list(self.raw.get("produces"))
            schema = self._schema(raw.get("schema"))
            shown = tuple(as_object(raw.get("examples")).values())
            kind = best_type([str(each) for each in types]) if schema or shown else ""
            return Response(status, kind, schema, shown, headers)
        content = as_object(raw.get("content"))
        best = best_type(content)
        if not best:
            return Response(status, headers=headers)
        media = as_object(content[best])
        named = [self.resolve(each) for each in as_object(media.get("examples")).values()]
        examples = [media["example"]] if "example" in media else []
        examples += [each["value"] for each in named if "value" in each]
        return Response(status, best, self._schema(media.get("schema")), tuple(examples), headers)


def read_openapi(path: Path) -> OpenApiDocument:
    """Read an OpenAPI document, JSON or YAML by the end of its name.

    Raises:
        FormatError: It cannot be read, is too large, or is no OpenAPI document.
        InvalidFilesError: It refers to what is not in it.
    """
    text = document_text(path)
    try:
        if path.suffix in YAML_ENDINGS:
            raw = parse_yaml(text, str(path), cache_folder(os.environ))
        else:
            raw = parsed_document(text, path)
    except FormatError as error:
        if _TOO_LONG not in error.message or path.suffix in YAML_ENDINGS:
            raise
        # limits beyond 64 bits are common in documents: they are as good as numbers with a point
        raw = orjson.loads(text)
    return OpenApiDocument(raw, path, text)


def is_placeholder(segment: str) -> bool:
    """Whether a segment of a path is a placeholder and nothing else."""
    inner = segment[1:-1]
    return segment == f"{{{inner}}}" and bool(inner) and not set(inner) & set("{}")


def pattern_of(path: str) -> str:
    """A path without the names of its placeholders.

    >>> pattern_of("/pets/{petId}/photos")
    '/pets/{}/photos'
    """
    return "/".join("{}" if is_placeholder(each) else each for each in path.split("/"))


def _checked_version(raw: JsonObject, path: Path) -> bool:
    """Whether a document is a Swagger 2 one; otherwise it is OpenAPI 3.

    Raises:
        FormatError: It is neither.
    """
    swagger, version = str(raw.get("swagger", "")), str(raw.get("openapi", ""))
    if not (swagger or version):
        text = "is no OpenAPI document: neither `openapi` nor `swagger` says its version"
        raise FormatError(str(path), text)
    if not (swagger.startswith("2") or version.startswith("3.")):
        text = f"is of version {shortened(swagger or version)!r}; 2.0, 3.0 and 3.1 are read"
        raise FormatError(f"{path}#/{'swagger' if swagger else 'openapi'}", text)
    if not isinstance(raw.get("paths", {}), dict):
        raise FormatError(f"{path}#/paths", f"expected an object, found {kind_of(raw['paths'])}")
    return bool(swagger)


def _below(path: str, base_path: str) -> str:
    """A path below a base path; empty where it is not below it."""
    is_below = f"{path}/".startswith(f"{base_path}/")
    return (path[len(base_path) :].rstrip("/") or "/") if is_below else ""


def _alternatives(value: Json) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(as_object(each)) for each in as_list(value))


def best_type(names: Collection[str]) -> str:
    """The type of body that is looked at: JSON where there is one; empty where there is none."""
    return next((each for each in names if "json" in each), next(iter(names), ""))
