"""The few figures of each trial that are kept when its record is let go."""

from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Any, Generic, NamedTuple, TypeVar

from typing_extensions import override

from harness.checks.expectation import AnyExpectation
from harness.checks.made_up import answered_requests, made_up_answers
from harness.checks.reviews import Observation, observations_of
from harness.checks.witnesses import report_witnesses
from harness.trials.coverage import covered_by_trial
from harness.trials.decisions import CheckResult, StoredSequence
from harness.trials.records import Outcome, TrialRecord
from mockserver.traces import finite


class TrialFacts(NamedTuple):
    """The figures of one trial that are kept when its record is let go.

    Attributes:
        case: The case's id.
        number: The trial's number.
        outcome: What the driver said.
        synthetic: Whether the reply was made up.
        duration_ms: The whole trial, milliseconds.
        agent_ms: Inside the agent, milliseconds.
        first_byte_ms: To the first byte of the first answer, milliseconds, or None.
        tools_ms: Inside the mock server, milliseconds.
        tokens: Input and output tokens, or None where the agent does not say.
        cost_usd: US dollars, or None where the agent does not say.
        turns: How many turns were answered.
        attempts: How many tries its turns took.
        time_limit_ms: The limit that its agent ran into, milliseconds, or None.
        tools: The names of its tool calls, in order.
        answer: A hash of its text, white space and case folded.
        observations: What its review found; None where the answer is no review.
        timed: Whether it is known how long it took; results of other tools may not say.
        witnesses: What its witnesses disagree about; empty where they agree, None where fewer than
            two told of tool calls, or cannot be compared.
        incomparable: Why its witnesses cannot be compared; empty where they can.
        answers: How many requests the mock server answered.
        made_up: The methods of those that it made up, in order.
        notes: Of the checks that were met by these alone: kind and note.
        covers: What the trial covers, as `harness.trials.coverage` says it; empty where its agent
            was not reached.
    """

    case: str
    number: int
    outcome: Outcome
    synthetic: bool = False
    duration_ms: float = 0
    agent_ms: float = 0
    first_byte_ms: float | None = None
    tools_ms: float = 0
    tokens: int | None = None
    cost_usd: float | None = None
    turns: int = 0
    attempts: int = 0
    time_limit_ms: float | None = None
    tools: tuple[str, ...] = ()
    answer: int = 0
    observations: tuple[Observation, ...] | None = None
    timed: bool = True
    witnesses: str | None = None
    incomparable: str = ""
    answers: int = 0
    made_up: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    covers: str = ""


def facts_of(
    record: TrialRecord,
    expectations: Iterable[AnyExpectation] = (),
    checks: Iterable[CheckResult] = (),
) -> TrialFacts:
    """The figures of a trial.

    Args:
        record: The trial.
        expectations: What its case expects; by its rules witnesses are held against each other.
        checks: What its checks say.
    """
    replies = record.replies
    told = report_witnesses(record, expectations)
    return TrialFacts(
        case=record.case,
        number=record.number,
        outcome=record.outcome,
        synthetic=record.synthetic,
        duration_ms=finite(record.duration_ms) or 0.0,
        agent_ms=finite(record.agent_ms) or 0.0,
        first_byte_ms=replies[0].first_byte_ms if replies else None,
        tools_ms=finite(sum(entry.duration_ms for entry in record.journal.entries)) or 0.0,
        tokens=_total(
            used
            for reply in replies
            for used in (
                reply.usage.input_tokens,
                reply.usage.output_tokens,
                reply.usage.total_tokens,
            )
        ),
        cost_usd=_total(reply.usage.cost_usd for reply in replies),
        turns=len(replies),
        attempts=len(record.attempts),
        time_limit_ms=record.time_limit_ms,
        tools=tuple(call.name for call in record.tool_calls),
        answer=_digest(record.text),
        observations=observations_of(replies[-1]) if replies else None,
        timed=bool(record.duration_ms) or not record.scores,
        witnesses=None if told is None or told.incomparable else told.sentence,
        incomparable="" if told is None else told.incomparable,
        answers=sum(1 for _ in answered_requests(record)),
        made_up=tuple(entry.method_id or entry.path for entry in made_up_answers(record)),
        notes=tuple(f"{each.kind}: {each.note}" for each in checks if each.note),
        covers=covered_by_trial(record),
    )


