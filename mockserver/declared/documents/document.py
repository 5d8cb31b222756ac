"""OpenAPI 3.0, 3.1 and Swagger 2 documents in one form: operations, parameters, bodies, answers."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from mockserver.declared.documents.references import (
    as_list,
    as_object,
    at_pointer,
    endless_references,
    pointer_of,
    references,
    wrong_reference,
)
from mockserver.errors import FormatError, InvalidFilesError, Problem
from mockserver.model import FEW, Json, JsonObject, shortened
from mockserver.storage import kind_of
from mockserver.storage.documents import YAML_ENDINGS, document_text, parsed_document, places_in
from mockserver.storage.parse_cache import cache_folder, parse_yaml
from mockserver.storage.untrusted_json import Place

VERBS = ("get", "head", "post", "put", "patch", "delete")
_LONGEST_CHAIN = 50
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
        schema: What its values are; `{}` where the document does not say.
        required: Whether it must be sent.
        separator: What stands between the items of an array; empty where each is sent by itself.
        description: What the document says of it.
    """

    name: str
    where: str
    schema: JsonObject
    required: bool = False
    separator: str = ""
    description: str = ""


@dataclass(frozen=True)
class Response:
    """One answer of an operation.

    Attributes:
        status: Such as `200`, `2XX` or `default`.
        content_type: The type of its body, JSON where there is a choice; empty without a body.
        schema: What its body is; `{}` where the document does not say.
        examples: Bodies that the document shows.
        headers: The names of its headers, in lower case.
    """

    status: str
    content_type: str = ""
    schema: JsonObject = field(default_factory=dict)
    examples: tuple[Json, ...] = ()
    headers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
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
class DocumentedOperation:
    """One verb of one path.

    Attributes:
        id: Its operation id, made of verb and path where the document has none.
        verb: Upper case.
        path: As the document has it.
        parameters: Those of the path and its own.
        body: The schema of the body that it takes, or None.
        body_types: The types of body that it takes.
        is_body_required: Whether a body must be sent.
        responses: Its answers.
        security: The names of the schemes of each alternative; None where it has none of its own.
        place: Where it stands.
        description: What the document says of it.
    """

    id: str
    verb: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    body: JsonObject | None = None
    body_types: tuple[str, ...] = ()
    is_body_required: bool = False
    responses: tuple[Response, ...] = ()
    security: tuple[tuple[str, ...], ...] | None = None
    place: Place = ()
    description: str = ""

    @property
    def success(self) -> Response | None:
        """The answer of a success, the one with a body where there are several."""
        good = [each for each in self.responses if each.status[:1] == "2"]
        return next((each for each in good if each.schema or each.examples), (good or [None])[0])  # type: ignore[list-item]

    @property
    def query(self) -> dict[str, Parameter]:
        """The parameters of its query by name."""
        return {each.name: each for each in self.parameters if each.where == "query"}


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
        self._warnings: list[tuple[Place, str]] = []
        self.servers = tuple(self._swagger_servers() if self.is_swagger else self._servers())
        components = raw if self.is_swagger else as_object(raw.get("components"))
        known = components.get("securityDefinitions" if self.is_swagger else "securitySchemes")
        self.schemes = {name: self.resolve(each) for name, each in as_object(known).items()}
        self.security = _alternatives(raw.get("security"))
        self.routes = tuple(self._without_collisions(list(self._routes())))

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong without being in the way: duplicate ids, colliding paths."""
        return tuple(self.locate_problems(self._warnings, level="warning"))

    @cached_property
    def operations(self) -> tuple[DocumentedOperation, ...]:
        """Everything that it can be asked, with what is sent and answered."""
        return tuple(self.operation(each) for each in self.routes)

    def resolve(self, value: Any) -> JsonObject:
        """An object, or the one that it refers to; `{}` for what is none."""
        for _ in range(_LONGEST_CHAIN):
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                break
            value = at_pointer(self.raw, reference)
        return as_object(value)

    def _check_references(self) -> None:
        """Refuse references that leave the document, that name nothing, and that have no end.

        Raises:
            InvalidFilesError: There are such.
        """
        wrong: dict[str, tuple[Place, str]] = {}
        good: dict[str, Place] = {}
        for place, reference in references(self.raw):
            if reference in good or reference in wrong:
                continue
            reason = wrong_reference(self.raw, reference)
            if reason:
                wrong[reference] = place, f"refers to {shortened(reference)!r}, {reason}"
            else:
                good[reference] = place
        if wrong:
            few = list(wrong.values())[:FEW]
            raise InvalidFilesError(self.locate_problems(few, "keep the whole API in one file"))
        endless = endless_references(self.raw, good)
        if endless:
            few = [
                (place, f"refers to {shortened(reference)!r}, which consists of itself")
                for reference, place in good.items()
                if reference in endless
            ][:FEW]
            hint = "no value is such a one: a schema may hold itself in a field or an array alone"
            raise InvalidFilesError(self.locate_problems(few, hint))

    def locate_problems(
        self, found: Sequence[tuple[Place, str]], hint: str = "", level: str = "error"
    ) -> list[Problem]:
        """What was found, with file, line where it can be told, and pointer.

        Args:
            found: Place and sentence of each.
            hint: What to do about it.
            level: How bad it is.
        """
        places: Sequence[str] = [f"{self.path}#/{pointer_of(place)}" for place, _ in found]
        if self.text and found:
            places = places_in(self.path, self.text, [place for place, _ in found])
        return [
            Problem(where, message, hint, level)
            for where, (_, message) in zip(places, found, strict=True)
        ]

    def _servers(self) -> Iterator[str]:
        for each in as_list(self.raw.get("servers")):
            server = as_object(each)
            url = str(server.get("url") or "")
            for name, variable in as_object(server.get("variables")).items():
                url = url.replace(f"{{{name}}}", str(as_object(variable).get("default", "")))
            yield url

    def _swagger_servers(self) -> Iterator[str]:
        host, base = self.raw.get("host"), self.raw.get("basePath")
        if host or base:
            yield f"{f'https://{host}' if host else ''}{base or ''}"

    def _routes(self) -> Iterator[DocumentedRoute]:
        ids: dict[str, Place] = {}
        for path, given in as_object(self.raw.get("paths")).items():
            item = self.resolve(given)
            for verb in VERBS:
                operation = item.get(verb)
                if not isinstance(operation, dict) or not path.startswith("/"):
                    continue
                place: Place = ("paths", path, verb)
                name = str(operation.get("operationId") or f"{verb} {path}")
                if name in ids:
                    other = pointer_of(ids[name])
                    text = f"has the operation id {shortened(name)!r} of #/{other}"
                    self._warnings.append(((*place, "operationId"), text))
                    name = f"{verb} {path}"
                ids[name] = place
                yield DocumentedRoute(name, verb.upper(), path, place)

    def _without_collisions(self, routes: Sequence[DocumentedRoute]) -> Iterator[DocumentedRoute]:
        """The first of the operations whose paths are the same but for their placeholders.

        Yields:
            Each route that no earlier one is in the way of.
        """
        first: dict[tuple[str, str], DocumentedRoute] = {}
        for each in routes:
            other = first.setdefault((each.verb, pattern_of(each.path)), each)
            if other is each:
                yield each
                continue
            pointer = pointer_of(other.place[:2])
            text = f"{each.path} collides with {other.path} of #/{pointer}; it is left out"
            self._warnings.append((each.place, text))

    def operation(self, route: DocumentedRoute) -> DocumentedOperation:
        """What is sent and answered on one of the document's routes."""
        item = self.resolve(self.raw["paths"][route.path])
        raw = item[route.verb.lower()]
        listed = (*as_list(item.get("parameters")), *as_list(raw.get("parameters")))
        given = [self.resolve(each) for each in listed]
        found = {(str(each.get("in")), str(each.get("name"))): each for each in given}
        body, types = self._body(raw, found)
        return DocumentedOperation(
            id=route.id,
            verb=route.verb,
            path=route.path,
            parameters=tuple(
                self._parameter(name, where, each)
                for (where, name), each in found.items()
                if where in {"path", "query", "header"}
            ),
            body=body,
            body_types=types,
            is_body_required=self._is_body_required(raw, found),
            responses=tuple(
                self._response(str(status), self.resolve(each), raw)
                for status, each in as_object(raw.get("responses")).items()
            ),
            security=_alternatives(raw["security"]) if "security" in raw else None,
            place=route.place,
            description=str(raw.get("description") or ""),
        )

    def _parameter(self, name: str, where: str, raw: JsonObject) -> Parameter:
        style = str(raw.get("style") or "")
        form = str(raw.get("collectionFormat") or "csv") if self.is_swagger else ""
        explode = raw.get("explode", style in {"", "form"}) is True
        separator = "" if explode else _SEPARATORS.get(style, ",")
        if form:
            separator = _SEPARATORS.get(form, ",")
        schema = self._parameter_schema(raw)
        told = str(raw.get("description") or "")
        return Parameter(name, where, schema, raw.get("required") is True, separator, told)

    def _parameter_schema(self, raw: JsonObject) -> JsonObject:
        if "schema" in raw:
            return self.resolve(raw["schema"])
        content = as_object(raw.get("content"))
        if content:
            return self.resolve(as_object(next(iter(content.values()))).get("schema"))
        return raw if self.is_swagger else {}

    def _is_body_required(
        self, raw: JsonObject, found: Mapping[tuple[str, str], JsonObject]
    ) -> bool:
        if self.is_swagger:
            return any(where == "body" and each.get("required") is True
                       for (where, _), each in found.items())  # fmt: skip
        return self.resolve(raw.get("requestBody")).get("required") is True

    def _body(
        self, raw: JsonObject, found: Mapping[tuple[str, str], JsonObject]
    ) -> tuple[JsonObject | None, tuple[str, ...]]:
        if self.is_swagger:
            kinds = as_list(raw.get("consumes")) or as_list(self.raw.get("consumes"))
            types = tuple(str(each) for each in kinds)
            whole = next((each for (where, _), each in found.items() if where == "body"), None)
            if whole is not None:
                return as_object(whole.get("schema")), types
            form = {name: each for (where, name), each in found.items() if where == "formData"}
            needed = [name for name, each in form.items() if each.get("required") is True]
            return ({"properties": form, "required": needed} if form else None), types
        content = as_object(self.resolve(raw.get("requestBody")).get("content"))
        best = best_type(content)
        return (as_object(as_object(content[best]).get("schema")) if best else None), tuple(content)

    def _response(self, status: str, raw: JsonObject, operation: JsonObject) -> Response:
        headers = frozenset(name.lower() for name in as_object(raw.get("headers")))
        if self.is_swagger:
            types = as_list(operation.get("produces")) or as_list(self.raw.get("produces"))
            schema = as_object(raw.get("schema"))
            shown = tuple(as_object(raw.get("examples")).values())
            kind = best_type([str(each) for each in types]) if schema or shown else ""
            return Response(status, kind, schema, shown, headers)
        content = as_object(raw.get("content"))
        best = best_type(content)
        if not best:
            return Response(status, headers=headers)
        media = as_object(content[best])
        named = [self.resolve(each) for each in as_object(media.get("examples")).values()]
        examples = [each["value"] for each in named if "value" in each]
        if "example" in media:
            examples.insert(0, media["example"])
        return Response(status, best, as_object(media.get("schema")), tuple(examples), headers)


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


def _alternatives(value: Json) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(as_object(each)) for each in as_list(value))


def best_type(names: Collection[str]) -> str:
    """The type of body that is looked at: JSON where there is one; empty where there is none."""
    return next((each for each in names if "json" in each), next(iter(names), ""))
