"""Cases by trials: one cell a trial."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from harness.model import Case, CaseDecision, RunResult, TrialStatus

MOST_ROWS = 500
MOST_CELLS = 40

GLYPHS: Mapping[TrialStatus, str] = {
    "pass": "✓",
    "fail": "✗",
    "agent_error": "!",
    "not_evaluated": "○",
    "infra_error": "⊘",
    "replay_miss": "?",
    "skipped": "-",
}
"""What stands in a cell, so that nothing hangs on a colour."""

_WORST = ("failed", "flaky", "inconclusive", "skipped", "passed")


@dataclass(frozen=True, slots=True)
class Cell:
    """One trial.

    Attributes:
        number: Which.
        status: Its status.
        glyph: The sign of the status.
        linked: Whether the trial is shown in full below.
    """

    number: int
    status: TrialStatus
    glyph: str
    linked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One case.

    Attributes:
        case: The case.
        decision: What was decided.
        cells: Its first trials.
        more: The others in words, or an empty string.
        linked: Whether the case has a section below.
    """

    case: Case
    decision: CaseDecision
    cells: tuple[Cell, ...]
    more: str
    linked: bool


def matrix(result: RunResult, shown: Collection[tuple[str, int]]) -> list[Row]:
    """The rows: all cases in run order, or the worst of them where there are too many.

    Args:
        result: The run.
        shown: The trials that are shown in full.
    """
    cases = {case.id: case for case in result.cases}
    sections = {case for case, _ in shown}
    return [
        Row(
            case=cases[decision.case],
            decision=decision,
            cells=_cells(decision, shown),
            more=_more(decision),
            linked=decision.case in sections,
        )
        for decision in _of_note(result.decisions)
    ]


def _of_note(decisions: Sequence[CaseDecision]) -> Sequence[CaseDecision]:
    if len(decisions) <= MOST_ROWS:
        return decisions
    return sorted(decisions, key=lambda each: _WORST.index(each.verdict))[:MOST_ROWS]


def _cells(decision: CaseDecision, shown: Collection[tuple[str, int]]) -> tuple[Cell, ...]:
    return tuple(
        Cell(trial.number, trial.status, GLYPHS[trial.status], (trial.case, trial.number) in shown)
        for trial in decision.trials[:MOST_CELLS]
    )


def _more(decision: CaseDecision) -> str:
    rest = Counter(trial.status for trial in decision.trials[MOST_CELLS:])
    if not rest:
        return ""
    told = ", ".join(f"{count} {status}" for status, count in rest.most_common())
    return f"and {rest.total()} more: {told}"
