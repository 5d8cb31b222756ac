"""The tool calls of a trial as each witness tells them, side by side.

Four witnesses tell of tool calls: the agent, which claims them; the models, which asked for them;
the spans of the agent's framework, which ran them; and the server, which saw them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from harness.checks.model_traffic import requested_calls
from harness.checks.trajectory import reconcile, seen_calls
from harness.trials.records import ToolCall, TrialRecord

WitnessName = Literal["claimed", "requested", "traced", "seen"]
WITNESS_NAMES: tuple[WitnessName, ...] = ("claimed", "requested", "traced", "seen")


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


def align_witnesses(record: TrialRecord, turn: int | None = None) -> WitnessAlignment:
    """Put the tool calls that each witness tells of beside each other.

    Calls are paired by the id that the model gave them, else by name, arguments and how they ended.

    Args:
        record: The trial.
        turn: The turn of the agent's report; None for all.
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
    rows = [Sighting(plain_name(call.name), seen=call) for call in seen_calls(record)]
    told: tuple[tuple[WitnessName, Sequence[ToolCall]], ...] = (
        ("traced", record.trace.tool_calls),
        ("requested", requested or ()),
        ("claimed", claimed),
    )
    for witness, calls in told:
        _attach(rows, witness, calls)
    return WitnessAlignment(tuple(rows), frozenset(present))


def plain_name(name: str) -> str:
    """A tool's name without the server that some frameworks put before it.

    >>> plain_name("mcp__orders__cancel_order"), plain_name("cancel_order")
    ('cancel_order', 'cancel_order')
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
