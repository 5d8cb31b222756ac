"""Whether a call is the expected one, and why an expected call found no partner."""

from collections.abc import Iterable
from dataclasses import dataclass

from harness.checks.alignment import Pairs
from harness.checks.subsets import Difference, difference
from harness.model import ExpectedCall, ToolCall, ToolCalls


class Attempt:
    """Expected calls beside the calls that were made.

    Attributes:
        expectation: What is expected.
        calls: All calls that were made.
        counted: Those that count: with `require_success` only calls that did not fail.
    """

    def __init__(self, expectation: ToolCalls, calls: tuple[ToolCall, ...]) -> None:
        self.expectation = expectation
        self.calls = calls
        self._positions = [
            at
            for at, call in enumerate(calls)
            if not (expectation.require_success and call.status == "error")
        ]
        self.counted = [calls[at] for at in self._positions]

    def position(self, counted: int) -> int:
        """Where a counted call stands among all calls."""
        return self._positions[counted]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an expected call found no partner.

    Attributes:
        code: `name`, `args.folderId` (where the arguments differ), `order`, `count` (each call that
            suits is already the partner of another) or `failed call`.
        sentence: The same for reading.
    """

    code: str
    sentence: str


def fits(expected: ExpectedCall, call: ToolCall) -> bool:
    """Whether a call has the expected name and arguments."""
    return call.name == expected.name and _args_difference(expected, call) is None


def why_unpaired(number: int, attempt: Attempt, pairs: Pairs) -> Reason:
    """The reason that helps most: the nearest call, and what is wrong with it."""
    expected = attempt.expectation.calls[number]
    name = expected.name
    suiting = [at for at, call in enumerate(attempt.counted) if fits(expected, call)]
    if any(at not in pairs.values() for at in suiting):
        return Reason("order", f"{name!r} was called, but not in the expected order")
    if suiting:
        times = "once" if len(suiting) == 1 else f"{len(suiting)} times"
        return Reason("count", f"{name!r} was called {times}, which is not often enough")
    if any(fits(expected, call) for call in attempt.calls):
        return Reason("failed call", f"{name!r} was called, but the call failed")
    if nearest := _nearest(expected, attempt.counted):
        return Reason(nearest.where, f"{name!r} was called, but {nearest}")
    return Reason("name", f"{name!r} was not called")


def _nearest(expected: ExpectedCall, calls: Iterable[ToolCall]) -> Difference | None:
    """How the call of that name differs that has most arguments right."""
    named = [call for call in calls if call.name == expected.name]
    best = max(named, key=lambda call: _agreements(expected, call), default=None)
    return _args_difference(expected, best) if best else None


def _agreements(expected: ExpectedCall, call: ToolCall) -> int:
    if not isinstance(call.args, dict) or expected.args is None:
        return 0
    return sum(
        key in call.args and difference(value, call.args[key], "", exact=False) is None
        for key, value in expected.args.items()
    )


def _args_difference(expected: ExpectedCall, call: ToolCall) -> Difference | None:
    if expected.args is None:
        return None
    return difference(expected.args, call.args, "args", exact=expected.args_mode == "exact")
