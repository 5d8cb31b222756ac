"""Which traces are alike: the same tools, the same kind of end, the same error."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from harness.learning.selection import SLOW_SHARE
from harness.model import Case
from harness.trials.coverage import CoveredCall, coverage_text
from mockserver.traces.agent_traces import AgentTrace

COVERS = "Covers"
"""The note of a case that says what it covers, as `coverage_of` says it of a trace."""

_MOST_IDS = 50


@dataclass(slots=True)
class Group:
    """Traces that are alike.

    Attributes:
        covers: What they have in common.
        count: How many there are.
        traces: The first of them, and after it its variants.
        ids: Of the first fifty, all of them.
    """

    covers: str
    count: int = 0
    traces: list[AgentTrace] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)


class Groups:
    """Groups of traces, of which only as many are held as are written.

    Args:
        most: How many traces of a group are held.
        slowest: Whether the slowest traces are wanted: those of a group are held, then.
    """

    def __init__(self, most: int, *, slowest: bool = False) -> None:
        self._most = most
        self._slowest = slowest
        self._groups: dict[str, Group] = {}
        self._durations: list[float] = []
        self.count = 0

    def add(self, trace: AgentTrace) -> None:
        """Take in a trace."""
        covers = coverage_of(trace)
        group = self._groups.setdefault(covers, Group(covers))
        group.count += 1
        self.count += 1
        if self._slowest:
            self._durations.append(trace.duration_ms)
        if len(group.ids) < _MOST_IDS:
            group.ids.append(trace.id)
        prompts = {each.turns[0].user for each in group.traces if each.turns}
        if self._slowest:
            group.traces.append(trace)
            group.traces.sort(key=lambda each: -each.duration_ms)
            del group.traces[self._most :]
        elif len(group.traces) < self._most and trace.turns[0].user not in prompts:
            group.traces.append(trace)

    def __iter__(self) -> Iterator[Group]:
        """The groups, the largest first; of the slowest, those with a trace that is slow.

        Yields:
            Each.
        """
        least = self._least_slow() if self._slowest else 0.0
        for group in sorted(self._groups.values(), key=lambda each: -each.count):
            kept = [each for each in group.traces if each.duration_ms >= least]
            if kept:
                yield Group(group.covers, group.count, kept, group.ids)

    def _least_slow(self) -> float:
        ordered = sorted(self._durations, reverse=True)
        slow = max(1, round(len(ordered) * SLOW_SHARE))
        return ordered[slow - 1] if ordered else 0.0


def coverage_of(trace: AgentTrace) -> str:
    """What a case of a trace covers: its tools with their arguments, how they and it end.

    >>> coverage_of(AgentTrace("1"))
    'no tools; no answer'
    """
    calls = (CoveredCall(call.name, call.arguments, call.error) for call in trace.calls)
    answered = bool(trace.turns and trace.turns[-1].answer)
    return coverage_text(calls, answered=answered, error=trace.error)


def covered_by(cases: Iterable[Case]) -> dict[str, str]:
    """What the cases of a suite cover already, each with the id of the first case that does."""
    found: dict[str, str] = {}
    for case in cases:
        if told := case.notes.get(COVERS):
            found.setdefault(told, case.id)
    return found
