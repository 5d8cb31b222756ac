"""Answers: JSON for what went well, and for what did not."""

from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from harness.errors import HarnessError, InfrastructureError, InvalidCasesError

MOST_PROBLEMS = 20
_LONGEST_PLACE = 200


class RefusedError(HarnessError):
    """A request that is refused with a status of its own.

    Attributes:
        status: The HTTP status.
        headers: Further response headers.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.headers = dict(headers or {})


class ProblemFound(BaseModel):
    """One thing that is wrong with a request.

    Attributes:
        where: A JSON pointer into the body, a query parameter, or a place in a suite's file.
        message: What is wrong there.
    """

    where: str
    message: str


class ErrorBody(BaseModel):
    """Why a request was refused.

    Attributes:
        status: The HTTP status.
        message: What went wrong.
        hint: What to do about it.
        problems: Everything that is wrong, where there is more to say.
    """

    status: int
    message: str
    hint: str = ""
    problems: list[ProblemFound] = []


class ErrorReply(BaseModel):
    """The body of every answer that is no success.

    Attributes:
        error: Why.
    """

    error: ErrorBody


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value, or a model under its aliases, as JSON."""
    if isinstance(value, BaseModel):
        content = value.model_dump_json(by_alias=True).encode()
    else:
        content = orjson.dumps(value, default=_plain)
    return Response(content, status, dict(headers or {}), media_type="application/json")


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    raise TypeError(type(value).__name__)


def problem(
    status: int,
    message: str,
    *,
    hint: str = "",
    problems: list[ProblemFound] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A refusal."""
    body = ErrorBody(status=status, message=message, hint=hint, problems=problems or [])
    return json_reply(ErrorReply(error=body), status, headers)


def refusal_of(_request: Request, error: Exception) -> Response:
    """The answer to a request that ended in an error that we know."""
    if isinstance(error, RefusedError):
        return problem(error.status, error.message, hint=error.hint, headers=error.headers)
    if isinstance(error, InvalidCasesError):
        found = [ProblemFound(where=each.where, message=each.message) for each in error.problems]
        return problem(422, f"the suite is invalid ({len(found)})", problems=found)
    if isinstance(error, HarnessError):
        status = 503 if isinstance(error, InfrastructureError) else 400
        return problem(status, error.message, hint=error.hint)
    if isinstance(error, HTTPException):
        return problem(error.status_code, error.detail, headers=error.headers)
    return problem(500, "the server failed; its log says more")


def invalid(error: ValidationError, at: str = "") -> Response:
    """The answer to a body that is not what its model says; values are not repeated.

    Args:
        error: What pydantic found.
        at: What comes before the JSON pointers.
    """
    wrong = error.errors(include_url=False, include_input=False, include_context=False)
    found = [
        ProblemFound(
            where=(at + "/" + "/".join(map(str, each["loc"])))[:_LONGEST_PLACE],
            message=each["msg"],
        )
        for each in wrong[:MOST_PROBLEMS]
    ]
    hint = f"{len(found)} of {len(wrong)} are listed" if len(wrong) > len(found) else ""
    return problem(422, "the request is not what this route takes", hint=hint, problems=found)
