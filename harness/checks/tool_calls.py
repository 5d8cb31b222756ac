"""Expected calls paired with the calls that were made."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import groupby, islice
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from harness.checks.alignment import Pairs, align, assign
from harness.checks.calls import BEST, ExpectedCall, Reason, exactness, mismatch
from harness.checks.expectation import AnyExpectation, Mention, Needle
from harness.trials.records import ToolCall
from harness.trials.values import Json, JsonObject

TrajectoryMode = Literal["exact", "in_order", "any_order", "subset", "superset"]


def seen_as_mentions(seen_as: Mapping[str, str]) -> Iterator[Mention]:
    """The names in a `seen_as`.

    Yields:
        Each tool, then its method.
    """
    for tool, method in seen_as.items():
        yield Mention("tool", tool)
        yield Mention("method", method)


class ToolCalls(AnyExpectation):
    """The trajectory holds these calls; each actual call is consumed once (optimal matching).

    Attributes:
        mode: `any_order`, `in_order` (others may stand between), `exact` (same calls, same order,
            none besides), `superset` (all of these and any others) or `subset` (none but these,
            each of which may be missing).
        calls: What is expected.
        extra_max: How many calls besides are allowed; None for any number (`exact` and `subset`
            allow none).
        require_success: Count only calls that did not fail.
        ignore: Globs of tools whose calls do not count at all.
        defaults: Tool to arguments that it fills in itself where a call leaves them out.
        seen_as: Tool to the method id (or glob) of the requests by which the server sees a call of
            it, for agents that report no calls and do not use the tool API.
    """

    kind: Literal["tool_calls"] = "tool_calls"
    failure: ClassVar[str] = "tool calls"
    problem_lists: ClassVar[tuple[str, ...]] = ("missing",)
    expected_numbers: ClassVar[tuple[str, ...]] = (
        "expected",
        "mode",
    )
    quotes_values: ClassVar[bool] = True
    mode: TrajectoryMode = "any_order"
    calls: tuple[ExpectedCall, ...] = ()
    extra_max: int | None = Field(default=None, ge=0)
    require_success: bool = False
    ignore: tuple[Needle, ...] = ()
    defaults: dict[str, JsonObject] = {}
    seen_as: dict[str, Needle] = {}

    @override
    def mentions(self) -> Iterator[Mention]:
        yield from seen_as_mentions(self.seen_as)
        for call in self.calls:
            args = () if call.args_mode == "schema" else tuple(call.args or ())
            yield Mention("tool", call.name, needed=True, inside=args)


_Argument = tuple[str, str, Json]


class Candidates:
    """Calls by name, and by name and plain argument (those that the tool fills in included)."""

    def __init__(
        self,
        calls: Sequence[ToolCall],
        places: Sequence[int],
        defaults: Mapping[str, JsonObject],
    ) -> None:
        self._of_name: dict[str, list[int]] = {}
        self._of_argument: dict[_Argument, list[int]] = {}
        for at in places:
            call = calls[at]
            self._of_name.setdefault(call.name, []).append(at)
            made = call.args if isinstance(call.args, dict) else {}
            for key, value in {**defaults.get(call.name, {}), **made}.items():
                if _is_plain(value):
                    self._of_argument.setdefault((call.name, key, value), []).append(at)

    def named(self, name: str) -> Sequence[int]:
        """Positions of the calls of a tool, ascending."""
        return self._of_name.get(name, ())

    def of(self, expected: ExpectedCall) -> Sequence[int]:
        """Positions of the calls that may suit, ascending; no other call does."""
        found = self.named(expected.name)
        if expected.args_mode in {"exact", "subset"}:
            for key, value in (expected.args or {}).items():
                if _is_plain(value):
                    with_it = self._of_argument.get((expected.name, key, value), ())
                    found = min(found, with_it, key=len)
        return found

    def alike(self, expected: ExpectedCall) -> Counter[int]:
        """How many plain arguments each call has right; those with none are left out."""
        return Counter(
            at
            for key, value in (expected.args or {}).items()
            if _is_plain(value)
            for at in self._of_argument.get((expected.name, key, value), ())
        )


def _is_plain(value: Json) -> bool:
    return value is None or isinstance(value, str | int | float)


_MOST_COPIES = 1000

_ALIKE = 0.8
"""How alike two names are when one is taken for a slip of the other."""

_COMPARED, _LONGEST = 200, 100
"""How many names are compared so, and of how many characters."""


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
        asks_what_nobody_says: Whether a call was refused (with `generous`: taken) because it is not
            known how it ended.
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
        self.asks_what_nobody_says = False
        self._candidates = Candidates(calls, self.counted, expectation.defaults)
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
        if found is None or not found.unknown:
            return found
        self.asks_what_nobody_says = True
        return None if self._generous else found

    def surplus(self, number: int) -> list[int]:
        """Calls that are left over and one too many for an expected call with a `count`."""
        count = self.expectation.calls[number].count
        if count is None or count.max is None:
            return []
        fits = self._fits[number]
        return [at for at in self.extra if at in fits]

    @cached_property
    def near_misses(self) -> dict[int, int]:
        """Places that stay empty, each with the call that was most likely meant for it."""
        counted = set(self.counted)
        failed = [
            at
            for at, call in enumerate(self.calls)
            if call.status == "error" and at not in counted and not self.is_ignored(call)
        ]
        free = set(self.extra) | set(failed)
        of_failed = Candidates(self.calls, failed, self.expectation.defaults)
        worth: dict[int, dict[int, int]] = {}
        for place in self.missing:
            expected, fits = self.expected(place), self._fits[self.items[place].number]
            alike = self._candidates.alike(expected) + of_failed.alike(expected)
            named = (*self._candidates.named(expected.name), *of_failed.named(expected.name))
            # what suits but stands elsewhere comes first, then what has the most arguments right
            worth[place] = {
                at: 1 + min(alike[at], BEST) + 2 * BEST * (at in fits) for at in named if at in free
            }
        return assign(self.missing, worth)

    @cached_property
    def reasons(self) -> dict[int, Reason]:
        """Why each required place that is not filled stays empty: the reason that helps most."""
        return {place: self._why(place, self.near_misses.get(place)) for place in self.missing}

    @cached_property
    def _left_over(self) -> list[str]:
        """Names of calls that no place takes, as far as they are compared with what is missing."""
        names = dict.fromkeys(self.calls[at].name for at in self.extra)
        return [name for name in islice(names, _COMPARED) if len(name) <= _LONGEST]

    def _why(self, place: int, nearest: int | None) -> Reason:
        number, name = self.items[place].number, self.expected(place).name
        if nearest is None and (suiting := self._fits[number]):
            times = "once" if len(suiting) == 1 else f"{len(suiting)} times"
            return Reason("count", f"{name!r} was called {times}, which is not often enough")
        if nearest is None:
            alike = get_close_matches(name, self._left_over, n=1, cutoff=_ALIKE)
            beside = f"; {alike[0]!r} was" if alike else ""
            return Reason("name", f"{name!r} was not called{beside}")
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
        known: dict[str, dict[int, int]] = {}
        found = []
        for number, expected in enumerate(self.expectation.calls):
            asked = repr(
                (
                    expected.name,
                    expected.args,
                    expected.args_mode,
                    expected.turn,
                    expected.status,
                    expected.result,
                )
            )
            if asked not in known:  # what is written twice is tried once
                known[asked] = {
                    at: exactness(expected, self.calls[at], self.expectation.defaults)
                    for at in self._candidates.of(expected)
                    if self.reason(number, at) is None
                }
            found.append(known[asked])
        return found

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
