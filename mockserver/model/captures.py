"""Which collection of a snapshot an answered call fills, and how: data of the APIs' tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mockserver.model.values import Json, JsonObject

Shape = Literal["rows", "object", "lists"]
"""A list of resources, one object, or an object of lists by a parameter of the call."""


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """One call that was answered.

    Attributes:
        method_id: Its Discovery id.
        params: Path and query parameters, by name.
        body: The request's body, or an empty object.
        answer: What came back, parsed.
    """

    method_id: str
    params: Mapping[str, Json]
    body: JsonObject
    answer: JsonObject


Reshape = Callable[[JsonObject, AnsweredCall], JsonObject | None]
"""A resource as a snapshot holds it, of one as it was answered; None leaves it out."""


@dataclass(frozen=True, slots=True)
class Capture:
    """What the answers of one method are in a snapshot.

    Attributes:
        collection: The snapshot's key, `orgUnits`.
        items: The field of an answer that lists resources; empty where the answer is one resource.
        identity: Fields, dotted, that tell a resource from others; of two with the same, the later
            one counts. Without them only equal ones are the same.
        shape: What the collection is.
        under: With `lists`, the parameter whose value is the key; with `object`, the field that the
            items go to.
        joined: Fields whose lists go on from answer to answer (the points of a time series).
        reshape: How a resource becomes the snapshot's.
    """

    collection: str
    items: str = ""
    identity: tuple[str, ...] = ("name",)
    shape: Shape = "rows"
    under: str = ""
    joined: tuple[str, ...] = field(default=())
    reshape: Reshape | None = None


Captures = Mapping[str, tuple[Capture, ...]]
"""Discovery id to what its answers fill."""
