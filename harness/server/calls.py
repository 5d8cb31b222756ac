"""A request whose parts were read."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel
from starlette.requests import Request

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
