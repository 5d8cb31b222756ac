"""HTTP messages: bounded JSON bodies, requests with their parts read, JSON replies and errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from harness.errors import HarnessError, InfrastructureError, InvalidCasesError, plain_reason

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


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
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


def problem_response(
    status: int,
    message: str,
    *,
    hint: str = "",
    problems: list[ProblemFound] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A refusal."""
    body = ErrorBody(status=status, message=message, hint=hint, problems=problems or [])
    return json_response(ErrorReply(error=body), status, headers)


def error_response(_request: Request, error: Exception) -> Response:
    """The answer to a request that ended in an error that we know."""
    status = status_of(error)
    if isinstance(error, RefusedError):
        return problem_response(status, error.message, hint=error.hint, headers=error.headers)
    if isinstance(error, InvalidCasesError):
        found = [ProblemFound(where=each.where, message=each.message) for each in error.problems]
        return problem_response(status, f"the suite is invalid ({len(found)})", problems=found)
    if isinstance(error, HarnessError):
        return problem_response(status, error.message, hint=error.hint)
    if isinstance(error, HTTPException):
        return problem_response(status, error.detail, headers=error.headers)
    return problem_response(status, "the server failed; its log says more")


def status_of(error: Exception) -> int:
    """The HTTP status that an error is answered with."""
    if isinstance(error, RefusedError):
        return error.status
    if isinstance(error, InvalidCasesError):
        return 422
    if isinstance(error, HarnessError):
        return 503 if isinstance(error, InfrastructureError) else 400
    return error.status_code if isinstance(error, HTTPException) else 500


def invalid_response(error: ValidationError, at: str = "") -> Response:
    """The answer to a body that is not what its model says; values are not repeated.

    Args:
        error: What pydantic found.
        at: What comes before the JSON pointers.
    """
    wrong = error.errors(include_url=False, include_input=False, include_context=False)
    found = [
        ProblemFound(
            where=(at + "/" + "/".join(map(str, each["loc"])))[:_LONGEST_PLACE],
            message=plain_reason(each["msg"]),
        )
        for each in wrong[:MOST_PROBLEMS]
    ]
    hint = f"{len(found)} of {len(wrong)} are listed" if len(wrong) > len(found) else ""
    return problem_response(
        422, "the request is not what this route takes", hint=hint, problems=found
    )


MOST_CONTAINERS = 20_000
"""Of lists and objects: reading more of them at once would hold up everyone else."""

MOST_MEMBERS = 1_000
"""Of one object: no route takes as many."""


async def read_body(request: Request, longest: int) -> bytes:
    """The whole body.

    Raises:
        RefusedError: It is longer than `longest` bytes.
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > longest:
            limit = f"{longest >> 20} MiB" if longest >> 20 else f"{longest >> 10} KiB"
            close = {"connection": "close"}
            raise RefusedError(413, f"the body is longer than {limit}", headers=close)
    return bytes(content)


def parse_body(content: bytes, *, optional: bool = False) -> Any:
    """The JSON of a body; an object without anything where there is none and there need be none.

    Raises:
        RefusedError: It is no JSON, or has too many parts.
    """
    if optional and not content.strip():
        return {}
    if content.count(b"[") + content.count(b"{") > MOST_CONTAINERS:
        raise RefusedError(413, f"the body has more than {MOST_CONTAINERS} lists and objects")
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise RefusedError(400, f"the body is no JSON: {error}") from None
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if len(each) > MOST_MEMBERS:
                raise RefusedError(413, f"an object has more than {MOST_MEMBERS} members")
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(inner for inner in each if isinstance(inner, dict | list))
    return value


Body = TypeVar("Body", covariant=True)


@dataclass(frozen=True)
class Call(Generic[Body]):
    """A request whose parts were read.

    Attributes:
        request: The request.
        path: What the path names.
        query: Its query parameters, by the route's model.
        body: Its body, by the route's model; None where the route takes none.
    """

    request: Request
    path: dict[str, str]
    query: BaseModel
    body: Body
