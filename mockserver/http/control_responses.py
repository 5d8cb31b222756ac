"""How the control API answers: JSON, and errors as `{"error": {"message", "hint"}}`."""

import logging
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mockserver.asgi.origins import Refusal
from mockserver.errors import MockServerError, SessionError
from mockserver.model import (
    Json,
    did_you_mean,
    shortened,
)
from mockserver.sessions.scheduling import WORKER

if TYPE_CHECKING:
    from mockserver.sessions.session import Session
from mockserver.sessions.shortage import HINT, PROBLEM

_log = logging.getLogger(__name__)

_PIECE = 64
"""Members of an object, or items of a list, that are encoded at once."""


_LEVELS = 4
"""Small objects are divided down to this depth.

In a report, its parts, their collections, what became of rows, and the rows.
"""


def json_response(content: Json, status: int = 200) -> Response:
    """A JSON answer."""
    return encoded_response(orjson.dumps(content), status)


def encoded_response(content: bytes, status: int = 200) -> Response:
    """An answer that is JSON already."""
    return Response(content, status, media_type="application/json")


def encode_in_pieces(content: Json) -> bytes:
    """A large value as JSON.

    The encoder keeps all threads waiting until it is done, so it is given a little at a time.

    >>> encode_in_pieces({"a": {"b": [1, 2]}, "c": []})
    b'{"a":{"b":[1,2]},"c":[]}'
    """
    return b"".join(_pieces(content, _LEVELS))


async def respond_with(session: "Session", make: Callable[[], Json]) -> Response:
    """What is made of a session, as JSON; in a turn of its own it is made beside the event loop."""
    if session.queue is None:
        return json_response(make())
    return encoded_response(await WORKER.run(lambda: encode_in_pieces(make())))


def _pieces(value: Any, levels: int) -> Iterator[bytes]:
    if not levels or not value or not isinstance(value, (dict, list)):
        yield orjson.dumps(value)
        return
    lead, end = (b"{", b"}") if isinstance(value, dict) else (b"[", b"]")
    if isinstance(value, dict) and len(value) <= _PIECE:
        for name, each in value.items():
            yield lead + orjson.dumps(name) + b":"
            yield from _pieces(each, levels - 1)
            lead = b","
    else:
        left: Iterator[Any] = iter(value.items() if isinstance(value, dict) else value)
        while part := list(islice(left, _PIECE)):
            yield lead + orjson.dumps(dict(part) if isinstance(value, dict) else part)[1:-1]
            lead = b","
    yield end


def problem(status: int, message: str, hint: str = "") -> Response:
    """An error answer; one that passes, 503, says when to ask again."""
    refused = json_response({"error": {"message": message, "hint": hint}}, status)
    if status == 503:
        refused.headers["Retry-After"] = "1"
    return refused


def problem_of(refusal: Refusal) -> Response:
    """The answer to a request that the rules for origins refuse."""
    return problem(refusal.status, refusal.message, refusal.hint)


def shortage_problem() -> Response:
    """The answer where no descriptor is left."""
    return problem(503, PROBLEM, HINT)


async def mock_server_problem(request: Request, error: Exception) -> Response:
    """The answer to a mistake of the user; the status of a SessionError, otherwise 400."""
    status = error.status if isinstance(error, SessionError) else 400
    if isinstance(error, MockServerError):
        return problem(status, error.message, error.hint)
    return problem(status, str(error))


async def http_problem(request: Request, error: Exception) -> Response:
    """The answer to a path or verb that the control API does not have."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    routes, path = getattr(request.scope.get("app"), "routes", ()), request.url.path
    verbs = {verb for each in routes if each.path_regex.match(path) for verb in each.methods}
    if not verbs:
        near = did_you_mean(path, {route.path for route in routes})
        return problem(status, _no_such(request), near)
    told = ", ".join(sorted(verbs - {"HEAD"}))
    return problem(status, _no_such(request), f"it answers {told}")


async def defect_problem(request: Request, error: Exception) -> Response:
    """The answer where the server itself fails; its log has the traceback before that is sent."""
    _log.error("%s %s failed", request.method, shortened(request.url.path), exc_info=error)
    return problem(500, f"the mock server failed with {type(error).__name__}")


def _no_such(request: Request) -> str:
    return f"no {request.method} {shortened(request.url.path)} in the control API"
