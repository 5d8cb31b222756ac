"""What the control API is asked: a request's body, held to a model of ours."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from pydantic import Field, ValidationError
from starlette.requests import Request

from mockserver.errors import SessionError
from mockserver.model import Fault, Frozen, did_you_mean
from mockserver.server.requests import (
    MAX_BODY_BYTES,
    BodyTooLargeError,
    CallerGoneError,
    read_body,
)
from mockserver.server.requests import Request as Head

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

M = TypeVar("M", bound=Frozen)


class ClockStep(Frozen):
    """What moves a session's clock.

    Attributes:
        advance_s: How far, in seconds.
    """

    advance_s: float = Field(ge=0, allow_inf_nan=False)


async def asked(request: Request, model: type[M], *, nothing: bytes = b"") -> M:
    """Read a request's body as a model.

    Args:
        request: The request.
        model: What it must be.
        nothing: What an empty body is read as.

    Raises:
        SessionError: 413: too large; 400: no JSON, or every field that does not hold at once.
            Values are left out of the message, they may be secret.
    """
    try:
        content = await read_body(Head(request.scope), request.receive)
    except BodyTooLargeError as error:
        limit = f"the body is over the limit of {MAX_BODY_BYTES} bytes"
        raise SessionError(limit, status=413) from error
    except CallerGoneError as error:
        raise SessionError("the body ended early") from error
    try:
        return model.model_validate_json(content or nothing)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        raise SessionError("\n".join(_said(item, model) for item in found)) from error


def _said(item: "ErrorDetails", model: type[Frozen]) -> str:
    if item["type"] == "json_invalid":
        return f"the body is not JSON: {item['msg'].removeprefix('Invalid JSON: ')}"
    place = "".join(f"/{step}" for step in item["loc"]) or "the body"
    if item["type"] == "extra_forbidden":
        near = did_you_mean(str(item["loc"][-1]), _fields(model, item["loc"]))
        return f"{place}: unknown field; {near}"
    return f"{place}: {item['msg']}"


def _fields(model: type[Frozen], place: tuple[int | str, ...]) -> Iterable[str]:
    """The fields that there are where an unknown one is."""
    return (Fault if len(place) > 1 and place[0] == "faults" else model).model_fields
