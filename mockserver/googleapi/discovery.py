"""Discovery documents as values: documents, their methods, their parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from mockserver.model import Json, JsonMapping, JsonObject

Location = Literal["path", "query"]


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """One path or query parameter of a method.

    Attributes:
        name: lowerCamel, dotted where it is a field of a message (`interval.endTime`).
        location: Where it is sent.
        type: `string`, `integer`, `boolean`, `number` or `object`.
        format: `int32`, `int64`, `google-datetime`, ... or an empty string.
        required: Whether a call without it is refused.
        repeated: Whether it may be sent several times; its value is then a list.
        pattern: Regular expression of the whole value, or an empty string.
        enum: Values that the document lists.
        minimum: Smallest number, or None.
        maximum: Largest number, or None.
        default: Default as the document writes it, or None.
    """

    name: str
    location: Location
    type: str = "string"
    format: str = ""
    required: bool = False
    repeated: bool = False
    pattern: str = ""
    enum: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """One operation of an API; equal only to itself, so it can key a cache.

    Attributes:
        id: Discovery id, `directory.orgunits.list`.
        api: The document's name, `admin`.
        version: The document's version, `directory_v1`.
        http_method: Its verb.
        path: From the host's root, no leading slash: `v1/{+name}:resolve`.
        parameters: By name; system parameters are not among them.
        request: Name of the body's schema, or None.
        response: Name of the answer's schema, or None.
        scopes: OAuth scopes of which a caller needs one.
        media_upload: Whether it takes media.
        document: The document it is from.
        media_download: Whether `alt=media` asks for the content of the resource.
    """

    id: str
    api: str
    version: str
    http_method: str
    path: str
    parameters: Mapping[str, Parameter]
    request: str | None
    response: str | None
    scopes: tuple[str, ...]
    media_upload: bool
    document: "Document" = field(repr=False)
    media_download: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One Discovery document; equal only to itself.

    Attributes:
        name: `admin`.
        version: `directory_v1`.
        title: For people.
        host: `admin.googleapis.com`.
        root_url: `https://admin.googleapis.com/`.
        service_path: Prefix of every path, without a leading slash.
        schemas: Schema name to schema, as written.
        methods: Discovery id to method.
    """

    name: str
    version: str
    title: str
    host: str
    root_url: str
    service_path: str
    schemas: Mapping[str, JsonMapping] = field(repr=False)
    methods: dict[str, Method] = field(repr=False, default_factory=dict)


def parse_document(raw: JsonObject) -> Document:
    """Read a Discovery document, or a supplement in the same form.

    The host is that of `rootUrl`; `baseUrl` may name another one (Analytics v3 does).

    Raises:
        KeyError: Not a Discovery document.

    >>> document = parse_document(
    ...     {
    ...         "name": "a",
    ...         "version": "v1",
    ...         "rootUrl": "https://a.googleapis.com/",
    ...         "methods": {"x": {"id": "a.x", "httpMethod": "GET", "path": "v1/x"}},
    ...     }
    ... )
    >>> document.host, list(document.methods)
    ('a.googleapis.com', ['a.x'])
    """
    document = Document(
        name=raw["name"],
        version=raw["version"],
        title=raw.get("title", ""),
        host=urlsplit(raw["rootUrl"]).netloc.lower(),
        root_url=raw["rootUrl"],
        service_path=raw.get("servicePath", "").lstrip("/"),
        schemas=raw.get("schemas", {}),
    )
    for method in _methods(raw):
        document.methods[method["id"]] = _method(method, document)
    return document


def is_free_form(schema: JsonMapping) -> bool:
    """Whether an object may have fields that the document does not name: a `Struct` or an `Any`.

    >>> is_free_form({"type": "object", "additionalProperties": {"type": "any"}})
    True
    """
    if "properties" in schema:
        return False
    values: JsonMapping = schema.get("additionalProperties", {"type": "any"})
    return bool(values.get("type") == "any")


def _methods(node: JsonMapping) -> Iterator[JsonObject]:
    yield from node.get("methods", {}).values()
    for resource in node.get("resources", {}).values():
        yield from _methods(resource)


def _method(raw: JsonObject, document: Document) -> Method:
    return Method(
        id=raw["id"],
        api=document.name,
        version=document.version,
        http_method=raw["httpMethod"],
        path=document.service_path + raw["path"].lstrip("/"),
        parameters={
            name: _parameter(name, spec) for name, spec in raw.get("parameters", {}).items()
        },
        request=raw.get("request", {}).get("$ref"),
        response=raw.get("response", {}).get("$ref"),
        scopes=tuple(raw.get("scopes", ())),
        media_upload=bool(raw.get("supportsMediaUpload")),
        document=document,
        media_download=bool(raw.get("supportsMediaDownload")),
    )


def _parameter(name: str, spec: JsonMapping) -> Parameter:
    return Parameter(
        name=name,
        location=spec.get("location", "query"),
        type=spec.get("type", "string"),
        format=spec.get("format", ""),
        required=spec.get("required", False),
        repeated=spec.get("repeated", False),
        pattern=spec.get("pattern", ""),
        enum=tuple(spec.get("enum", ())),
        minimum=_number(spec.get("minimum")),
        maximum=_number(spec.get("maximum")),
        default=spec.get("default"),
    )


def _number(bound: Json) -> int | None:
    return None if bound is None else int(bound)
