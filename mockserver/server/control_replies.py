"""How the control API answers: JSON, and errors as `{"error": {"message", "hint"}}`."""

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mockserver.errors import MockServerError, SessionError
from mockserver.model import Json, did_you_mean


def answer(content: Json, status: int = 200) -> Response:
    """A JSON answer."""
    return Response(orjson.dumps(content), status, media_type="application/json")


def problem(status: int, message: str, hint: str = "") -> Response:
    """An error answer."""
    return answer({"error": {"message": message, "hint": hint}}, status)


async def mock_server_problem(request: Request, error: Exception) -> Response:
    """The answer to a mistake of the user; the status of a SessionError, otherwise 400."""
    status = error.status if isinstance(error, SessionError) else 400
    if isinstance(error, MockServerError):
        return problem(status, error.message, error.hint)
    return problem(status, str(error))


async def http_problem(request: Request, error: Exception) -> Response:
    """The answer to a path or verb that the control API does not have."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = getattr(error, "headers", None) or {}
    verbs = headers.get("Allow", "")
    if not verbs:
        routes = getattr(request.scope.get("app"), "routes", ())
        near = did_you_mean(request.url.path, {route.path for route in routes})
        return problem(status, _no_such(request), near)
    return problem(status, _no_such(request), f"it answers {verbs}")


def _no_such(request: Request) -> str:
    return f"no {request.method} {request.url.path} in the control API"
