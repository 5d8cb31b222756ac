"""Clients of google-api-python-client for the methods of a plan, from the installed documents."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from mockserver.errors import MockServerError
from mockserver.googleapi import Catalog, Method
from mockserver.model import Json, JsonObject

_NARROW = ("readonly", "read-only", ".read")
_EVERYTHING = "cloud-platform"


class Clients:
    """Builds requests as google-api-python-client does.

    Args:
        catalog: The documents.
        supplements: Documents of routes that no Discovery document has.
        http: What clients send their requests through.
    """

    def __init__(self, catalog: Catalog, supplements: Sequence[JsonObject], http: object) -> None:
        self._catalog = catalog
        self._supplements = {(raw["name"], raw["version"]): raw for raw in supplements}
        self._http = http
        self._built: dict[tuple[str, str], tuple[Any, JsonObject]] = {}

    def request(self, method: Method, params: Mapping[str, Json], body: JsonObject | None) -> Any:
        """A request that `execute()` sends.

        Raises:
            MockServerError: A parameter does not have the form that the document asks for.
        """
        from googleapiclient.discovery import key2param

        client, raw = self._client(method)
        for resource in _way(raw, method.id):
            client = getattr(client, resource)()
        given = {key2param(name): value for name, value in params.items() if value is not None}
        if body is not None:
            given["body"] = body
        try:
            return getattr(client, _safe(_last(raw, method.id)))(**given)
        except TypeError as error:
            raise MockServerError(f"{method.id}: {error}") from error

    def _client(self, method: Method) -> tuple[Any, JsonObject]:
        key = (method.api, method.version)
        if key not in self._built:
            from googleapiclient.discovery import build_from_document

            raw = self._raw(*key)
            self._built[key] = (build_from_document(raw, http=self._http), raw)
        return self._built[key]

    def _raw(self, name: str, version: str) -> JsonObject:
        return raw_document(self._catalog, list(self._supplements.values()), name, version)


def raw_document(
    catalog: Catalog, supplements: Sequence[JsonObject], name: str, version: str
) -> JsonObject:
    """A document as it is written.

    Raises:
        MockServerError: There is none; a plan that was checked does not ask for it.
    """
    for raw in supplements:
        if (raw["name"], raw["version"]) == (name, version):
            return raw
    text = catalog.document(name, version)
    if text is None:
        raise MockServerError(f"no Discovery document {name}:{version}")
    found: JsonObject = orjson.loads(text)
    return found


def narrow_scope(method: Method) -> str:
    """The scope of a method that allows least, as far as names tell; empty when it needs none."""
    reading = [scope for scope in method.scopes if scope.endswith(_NARROW)]
    own = [scope for scope in reading if _EVERYTHING not in scope]
    return next(iter([*own, *reading, *method.scopes]), "")


def _way(raw: JsonObject, method_id: str) -> tuple[str, ...]:
    return tuple(_safe(name) for name in _found(raw, method_id)[:-1])


def _last(raw: JsonObject, method_id: str) -> str:
    return _found(raw, method_id)[-1]


def _found(raw: JsonObject, method_id: str) -> tuple[str, ...]:
    return next(_paths(raw, method_id))


def _paths(node: JsonObject, method_id: str) -> Iterator[tuple[str, ...]]:
    for name, method in node.get("methods", {}).items():
        if method["id"] == method_id:
            yield (name,)
    for name, inner in node.get("resources", {}).items():
        for path in _paths(inner, method_id):
            yield (name, *path)


def _safe(name: str) -> str:
    from googleapiclient.discovery import fix_method_name

    return str(fix_method_name(name))
