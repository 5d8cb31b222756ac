"""The records of a run, however many there are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar

from pydantic import BeforeValidator, SkipValidation
from typing_extensions import override

from harness.trials.records import TrialRecord


class Records(Protocol):
    """The trial records of a run; each look reads them anew, so take what is needed at once."""

    def __iter__(self) -> Iterator[TrialRecord]:
        """By case in run order, then by number."""
        ...

    def of(self, case: str) -> Iterable[TrialRecord]:
        """Those of one case, by number."""
        ...

    def get(self, case: str, number: int) -> TrialRecord | None:
        """One of them, or None."""
        ...


@dataclass(frozen=True)
class HeldRecords:
    """Records that are in memory."""

    held: tuple[TrialRecord, ...] = ()

    @classmethod
    def of_cases(cls, cases: Sequence[str], records: Iterable[TrialRecord]) -> "HeldRecords":
        """The records of these cases, in their order; others are left out."""
        of_case: dict[str, list[TrialRecord]] = defaultdict(list)
        for record in sorted(records, key=lambda record: record.number):
            of_case[record.case].append(record)
        return cls(tuple(record for case in cases for record in of_case[case]))

    def __iter__(self) -> Iterator[TrialRecord]:
        return iter(self.held)

    def of(self, case: str) -> tuple[TrialRecord, ...]:
        """Those of one case, by number."""
        found = (record for record in self.held if record.case == case)
        return tuple(sorted(found, key=lambda record: record.number))

    def get(self, case: str, number: int) -> TrialRecord | None:
        """One of them, or None."""
        return next((record for record in self.of(case) if record.number == number), None)

    @override
    def __repr__(self) -> str:
        return f"HeldRecords({len(self.held)})"


class Numbered(Protocol):
    """What is told of a trial of a case."""

    @property
    def number(self) -> int:
        """The trial's number."""
        ...


One = TypeVar("One", bound=Numbered)
Other = TypeVar("Other", bound=Numbered)


def pair_by_number(
    trials: Iterable[One], others: Iterable[Other]
) -> Iterator[tuple[One, Other | None]]:
    """What is told of each trial in two places, one pair at a time; both come by number.

    Yields:
        What the first place tells of a trial, and what the second does, or None.
    """
    left = iter(others)
    beside = next(left, None)
    for trial in trials:
        while beside is not None and beside.number < trial.number:
            beside = next(left, None)
        yield trial, beside if beside is not None and beside.number == trial.number else None


def _as_records(value: object) -> object:
    return HeldRecords(value) if isinstance(value, tuple) else value


HeldBack = Annotated[Records, SkipValidation, BeforeValidator(_as_records)]
"""Records as a field of a model; a tuple is held in memory."""
