"""OpenAPI 3.0, 3.1 and Swagger 2 documents in one form: operations, parameters, bodies, answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from mockserver.errors import FormatError, InvalidFilesError, Problem
from mockserver.model import FEW, Json, JsonObject, shortened
from mockserver.storage import kind_of
from mockserver.storage.documents import YAML_ENDINGS, document_text, parsed_document, places_in
from mockserver.storage.untrusted_json import Place

VERBS = ("get", "head", "post", "put", "patch", "delete")
_LONGEST_CHAIN = 50
_LONGEST_WITH_LINES = 1 << 20
_TOO_LONG = "an integer that 64 bits do not hold"
_NOT_SCHEMA = frozenset({"example", "examples", "default", "enum", "const"})


@dataclass(frozen=True)
class Parameter:
    """One parameter of an operation.

    Attributes:
        name: Its name.
        where: `path`, `query` or `header`.
        schema: What its values are; `{}` where the document does not say.
        required: Whether it must be sent.
    """

    name: str
    where: str
    schema: JsonObject
    required: bool = False


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
        responses: Its answers.
        security: The names of the schemes of each alternative; None where it has none of its own.
        place: Where it stands.
    """

    id: str
    verb: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    body: JsonObject | None = None
    body_types: tuple[str, ...] = ()
    responses: tuple[Response, ...] = ()
    security: tuple[tuple[str, ...], ...] | None = None
    place: Place = ()

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
        title: What the API is called.
        version: Its version.
        servers: The URLs that it is served at, with the defaults of their variables.
        schemes: How callers prove who they are: security schemes by name.
        security: The names of the schemes of each alternative, where an operation has none of its
            own.
        operations: Everything that it can be asked, in the order of the document.
        problems: What is wrong without being in the way: duplicate ids, colliding paths.

    Args:
        raw: The document.
        path: The file, for messages.
        text: The file's text, for lines.

    Raises:
        FormatError: It is no OpenAPI document.
        InvalidFilesError: It refers to what is not in it.
    """

    def __init__(self, raw: Json, path: Path, text: str = "") -> None:
        if not isinstance(raw, dict):
            raise FormatError(str(path), f"expected an OpenAPI document, found {kind_of(raw)}")
        self.raw = raw
        self.path = path
        self._text = text if len(text) <= _LONGEST_WITH_LINES else ""
        self.is_swagger = _checked_version(raw, path)
        self._check_references()
        info = as_object(raw.get("info"))
        self.title = str(info.get("title") or "")
        self.version = str(info.get("version") or "")
        self.problems: list[Problem] = []
        self.servers = tuple(self._swagger_servers() if self.is_swagger else self._servers())
        components = raw if self.is_swagger else as_object(raw.get("components"))
        known = components.get("securityDefinitions" if self.is_swagger else "securitySchemes")
        self.schemes = {name: self.resolved(each) for name, each in as_object(known).items()}
        self.security = _alternatives(raw.get("security"))
        self.operations = tuple(self._operations())
        self._mark_collisions()

    def resolved(self, value: Any) -> JsonObject:
        """An object, or the one that it refers to; `{}` for what is none."""
        for _ in range(_LONGEST_CHAIN):
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                break
            value = _at_pointer(self.raw, reference)
        return as_object(value)

    def _check_references(self) -> None:
        """Refuse references that leave the document, and those that name nothing.

        Raises:
            InvalidFilesError: There are such.
        """
        wrong: dict[str, tuple[Place, str]] = {}
        good: set[str] = set()
        for place, reference in _references(self.raw):
            if reference in good or reference in wrong:
                continue
            reason = _wrong_reference(self.raw, reference)
            if reason:
                wrong[reference] = place, f"refers to {shortened(reference)!r}, {reason}"
            else:
                good.add(reference)
        if wrong:
            few = list(wrong.values())[:FEW]
            raise InvalidFilesError(self._placed(few, "keep the whole API in one file"))

    def _placed(
        self, found: list[tuple[Place, str]], hint: str, level: str = "error"
    ) -> list[Problem]:
        places = [f"{self.path}#/{_pointer(place)}" for place, _ in found]
        if self._text:
            places = list(places_in(self.path, self._text, [place for place, _ in found]))
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

    def _operations(self) -> Iterator[DocumentedOperation]:
        ids: dict[str, Place] = {}
        for path, given in as_object(self.raw.get("paths")).items():
            item = self.resolved(given)
            shared = as_list(item.get("parameters"))
            for verb in VERBS:
                operation = item.get(verb)
                if not isinstance(operation, dict) or not path.startswith("/"):
                    continue
                place: Place = ("paths", path, verb)
                name = str(operation.get("operationId") or f"{verb} {path}")
                if name in ids:
                    text = f"has the operation id {shortened(name)!r} of #/{_pointer(ids[name])}"
                    self._warn((*place, "operationId"), text)
                    name = f"{verb} {path}"
                ids[name] = place
                yield self._operation(name, operation, shared, place)

    def _warn(self, place: Place, message: str) -> None:
        self.problems += self._placed([(place, message)], "", "warning")

    def _operation(
        self, name: str, raw: JsonObject, shared: list[Json], place: Place
    ) -> DocumentedOperation:
        given = [self.resolved(each) for each in (*shared, *as_list(raw.get("parameters")))]
        found = {(str(each.get("in")), str(each.get("name"))): each for each in given}
        body, types = self._body(raw, found)
        verb, path = str(place[2]).upper(), str(place[1])
        return DocumentedOperation(
            id=name,
            verb=verb,
            path=path,
            parameters=tuple(
                Parameter(key, where, self._parameter_schema(each), each.get("required") is True)
                for (where, key), each in found.items()
                if where in {"path", "query", "header"}
            ),
            body=body,
            body_types=types,
            responses=tuple(
                self._response(str(status), self.resolved(each), raw)
                for status, each in as_object(raw.get("responses")).items()
            ),
            security=_alternatives(raw["security"]) if "security" in raw else None,
            place=place,
        )

    def _parameter_schema(self, raw: JsonObject) -> JsonObject:
        if "schema" in raw:
            return self.resolved(raw["schema"])
        content = as_object(raw.get("content"))
        if content:
            return self.resolved(as_object(next(iter(content.values()))).get("schema"))
        return raw if self.is_swagger else {}

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
        content = as_object(self.resolved(raw.get("requestBody")).get("content"))
        best = _best_type(content)
        return (as_object(as_object(content[best]).get("schema")) if best else None), tuple(content)

    def _response(self, status: str, raw: JsonObject, operation: JsonObject) -> Response:
        headers = frozenset(name.lower() for name in as_object(raw.get("headers")))
        if self.is_swagger:
            types = as_list(operation.get("produces")) or as_list(self.raw.get("produces"))
            schema = as_object(raw.get("schema"))
            shown = tuple(as_object(raw.get("examples")).values())
            kind = str(types[0]) if types and schema else ""
            return Response(status, kind, schema, shown, headers)
        content = as_object(raw.get("content"))
        best = _best_type(content)
        if not best:
            return Response(status, headers=headers)
        media = as_object(content[best])
        named = [self.resolved(each) for each in as_object(media.get("examples")).values()]
        examples = [each["value"] for each in named if "value" in each]
        if "example" in media:
            examples.insert(0, media["example"])
        return Response(status, best, as_object(media.get("schema")), tuple(examples), headers)

    def _mark_collisions(self) -> None:
        """Keep the first of the operations whose paths are the same but for their placeholders."""
        first: dict[tuple[str, str], DocumentedOperation] = {}
        kept = []
        for each in self.operations:
            key = each.verb, pattern_of(each.path)
            other = first.setdefault(key, each)
            if other is each:
                kept.append(each)
                continue
            pointer = _pointer(other.place[:2])
            text = f"{each.path} collides with {other.path} of #/{pointer}; it is left out"
            self._warn(each.place, text)
        self.operations = tuple(kept)


def read_openapi(path: Path) -> OpenApiDocument:
    """Read an OpenAPI document, JSON or YAML by the end of its name.

    Raises:
        FormatError: It cannot be read, is too large, or is no OpenAPI document.
        InvalidFilesError: It refers to what is not in it.
    """
    text = document_text(path)
    try:
        raw = parsed_document(text, path)
    except FormatError as error:
        if _TOO_LONG not in error.message or path.suffix in YAML_ENDINGS:
            raise
        # limits beyond 64 bits are common in documents: they are as good as numbers with a point
        raw = orjson.loads(text)
    return OpenApiDocument(raw, path, text)


def _pointer(place: Place) -> str:
    return "/".join(str(each).replace("~", "~0").replace("/", "~1") for each in place)


def as_object(value: Any) -> JsonObject:
    """A value where it is an object; `{}` otherwise."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Json]:
    """A value where it is an array; `[]` otherwise."""
    return value if isinstance(value, list) else []


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


