"""Runs a plan: call by call, each for every value of its `for_each`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from mockserver.capture.google.asking import Asker, Failure, Outcome
from mockserver.capture.google.plans import Limits, Plan, PlannedCall
from mockserver.capture.google.references import ReferenceFailureError, filled
from mockserver.googleapi import Catalog, Method
from mockserver.model import Json

_UNAUTHORIZED = 401


@dataclass(frozen=True)
class Done:
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
class Step:
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
    asker: Asker,
    started: Callable[[Step, int, int], None],
) -> Iterator[Done]:
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


def _steps(call: PlannedCall, known: Mapping[str, Json]) -> tuple[list[Step], str]:
    """A planned call for each combination of its values, or why there are none."""
    ranges: list[list[Json]] = []
    for name, given in call.for_each.items():
        try:
            values = filled(given, known)
        except ReferenceFailureError as error:
            return [], str(error)
        if not isinstance(values, list):
            return [], f"for_each {name!r}: {given!r} is no list"
        ranges.append(values)
    names = list(call.for_each)
    return [
        Step(call, _about(chosen), {**known, **dict(zip(names, chosen, strict=True))})
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


def _made(step: Step, method: Method, limits: Limits, asker: Asker) -> Done:
    call = step.call
    try:
        params, body = filled(call.params, step.known), filled(call.body, step.known)
    except ReferenceFailureError as error:
        return _impossible(call, str(error), step.about)
    outcome = asker.ask(method, params, body, limits)
    return Done(call.id, step.about, method.id, outcome, call.optional)


def _impossible(call: PlannedCall, problem: str, about: str = "") -> Done:
    outcome = Outcome(failure=Failure(0, problem))
    return Done(call.id, about, call.method, outcome, call.optional)
