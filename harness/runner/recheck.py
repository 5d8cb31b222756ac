"""Decides stored trials anew: the same records, other expectations or another policy."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.cases import input_hash
from harness.errors import HarnessError
from harness.model import (
    Case,
    CaseDecision,
    RunManifest,
    TrialStatus,
    pair_by_number,
    trial_numbers,
    trial_shapes,
)


@dataclass(frozen=True, slots=True)
class Flip:
    """A case whose verdict is another one now.

    Attributes:
        case: Its id.
        before: The verdict then.
        after: The verdict now.
        trials: The numbers of its trials whose status is another one now.
        reason: Why it did not pass, now or then.
    """

    case: str
    before: str
    after: str
    trials: tuple[int, ...]
    reason: str


def check_recheckable(
    manifest: RunManifest, first: Sequence[Case], now: Iterable[Case]
) -> tuple[Case, ...]:
    """The cases of a run as they are written now, in run order; one that is gone stays as it was.

    Raises:
        HarnessError: A case asks or gives its agent something else than it did then: no trial of it
            says anything about that.
    """
    known = {case.id: case for case in now}
    changed = [
        case.id
        for case in first
        if case.id in known and input_hash(known[case.id]) != input_hash(case)
    ]
    if changed:
        raise HarnessError(
            f"run {manifest.run} cannot be rechecked: the prompt or the fixtures of"
            f" {', '.join(changed)} are not what they were",
            hint="expectations may change, inputs may not: run these cases again",
        )
    return tuple(known.get(case.id, case) for case in first)


def find_flips(
    before: Iterable[CaseDecision] | None, after: Iterable[CaseDecision]
) -> tuple[Flip, ...]:
    """The cases whose verdict, or the status of a trial of which, is another one now."""
    known = {decision.case: decision for decision in before or ()}
    compared = ((known[each.case], each) for each in after if each.case in known)
    return tuple(flip for old, new in compared if (flip := _flip(old, new)))


def _flip(old: CaseDecision, new: CaseDecision) -> Flip | None:
    pairs = pair_by_number(_statuses(new), _statuses(old))
    trials = tuple(now.number for now, was in pairs if was is not None and was.status != now.status)
    if old.verdict == new.verdict and not trials:
        return None
    return Flip(new.case, old.verdict, new.verdict, trials, new.reason or old.reason)


class _Status(NamedTuple):
    number: int
    status: TrialStatus


def _statuses(decision: CaseDecision) -> Iterator[_Status]:
    shapes = trial_shapes(decision.trials)
    for number, shape in zip(trial_numbers(decision.trials), shapes, strict=True):
        yield _Status(number, shape.status)
