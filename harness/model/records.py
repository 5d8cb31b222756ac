"""The records of a run, however many there are, and the few figures of each that are kept."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import BeforeValidator, SkipValidation
from typing_extensions import override

from harness.checks.expectation import AnyExpectation
from harness.checks.reviews import Observation, observations_of
from harness.checks.witnesses import report_witnesses
from harness.trials.records import Outcome, TrialRecord


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
            two told of tool calls.
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


def facts_of(record: TrialRecord, expectations: Iterable[AnyExpectation] = ()) -> TrialFacts:
    """The figures of a trial.

    Args:
        record: The trial.
        expectations: What its case expects; by its rules witnesses are held against each other.
    """
    replies = record.replies
    told = report_witnesses(record, expectations)
    return TrialFacts(
        case=record.case,
        number=record.number,
        outcome=record.outcome,
        synthetic=record.synthetic,
        duration_ms=record.duration_ms,
        agent_ms=record.agent_ms,
        first_byte_ms=replies[0].first_byte_ms if replies else None,
        tools_ms=sum(entry.duration_ms for entry in record.journal.entries),
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
        witnesses=None if told is None else told.sentence,
    )


def _total(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _digest(text: str) -> int:
    """Equal for equal answers in every process, which the hash of a text is not."""
    from zlib import crc32

    return crc32(" ".join(text.casefold().split()).encode("utf-8", "surrogatepass"))


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
        return tuple(record for record in self.held if record.case == case)

    def get(self, case: str, number: int) -> TrialRecord | None:
        """One of them, or None."""
        return next((record for record in self.of(case) if record.number == number), None)

    @override
    def __repr__(self) -> str:
        return f"HeldRecords({len(self.held)})"


def _as_records(value: object) -> object:
    return HeldRecords(value) if isinstance(value, tuple) else value


HeldBack = Annotated[Records, SkipValidation, BeforeValidator(_as_records)]
"""Records as a field of a model; a tuple is held in memory."""