def _best_type(content: JsonObject) -> str:
    """The type of body that is looked at: JSON where there is one."""
    names = list(content)
    return next((each for each in names if "json" in each), names[0] if names else "")


def _references(raw: Json) -> Iterator[tuple[Place, str]]:
    """Every reference of a document; what stands in examples is none.

    Yields:
        Place and text of each.
    """
    waiting: list[tuple[Any, Json]] = [((), raw)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                yield (*_flat(place), "$ref"), reference
            is_names = place and place[1] in {"properties", "schemas", "definitions"}
            waiting += [
                ((place, name), each)
                for name, each in value.items()
                if isinstance(each, dict | list)
                and (is_names or not (name in _NOT_SCHEMA or name.startswith("x-")))
            ]
        elif isinstance(value, list):
            waiting += [
                ((place, n), each) for n, each in enumerate(value) if isinstance(each, dict | list)
            ]


def _flat(place: Any) -> Place:
    """A place as a tuple; while walking it is a chain of pairs, which costs nothing to lengthen."""
    found: list[str | int] = []
    while place:
        place, last = place
        found.append(last)
    return tuple(reversed(found))


def _wrong_reference(raw: Json, reference: str) -> str:
    """What is wrong with a reference, or an empty string."""
    if not reference.startswith("#"):
        parts = urlsplit(reference)
        if parts.scheme or parts.netloc:
            return "which is on the network, and nothing is read from there"
        return "which is another file, and none is read"
    seen = set()
    while isinstance(reference, str):
        if reference in seen:
            return "which refers to itself and to nothing else"
        seen.add(reference)
        try:
            value = _at_pointer(raw, reference)
        except LookupError:
            return "which is not there"
        reference = value.get("$ref") if isinstance(value, dict) else None  # type: ignore[assignment]
    return ""


def _at_pointer(raw: Json, reference: str) -> Json:
    """The value that a reference into the document means.

    Raises:
        LookupError: It is not there.
    """
    value: Any = raw
    before, *parts = unquote(reference.removeprefix("#")).split("/")
    if before:  # an anchor
        raise LookupError(reference)
    for part in parts:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            is_index = name.isdecimal() and int(name) < len(value)
            value = value[int(name)] if is_index else None
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            value = None
        if value is None:
            raise LookupError(reference)
    return value
