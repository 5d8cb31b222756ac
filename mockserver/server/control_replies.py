"""How the control API answers: JSON, and errors as `{"error": {"message", "hint"}}`."""

import orjson
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mockserver.errors import MockServerError, SessionError
from mockserver.model import Json


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


async def validation_problem(request: Request, error: Exception) -> Response:
    """400 with every field that does not hold; values are left out, they may be secret."""
    if not isinstance(error, ValidationError):
        return problem(400, "invalid request")
    found = error.errors(include_input=False, include_url=False, include_context=False)
    texts = [f"/{'/'.join(map(str, item['loc']))}: {item['msg']}" for item in found]
    return problem(400, "\n".join(texts))


async def http_problem(request: Request, error: Exception) -> Response:
    """The answer to a path or verb that the control API does not have."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    return problem(status, f"no {request.method} {request.url.path} in the control API")
