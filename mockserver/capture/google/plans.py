"""A plan of a capture: which methods of Google's APIs are asked, in which order, with what."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from mockserver.capture.google.references import references_in
from mockserver.model import Frozen, Json, JsonObject

_NAME = r"^[A-Za-z][A-Za-z0-9_]*$"
Name = Annotated[str, Field(pattern=_NAME)]


class Limits(Frozen):
    """How much is asked for, and how fast.

    Attributes:
        max_pages: Pages that one call is followed for.
        max_items: Items after which no further page of a call is asked for.
        qps: Requests in a second, over all calls.
        retries: How often a request is sent again after an answer that asks for patience.
    """

    max_pages: int = Field(default=100, ge=1)
    max_items: int = Field(default=10_000, ge=1)
    qps: float = Field(default=5.0, gt=0)
    retries: int = Field(default=5, ge=0)


class PlannedCall(Frozen):
    """One call of a plan, or one for each of several values.

    Attributes:
        id: What later calls refer to it by.
        method: Discovery id, `directory.orgunits.list`.
        version: The document's version, where the method is in several.
        params: Path and query parameters as the Discovery document names them.
        body: The request's body.
        for_each: Name to a reference or a list; the call is made for each value of it, and for
            each combination where there are several names.
        max_pages: As in `Limits`, for this call.
        max_items: As in `Limits`, for this call.
        optional: Whether the capture may succeed although this call fails.
    """

    id: Name
    method: str
    version: str = ""
    params: dict[str, Json] = {}
    body: JsonObject = {}
    for_each: dict[Name, str | list[Json]] = {}
    max_pages: int | None = Field(default=None, ge=1)
    max_items: int | None = Field(default=None, ge=1)
    optional: bool = False

    def references(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What the call refers to.

        Yields:
            Where in the call, and the name that is referred to.
        """
        for place in ("params", "body", "for_each"):
            for path, name in references_in(getattr(self, place)):
                yield (place, *path), name


class Plan(Frozen):
    """A plan.

    Attributes:
        version: Of the form of plans.
        name: What it captures, one word or two.
        about: A sentence for people.
        variables: Name to default; one without a default (null) has to be given.
        limits: How much, how fast.
        calls: In order; a call refers to earlier ones only.
    """

    version: Literal[1] = 1
    name: str
    about: str = ""
    variables: dict[Name, Json] = {}
    limits: Limits = Limits()
    calls: tuple[PlannedCall, ...] = Field(min_length=1)
