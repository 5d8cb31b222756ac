"""Runs a plan call by call, each for every value of its `for_each`, and sums it up for people."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from mockserver.capture.google.calls import Failure, MethodCaller, Outcome
from mockserver.capture.google.plans import (
    Limits,
    Plan,
    PlannedCall,
    ReferenceFailureError,
    fill_references,
)
from mockserver.googleapi import Catalog, Method
from mockserver.model import Json

_UNAUTHORIZED = 401


@dataclass(frozen=True)
class CallResult:
    """One call that was made, or could not be made.

    Attributes:
        call: Its id in the plan.
        about: The values of `for_each` it was made for, readable; empty without.
        method: Discovery id.
        outcome: What it brought.
        optional: Whether its failure is none of the capture.
    """

    call: str
    about: str
    method: str
    outcome: Outcome
    optional: bool

    @property
    def failed(self) -> bool:
        """Whether it makes the capture fail."""
        return self.outcome.failure is not None and not self.optional


@dataclass(frozen=True)
class PlanStep:
    """One call, ready to be made.

    Attributes:
        call: The planned call.
        about: The values of `for_each`, readable.
        known: What its references may mean.
    """

    call: PlannedCall
    about: str
    known: Mapping[str, Json]


def run_plan(
    plan: Plan,
    variables: Mapping[str, Json],
    catalog: Catalog,
    asker: MethodCaller,
    started: Callable[[PlanStep, int, int], None],
) -> Iterator[CallResult]:
    """Make the calls of a plan in order; a failed one does not stop those that can be made.

    Args:
        plan: A plan that was checked.
        variables: Values of its variables, and `now`.
        catalog: The documents.
        asker: Asks.
        started: Told of each call before it is made: the step, its number, and how many there are
            of the same planned call.

    Yields:
        Each call when it was made. After an answer that refuses the credentials no further call is
        made.
    """
    known: dict[str, Json] = dict(variables)
    for call in plan.calls:
        method = catalog.method(call.method, call.version)
        assert method is not None, "the plan was checked"  # noqa: S101
        limits = _limits(plan.limits, call)
        answers: list[Json] = []
        steps, problem = _steps(call, known)
        if problem:
            yield _impossible(call, problem)
        for number, step in enumerate(steps):
            started(step, number, len(steps))
            done = _made(step, method, limits, asker)
            answers.append(done.outcome.answer)
            yield done
            if done.outcome.failure and done.outcome.failure.status == _UNAUTHORIZED:
                return
        known[call.id] = answers if call.for_each else (answers[0] if answers else {})


def _limits(limits: Limits, call: PlannedCall) -> Limits:
    own = {"max_pages": call.max_pages, "max_items": call.max_items}
    return limits.model_copy(update={name: value for name, value in own.items() if value})


def _steps(call: PlannedCall, known: Mapping[str, Json]) -> tuple[list[PlanStep], str]:
    """A planned call for each combination of its values, or why there are none."""
    ranges: list[list[Json]] = []
    for name, given in call.for_each.items():
        try:
            values = fill_references(given, known)
        except ReferenceFailureError as error:
            return [], str(error)
        if not isinstance(values, list):
            return [], f"for_each {name!r}: {given!r} is no list"
        ranges.append(values)
    names = list(call.for_each)
    return [
        PlanStep(call, _about(chosen), {**known, **dict(zip(names, chosen, strict=True))})
        for chosen in product(*ranges)
    ], ""


_TELLING = (
    "orgUnitPath", "primaryEmail", "email", "displayName", "schemaName", "name", "id", "type",
)  # fmt: skip


def _about(chosen: tuple[Json, ...]) -> str:
    return ", ".join(_shown(value) for value in chosen)


def _shown(value: Json) -> str:
    if isinstance(value, dict):
        return str(next((value[name] for name in _TELLING if value.get(name)), "..."))
    return str(value)


def _made(step: PlanStep, method: Method, limits: Limits, asker: MethodCaller) -> CallResult:
    call = step.call
    try:
        params, body = (
            fill_references(call.params, step.known),
            fill_references(call.body, step.known),
        )
    except ReferenceFailureError as error:
        return _impossible(call, str(error), step.about)
    outcome = asker.ask(method, params, body, limits)
    return CallResult(call.id, step.about, method.id, outcome, call.optional)


def _impossible(call: PlannedCall, problem: str, about: str = "") -> CallResult:
    outcome = Outcome(failure=Failure(0, problem))
    return CallResult(call.id, about, call.method, outcome, call.optional)


_LACKING = 2
_FAILED = 1


@dataclass(frozen=True)
class Failures:
    """What did not go well.

    Attributes:
        lines: One a failure, and one a call that was cut short; to be redacted before it is shown.
        exit_code: 0, 1 where a call failed, 2 where the credentials are not accepted for one.
    """

    lines: tuple[str, ...]
    exit_code: int


def summary(done: Sequence[CallResult]) -> Iterator[str]:
    """One line a planned call: how often it was made, pages, items, failures.

    Yields:
        The lines, in the order of the plan.
    """
    by_call: dict[str, list[CallResult]] = {}
    for one in done:
        by_call.setdefault(one.call, []).append(one)
    for call, ones in by_call.items():
        failed = sum(one.outcome.failure is not None for one in ones)
        pages = sum(one.outcome.pages for one in ones)
        items = sum(one.outcome.items for one in ones)
        parts = [_count(len(ones), "call"), _count(pages, "page"), _count(items, "item")]
        parts += [f"{failed} failed"] if failed else []
        yield f"{call}: {', '.join(parts)}"


def failures(done: Sequence[CallResult]) -> Failures:
    """What failed, and what was cut short by a limit."""
    lines, codes = [], [0]
    for one in done:
        name = f"{one.call} [{one.about}]" if one.about else one.call
        failure = one.outcome.failure
        if failure is not None:
            lines.append(_failed(name, one, failure))
            codes.append(_code(one, failure))
        if one.outcome.cut:
            lines.append(f"{name}: cut short: {one.outcome.cut}")
    return Failures(tuple(lines), max(codes))


def _failed(name: str, one: CallResult, failure: Failure) -> str:
    status = f" {failure.status}" if failure.status else ""
    advice = ""
    if failure.scope:
        advice = f"; the credentials lack a scope of {one.method}, see --dry-run"
    elif failure.status == _UNAUTHORIZED:
        advice = "; the credentials are not accepted, no further call was made"
    kept = f", {_count(one.outcome.pages, 'page')} kept" if one.outcome.pages else ""
    optional = " (optional)" if one.optional else ""
    return f"{name}: failed{optional}{status}: {failure.message}{advice}{kept}"


def _code(one: CallResult, failure: Failure) -> int:
    if failure.status == _UNAUTHORIZED:
        return _LACKING
    if one.optional:
        return 0
    return _LACKING if failure.scope else _FAILED


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
