"""What makes a case invalid although each of its parts is well formed."""

from collections.abc import Iterator

from harness.cases.clashes import clashes
from harness.cases.modes import contradiction
from harness.documents import Remark
from harness.model import Case, Expectation, Reference, Signals, ToolCalls


def contradictions(case: Case) -> Iterator[Remark]:
    """Why a case cannot be judged, or no agent can pass it.

    Yields:
        A remark for each reason; nothing for a sound case.
    """
    if reason := contradiction(case):
        yield Remark(reason, ["mode"])
    yield from _turns(case)
    yield from clashes(case)


def doubts(case: Case) -> Iterator[Remark]:
    """Why a case decides less than its author may think.

    Yields:
        A remark for each reason; nothing for a sound case.
    """
    decisive = [item for item in case.expect if item.required]
    if decisive and all(isinstance(item, Signals) for item in decisive):
        yield Remark(
            "expects only that the reply looks like an answer: any long one passes",
            hint="say what the reply, the calls or the server must show",
        )
    if not decisive:
        yield Remark(
            "expects nothing, so it cannot fail: its verdict will be inconclusive",
            ["expect"],
            "say what the reply, the calls or the server must show",
        )
    if case.mode == "reference" and not any(isinstance(item, Reference) for item in case.expect):
        yield Remark(
            "mode 'reference' has no reference text (reference_response) to be like", ["mode"]
        )


def _turns(case: Case) -> Iterator[Remark]:
    turns = len(case.turns)
    for item in case.expect:
        if item.turn is not None and not 1 <= item.turn <= turns:
            yield Remark(
                f"{item.kind} speaks of turn {item.turn}, but the case has turns 1 to {turns}",
                ["turn"],
            )
        for name, turn in _calls_of(item):
            if turn is not None and (turn > turns or item.turn not in {None, turn}):
                yield Remark(
                    f"the call of {name!r} is expected in turn {turn}, where it is not looked for",
                    ["turn", name],
                    f"the case has turns 1 to {turns}",
                )
    if case.reference and len(case.reference) != turns:
        yield Remark(
            f"the reference has {len(case.reference)} turns, the case has {turns}",
            ["reference"],
            "give one block of the reference for each turn",
        )


def _calls_of(item: Expectation) -> list[tuple[str, int | None]]:
    calls = item.calls if isinstance(item, ToolCalls) else ()
    return [(call.name, call.turn) for call in calls]
