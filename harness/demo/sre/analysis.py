"""Where the time of traces goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Hotspot:
    """The span that most of the time of a trace is spent in.

    Attributes:
        service: Who works there.
        name: The span's name.
        share: Its part of the whole trace, 0 to 1.
    """

    service: str
    name: str
    share: float


def own_seconds(spans: Sequence[JsonObject]) -> Mapping[int, float]:
    """Seconds that each span spends itself, those of its children taken away.

    >>> own_seconds([{"id": 1, "parent": 0, "seconds": 3.0}, {"id": 2, "parent": 1, "seconds": 2}])
    {1: 1.0, 2: 2}
    """
    own = {span["id"]: span["seconds"] for span in spans}
    for span in spans:
        if span["parent"] in own:
            own[span["parent"]] -= span["seconds"]
    return own


def hotspot(trace: JsonObject) -> Hotspot | None:
    """Where a trace spends most of its time, or None for one without spans."""
    spans = trace["spans"]
    if not spans:
        return None
    own = own_seconds(spans)
    worst = max(spans, key=lambda span: own[span["id"]])
    whole = max(span["seconds"] for span in spans)
    share = own[worst["id"]] / whole if whole else 0.0
    return Hotspot(worst["labels"].get("service.name", "?"), worst["name"], share)


def duration(trace: JsonObject) -> float:
    """Seconds that a trace took as a whole."""
    return max((float(span["seconds"]) for span in trace["spans"]), default=0.0)
