"""In which fields two requests differ, and the recording that differs least."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

from mockserver.cassettes.matching.canonical import Canonical
from mockserver.model import Json

MOST = 20
"""Fields that are named of one pair of requests."""

_WEIGHTS = {"host": 40, "path": 10, "method": 8}


def differences(asked: Canonical, recorded: Canonical) -> tuple[str, ...]:
    """The fields in which a request differs from a recording, coarse ones first; never values.

    Returns:
        `method`, `host`, `path segment 3`, `query.pageToken`, `header.range`, `body.a.b`, `body`;
        at most `MOST`, which then end with `...`.
    """
    found = list(islice(_differences(asked, recorded), MOST + 1))
    return tuple([*found[:MOST], "..."] if len(found) > MOST else found)


@dataclass(frozen=True, slots=True)
class Near:
    """The recording that differs least.

    Attributes:
        index: Its place among the candidates.
        differs: The fields in which the request differs from it, see `differences`.
    """

    index: int
    differs: tuple[str, ...]


def nearest(asked: Canonical, candidates: Iterable[Canonical]) -> Near | None:
    """The candidate that differs least from a request, the earlier of two; None without any.

    Every candidate is read whole: hand in few.
    """
    best: tuple[int, Near] | None = None
    for index, candidate in enumerate(candidates):
        found = Near(index, differences(asked, candidate))
        weight = sum(_WEIGHTS.get(name.partition(" ")[0], 1) for name in found.differs)
        if best is None or weight < best[0]:
            best = weight, found
    return best[1] if best else None


def _differences(asked: Canonical, recorded: Canonical) -> Iterator[str]:
    if asked.method != recorded.method:
        yield "method"
    if asked.host != recorded.host:
        yield "host"
    for number, (ours, theirs) in enumerate(zip_longest(asked.path, recorded.path), 1):
        if ours != theirs:
            yield f"path segment {number}"
    yield from _named("query", dict(asked.query), dict(recorded.query))
    yield from _named("header", dict(asked.headers), dict(recorded.headers))
    yield from _of_bodies(asked.body, recorded.body)


def _of_bodies(asked: tuple[str, Json], recorded: tuple[str, Json]) -> Iterator[str]:
    kind, content = asked
    if kind != recorded[0]:
        yield "body"
    elif kind == "form":
        yield from _named("body", dict(content), dict(recorded[1]))
    else:
        yield from _of_values("body", content, recorded[1])


def _of_values(where: str, ours: Json, theirs: Json) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from _named(where, ours, theirs)
    elif _are_lists(ours, theirs):
        for number, (mine, other) in enumerate(zip_longest(ours, theirs)):
            yield from _of_values(f"{where}.{number}", mine, other)
    elif ours != theirs:
        yield where


def _named(where: str, ours: dict[str, Json], theirs: dict[str, Json]) -> Iterator[str]:
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            yield f"{where}.{name}"
        elif _are_fields(ours[name], theirs[name]):
            if ours[name] != theirs[name]:
                yield f"{where}.{name}"
        else:
            yield from _of_values(f"{where}.{name}", ours[name], theirs[name])


def _are_fields(ours: Json, theirs: Json) -> bool:
    return isinstance(ours, tuple) and isinstance(theirs, tuple)


def _are_lists(ours: Json, theirs: Json) -> bool:
    return isinstance(ours, list | tuple) and isinstance(theirs, list | tuple)
