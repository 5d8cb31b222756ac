"""The routes: parameters, body, reply and handler of each, and their OpenAPI description."""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from harness.model import JsonObject
from harness.server.handlers import Handlers
from harness.server.messages import Call, ErrorReply, invalid_response, parse_body, read_body
from harness.server.schemas import (
    ApiModel,
    BaselineResponse,
    BaselinesResponse,
    BenchmarksResponse,
    HarnessesResponse,
    HealthResponse,
    NamedRunOrder,
    NewBaseline,
    NewSuite,
    RagOrder,
    RagResponse,
    RegressionsResponse,
    RunAccepted,
    RunOrder,
    RunResponse,
    RunsResponse,
    SuiteResponse,
    SuitesResponse,
)
from harness.server.settings import MAX_BODY_BYTES, ORDER_BYTES
from mockserver import __version__

_AT_ONCE_BYTES = 16 * 1024
"""Longer bodies are read in a thread."""


class NoQuery(BaseModel):
    """A route that takes no query parameters."""

    model_config = ConfigDict(extra="forbid")


class RunsQuery(NoQuery):
    """Which runs.

    Attributes:
        suite: Only those of this suite.
        agent: Only those of this agent.
        before: Go on with the list after this run.
        limit: At most so many.
    """

    suite: str = ""
    agent: str = ""
    before: str = ""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50


class RegressionsQuery(NoQuery):
    """How two runs are compared.

    Attributes:
        threshold: A case whose rate fell by more is degraded.
        margin: How much lower the mean rate may be and still count as not worse.
    """

    threshold: Annotated[float, Field(ge=0, le=1)] = 0.1
    margin: Annotated[float, Field(ge=0, le=1)] = 0.05


@dataclass(frozen=True)
class ApiRoute:
    """One route.

    Attributes:
        verb: The HTTP method.
        path: With `{name}` for what it names.
        about: What it does, one sentence.
        answer: Who answers.
        reply: What a success says; None where it is not JSON of ours.
        body: What it takes; None where it takes nothing.
        status: Of a success.
        query: Its query parameters.
        media: Of a success.
        optional_body: Whether the body may be missing.
        longest_body: How long the body may be, in bytes.
    """

    verb: str
    path: str
    about: str
    answer: Callable[[Handlers], Callable[..., Awaitable[Response]]]
    reply: type[BaseModel] | None
    body: type[ApiModel] | None = None
    status: int = 200
    query: type[NoQuery] = NoQuery
    media: str = "application/json"
    optional_body: bool = False
    longest_body: int = ORDER_BYTES


ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute("GET", "/api/health", "Whether the server works.", lambda a: a.health, HealthResponse),
    ApiRoute("GET", "/api/eval/suites", "The suites.", lambda a: a.suites, SuitesResponse),
    ApiRoute(
        "POST",
        "/api/eval/suites",
        "Keep a new suite of tasks, and register it.",
        lambda a: a.create_suite,
        SuiteResponse,
        body=NewSuite,
        longest_body=MAX_BODY_BYTES,
        status=201,
    ),
    ApiRoute(
        "POST",
        "/api/eval/suites/{name}/run",
        "Put an agent through a suite.",
        lambda a: a.run_suite,
        RunAccepted,
        body=RunOrder,
        status=202,
    ),
    ApiRoute(
        "POST",
        "/api/eval/run",
        "The same in few words.",
        lambda a: a.run_named,
        RunAccepted,
        body=NamedRunOrder,
        status=202,
    ),
    ApiRoute(
        "GET",
        "/api/eval/runs",
        "Runs, the newest first.",
        lambda a: a.runs,
        RunsResponse,
        query=RunsQuery,
    ),
    ApiRoute("GET", "/api/eval/runs/{id}", "One run.", lambda a: a.run, RunResponse),
    ApiRoute(
        "GET", "/api/eval/runs/{id}/report", "Its report, as report.json.", lambda a: a.report, None
    ),
    ApiRoute(
        "GET",
        "/api/eval/runs/{id}/events",
        "What happens in it, as server-sent events; goes on after Last-Event-ID.",
        lambda a: a.events,
        None,
        media="text/event-stream",
    ),
    ApiRoute(
        "POST",
        "/api/eval/runs/{id}/cancel",
        "End it early; every trial that is over is kept.",
        lambda a: a.cancel,
        RunResponse,
        status=202,
    ),
    ApiRoute(
        "POST",
        "/api/eval/runs/{id}/baseline",
        "Make it the baseline of its suite.",
        lambda a: a.promote,
        BaselineResponse,
        body=NewBaseline,
        status=201,
        optional_body=True,
    ),
    ApiRoute(
        "GET", "/api/eval/baselines", "The baselines.", lambda a: a.baselines, BaselinesResponse
    ),
    ApiRoute(
        "DELETE",
        "/api/eval/baselines/{id}",
        "Let a run be no baseline any more.",
        lambda a: a.demote,
        BaselineResponse,
    ),
    ApiRoute(
        "GET",
        "/api/eval/regressions/{suite}",
        "The newest run of a suite against its baseline.",
        lambda a: a.regressions,
        RegressionsResponse,
        query=RegressionsQuery,
    ),
    ApiRoute(
        "POST",
        "/api/eval/rag",
        "Judge a retriever: hit@1, recall, MRR.",
        lambda a: a.rag,
        RagResponse,
        body=RagOrder,
        longest_body=MAX_BODY_BYTES,
    ),
    ApiRoute(
        "GET",
        "/api/eval/harnesses",
        "The pre-built harnesses.",
        lambda a: a.harnesses,
        HarnessesResponse,
    ),
    ApiRoute(
        "GET",
        "/api/benchmarks",
        "How the suites went over time.",
        lambda a: a.benchmarks,
        BenchmarksResponse,
    ),
)


def endpoint(route: ApiRoute, handlers: Handlers) -> Callable[[Request], Awaitable[Response]]:
    """What starlette calls for a route: reads the request by its models, then has it answered."""
    answer = route.answer(handlers)

    async def call_handler(request: Request) -> Response:
        try:
            query = route.query.model_validate(dict(request.query_params))
        except ValidationError as error:
            return invalid_response(error, "?")
        if route.body is None:
            return await answer(Call(request, dict(request.path_params), query, None))
        content = await read_body(request, route.longest_body)
        try:
            if len(content) > _AT_ONCE_BYTES:
                body = await asyncio.to_thread(_validate_body, route, route.body, content)
            else:
                body = _validate_body(route, route.body, content)
        except ValidationError as error:
            return invalid_response(error)
        return await answer(Call(request, dict(request.path_params), query, body))

    return call_handler


def _validate_body(route: ApiRoute, model: type[ApiModel], content: bytes) -> ApiModel:
    return model.model_validate(parse_body(content, optional=route.optional_body))


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
