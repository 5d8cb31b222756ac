"""The description of this API, made of its routes and their models."""

import inspect
import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from harness.model import JsonObject
from harness.server.replies import ErrorReply
from harness.server.routes import ApiRoute
from mockserver import __version__

_REFUSALS = {
    "4XX": "The request is refused; the body says why and what to do.",
    "503": "The index, or a server that is needed, is down.",
}


def openapi(routes: Iterable[ApiRoute], *, token: bool) -> JsonObject:
    """An OpenAPI 3.1 document.

    Args:
        routes: What there is.
        token: Whether every request must bear the server's token.
    """
    routes = tuple(routes)
    paths: JsonObject = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.verb.lower()] = _operation(route)
    components: JsonObject = {"schemas": _schemas(routes)}
    document: JsonObject = {
        "openapi": "3.1.0",
        "info": {
            "title": "Understudy harness",
            "version": __version__,
            "description": "Suites, runs, baselines and trends of agents under test.",
        },
        "paths": paths,
        "components": components,
    }
    if token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _schemas(routes: Iterable[ApiRoute]) -> JsonObject:
    taken = {route.body for route in routes if route.body}
    said = {route.reply for route in routes if route.reply} | {ErrorReply}
    wanted: list[Any] = [(model, "validation") for model in sorted(taken, key=_name)]
    wanted += [(model, "serialization") for model in sorted(said, key=_name)]
    _, schema = models_json_schema(wanted, ref_template="#/components/schemas/{model}")
    definitions: JsonObject = schema["$defs"]
    for definition in definitions.values():
        if text := definition.get("description"):
            definition["description"] = inspect.cleandoc(text).split("\n\n")[0]
    return definitions


def _operation(route: ApiRoute) -> JsonObject:
    made: JsonObject = {
        "summary": route.about,
        "operationId": _operation_id(route),
        "parameters": [*_path_parameters(route), *_query_parameters(route)],
        "responses": {str(route.status): _success(route), **_refusals()},
    }
    if route.body is not None:
        made["requestBody"] = {
            "required": not route.optional_body,
            "content": {"application/json": {"schema": _ref(route.body)}},
        }
    return made


def _operation_id(route: ApiRoute) -> str:
    words = [word for word in re.split(r"[/{}]+", route.path) if word and word != "api"]
    return route.verb.lower() + "".join(word.capitalize() for word in words)


def _path_parameters(route: ApiRoute) -> list[JsonObject]:
    names = re.findall(r"\{(\w+)\}", route.path)
    text = {"type": "string"}
    return [{"name": name, "in": "path", "required": True, "schema": text} for name in names]


def _query_parameters(route: ApiRoute) -> list[JsonObject]:
    fields = route.query.model_json_schema().get("properties", {})
    return [{"name": name, "in": "query", "schema": schema} for name, schema in fields.items()]


def _success(route: ApiRoute) -> JsonObject:
    schema = _ref(route.reply) if route.reply else {"type": "object"}
    if route.media != "application/json":
        schema = {"type": "string"}
    return {"description": route.about, "content": {route.media: {"schema": schema}}}


def _refusals() -> JsonObject:
    content = {"application/json": {"schema": _ref(ErrorReply)}}
    return {code: {"description": about, "content": content} for code, about in _REFUSALS.items()}


def _ref(model: type[BaseModel]) -> JsonObject:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def _name(model: type[BaseModel]) -> str:
    return model.__name__
