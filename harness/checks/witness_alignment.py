"""The tool calls of a trial as each witness tells them, side by side.

Four witnesses tell of tool calls: the agent, which claims them; the models, which asked for them;
the spans of the agent's framework, which ran them; and the server, which saw them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from harness.checks.model_traffic import requested_calls
from harness.checks.trajectory import (
    NOTHING,
    as_call,
    mapped_requests,
    reconcile,
    request_as_call,
    tool_entries,
    whole_call,
)
from harness.trials.records import ToolCall, TrialRecord
from mockserver.model import JournalEntry

WitnessName = Literal["claimed", "requested", "traced", "seen"]
WITNESS_NAMES: tuple[WitnessName, ...] = ("claimed", "requested", "traced", "seen")

_OUTPUT_TOOLS = (
    "final_result*", "set_model_response", "StructuredOutput", "transfer_to_*",
)  # fmt: skip
"""Tools that frameworks ask models to call, and that nobody runs: answers, and changes of agent."""


@dataclass(slots=True)
class Sighting:
    """One tool call, as each witness tells it; None where a witness does not.

    Attributes:
        name: The tool.
        claimed: As the agent reports it.
        requested: As a model asked for it.
        traced: As a span says that it ran.
        seen: As the server saw it.
    """

    name: str
    claimed: ToolCall | None = None
    requested: ToolCall | None = None
    traced: ToolCall | None = None
    seen: ToolCall | None = None

    @property
    def call(self) -> ToolCall:
        """The call, as the most trustworthy of its witnesses tells it."""
        found = self.seen or self.traced or self.requested or self.claimed
        return found or ToolCall(name=self.name)

    @property
    def is_output(self) -> bool:
        """Whether it is of a tool that models ask for and that nobody runs."""
        return any(fnmatchcase(self.name, glob) for glob in _OUTPUT_TOOLS)

    @property
    def done(self) -> ToolCall | None:
        """The call as it was made; None where nobody saw it made."""
        return self.seen or self.traced


@dataclass(frozen=True, slots=True)
class WitnessAlignment:
    """The tool calls of a trial.

    Attributes:
        sightings: Each call once, in the order of those who saw them made, then of the others.
        present: The witnesses that could tell of calls in this trial.
    """

    sightings: tuple[Sighting, ...]
    present: frozenset[WitnessName]


def align_witnesses(
    record: TrialRecord, turn: int | None = None, seen_as: Mapping[str, str] = NOTHING
) -> WitnessAlignment:
    """Put the tool calls that each witness tells of beside each other.

    Calls are paired by the id that the model gave them, else by name, arguments and how they ended.

    Args:
        record: The trial.
        turn: The turn of the agent's report; None for all.
        seen_as: Tool to the method id (or glob) of the requests by which the server sees it.
    """
    replies = [each for each in record.replies if turn in {None, each.turn}]
    claimed = [call for reply in replies for call in reply.tool_calls]
    requested = requested_calls(record)
    present: set[WitnessName] = set()
    if claimed or any(reply.reports_calls for reply in replies):
        present.add("claimed")
    if requested is not None:
        present.add("requested")
    if record.trace.received:
        present.add("traced")
    if record.session:
        present.add("seen")
    told: tuple[tuple[WitnessName, Sequence[ToolCall]], ...] = (
        ("traced", record.trace.tool_calls),
        ("requested", requested or ()),
        ("claimed", claimed),
    )
    expected: Counter[str] = Counter()
    for _, calls in told:
        expected |= Counter(plain_name(call.name) for call in calls)
    seen = [(entry.seq, as_call(entry)) for entry in tool_entries(record)]
    seen += _calls_of_requests(mapped_requests(record, seen_as), expected)
    rows = [
        Sighting(plain_name(call.name), seen=call)
        for _, call in sorted(seen, key=lambda each: each[0])
    ]
    for witness, calls in told:
        _attach(rows, witness, calls)
    return WitnessAlignment(tuple(rows), frozenset(present))


_PAGES = frozenset({
    "after", "cursor", "next", "offset", "page", "pageToken", "page_token", "start",
    "startIndex", "starting_after",
})  # fmt: skip
"""Parameters by which the next page of a list is asked for."""
_REFUSED = 400


def _calls_of_requests(
    requests: Sequence[tuple[JournalEntry, list[str]]], expected: Counter[str]
) -> list[tuple[int, ToolCall]]:
    """The calls that requests stand for, each with its number.

    A request is one call of one tool. One that repeats a refused request, or asks for the next page
    of a list, is part of the call before it, unless that many calls of the tool are told of.

    Args:
        requests: The requests, each with the tools that it may be a call of.
        expected: How many calls of each tool the other witnesses tell of.
    """
    latest: dict[object, JournalEntry] = {}
    before: dict[int, int] = {}
    for entry, _ in requests:
        kept = {name: value for name, value in entry.params.items() if name not in _PAGES}
        path = entry.path.partition("?")[0]
        asked = request_as_call(entry.model_copy(update={"params": kept}), entry.method_id)
        key = (path, whole_call(asked))
        first = latest.get(key)
        is_page = entry.http_method == "GET" and bool(_PAGES & entry.params.keys())
        if first is not None and (is_page or first.status >= _REFUSED):
            before[entry.seq] = first.seq
        latest[key] = entry
    left = Counter(expected)
    found: dict[int, tuple[str, JournalEntry]] = {}
    # those of one tool first, and those that are a call of their own in any case
    order = sorted(requests, key=lambda each: (each[0].seq in before, len(each[1]), each[0].seq))
    for entry, tools in order:
        tool = max(tools, key=left.__getitem__)
        if entry.seq not in before or left[tool] > 0:
            found[entry.seq] = tool, entry
            left[tool] -= 1
    for entry, _ in requests:
        if entry.seq not in found:  # how the last try ended is how the call ended
            start = before[entry.seq]
            while start not in found:
                start = before[start]
            found[start] = (
                found[start][0],
                found[start][1].model_copy(update={"status": entry.status}),
            )
    return [(seq, request_as_call(entry, tool)) for seq, (tool, entry) in found.items()]


def plain_name(name: str) -> str:
    """A tool's name without the server that some frameworks put before it.

    >>> plain_name("mcp__orders__cancel_order"), plain_name("mcp__x"), plain_name("a__b__c")
    ('cancel_order', 'mcp__x', 'a__b__c')
    """
    return name.split("__", 2)[2] if name.startswith("mcp__") and name.count("__") > 1 else name


def _attach(rows: list[Sighting], witness: WitnessName, calls: Sequence[ToolCall]) -> None:
    """Put each call of a witness to the row that it is of, or on a row of its own."""
    if not calls:
        return
    plain = [call.model_copy(update={"name": plain_name(call.name)}) for call in calls]
    places = _by_id(rows, plain)
    rest = [at for at in range(len(plain)) if at not in places]
    taken = set(places.values())
    free = [place for place in range(len(rows)) if place not in taken]
    found = reconcile(
        [plain[at] for at in rest],
        [rows[place].call.model_copy(update={"name": rows[place].name}) for place in free],
    )
    places |= {rest[one]: free[other] for one, other in found.pairs.items()}
    for at, call in enumerate(plain):
        if at in places:
            setattr(rows[places[at]], witness, call)
        else:
            rows.append(Sighting(call.name, **{witness: call}))


def _by_id(rows: Sequence[Sighting], calls: Sequence[ToolCall]) -> dict[int, int]:
    """Calls whose id a row has under the same name: position to row."""
    known: dict[tuple[str, str], int] = {}
    for place, row in enumerate(rows):
        for told in (row.traced, row.requested, row.claimed):
            if told is not None and told.id:
                known.setdefault((row.name, told.id), place)
    found: dict[int, int] = {}
    for at, call in enumerate(calls):
        if (call.name, call.id) in known:
            found[at] = known.pop((call.name, call.id))
    return found
