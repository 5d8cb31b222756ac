"""Discovery documents as OpenAPI 3.1.

Sources: the reference of Discovery documents, which say types as JSON Schema draft 3 does, and the
OpenAPI Specification 3.1.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from mockserver.errors import MockServerError
from mockserver.googleapi.api import Api
from mockserver.googleapi.catalog import installed_documents
from mockserver.model import Json, JsonMapping, JsonObject

_PLACEHOLDER = re.compile(r"\{\+?([^{}]+)\}")
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_AS_THEY_ARE = ("type", "description", "format", "readOnly", "deprecated", "enum")
_NUMBERS = ("minimum", "maximum")
_AUTHORIZATION = "https://accounts.google.com/o/oauth2/v2/auth"
_TOKEN = "https://oauth2.googleapis.com/token"  # noqa: S105 (an address)


def openapi_of_api(api: Api) -> JsonObject:
    """The OpenAPI 3.1 document of an emulated API: every method of its Discovery documents.

    Methods that behave as the live ones have `x-support: emulated`, the others `generic`. A name
    with slashes (`{+name}`) is written with the placeholders of its parts.

    Raises:
        MockServerError: It has no document.
    """
    folder = installed_documents()
    read = [folder.read(*document) for document in api.documents]
    documents: list[JsonMapping] = [orjson.loads(each) for each in read if each is not None]
    documents += api.supplements
    if not documents:
        raise MockServerError(
            f"the API {api.name!r} has no document that OpenAPI could be made of",
            hint="a session's tools are at /s/<id>/tools/openapi.json"
            if api.name == "tools"
            else "",
        )
    return _Export(api, documents).document()


@dataclass(frozen=True)
class _Source:
    """One Discovery document of an API.

    Attributes:
        raw: The document.
        prefix: What stands before the names of its schemas and parameters.
    """

    raw: JsonMapping
    prefix: str

    @property
    def server(self) -> str:
        """Where it is served."""
        return str(self.raw.get("rootUrl", "")).rstrip("/") or "/"

    def key(self, name: str) -> str:
        """What one of its parameters is called among those of all documents."""
        return f"{self.prefix}{_NO_NAME.sub('', name).strip('.')}"


class _Export:
    def __init__(self, api: Api, documents: Sequence[JsonMapping]) -> None:
        self._api = api
        several = len(documents) > 1
        self._sources = [
            _Source(each, f"{_NO_NAME.sub('_', str(each['version']))}." if several else "")
            for each in documents
        ]
        self._one_server = len({each.server for each in self._sources}) == 1

    def document(self) -> JsonObject:
        first = self._sources[0].raw
        paths: dict[str, JsonObject] = {}
        components: dict[str, JsonObject] = {"schemas": {}, "parameters": {}}
        scopes: JsonObject = {}
        for source in self._sources:
            for name, schema in source.raw.get("schemas", {}).items():
                components["schemas"][f"{source.prefix}{name}"] = _schema(schema, source.prefix)
            for name, spec in source.raw.get("parameters", {}).items():
                components["parameters"][source.key(name)] = _parameter(name, spec, source.prefix)
            known = source.raw.get("auth", {}).get("oauth2", {}).get("scopes", {})
            scopes |= {scope: str(about.get("description", "")) for scope, about in known.items()}
            for method in _methods(source.raw):
                self._add(paths, source, method)
        if scopes:
            flow = {"authorizationUrl": _AUTHORIZATION, "tokenUrl": _TOKEN, "scopes": scopes}
            components["securitySchemes"] = {
                "oauth2": {"type": "oauth2", "flows": {"authorizationCode": flow}}
            }
        return {
            "openapi": "3.1.0",
            "info": {
                "title": str(first.get("title") or self._api.name),
                "version": ", ".join(str(each.raw["version"]) for each in self._sources),
            },
            "servers": [{"url": self._sources[0].server}],
            "paths": paths,
            "components": {name: each for name, each in components.items() if each},
        }

    def _add(self, paths: dict[str, JsonObject], source: _Source, method: JsonMapping) -> None:
        """Put a method at its path; where another one has it, at the path with its whole names."""
        verb = str(method["httpMethod"]).lower()
        whole = str(method["path"])
        for path in (str(method.get("flatPath") or whole), whole):
            base = str(source.raw.get("servicePath", ""))
            shown = _PLACEHOLDER.sub(lambda found: f"{{{found[1]}}}", f"/{base}{path}")
            shown = re.sub("/{2,}", "/", shown)
            if verb not in paths.get(shown, {}):
                operation = self._operation(source, method, _PLACEHOLDER.findall(path))
                paths.setdefault(shown, {})[verb] = operation
                return

    def _operation(
        self, source: _Source, method: JsonMapping, placeholders: Collection[str]
    ) -> JsonObject:
        prefix = source.prefix
        known: JsonMapping = method.get("parameters", {})
        parameters: list[Json] = [
            _parameter(name, {**known.get(name, {"type": "string"}), "location": "path"}, prefix)
            for name in placeholders
        ]
        parameters += [
            _parameter(name, spec, prefix)
            for name, spec in known.items()
            if spec.get("location") == "query"
        ]
        for name in source.raw.get("parameters", {}):
            if name not in known:
                parameters.append({"$ref": f"#/components/parameters/{source.key(name)}"})
        is_emulated = method["id"] in self._api.handlers
        made: JsonObject = {
            "operationId": f"{prefix}{method['id']}",
            "x-support": "emulated" if is_emulated else "generic",
        }
        made |= {"description": method["description"]} if method.get("description") else {}
        made |= {"deprecated": True} if method.get("deprecated") else {}
        made |= {"parameters": parameters} if parameters else {}
        if "request" in method:
            made["requestBody"] = {"content": _json(method["request"], prefix)}
        answer: JsonObject = {"description": "A success."}
        if "response" in method:
            answer["content"] = _json(method["response"], prefix)
        made["responses"] = {"200": answer}
        if not self._one_server:
            made["servers"] = [{"url": source.server}]
        if method.get("scopes"):
            made["security"] = [{"oauth2": [scope]} for scope in method["scopes"]]
        return made


def _json(reference: JsonMapping, prefix: str) -> JsonObject:
    return {"application/json": {"schema": _schema(reference, prefix)}}


def _methods(node: JsonMapping) -> Iterator[JsonMapping]:
    yield from node.get("methods", {}).values()
    for inner in node.get("resources", {}).values():
        yield from _methods(inner)


def _parameter(name: str, spec: JsonMapping, prefix: str) -> JsonObject:
    where = str(spec.get("location", "query"))
    schema = _schema({key: each for key, each in spec.items() if key != "description"}, prefix)
    if spec.get("repeated"):
        schema = {"type": "array", "items": schema}
    made: JsonObject = {"name": name, "in": where, "schema": schema}
    made |= {"description": spec["description"]} if spec.get("description") else {}
    return made | ({"required": True} if where == "path" or spec.get("required") is True else {})


def _schema(spec: JsonMapping, prefix: str) -> JsonObject:
    """A schema of a Discovery document as JSON Schema 2020-12."""
    if "$ref" in spec:
        return {"$ref": f"#/components/schemas/{prefix}{spec['$ref']}"}
    made: JsonObject = {word: spec[word] for word in _AS_THEY_ARE if word in spec}
    if made.get("type") == "any":
        del made["type"]
    for word in _NUMBERS:
        number = _number(spec.get(word))
        # the limits of integers of 64 bits, which are texts, are no limits of texts
        if number is not None and made.get("type") in {"integer", "number"}:
            made[word] = number
    if _is_pattern(spec.get("pattern")):
        made["pattern"] = spec["pattern"]
    if "default" in spec:
        default = _default(spec["default"], spec.get("type"))
        # some documents have a default that their own pattern does not allow
        if "pattern" not in made or re.search(made["pattern"], str(default)):
            made["default"] = default
    if isinstance(spec.get("properties"), dict):
        made["properties"] = {
            name: _schema(each, prefix) for name, each in spec["properties"].items()
        }
    for word in ("items", "additionalProperties"):
        if isinstance(spec.get(word), dict):
            made[word] = _schema(spec[word], prefix)
    return made


def _number(value: Any) -> int | float | None:
    for kind in (int, float):
        with suppress(TypeError, ValueError):
            return kind(value)
    return None


def _is_pattern(value: Any) -> bool:
    try:
        re.compile(value)
    except (re.error, TypeError):
        return False
    return True


def _default(value: Json, kind: Json) -> Json:
    """A default, which Discovery documents write as text."""
    if kind == "boolean" and isinstance(value, str):
        return value == "true"
    number = _number(value) if kind in {"integer", "number"} else None
    return value if number is None else number
