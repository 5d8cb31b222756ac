"""A failing trial made into a regression case, which needs nothing of its suite any more."""

from collections.abc import Iterable

from harness.errors import HarnessError
from harness.model import (
    Case,
    ExpectedCall,
    ReferenceCall,
    ReferenceTurn,
    ToolCalls,
    TrialDecision,
    TrialRecord,
)

REGRESSION = "regression"
"""One of `harness.cases.LIFECYCLE`."""


def failing(decisions: Iterable[TrialDecision], number: int | None) -> TrialDecision:
    """The trial that is promoted.

    Args:
        decisions: The decided trials of the case.
        number: The trial that was asked for, or None: the first that failed.

    Raises:
        HarnessError: There is none that failed.
    """
    failed = [each for each in decisions if each.status in {"fail", "agent_error"}]
    found = [each for each in failed if number in {None, each.number}]
    if not found:
        which = "no trial" if number is None else f"no trial {number}"
        numbers = ", ".join(str(each.number) for each in failed)
        hint = f"failed: {numbers}" if failed else "only what failed can become a regression"
        raise HarnessError(f"{which} that failed", hint=hint)
    return found[0]


def promoted(
    case: Case,
    trial: TrialDecision,
    *,
    id: str,
    run: str,
    good: TrialRecord | None = None,
) -> Case:
    """A regression case made of a failing trial.

    It asks what the case asked and expects what the case expected. Where the case has no reference,
    a trial that passed gives one; where it expects no tool calls, the reference's are expected.

    Args:
        case: The case as it was run.
        trial: The trial that failed.
        id: The new case's id; its one override holds the whole world.
        run: The run's id.
        good: A trial of the same case that passed, or None.
    """
    reference = case.reference or (_reference(case, good) if good is not None else ())
    fixtures = case.fixtures.model_copy(update={"overrides": (id,), "base": False, "files": ()})
    return case.model_copy(
        update={
            "id": id,
            "tags": tuple(dict.fromkeys((*case.tags, REGRESSION))),
            "fixtures": fixtures,
            "expect": (*case.expect, *_calls(case, reference)),
            "reference": reference,
            "source_refs": (*case.source_refs, f"run {run}, {case.id} trial {trial.number}"),
            "notes": {**case.notes, "Regression": trial.reason},
        }
    )


def _reference(case: Case, good: TrialRecord) -> tuple[ReferenceTurn, ...]:
    if len(good.replies) != len(case.turns):
        return ()
    seen = {_tool(entry.method_id) for entry in good.journal.entries}
    turns = []
    for reply in good.replies:
        calls = tuple(
            ReferenceCall(name=call.name, args=call.args)
            for call in reply.tool_calls
            if isinstance(call.args, dict)
        )
        turns.append(
            ReferenceTurn(
                calls=tuple(call for call in calls if call.name in seen),
                reports=tuple(call for call in calls if call.name not in seen),
                answer=reply.text,
                metadata=reply.metadata,
                http_status=reply.http_status,
                data=reply.data,
            )
        )
    return tuple(turns)


def _tool(method_id: str) -> str:
    kind, _, name = method_id.partition(".")
    return name if kind == "tools" else ""


def _calls(case: Case, reference: Iterable[ReferenceTurn]) -> Iterable[ToolCalls]:
    if any(isinstance(item, ToolCalls) for item in case.expect):
        return
    for number, turn in enumerate(reference, start=1):
        names = [call.name for call in (*turn.calls, *turn.reports)]
        if names:
            yield ToolCalls(
                turn=number if len(case.turns) > 1 else None,
                calls=tuple(ExpectedCall(name=name) for name in names),
            )
