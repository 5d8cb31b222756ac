"""The tool calls that the agent reports, compared with those that the server saw."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from harness.checks.expectation import AnyExpectation, Mention, Needle, not_evaluated, verdict
from harness.checks.matchers import difference
from harness.checks.replies import no_reply, replies_of
from harness.checks.sections import section_of
from harness.checks.tools import seen_as_mentions
from harness.checks.trajectory import reconcile, seen_calls
from harness.trials.decisions import CheckResult
from harness.trials.records import ToolCall, TrialRecord
from harness.trials.values import Frozen, JsonObject

Discrepancy = Literal["claimed_not_seen", "seen_not_claimed", "args_differ", "outcome_differs"]


class WitnessRules(Frozen):
    """Which reports are held against each other.

    Attributes:
        tools: Globs of the tools that are looked at: those that go through the server.
        seen_as: Tool to the method id (or glob) of the requests by which the server sees a call of
            it, where the agent does not use the tool API; arguments are not compared then.
        allow: Discrepancies that do not matter.
    """

    tools: tuple[Needle, ...] = Field(default=("*",), min_length=1)
    seen_as: dict[str, Needle] = {}
    allow: tuple[Discrepancy, ...] = Field(default=(), max_length=3)


class Witnesses(AnyExpectation, WitnessRules):
    """The tool calls that the agent reports are those that the server saw."""

    kind: Literal["witnesses"] = "witnesses"
    failure: ClassVar[str] = "witnesses differ"

    @override
    def mentions(self) -> Iterator[Mention]:
        yield from (Mention("tool", name) for name in self.tools)
        yield from seen_as_mentions(self.seen_as)


_LONGEST = 50


def check_witnesses(record: TrialRecord, expectation: Witnesses) -> CheckResult:
    """Whether both tell the same calls, whatever their order.

    The numbers hold `claimed_not_seen` and `seen_not_claimed` (names, one for each call),
    `args_differ` (`name`, `where`, `claimed` and `seen` for reading) and `outcome_differs` (`name`,
    `claimed` and `seen`, which are `ok` or `error`).
    """
    replies = replies_of(record, expectation.turn)
    if unknown := _unknown(record, expectation):
        return not_evaluated(expectation, unknown)
    told = [call for reply in replies for call in reply.tool_calls]
    claimed = [call for call in told if _is_tool(call, expectation)]
    seen = [call for call in seen_calls(record) if _is_tool(call, expectation)]
    found = reconcile(claimed, seen)
    unseen, unclaimed = _of_requests(record, told, expectation)
    numbers: dict[str, list[str] | list[JsonObject]] = {
        "claimed_not_seen": [claimed[at].name for at in found.claimed_only] + unseen,
        "seen_not_claimed": [seen[at].name for at in found.seen_only] + unclaimed,
        "args_differ": [
            differing
            for one, other in found.pairs.items()
            if (differing := _find_difference(claimed[one], seen[other]))
        ],
        "outcome_differs": [
            {"name": claimed[one].name, "claimed": claimed[one].status, "seen": seen[other].status}
            for one, other in found.pairs.items()
            if claimed[one].status not in {"unknown", seen[other].status}
        ]
        + _outcomes_of_requests(record, told, expectation),
    }
    counted = Counter(call.name for call in told), Counter(call.name for call in seen)
    problems = [
        f"{_WORDS[kind]}: {_names(numbers[kind], *counted)}"
        for kind in _WORDS
        if numbers[kind] and kind not in expectation.allow
    ]
    matched = len(found.pairs)
    return verdict(expectation, "; ".join(problems), matched=matched, **numbers)


_WORDS = {
    "claimed_not_seen": "said to be called, but the server never saw it",
    "seen_not_claimed": "called, but not said so",
    "args_differ": "called with other arguments than said",
    "outcome_differs": "ended otherwise than said",
}


def _unknown(record: TrialRecord, expectation: Witnesses) -> str:
    """Why the two cannot be compared, or an empty string."""
    if not record.session:
        return "no mock session was open, so nobody saw what the agent called"
    if not replies_of(record, expectation.turn):
        return no_reply(expectation.turn)
    if expectation.turn is not None and len(record.replies) > 1:
        return "the server cannot tell turns apart"
    if record.journal.evicted:
        return f"the journal dropped its {record.journal.evicted} oldest entries"
    return ""


def _is_tool(call: ToolCall, expectation: Witnesses) -> bool:
    globs = expectation.tools
    return call.name not in expectation.seen_as and any(fnmatchcase(call.name, g) for g in globs)


def _of_requests(
    record: TrialRecord, claims: Sequence[ToolCall], expectation: Witnesses
) -> tuple[list[str], list[str]]:
    """Tools that the server sees by their requests: one call may need several."""
    unseen, unclaimed = [], []
    for name, method in expectation.seen_as.items():
        calls = sum(call.name == name for call in claims)
        requests = sum(
            fnmatchcase(entry.method_id, method) and not entry.after_close
            for entry in record.journal.entries
        )
        unseen += [name] * max(0, calls - requests)
        unclaimed += [name] * (requests > 0 and calls == 0)
    return unseen, unclaimed


def _outcomes_of_requests(
    record: TrialRecord, calls: Sequence[ToolCall], expectation: Witnesses
) -> list[JsonObject]:
    """Tools that are said to have worked, though none of their requests did."""
    found: list[JsonObject] = []
    for name, method in expectation.seen_as.items():
        statuses = [
            entry.status
            for entry in record.journal.entries
            if fnmatchcase(entry.method_id, method) and not entry.after_close
        ]
        worked = any(call.name == name and call.status == "ok" for call in calls)
        if worked and statuses and all(status >= 400 for status in statuses):
            found.append({"name": name, "claimed": "ok", "seen": "error"})
    return found


def _find_difference(claimed: ToolCall, seen: ToolCall) -> JsonObject | None:
    differs = difference({"equals": claimed.args}, seen.args, "args")
    if differs is None:
        return None
    return {
        "name": claimed.name,
        "where": differs.where,
        "claimed": differs.expected[:_LONGEST],
        "seen": differs.found[:_LONGEST],
    }


def _names(
    found: Sequence[str | JsonObject], claimed: Mapping[str, int], seen: Mapping[str, int]
) -> str:
    """Names in quotes, with what both tell of tools that both know, how they ended or how often."""
    told = []
    for each in found:
        if isinstance(each, str):
            said, saw = claimed[each], seen[each]
            told.append(f"{each!r}" + (f" ({said} said, {saw} seen)" if said and saw else ""))
        elif "where" in each:
            told.append(repr(each["name"]))
        else:
            told.append(f"{each['name']!r} ({each['claimed']} said, {each['seen']} seen)")
    return ", ".join(dict.fromkeys(told))


WITNESSES = section_of(Witnesses, "That the agent's word and the server's agree.", of_turns=False)
