"""What is struck, and how it is held against an undisturbed run of the same."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Found:
    """What one moment came to.

    Attributes:
        what: The moment: what was struck, how, and where.
        losses: What was finished before and is not there afterwards, or is another.
        differences: What else is unlike the undisturbed run.
        back_s: After how many seconds it answered everybody again, where clients asked.
    """

    what: str
    losses: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    back_s: float | None = None


Striker = Callable[[Path, Random], Found]
"""Strikes once, in an empty folder of its own, at a moment that it draws."""


@dataclass(frozen=True)
class Subject:
    """Something that can be struck.

    Attributes:
        name: Its name, the first column of the table.
        open: Prepares it in a folder: the strikes by name, while it is open.
    """

    name: str
    open: Callable[[Path], AbstractContextManager[Mapping[str, Striker]]]


@dataclass
class Row:
    """A line of the table.

    Attributes:
        subject: What was struck.
        strike: How.
        found: Each moment.
    """

    subject: str
    strike: str
    found: list[Found] = field(default_factory=list)

    @property
    def cells(self) -> tuple[str, ...]:
        """Subject, strike, moments, losses, differences, and after how long it answered again."""
        losses = sum(len(each.losses) for each in self.found)
        differences = sum(len(each.differences) for each in self.found)
        counts = (str(len(self.found)), str(losses), str(differences))
        return (self.subject, self.strike, *counts, back_in_service(self.found))


def back_in_service(found: Sequence[Found]) -> str:
    """After how many seconds what was struck answered again: the median, and the most."""
    seconds = [each.back_s for each in found if each.back_s is not None]
    return f"{median(seconds):.2f} s, {max(seconds):.2f} s" if seconds else ""


_PASSING = frozenset(
    {"startedAt", "runId", "folder", "statistics", "session", "latency", "canaries", "custody"}
)
"""What differs between any two runs; canaries and custody are of each time that trials were run."""


def lasting(value: Any) -> Any:
    """A report without names, moments and durations."""
    if isinstance(value, dict):
        return {
            name: lasting(item)
            for name, item in value.items()
            if name not in _PASSING and not name.endswith("Ms")
        }
    return [lasting(item) for item in value] if isinstance(value, list) else value


def unlike(wanted: Any, got: Any, place: str = "") -> Iterator[str]:
    """Where two JSON values differ.

    Yields:
        A line for each place.
    """
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name in sorted(wanted.keys() | got.keys()):
            yield from unlike(wanted.get(name), got.get(name), f"{place}/{name}")
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for number, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from unlike(one, other, f"{place}/{number}")
    elif wanted != got:
        yield f"{place}: {_short(wanted)} became {_short(got)}"


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) < 120 else f"{text[:117]}..."
