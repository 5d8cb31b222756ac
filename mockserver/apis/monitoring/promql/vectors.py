"""Values of an expression at every step: numbers, and lines of samples."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mockserver.apis.monitoring.promql.errors import execution
from mockserver.apis.monitoring.promql.tracks import NAME, Labels, Track, without

Sample = float | None
"""None where there is none."""


@dataclass(slots=True)
class Line:
    """One series of a result: a sample, or None, for every step."""

    labels: Labels
    values: list[Sample]


@dataclass(slots=True)
class Scalar:
    """A number for every step."""

    values: list[float]


@dataclass(slots=True)
class Matrix:
    """The samples of a range vector at one moment."""

    tracks: list[Track]


Vector = list[Line]
Value = Scalar | Vector | str


def mapped(lines: Iterable[Line], change: Callable[[float], float]) -> Vector:
    """Lines without their name, with every sample changed."""
    return unique(
        Line(
            without(line.labels, NAME),
            [None if value is None else change(value) for value in line.values],
        )
        for line in lines
    )


def unique(lines: Iterable[Line]) -> Vector:
    """Lines of equal labels become one, as long as they never have a sample at the same step.

    Raises:
        PromqlError: They have.
    """
    found: dict[Labels, Line] = {}
    for line in lines:
        other = found.get(line.labels)
        found[line.labels] = line if other is None else _joined(other, line)
    return list(found.values())


def _joined(one: Line, other: Line) -> Line:
    values: list[Sample] = []
    for first, second in zip(one.values, other.values, strict=True):
        if first is not None and second is not None:
            raise execution("vector cannot contain metrics with the same labelset")
        values.append(second if first is None else first)
    return Line(one.labels, values)


def present(lines: Iterable[Line]) -> Vector:
    """The lines that have a sample at any step."""
    return [line for line in lines if any(value is not None for value in line.values)]


def labels_text(labels: Sequence[tuple[str, str]]) -> str:
    """Labels as an error shows them.

    >>> labels_text((("job", "a"),))
    '{job="a"}'
    """
    return "{" + ", ".join(f'{name}="{value}"' for name, value in labels) + "}"
