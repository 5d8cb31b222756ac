"""The APIs that a session answers for, and the methods of one with what they take."""

from collections.abc import Iterator
from typing import Any

from mockserver.apis.tools.methods import tool_definitions
from mockserver.errors import SessionError
from mockserver.googleapi import Api, Method
from mockserver.model import JsonObject, did_you_mean, shortened
from mockserver.routing import Routes
from mockserver.state import Base

TOOLS = "tools"
_DESCRIBED = 400


def list_apis(routes: Routes, base: Base | None = None) -> list[JsonObject]:
    """The APIs that are emulated and declared, and the tools of a session.

    Args:
        routes: What the server answers.
        base: What the session starts from whose tools are listed; None lists none.

    Returns:
        `name`, `kind` (`emulated`, `declared` or `tools`), `title`, `hosts`, `methods` (how many)
        for each.
    """
    found: list[JsonObject] = []
    for api in routes.apis:
        methods = [method for method in _document_methods(routes, api) if method.id in api.handlers]
        if methods:
            documents = dict.fromkeys(method.document for method in methods)
            found.append(
                {
                    "name": api.name,
                    "kind": "emulated",
                    "title": next(iter(documents)).title,
                    "hosts": list(dict.fromkeys(each.host for each in documents)),
                    "methods": len(methods),
                }
            )
    for own in routes.declared.apis:
        found.append(
            {
                "name": own.name,
                "kind": "declared",
                "title": "",
                "hosts": list(own.declaration.hosts),
                "methods": len(own.operations),
            }
        )
    tools = {} if base is None else tool_definitions(base)
    if tools:
        title = "Tools of the session"
        found.append(
            {"name": TOOLS, "kind": "tools", "title": title, "hosts": [], "methods": len(tools)}
        )
    return found


def list_methods(routes: Routes, name: str, base: Base | None = None) -> list[JsonObject]:
    """The methods of an API, each with what a form needs to ask it.

    Args:
        routes: What the server answers.
        name: An API as `list_apis` names it, or a Discovery document: `calendar:v3`.
        base: What the session starts from whose tools are meant by `tools`.

    Returns:
        `id`, `verb`, `host`, `path` (with `{name}` and `{+name}` for parameters), `level`
        (`emulated`, `generic`, `declared`, `tool`), `parameters` (`name`, `in`, `required`, `type`,
        `repeated`, `enum`), `body` (whether it takes one).

    Raises:
        SessionError: 404: no API is of that name.
    """
    if name == TOOLS and base is not None:
        return [_tool(tool, value) for tool, value in tool_definitions(base).items()]
    own = next((api for api in routes.declared.apis if api.name == name), None)
    if own is not None:
        host = next(iter(own.declaration.hosts), "")
        return [
            {
                "id": each.id,
                "verb": each.verb,
                "host": host,
                "path": f"{own.base_path}{each.path}".lstrip("/"),
                "level": "declared",
                "parameters": [
                    _parameter(name=place, location="path", required=True)
                    for place in each.placeholders
                ],
                "body": each.verb in {"POST", "PUT", "PATCH"},
            }
            for each in own.operations.values()
        ]
    api = next((each for each in routes.apis if each.name == name), None)
    if api is not None:
        methods = sorted(_document_methods(routes, api), key=lambda one: one.id not in api.handlers)
        return [_method(each, api) for each in methods]
    return _discovery_methods(routes, name)


def documents(routes: Routes) -> list[str]:
    """The names of all Discovery documents, `calendar:v3`."""
    return [str(item["id"]) for item in routes.catalog.listing()["items"]]


def _discovery_methods(routes: Routes, name: str) -> list[JsonObject]:
    known = documents(routes)
    if name not in known:
        own = [api.name for api in routes.apis] + [api.name for api in routes.declared.apis]
        hint = did_you_mean(name, [*own, *known])
        raise SessionError(f"no API {shortened(name)!r}", status=404, hint=hint)
    document, _, version = name.partition(":")
    listed = next(each for each in routes.catalog.listing()["items"] if each["id"] == name)
    host = str(listed["discoveryRestUrl"]).partition("://")[2].partition("/")[0]
    hosts = dict.fromkeys((routes.catalog.canonical(host), "www.googleapis.com"))
    owners = {key: api for api in routes.apis for key in api.handlers}
    found = (method for each in hosts for method in routes.catalog.methods_on(each))
    return [
        _method(method, owners.get(method.id))
        for method in dict.fromkeys(found)
        if (method.api, method.version) == (document, version)
    ]


def _document_methods(routes: Routes, api: Api) -> Iterator[Method]:
    """The methods of an API's documents and supplements, in their order.

    Yields:
        Each method once.
    """
    own = {*api.documents, *((str(raw["name"]), str(raw["version"])) for raw in api.supplements)}
    for method in routes.catalog.methods():
        if (method.api, method.version) in own:
            yield method


def _method(method: Method, api: Api | None) -> JsonObject:
    return {
        "id": method.id,
        "verb": method.http_method,
        "host": method.document.host,
        "path": method.path,
        "level": "emulated" if api is not None and method.id in api.handlers else "generic",
        "parameters": [
            _parameter(
                name=each.name,
                location=each.location,
                required=each.required or each.location == "path",
                kind=each.type,
                repeated=each.repeated,
                enum=each.enum,
            )
            for each in sorted(
                method.parameters.values(),
                key=lambda one: (one.location != "path", not one.required),
            )
        ],
        "body": method.request is not None,
    }


def _tool(name: str, tool: Any) -> JsonObject:
    return {
        "id": f"{TOOLS}.{name}",
        "verb": "POST",
        "host": "",
        "path": f"{TOOLS}/{name}",
        "level": "tool",
        "parameters": [],
        "body": True,
        "description": str(tool.get("description", ""))[:_DESCRIBED],
        "schema": tool.get("inputSchema") or {},
    }


def _parameter(
    *,
    name: str,
    location: str,
    required: bool,
    kind: str = "string",
    repeated: bool = False,
    enum: tuple[str, ...] = (),
) -> JsonObject:
    return {
        "name": name,
        "in": location,
        "required": required,
        "type": kind,
        "repeated": repeated,
        "enum": list(enum),
    }
