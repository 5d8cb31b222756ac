"""What makes a case invalid although each of its parts is well formed."""

from collections.abc import Iterator

from harness.cases.modes import contradiction
from harness.cases.words import folded
from harness.model import (
    Case,
    Evidence,
    Expectation,
    ForbiddenEvidence,
    Reference,
    TextContains,
    TextLacks,
    ToolCalls,
)


def contradictions(case: Case) -> Iterator[str]:
    """Why a case cannot be judged, one sentence each.

    Yields:
        A sentence for each reason; nothing for a sound case.
    """
    if reason := contradiction(case):
        yield reason
    yield from _turns(case)
    yield from _both(case)


def doubts(case: Case) -> Iterator[str]:
    """Why a case decides less than its author may think, one sentence each.

    Yields:
        A sentence for each reason; nothing for a sound case.
    """
    if not any(item.required for item in case.expect):
        yield "expects nothing, so it cannot fail: its verdict will be inconclusive"
    if case.mode == "reference" and not any(isinstance(item, Reference) for item in case.expect):
        yield "mode 'reference' has no reference text (reference_response) to be like"


def _turns(case: Case) -> Iterator[str]:
    turns = len(case.turns)
    for item in case.expect:
        if item.turn is not None and not 1 <= item.turn <= turns:
            yield f"{item.kind} speaks of turn {item.turn}, but the case has turns 1 to {turns}"
        for name, turn in _calls_of(item):
            if turn is not None and (turn > turns or item.turn not in {None, turn}):
                yield f"the call of {name!r} is expected in turn {turn}, where it is not looked for"
    if case.reference and len(case.reference) != turns:
        yield f"the reference has {len(case.reference)} turns, the case has {turns}"


def _calls_of(item: Expectation) -> list[tuple[str, int | None]]:
    calls = item.calls if isinstance(item, ToolCalls) else ()
    return [(call.name, call.turn) for call in calls]


def _both(case: Case) -> Iterator[str]:
    forbidden = {
        (item.turn, folded(phrase)): phrase
        for item in case.expect
        if isinstance(item, ForbiddenEvidence | TextLacks)
        for phrase in (item.markers if isinstance(item, ForbiddenEvidence) else item.needles)
    }
    for item in case.expect:
        for phrase in _required(item):
            if any((turn, folded(phrase)) in forbidden for turn in {item.turn, None}):
                yield f"{phrase!r} is both required and forbidden"


def _required(item: object) -> tuple[str, ...]:
    if isinstance(item, Evidence):
        return item.markers
    return item.needles if isinstance(item, TextContains) and item.match == "all" else ()
