"""What the control API is asked: a request's body, held to a model of ours."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pydantic import Field, ValidationError
from starlette.requests import Request

from mockserver.errors import SessionError
from mockserver.googleapi import ApiError
from mockserver.model import FEW, Fault, Frozen, Json, did_you_mean, shortened, told
from mockserver.server.bodies import parse_json
from mockserver.server.requests import (
    MAX_BODY_BYTES,
    BodyTooLargeError,
    CallerGoneError,
    read_body,
)
from mockserver.server.requests import Request as Head
from mockserver.server.turns import LONG_BODY, WORKER
from mockserver.storage import long_integer

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MOST_VALUES = 20_000
"""Values of a request beside those of its overrides."""

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
    read = partial(_read, content or nothing, model)
    return await WORKER.run(read) if len(content) >= LONG_BODY else read()


def _read(content: bytes, model: type[M]) -> M:
    _check(content, model)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        lines = [_said(item, model) for item in found[:FEW]]
        raise SessionError(told(lines, len(found))) from error


def _check(content: bytes, model: type[Frozen]) -> None:
    """Refuse what would take long to validate, and numbers that no answer could repeat.

    Raises:
        SessionError: 400, or 507 where the memory is too small.
    """
    try:
        value = parse_json(content, "one_platform")
    except ApiError as error:
        if error.reason == "parseError":
            return  # the model says it with its place
        raise SessionError(error.message, status=error.status) from error
    if not isinstance(value, dict):
        return
    unknown = [name for name in value if name not in model.model_fields]
    if len(unknown) > FEW or (unknown and len(content) >= LONG_BODY):
        known = list(model.model_fields)
        lines = [
            f"/{shortened(name)}: unknown field; {did_you_mean(name, known)}"
            for name in unknown[:FEW]
        ]
        raise SessionError(told(lines, len(unknown)))
    for name, held in value.items():
        if name != "overrides" and _count(held) > _MOST_VALUES:
            raise SessionError(f"/{shortened(name)}: more than {_MOST_VALUES} values")
    place = long_integer(content)
    if place is not None:
        raise SessionError(f"{place or 'the body'}: an integer that 64 bits do not hold")


def _count(value: Json) -> int:
    """How many values a value holds."""
    left, found = [value], 0
    while left:
        found += 1
        inner = left.pop()
        left += inner.values() if isinstance(inner, dict) else ()
        left += inner if isinstance(inner, list) else ()
    return found


def _said(item: "ErrorDetails", model: type[Frozen]) -> str:
    if item["type"] == "json_invalid":
        return f"the body is not JSON: {item['msg'].removeprefix('Invalid JSON: ')}"
    place = "".join(f"/{shortened(str(step))}" for step in item["loc"]) or "the body"
    if item["type"] == "extra_forbidden":
        near = did_you_mean(str(item["loc"][-1]), _fields(model, item["loc"]))
        return f"{place}: unknown field; {near}"
    return f"{place}: {item['msg']}"


def _fields(model: type[Frozen], place: tuple[int | str, ...]) -> Iterable[str]:
    """The fields that there are where an unknown one is."""
    return (Fault if len(place) > 1 and place[0] == "faults" else model).model_fields
