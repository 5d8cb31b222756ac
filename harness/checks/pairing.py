"""Expected calls paired with the calls that were made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import groupby

from harness.checks.alignment import Pairs, align, assign
from harness.checks.mismatch import BEST, Reason, exactness, mismatch
from harness.model import ExpectedCall, ToolCall, ToolCalls

_MOST_COPIES = 1000


@dataclass(frozen=True, slots=True)
class Item:
    """One place for a call.

    Attributes:
        number: Of the expected call, from 0; a call that is expected twice has two places.
        required: Whether it must be filled.
    """

    number: int
    required: bool


class Pairing:
    """Expected calls beside the calls that were made.

    Attributes:
        expectation: What is expected.
        calls: All calls that were made.
        counted: Positions of those that count: not ignored, and with `require_success` not failed.
        items: The places to fill.
        pairs: Place to position: the greatest number of required places is filled, then as few
            calls as possible are left over that a `count` forbids, then most places, then by the
            most exact arguments.
    """

    def __init__(
        self, expectation: ToolCalls, calls: tuple[ToolCall, ...], *, generous: bool = False
    ) -> None:
        self.expectation = expectation
        self.calls = calls
        self._generous = generous
        self.counted = [at for at, call in enumerate(calls) if self._counts(call)]
        self._of_name: dict[str, list[int]] = {}
        for at in self.counted:
            self._of_name.setdefault(calls[at].name, []).append(at)
        self.items = list(self._places())
        self.pairs = self._paired()

    @cached_property
    def taken(self) -> frozenset[int]:
        """Positions of the calls that are paired."""
        return frozenset(self.pairs.values())

    @cached_property
    def missing(self) -> list[int]:
        """The required places that are not filled."""
        return [
            place
            for place, item in enumerate(self.items)
            if item.required and place not in self.pairs
        ]

    @cached_property
    def extra(self) -> list[int]:
        """Positions of the counted calls that no place takes."""
        return [at for at in self.counted if at not in self.taken]

    def expected(self, place: int) -> ExpectedCall:
        """What is expected at a place."""
        return self.expectation.calls[self.items[place].number]

    def is_ignored(self, call: ToolCall) -> bool:
        """Whether a call does not count whatever it is."""
        return any(fnmatchcase(call.name, glob) for glob in self.expectation.ignore)

    def reason(self, number: int, at: int) -> Reason | None:
        """What is wrong with a call for an expected one."""
        call = self.calls[at]
        found = mismatch(self.expectation.calls[number], call, self.expectation.defaults)
        return None if found and found.unknown and self._generous else found

    def surplus(self, number: int) -> list[int]:
        """Calls that are left over and one too many for an expected call with a `count`."""
        count = self.expectation.calls[number].count
        if count is None or count.max is None:
            return []
        fits = self._fits[number]
        return [at for at in self.extra if at in fits]

    def near_misses(self) -> dict[int, int]:
        """Places that stay empty, each with the call that was most likely meant for it."""
        failed = [
            at
            for at, call in enumerate(self.calls)
            if call.status == "error" and at not in self.counted and not self.is_ignored(call)
        ]
        worth: dict[int, dict[int, int]] = {}
        for place in self.missing:
            expected = self.expected(place)
            free = [at for at in (*self.extra, *failed) if self.calls[at].name == expected.name]
            worth[place] = {at: 1 + self._likeness(place, at) for at in free}
        return assign(self.missing, worth)

    def why_unpaired(self, place: int, nearest: int | None) -> Reason:
        """The reason that helps most."""
        number, name = self.items[place].number, self.expected(place).name
        if nearest is None and (suiting := self._fits[number]):
            times = "once" if len(suiting) == 1 else f"{len(suiting)} times"
            return Reason("count", f"{name!r} was called {times}, which is not often enough")
        if nearest is None:
            return Reason("name", f"{name!r} was not called")
        if nearest not in self.counted:
            return Reason("failed call", f"{name!r} was called, but the call failed")
        in_order = Reason("order", f"{name!r} was called, but not in the expected order")
        return self.reason(number, nearest) or in_order

    def _counts(self, call: ToolCall) -> bool:
        failed = self.expectation.require_success and call.status == "error"
        return not failed and not self.is_ignored(call)

    def _places(self) -> Iterator[Item]:
        for number, call in enumerate(self.expectation.calls):
            optional = call.optional or self.expectation.mode == "subset"
            if call.count is None:
                yield Item(number, required=not optional)
                continue
            made = min(len(self._fits[number]), _MOST_COPIES)
            most = call.count.max or max(made, call.count.min)
            yield from (
                Item(number, required=not optional and copy < call.count.min)
                for copy in range(min(most, max(made, call.count.min)))
            )

    @cached_property
    def _fits(self) -> list[dict[int, int]]:
        """For each expected call the positions that suit it, with their exactness."""
        return [
            {
                at: exactness(expected, self.calls[at], self.expectation.defaults)
                for at in self._of_name.get(expected.name, ())
                if self.reason(number, at) is None
            }
            for number, expected in enumerate(self.expectation.calls)
        ]

    def _paired(self) -> Pairs:
        pair = BEST * (min(len(self.items), len(self.counted)) + 1)
        capped = pair * pair // BEST
        required = capped * pair // BEST
        limited = {
            at
            for number, call in enumerate(self.expectation.calls)
            if call.count and call.count.max is not None
            for at in self._fits[number]
        }
        worth = {
            place: {
                at: exact + pair + capped * (at in limited) + required * item.required
                for at, exact in self._fits[item.number].items()
            }
            for place, item in enumerate(self.items)
        }
        return align(self._groups(), worth, fine=BEST)

    def _groups(self) -> Sequence[Sequence[int]]:
        """Places: one group, or one for each expected call or named neighbourhood."""
        places = range(len(self.items))
        if self.expectation.mode in {"any_order", "subset", "superset"}:
            return [places]
        calls = self.expectation.calls
        keys = [calls[item.number].group or item.number for item in self.items]
        return [list(group) for _, group in groupby(places, key=lambda place: keys[place])]

    def _likeness(self, place: int, at: int) -> int:
        """Suits in another order, then suits but failed, then by what is right of the arguments."""
        if at in self._fits[self.items[place].number]:
            return 4 * BEST
        expected, call = self.expected(place), self.calls[at]
        right = exactness(expected, call, self.expectation.defaults)
        if at not in self.counted:
            return right + 2 * BEST * (self.reason(self.items[place].number, at) is None)
        return right
