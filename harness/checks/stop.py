"""Why the agent stopped, and which tools its steps used."""

from fnmatch import fnmatchcase

from harness.checks.consumption import INPUT_PRICE, OUTPUT_PRICE, cost_taken, rounds_taken
from harness.checks.replies import replies_of
from harness.checks.results import not_evaluated, verdict
from harness.checks.text import text_of
from harness.checks.trajectory import trajectory, untold
from harness.model import CheckResult, Phase, Phases, Stop, StopCondition, ToolCall, TrialRecord


def check_stop(record: TrialRecord, expectation: Stop) -> CheckResult:
    """Whether one of `any` and each of `all` holds; `fired` in the numbers names those that do."""
    conditions = (*expectation.any, *expectation.all)
    if not conditions:
        return not_evaluated(expectation, "the case names no stop condition")
    states = {_label(each): _holds(each, record, expectation.turn) for each in conditions}
    fired = [label for label, state in states.items() if state]
    of_any = [states[_label(each)] for each in expectation.any]
    of_all = [states[_label(each)] for each in expectation.all]
    any_holds = _some(of_any) if of_any else True
    all_hold = _each(of_all)
    if any_holds is False or all_hold is False:
        wrong = [label for label, state in states.items() if state is False]
        return verdict(expectation, f"did not stop by: {'; '.join(wrong)}", fired=fired)
    if any_holds is None or all_hold is None:
        unknown = [label for label, state in states.items() if state is None]
        return not_evaluated(expectation, f"cannot be told: {'; '.join(unknown)}", fired=fired)
    return verdict(expectation, "", fired=fired)


def check_phases(record: TrialRecord, expectation: Phases) -> CheckResult:
    """Whether each step used only tools of its phases; steps outside all phases are free."""
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    if found.witness != "reply":
        return not_evaluated(expectation, "the agent does not report its steps")
    wrong = [
        f"{call.name!r} in step {call.step}"
        for call in found.calls
        if not _is_allowed(call, expectation.phases)
    ]
    reason = f"outside its phase: {', '.join(wrong)}" if wrong else ""
    return verdict(expectation, reason, calls=len(found.calls), wrong=wrong)


def _holds(condition: StopCondition, record: TrialRecord, turn: int | None) -> bool | None:
    """Whether everything that the condition names holds; None when that cannot be told."""
    states: list[bool | None] = []
    if condition.content:
        states.append(_said(condition, record, turn))
    if condition.tool is not None:
        states.append(_called(condition.tool, record, turn, last=condition.last))
    if condition.rounds is not None:
        states.append(_within(rounds_taken(record, turn), condition.rounds))
    if condition.cost_usd is not None:
        cost = cost_taken(record, turn, input_price=INPUT_PRICE, output_price=OUTPUT_PRICE)
        states.append(_within(cost, condition.cost_usd))
    return _each(states) if states else None


def _said(condition: StopCondition, record: TrialRecord, turn: int | None) -> bool | None:
    replies = replies_of(record, turn)
    if not replies:
        return None
    final = text_of(replies[-1].text)
    return all(final.holds(phrase) for phrase in condition.content)


def _called(tool: str, record: TrialRecord, turn: int | None, *, last: bool) -> bool | None:
    found = trajectory(record, turn)
    if found is None:
        return None
    names = [call.name for call in found.calls]
    return names[-1:] == [tool] if last else tool in names


def _within(taken: float | None, most: float) -> bool | None:
    return None if taken is None else taken <= most


def _some(states: list[bool | None]) -> bool | None:
    return True if True in states else None if None in states else False


def _each(states: list[bool | None]) -> bool | None:
    return False if False in states else None if None in states else True


def _label(condition: StopCondition) -> str:
    parts = [f"content {', '.join(map(repr, condition.content))}"] if condition.content else []
    if condition.tool is not None:
        parts.append(f"tool {condition.tool!r}" + (" as the last call" if condition.last else ""))
    if condition.rounds is not None:
        parts.append(f"at most {condition.rounds} rounds")
    if condition.cost_usd is not None:
        parts.append(f"at most {condition.cost_usd:g} USD")
    return " and ".join(parts) or "nothing named"


def _is_allowed(call: ToolCall, phases: tuple[Phase, ...]) -> bool:
    covering = [
        phase
        for phase in phases
        if phase.first <= call.step and (phase.last is None or call.step <= phase.last)
    ]
    globs = [glob for phase in covering for glob in phase.tools]
    return not covering or any(fnmatchcase(call.name, glob) for glob in globs)
