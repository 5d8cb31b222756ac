"""The recording that differs least from a request."""

from collections.abc import Iterable
from dataclasses import dataclass

from mockserver.matching.canonical import canonical
from mockserver.matching.differences import differences
from mockserver.matching.volatile import VOLATILE, Volatile
from mockserver.model import RecordedRequest

_WEIGHTS = {"host": 40, "path": 10, "method": 8}


@dataclass(frozen=True, slots=True)
class Near:
    """The recording that differs least.

    Attributes:
        index: Its place among the candidates.
        differs: The fields in which the request differs from it, see `differences`.
    """

    index: int
    differs: tuple[str, ...]


def nearest(
    request: RecordedRequest,
    candidates: Iterable[RecordedRequest],
    *,
    volatile: Volatile = VOLATILE,
) -> Near | None:
    """The candidate that differs least from a request, the earlier of two; None without any.

    Every candidate is read whole: hand in few.
    """
    asked = canonical(request, volatile=volatile)
    best: tuple[int, Near] | None = None
    for index, candidate in enumerate(candidates):
        found = Near(index, differences(asked, canonical(candidate, volatile=volatile)))
        weight = sum(_WEIGHTS.get(name.partition(" ")[0], 1) for name in found.differs)
        if best is None or weight < best[0]:
            best = weight, found
    return best[1] if best else None
