"""Expectations on tool calls: which are made, in what order, how often, and which never."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import groupby, islice
from typing import Annotated, Any, ClassVar, Literal, TypedDict

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator
from typing_extensions import override

from harness.checks.alignment import Pairs, align, assign
from harness.checks.calls import BEST, ExpectedCall, Reason, args_difference, exactness, mismatch
from harness.checks.expectation import (
    AnyExpectation,
    Mention,
    Needle,
    not_evaluated,
    verdict,
    with_excess,
)
from harness.checks.matchers import InvalidMatcherError, is_named
from harness.checks.phrases import quote_names
from harness.checks.sections import (
    Block,
    Names,
    Section,
    checked_matchers,
    checked_schema,
    name_or_object,
    single_or_list,
)
from harness.checks.trajectory import (
    Trajectory,
    no_trajectory,
    seen_calls,
    trajectory,
    with_answers,
)
from harness.trials.decisions import CheckResult
from harness.trials.records import ToolCall, TrialRecord
from harness.trials.values import Frozen, Json, JsonObject

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
        mode: `any_order`, `in_order` (others may come between), `exact` (same calls, same order,
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

    def of_tool(self, name: str) -> Sequence[int]:
        """Positions of the calls of a tool, ascending."""
        return self._of_name.get(name, ())

    def suitable(self, expected: ExpectedCall) -> Sequence[int]:
        """Positions of the calls that may suit, ascending; no other call does."""
        found = self.of_tool(expected.name)
        if expected.args_mode in {"exact", "subset"}:
            for key, value in (expected.args or {}).items():
                if _is_plain(value):
                    with_it = self._of_argument.get((expected.name, key, value), ())
                    found = min(found, with_it, key=len)
        return found

    def matching_arguments(self, expected: ExpectedCall) -> Counter[int]:
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
        self.pairs = self._align_calls()

    @cached_property
    def paired_positions(self) -> frozenset[int]:
        """Positions of the calls that are paired."""
        return frozenset(self.pairs.values())

    @cached_property
    def unfilled_places(self) -> list[int]:
        """The required places that are not filled."""
        return [
            place
            for place, item in enumerate(self.items)
            if item.required and place not in self.pairs
        ]

    @cached_property
    def extra(self) -> list[int]:
        """Positions of the counted calls that no place takes."""
        return [at for at in self.counted if at not in self.paired_positions]

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
        for place in self.unfilled_places:
            expected, fits = self.expected(place), self._fits[self.items[place].number]
            alike = self._candidates.matching_arguments(expected) + of_failed.matching_arguments(
                expected
            )
            named = (*self._candidates.of_tool(expected.name), *of_failed.of_tool(expected.name))
            # what suits but stands elsewhere comes first, then what has the most arguments right
            worth[place] = {
                at: 1 + min(alike[at], BEST) + 2 * BEST * (at in fits) for at in named if at in free
            }
        return assign(self.unfilled_places, worth)

    @cached_property
    def reasons(self) -> dict[int, Reason]:
        """Why each required place that is not filled stays empty: the reason that helps most."""
        return {
            place: self._why(place, self.near_misses.get(place)) for place in self.unfilled_places
        }

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
                    for at in self._candidates.suitable(expected)
                    if self.reason(number, at) is None
                }
            found.append(known[asked])
        return found

    def _align_calls(self) -> Pairs:
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


class ForbiddenCall(Frozen):
    """A call that must not be made.

    Attributes:
        name: Glob of tool names.
        args: Only with these arguments, as a subset, with matchers; None: with any.
    """

    name: Needle
    args: JsonObject | None = None


class ForbiddenTools(AnyExpectation):
    """No call of a tool whose name matches one of these globs, and none of these calls.

    Attributes:
        globs: Globs of tool names.
        calls: Calls with some arguments.
        seen_as: See `ToolCalls`.
    """

    kind: Literal["forbidden_tools"] = "forbidden_tools"
    failure: ClassVar[str] = "forbidden tool"
    problem_lists: ClassVar[tuple[str, ...]] = ("found",)
    globs: tuple[Needle, ...] = ()
    calls: tuple[ForbiddenCall, ...] = ()
    seen_as: dict[str, Needle] = {}

    @override
    def mentions(self) -> Iterator[Mention]:
        yield from seen_as_mentions(self.seen_as)
        yield from (Mention("tool", name) for name in self.globs)
        for ban in self.calls:
            yield Mention("tool", ban.name, inside=tuple(ban.args or ()))

    @model_validator(mode="after")
    def _forbids_something(self) -> "ForbiddenTools":
        if not self.globs and not self.calls:
            raise ValueError("needs 'globs' or 'calls'")
        return self


class MinCalls(AnyExpectation):
    """Each of these tools was called at least this many times.

    Attributes:
        counts: Tool to how often.
        seen_as: See `ToolCalls`.
    """

    kind: Literal["min_calls"] = "min_calls"
    failure: ClassVar[str] = "tool calls"
    problem_lists: ClassVar[tuple[str, ...]] = ("missing",)
    counts: dict[str, int] = Field(min_length=1)
    seen_as: dict[str, Needle] = {}

    @override
    def mentions(self) -> Iterator[Mention]:
        yield from seen_as_mentions(self.seen_as)
        yield from (Mention("tool", name, needed=True) for name in self.counts)


class MaxCalls(AnyExpectation):
    """Each of these tools was called at most this many times, whatever the arguments.

    Attributes:
        counts: Tool to how often.
        seen_as: See `ToolCalls`.
    """

    kind: Literal["max_calls"] = "max_calls"
    failure: ClassVar[str] = "tool calls"
    problem_lists: ClassVar[tuple[str, ...]] = ("found",)
    counts: dict[str, int] = Field(min_length=1)
    seen_as: dict[str, Needle] = {}

    @override
    def mentions(self) -> Iterator[Mention]:
        yield from seen_as_mentions(self.seen_as)
        yield from (Mention("tool", name) for name in self.counts)


_NAMED = 5
_MOST_ROWS = 200
_NOT_TOLD = "nobody says how the calls ended, so this cannot be told: "
_NO_TURNS = "the agent reports no tool calls, and the server cannot tell which are of which turn"


def check_tool_calls(record: TrialRecord, expectation: ToolCalls) -> CheckResult:
    """Whether the trajectory holds the expected calls, by an optimal matching.

    The numbers are `ToolCallNumbers`. Where only a fact is missing that nobody reports (how a call
    ended), nothing is decided.
    """
    found = trajectory(record, expectation.turn, expectation.seen_as)
    if found is None:
        return not_evaluated(expectation, no_trajectory(record, expectation.turn))
    asks_turn = any(call.turn is not None for call in expectation.calls)
    if asks_turn and not found.has_steps and len(record.replies) > 1:
        return not_evaluated(expectation, _NO_TURNS)
    calls = with_answers(record, found.calls)
    try:
        pairing = Pairing(expectation, calls)
        reason, excess = _reason(pairing), _excess(pairing)
        if reason and _is_open(pairing):
            return not_evaluated(expectation, _NOT_TOLD + reason, **_numbers(pairing, found))
        return with_excess(verdict(expectation, reason, **_numbers(pairing, found)), excess)
    except InvalidMatcherError as error:
        return not_evaluated(expectation, str(error))


def check_forbidden_tools(record: TrialRecord, expectation: ForbiddenTools) -> CheckResult:
    """Whether neither the agent nor the server reports a call that is forbidden."""
    found = trajectory(record, expectation.turn, expectation.seen_as)
    if found is None:
        return not_evaluated(expectation, no_trajectory(record, expectation.turn))
    calls = [*found.calls, *_seen_beside(record, expectation)]
    try:
        names = sorted({call.name for call in calls if _is_forbidden(call, expectation)})
    except InvalidMatcherError as error:
        return not_evaluated(expectation, str(error))
    reason = f"forbidden tools were called: {quote_names(names)}" if names else ""
    facts = {"found": names, "calls": len(found.calls), "witness": found.witness}
    return with_excess(verdict(expectation, reason, **facts), reason)


def _seen_beside(
    record: TrialRecord, expectation: ForbiddenTools | MaxCalls
) -> tuple[ToolCall, ...]:
    """The server's word beside the agent's: a call that is not reported was made all the same."""
    single = expectation.turn is None or len(record.replies) == 1
    return seen_calls(record, expectation.seen_as) if single else ()


def check_max_calls(record: TrialRecord, expectation: MaxCalls) -> CheckResult:
    """Whether neither the agent nor the server reports more calls; failed ones count as made."""
    found = trajectory(record, expectation.turn, expectation.seen_as)
    if found is None:
        return not_evaluated(expectation, no_trajectory(record, expectation.turn))
    seen = _seen_beside(record, expectation)
    made = Counter(call.name for call in found.calls) | Counter(call.name for call in seen)
    over = [name for name, most in expectation.counts.items() if made[name] > most]
    reason = "; ".join(_limit_passed(name, made[name], expectation.counts[name]) for name in over)
    counts = {name: made[name] for name in expectation.counts}
    facts = {"counts": counts, "found": over, "witness": found.witness}
    return with_excess(verdict(expectation, reason, **facts), reason)


def _limit_passed(name: str, times: int, most: int) -> str:
    return f"{name!r} was called {times} times, at most {most} expected"


def check_min_calls(record: TrialRecord, expectation: MinCalls) -> CheckResult:
    """Whether each tool was called at least so often; failed calls count as made."""
    found = trajectory(record, expectation.turn, expectation.seen_as)
    if found is None:
        return not_evaluated(expectation, no_trajectory(record, expectation.turn))
    made = Counter(call.name for call in found.calls)
    short = {name: made[name] for name, least in expectation.counts.items() if made[name] < least}
    reason = "; ".join(
        f"{name!r} was called {count} times, at least {expectation.counts[name]} expected"
        for name, count in short.items()
    )
    counts = {name: made[name] for name in expectation.counts}
    facts = {"counts": counts, "missing": list(short), "witness": found.witness}
    return verdict(expectation, reason, **facts)


def _is_open(pairing: Pairing) -> bool:
    """Whether everything would hold if calls had ended as wanted where nobody says."""
    if not pairing.asks_what_nobody_says:
        return False
    return not _reason(Pairing(pairing.expectation, pairing.calls, generous=True))


def _reason(pairing: Pairing) -> str:
    told = [reason.sentence for reason in pairing.reasons.values()]
    told += _too_often(pairing)
    told += _too_many(pairing)
    return "tool calls: " + "; ".join(told) if told else ""


def _excess(pairing: Pairing) -> str:
    """Which calls are too many whatever follows; one in place of a missing call is not."""
    return "; ".join(
        [*_too_often(pairing), *([] if pairing.unfilled_places else _too_many(pairing))]
    )


def _too_often(pairing: Pairing) -> list[str]:
    found = []
    for number, call in enumerate(pairing.expectation.calls):
        if call.count and (surplus := pairing.surplus(number)):
            most = call.count.max or 0
            times = most + len(surplus)
            found.append(_limit_passed(call.name, times, most))
    return found


def _too_many(pairing: Pairing) -> list[str]:
    expectation, extra = pairing.expectation, pairing.extra
    allowed = 0 if expectation.mode in {"exact", "subset"} else expectation.extra_max
    if allowed is None or len(extra) <= allowed:
        return []
    names = quote_names([pairing.calls[at].name for at in extra[:_NAMED]])
    more = ", ..." if len(extra) > _NAMED else ""
    return [f"{len(extra)} extra calls, {allowed} allowed: {names}{more}"]


class ToolCallNumbers(TypedDict):
    """What the numbers of a result on tool calls hold.

    Attributes:
        mode: How the calls were compared.
        witness: Who told of them: `reply`, `spans`, `journal` or `requests`.
        alignment: Expected and actual calls side by side, see `_rows`.
        missing: Names of expected calls that were not made.
        extra: Names of calls that count and were not expected.
        failed_calls: How many ended in an error.
        expected: How many calls are required.
        optional: How many may be made besides.
        actual: How many were made that count.
        matched: How many of them are as expected.
        precision: Of the calls that count, the share that was expected, 0 to 1.
        recall: Of the required calls, the share that was made, 0 to 1.
        f1: The harmonic mean of the two.
    """

    mode: TrajectoryMode
    witness: str
    alignment: list[JsonObject]
    missing: list[str]
    extra: list[str]
    failed_calls: int
    expected: int
    optional: int
    actual: int
    matched: int
    precision: float
    recall: float
    f1: float


def _numbers(pairing: Pairing, found: Trajectory) -> ToolCallNumbers:
    """Precision over calls that count, recall over required ones (1 where there are none)."""
    required = sum(item.required for item in pairing.items)
    counted, matched = len(pairing.counted), len(pairing.pairs)
    precision = matched / counted if counted else 1.0
    recall = (required - len(pairing.unfilled_places)) / required if required else 1.0
    both = precision + recall
    return {
        "mode": pairing.expectation.mode,
        "witness": found.witness,
        "alignment": _rows(pairing),
        "missing": [pairing.expected(place).name for place in pairing.unfilled_places],
        "extra": [pairing.calls[at].name for at in pairing.extra],
        "failed_calls": sum(call.status == "error" for call in found.calls),
        "expected": required,
        "optional": len(pairing.items) - required,
        "actual": counted,
        "matched": matched,
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / both, 4) if both else 0.0,
    }


def _rows(pairing: Pairing) -> list[JsonObject]:
    """The alignment: first what was expected, in that order, then the calls that are left.

    Each row has `expected` (number of the expected call, from 0, or None), `name`, `call` (position
    among the calls of the trajectory, from 0, or None; on a row with a reason the call that was
    most likely meant), `turn` and `step` of that call, `reason` (empty for a pair; else `name`,
    `args.folderId`, `malformed arguments`, `order`, `count`, `failed call`, `turn`, ..., or
    `optional`, `extra`, `ignored`), and `sentence`, the reason for reading.
    """
    rows = []
    for place, item in enumerate(pairing.items):
        at = pairing.pairs.get(place, pairing.near_misses.get(place))
        row = _row(pairing, item.number, pairing.expected(place).name, at)
        if reason := pairing.reasons.get(place):
            row |= {"reason": reason.code, "sentence": reason.sentence}
        elif at is None:
            row["reason"] = "optional"
        rows.append(row)
    shown = {row["call"] for row in rows}
    left = [at for at in range(len(pairing.calls)) if at not in shown]
    return rows + [_left_row(pairing, at) for at in left[:_MOST_ROWS]]


def _left_row(pairing: Pairing, at: int) -> JsonObject:
    call = pairing.calls[at]
    counted = "extra" if at in pairing.counted else "failed call"
    reason = "ignored" if pairing.is_ignored(call) else counted
    return _row(pairing, None, call.name, at) | {"reason": reason}


def _row(pairing: Pairing, expected: int | None, name: str, at: int | None) -> JsonObject:
    call = None if at is None else pairing.calls[at]
    return {
        "expected": expected,
        "name": name,
        "call": at,
        "turn": call.turn if call else None,
        "step": call.step if call else None,
        "reason": "",
        "sentence": "",
    }


def _is_forbidden(call: ToolCall, expectation: ForbiddenTools) -> bool:
    return any(is_named(call.name, glob) for glob in expectation.globs) or any(
        is_named(call.name, each.name) and args_difference(each.args, call) is None
        for each in expectation.calls
    )


class ExtraBlock(Block):
    """Calls besides the expected ones.

    Attributes:
        max: How many are allowed.
    """

    max: int = Field(ge=0)


def _usable(call: ExpectedCall) -> ExpectedCall:
    if call.args is None and "args_mode" in call.model_fields_set and call.args_mode != "ignore":
        raise ValueError("'args_mode' does nothing without 'args'")
    if call.args is not None and call.args_mode == "ignore":
        raise ValueError("'args' does nothing with 'args_mode: ignore'")
    if call.optional and call.count is not None:
        raise ValueError("'optional' and 'count' exclude each other: use 'count: {min: 0}'")
    if call.args_mode == "schema":
        checked_schema(call.args or {})
    else:
        checked_matchers(list((call.args or {}).values()))
    checked_matchers(call.result)
    return call


def _usable_ban(call: ForbiddenCall) -> ForbiddenCall:
    checked_matchers(list((call.args or {}).values()))
    return call


WrittenCall = Annotated[ExpectedCall, name_or_object("name", ExpectedCall), AfterValidator(_usable)]
_Ban = Annotated[ForbiddenCall, name_or_object("name", ForbiddenCall), AfterValidator(_usable_ban)]


class Unordered(Block):
    """Calls that may come in any order among themselves, where the others keep theirs.

    Attributes:
        unordered: The calls, at least two.
    """

    unordered: tuple[WrittenCall, ...] = Field(min_length=2)


def _form(value: Json) -> str:
    grouped = isinstance(value, Unordered) or (isinstance(value, dict) and "unordered" in value)
    return "unordered" if grouped else "call"


_CallOrGroup = Annotated[
    Annotated[WrittenCall, Tag("call")] | Annotated[Unordered, Tag("unordered")],
    Discriminator(_form),
]


class ToolsBlock(Block):
    """Which tools the agent calls.

    Attributes:
        mode: `any_order`, `in_order` (others may come between), `exact`, `superset` (all of these
            and any others) or `subset` (none but these).
        calls: What is expected: names, `{name, args, args_mode, optional, count, status, result,
            turn}`, or `{unordered: [...]}` around calls that may be made in parallel.
        extra: How many calls besides are allowed; any number when not given.
        require_success: Count only calls that did not fail.
        ignore: Globs of tools whose calls do not count.
        defaults: Tool to arguments that it fills in itself.
        seen_as: Tool to the method id (or glob) of the requests by which the server sees a call of
            it, for agents that report no calls and do not use the tool API.
        forbidden: Globs of tools that must not be called, or `{name, args}`.
        min: How often a tool must be called at least.
        max: How often a tool may be called at most, whatever the arguments.
        required: False makes the results informational.
    """

    mode: TrajectoryMode = "any_order"
    calls: tuple[_CallOrGroup, ...] = ()
    extra: ExtraBlock | None = None
    require_success: bool = False
    ignore: Names | None = None
    defaults: dict[str, JsonObject] = {}
    seen_as: dict[str, Annotated[str, Field(min_length=1)]] = {}
    forbidden: (
        Annotated[tuple[_Ban, ...], Field(min_length=1), single_or_list(str | ForbiddenCall)] | None
    ) = None
    min: Annotated[dict[str, Annotated[int, Field(ge=1)]], Field(min_length=1)] | None = None
    max: Annotated[dict[str, Annotated[int, Field(ge=1)]], Field(min_length=1)] | None = None
    required: bool = True

    @property
    def expected(self) -> tuple[ExpectedCall, ...]:
        """The calls in a row, those of a group with its name."""
        found: list[ExpectedCall] = []
        for number, item in enumerate(self.calls, start=1):
            if isinstance(item, Unordered):
                name = {"group": f"unordered {number}"}
                found += [call.model_copy(update=name) for call in item.unordered]
            else:
                found.append(item)
        return tuple(found)

    @property
    def about_calls(self) -> bool:
        """Whether it says something about the calls as a whole."""
        return bool(self.model_fields_set & _ABOUT_CALLS)

    @property
    def forbidden_globs(self) -> tuple[str, ...]:
        """The tools that must not be called whatever the arguments."""
        return tuple(ban.name for ban in self.forbidden or () if ban.args is None)

    def expectations(self, turn: int | None) -> Iterator[AnyExpectation]:
        """What the block stands for, in a turn or in the whole trial.

        Yields:
            The calls, then what is forbidden, then how often tools are called at least and most.
        """
        shared: dict[str, Any] = {
            "seen_as": self.seen_as, "turn": turn, "required": self.required,
        }  # fmt: skip
        if self.about_calls:
            yield ToolCalls(
                mode=self.mode,
                calls=self.expected,
                extra_max=self.extra.max if self.extra else None,
                require_success=self.require_success,
                ignore=self.ignore or (),
                defaults=self.defaults,
                **shared,
            )
        if self.forbidden:
            banned = tuple(ban for ban in self.forbidden if ban.args is not None)
            yield ForbiddenTools(globs=self.forbidden_globs, calls=banned, **shared)
        if self.min:
            yield MinCalls(counts=self.min, **shared)
        if self.max:
            yield MaxCalls(counts=self.max, **shared)

    @model_validator(mode="after")
    def _can_fail(self) -> "ToolsBlock":
        open_ended = self.mode not in _CLOSED and self.extra is None
        if self.about_calls and open_ended and all(map(_may_be_missing, self.expected)):
            raise ValueError("no trajectory could fail this: name 'calls' or limit 'extra'")
        if self.mode in _CLOSED and self.extra is not None:
            raise ValueError(f"{self.mode!r} allows no extra calls: drop 'extra' or use 'in_order'")
        if self.mode == "superset" and self.extra is not None:
            raise ValueError("'superset' allows any extra calls: use 'any_order' to limit them")
        return self

    @model_validator(mode="after")
    def _check_use(self) -> "ToolsBlock":
        if self.mode not in _ORDERED and any(isinstance(call, Unordered) for call in self.calls):
            raise ValueError(f"'unordered' does nothing in mode {self.mode!r}, which has no order")
        if idle := sorted(set(self.defaults) - {call.name for call in self.expected}):
            raise ValueError(f"defaults of tools that are not expected: {', '.join(idle)}")
        return self

    @model_validator(mode="after")
    def _can_hold(self) -> "ToolsBlock":
        needed = {call.name for call in self.expected if not _may_be_missing(call)}
        for name in sorted(needed | set(self.min or ())):
            for glob in (each for each in self.forbidden_globs if is_named(name, each)):
                by = "" if glob == name else f", by {glob!r}"
                raise ValueError(f"{name!r} is both expected and forbidden{by}")
        for call in self.expected:
            for glob in (each for each in self.ignore or () if is_named(call.name, each)):
                by = "" if glob == call.name else f", by {glob!r}"
                raise ValueError(f"{call.name!r} is both expected and ignored{by}")
        for name, most in (self.max or {}).items():
            least = max(self._expected_times(name), (self.min or {}).get(name, 0))
            if least > most:
                raise ValueError(f"{name!r} is expected {least} times, and at most {most} times")
        return self

    def _expected_times(self, name: str) -> int:
        if self.mode == "subset":
            return 0
        of_tool = (call for call in self.expected if call.name == name and not call.optional)
        return sum(1 if call.count is None else call.count.min for call in of_tool)


_ABOUT_CALLS = {"mode", "calls", "extra", "require_success", "ignore", "defaults"}
_CLOSED = {"exact", "subset"}
_ORDERED = {"exact", "in_order"}


def _may_be_missing(call: ExpectedCall) -> bool:
    return call.optional or (call.count is not None and call.count.min == 0 and not call.count.max)


def _as_block(kind: str, fields: JsonObject) -> JsonObject:
    words = {"globs": "forbidden", "counts": kind.removesuffix("_calls")}
    written = {words.get(name, name): value for name, value in fields.items()}
    if kind == "tool_calls":
        if "calls" in written:
            written["calls"] = list(_group_calls(written["calls"]))
        if "extra_max" in written:
            written["extra"] = {"max": written.pop("extra_max")}
    return written


def _group_calls(calls: Iterable[JsonObject]) -> Iterator[Json]:
    """Calls with neighbours of the same group put together.

    Yields:
        Names, calls, and groups of calls.
    """
    for group, neighbours in groupby(calls, key=lambda call: call.get("group", "")):
        if group:
            yield {
                "unordered": [
                    {key: value for key, value in call.items() if key != "group"}
                    for call in neighbours
                ]
            }
        else:
            yield from (call["name"] if call.keys() == {"name"} else call for call in neighbours)


TOOLS = Section(
    "tools", "Which tools the agent calls.", ToolsBlock, ToolsBlock.expectations, _as_block
)
