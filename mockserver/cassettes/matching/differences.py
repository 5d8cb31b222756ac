"""In which fields two requests differ, and the recording that differs least."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

from mockserver.cassettes.matching.canonical import Canonical
from mockserver.model import Json

MOST = 20
"""Fields that are named of one pair of requests."""

_WEIGHTS = {"host": 40, "path": 10, "method": 8}


def differences(request: Canonical, recorded: Canonical) -> tuple[str, ...]:
    """The fields in which a request differs from a recording, coarse ones first; never values.

    Returns:
        `method`, `host`, `path segment 3`, `query.pageToken`, `header.range`, `body.a.b`, `body`,
        `body (form sent, json recorded)`;
        at most `MOST`, which then end with `...`.
    """
    found = list(islice(_differences(request, recorded), MOST + 1))
    return tuple([*found[:MOST], "..."] if len(found) > MOST else found)


@dataclass(frozen=True, slots=True)
class NearestRecording:
    """The recording that differs least.

    Attributes:
        index: Its place among the candidates.
        differs: The fields in which the request differs from it, see `differences`.
    """

    index: int
    differs: tuple[str, ...]


def nearest(request: Canonical, candidates: Iterable[Canonical]) -> NearestRecording | None:
    """The candidate that differs least from a request, the earlier of two; None without any.

    Every candidate is read whole: hand in few.
    """
    best: tuple[int, NearestRecording] | None = None
    for index, candidate in enumerate(candidates):
        found = NearestRecording(index, differences(request, candidate))
        weight = sum(_WEIGHTS.get(name.partition(" ")[0], 1) for name in found.differs)
        if best is None or weight < best[0]:
            best = weight, found
    return best[1] if best else None


def _differences(request: Canonical, recorded: Canonical) -> Iterator[str]:
    if request.method != recorded.method:
        yield "method"
    if request.host != recorded.host:
        yield "host"
    for number, (ours, theirs) in enumerate(zip_longest(request.path, recorded.path), 1):
        if ours != theirs:
            yield f"path segment {number}"
    yield from _member_differences("query", dict(request.query), dict(recorded.query))
    yield from _member_differences("header", dict(request.headers), dict(recorded.headers))
    yield from _body_differences(request, recorded)


def _body_differences(request: Canonical, recorded: Canonical) -> Iterator[str]:
    kind, content = request.body
    recorded_kind, recorded_content = recorded.body
    if kind != recorded_kind:
        yield f"body ({kind} sent, {recorded_kind} recorded)"
    elif kind == "form":
        yield from _member_differences("body", dict(content), dict(recorded_content))
    else:
        yield from _value_differences("body", content, recorded_content)


def _value_differences(where: str, ours: Json, theirs: Json) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from _member_differences(where, ours, theirs)
    elif isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        for number, (mine, other) in enumerate(zip_longest(ours, theirs)):
            yield from _value_differences(f"{where}.{number}", mine, other)
    elif ours != theirs:
        yield where


def _member_differences(
    where: str, ours: dict[str, Json], theirs: dict[str, Json]
) -> Iterator[str]:
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            yield f"{where}.{name}"
        elif isinstance(ours[name], tuple):  # the values of a parameter, in both
            if ours[name] != theirs[name]:
                yield f"{where}.{name}"
        else:
            yield from _value_differences(f"{where}.{name}", ours[name], theirs[name])