def _total(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _digest(text: str) -> int:
    """Equal for equal answers in every process, which the hash of a text is not."""
    from zlib import crc32

    return crc32(" ".join(text.casefold().split()).encode("utf-8", "surrogatepass"))


Value = TypeVar("Value", bound=Hashable)


class _Once(Generic[Value]):
    """A column of values that repeat: each of them once, and four bytes or eight a row."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._places: dict[Value, int] = {}
        self._rows = array("L")

    def append(self, value: Value) -> None:
        place = self._places.setdefault(value, len(self.values))
        if place == len(self.values):
            self.values.append(value)
        self._rows.append(place)

    def part(self, start: int, end: int) -> Iterator[Value]:
        return map(self.values.__getitem__, self._rows[start:end])


class _Floats:
    """A column of numbers that may be missing, 8 bytes a row."""

    def __init__(self) -> None:
        self._rows = array("d")

    def append(self, value: float | None) -> None:
        self._rows.append(nan if value is None else value)

    def part(self, start: int, end: int) -> Iterator[float | None]:
        return (None if isnan(value) else value for value in self._rows[start:end])


_MISSING = -1


class _Counts:
    """A column of whole numbers that may be missing, 8 bytes a row."""

    def __init__(self) -> None:
        self._rows = array("q")
        self._other: dict[int, int] = {}

    def append(self, value: int | None) -> None:
        fits = value is not None and 0 <= value < 1 << 63
        if value is not None and not fits:
            self._other[len(self._rows)] = value
        self._rows.append(value if value is not None and fits else _MISSING)

    def part(self, start: int, end: int) -> Iterator[int | None]:
        return (
            self._other.get(row) if value == _MISSING else value
            for row, value in enumerate(self._rows[start:end], start)
        )


_BLOCK = 1024
"""Rows that are read at once."""

_COLUMNS: Mapping[str, type] = {
    "number": _Counts,
    "duration_ms": _Floats,
    "agent_ms": _Floats,
    "first_byte_ms": _Floats,
    "tools_ms": _Floats,
    "tokens": _Counts,
    "cost_usd": _Floats,
    "turns": _Counts,
    "attempts": _Counts,
    "answers": _Counts,
    "time_limit_ms": _Floats,
    "answer": _Counts,
}
"""What is no value that repeats."""


class FactTable(StoredSequence[TrialFacts]):
    """The figures of the trials of a run as columns, some 170 bytes a trial.

    Attributes:
        any_synthetic: Whether the reply of any of them was made up.
    """

    def __init__(self) -> None:
        columns = [_COLUMNS.get(name, _Once)() for name in TrialFacts._fields]
        self._columns = columns
        self._appends = [column.append for column in columns]
        self._length = 0
        self.any_synthetic = False
        self._cases: dict[str, list[tuple[int, int]]] = {}

    def append(self, facts: TrialFacts) -> None:
        """Keep those of one more trial."""
        for append, value in zip(self._appends, facts, strict=True):
            append(value)
        self.any_synthetic = self.any_synthetic or facts.synthetic
        here, self._length = self._length, self._length + 1
        parts = self._cases.setdefault(facts.case, [(here, here)])
        if parts[-1][1] == here:
            parts[-1] = (parts[-1][0], self._length)
        else:
            parts.append((here, self._length))

    def of(self, case: str) -> Iterator[TrialFacts]:
        """Those of one case, in order.

        Yields:
            Figures.
        """
        for start, end in self._cases.get(case, ()):
            yield from self._part(start, end)

    @override
    def __len__(self) -> int:
        return self._length

    @override
    def __iter__(self) -> Iterator[TrialFacts]:
        return self._part(0, self._length)

    @override
    def item_at(self, place: int) -> TrialFacts:
        return next(self._part(place, place + 1))

    def _part(self, start: int, end: int) -> Iterator[TrialFacts]:
        """Some rows in order; columns are read a block at a time.

        Yields:
            Figures.
        """
        for first in range(start, end, _BLOCK):
            last = min(first + _BLOCK, end)
            parts = [column.part(first, last) for column in self._columns]
            yield from map(TrialFacts._make, zip(*parts, strict=True))


def facts_by_case(facts: Sequence[TrialFacts]) -> "FactsByCase":
    """The figures of trials, case by case."""
    return FactsByCase(facts)


class FactsByCase:
    """The figures of the trials of a run, looked up by case."""

    def __init__(self, facts: Sequence[TrialFacts]) -> None:
        self._table = facts if isinstance(facts, FactTable) else None
        self._held: dict[str, list[TrialFacts]] = {}
        for each in () if self._table is not None else facts:
            self._held.setdefault(each.case, []).append(each)

    def of(self, case: str) -> Iterable[TrialFacts]:
        """Those of one case, in order."""
        return self._table.of(case) if self._table is not None else self._held.get(case, ())

    def synthetic(self, case: str) -> set[int]:
        """The numbers of the trials of a case whose reply was made up."""
        if self._table is not None and not self._table.any_synthetic:
            return set()
        return {each.number for each in self.of(case) if each.synthetic}
