"""What the agent reports, held against what models asked for, spans tell and the server saw."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from harness.checks.expectation import AnyExpectation, Mention, Needle, not_evaluated, verdict
from harness.checks.matchers import Difference, difference
from harness.checks.model_traffic import model_call
from harness.checks.replies import no_reply, replies_of
from harness.checks.sections import section_of
from harness.checks.tools import seen_as_mentions
from harness.checks.trajectory import own_requests
from harness.checks.witness_alignment import (
    Sighting,
    WitnessAlignment,
    WitnessName,
    align_witnesses,
)
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.values import Frozen, JsonObject

Discrepancy = Literal[
    "claimed_not_seen", "seen_not_claimed", "asked_not_done", "args_differ", "outcome_differs",
    "failed_but_claimed_success", "count_differs", "tampering",
]  # fmt: skip
"""What witnesses may disagree about, in the order in which it is said."""


class WitnessRules(Frozen):
    """Which reports are held against each other.

    Attributes:
        tools: Globs of the tools that are looked at: those that go through the server.
        seen_as: Tool to the method id (or glob) of the request by which the server sees a call of
            it, where the agent does not use the tool API. Requests and calls are counted against
            each other; arguments are not compared. Repeats of a refused request and further pages
            of a list may belong to the call before.
        allow: Discrepancies that do not matter.
    """

    tools: tuple[Needle, ...] = Field(default=("*",), min_length=1)
    seen_as: dict[str, Needle] = {}
    allow: tuple[Discrepancy, ...] = Field(default=(), max_length=7)


class Witnesses(AnyExpectation, WitnessRules):
    """What the agent reports, its models asked for, its framework traced and the server saw agree.

    The agent's report is held against what the server saw. The tool calls that models asked for,
    and those that spans tell of, count where there are any.
    """

    kind: Literal["witnesses"] = "witnesses"
    failure: ClassVar[str] = "witnesses differ"

    @override
    def mentions(self) -> Iterator[Mention]:
        yield from (Mention("tool", name) for name in self.tools)
        yield from seen_as_mentions(self.seen_as)


_LONGEST = 50
_MOST_NAMES = 5

_WORDS: Mapping[Discrepancy, str] = {
    "claimed_not_seen": "said to be called, but the server never saw it",
    "seen_not_claimed": "called, but not said so",
    "asked_not_done": "asked for by the model, but never called",
    "args_differ": "called with other arguments than said",
    "outcome_differs": "ended otherwise than said",
    "failed_but_claimed_success": "said to have gone well, but it failed",
    "count_differs": "called another number of times than said",
    "tampering": "tried on the evidence",
}

Finding = JsonObject | str
"""The name of a tool, or an object with `name` and what differs."""

Findings = dict[Discrepancy, list[Finding]]


def check_witnesses(record: TrialRecord, expectation: Witnesses) -> CheckResult:
    """Whether all witnesses tell the same calls, whatever their order.

    The numbers hold each discrepancy: `claimed_not_seen`, `seen_not_claimed` and `asked_not_done`
    (names, one for each call), `args_differ` (`name`, `where`, `witness` and `other`, which are who
    tells and who differs, `claimed` and `seen` for reading), `outcome_differs` and
    `failed_but_claimed_success` (`name`, `claimed` and `seen`, which are `ok` or `error`),
    `count_differs` (`name`, `claimed` and `seen`, which are numbers), `tampering` (what was tried).
    """
    if unknown := _unknown(record, expectation):
        return not_evaluated(expectation, unknown)
    alignment = align_witnesses(record, expectation.turn, expectation.seen_as)
    if alignment.present == {"seen"}:
        reason = "the agent's replies have no place for tool calls, and nothing else tells of them"
        return not_evaluated(expectation, reason)
    found = find_discrepancies(record, alignment, expectation)
    rows = [row for row in alignment.sightings if _is_tool(row.name, expectation)]
    matched = sum(row.seen is not None and _is_compared(row) for row in rows)
    reason = describe_findings(without_allowed(found, expectation))
    unmapped = _unmapped_methods(record, expectation)
    if not (reason or matched or expectation.seen_as) and unmapped:
        return not_evaluated(expectation, _describe_methods(unmapped))
    if reason and unmapped and (names := [*dict.fromkeys(found["claimed_not_seen"])]):
        reason += f"; {_describe_tools([f'{each}' for each in names], unmapped)}"
    return verdict(expectation, reason, matched=matched, **found)


def describe_findings(found: Findings) -> str:
    """What witnesses disagree about, for reading; empty where they agree."""
    return "; ".join(
        f"{words}: {_names(found[kind])}" for kind, words in _WORDS.items() if found[kind]
    )


@dataclass(frozen=True, slots=True)
class WitnessReport:
    """What the witnesses of a trial tell, for people.

    Attributes:
        alignment: The calls side by side.
        findings: What they disagree about.
        required: Whether the case asks that they agree.
        unknown_tools: Tools of which nobody can say whether the server saw them.
        incomparable: Why the witnesses cannot be compared; empty where they can.
        allowed: What they disagree about and the case allows.
    """

    alignment: WitnessAlignment
    findings: Findings
    required: bool
    unknown_tools: frozenset[str] = frozenset()
    incomparable: str = ""
    allowed: str = ""

    @property
    def sentence(self) -> str:
        """What they disagree about; empty where they agree or cannot be compared."""
        return describe_findings(self.findings)

    @property
    def agree(self) -> bool | None:
        """Whether they disagree about nothing that matters; None where they cannot be compared."""
        return False if self.sentence else None if self.incomparable else True

    @property
    def verdict(self) -> str:
        """How they stand to each other, for reading."""
        if self.allowed and self.agree:
            return f"They differ only in what the case allows: {self.allowed}."
        return self.sentence or self.incomparable or "They agree."


def report_witnesses(
    record: TrialRecord, expectations: Iterable[AnyExpectation] = ()
) -> WitnessReport | None:
    """What the witnesses of a trial tell, whether or not its case asks.

    By the rules of the case; without such, a tool counts as one that the server or the spans would
    have seen only where they did see tools.

    Returns:
        The report; None where nobody told of a call of a tool, or fewer than two could.
    """
    expected = tuple(expectations)
    rules = next((each for each in expected if isinstance(each, Witnesses)), None)
    known: WitnessRules = rules or WitnessRules(seen_as=_requests_of_tools(expected))
    alignment = align_witnesses(record, None if rules is None else rules.turn, known.seen_as)
    several = len(alignment.present) > 1 and not record.journal.evicted
    rows = [row for row in alignment.sightings
            if _is_tool(row.name, known) and (row.done or not row.is_output)]  # fmt: skip
    if not (record.tampering or (several and rows)):
        return None
    found = find_discrepancies(record, alignment, known, is_certain=rules is not None)
    every, found = describe_findings(found), without_allowed(found, known)
    sentence = describe_findings(found)
    seen = {row.name for row in rows if row.seen}
    unknown = {row.name for row in rows} - seen - known.seen_as.keys()
    if rules is not None or "seen" not in alignment.present:
        unknown = set()
    left = dict.fromkeys(row.name for row in rows if not _is_compared(row))
    alone = [name for name in left if name in unknown]
    incomparable = ""
    if alone and not sentence:
        incomparable = _describe_tools(alone, _unmapped_methods(record, known))
    elif not every and not any(_is_compared(row) for row in rows):
        incomparable = "not comparable: no two witnesses tell of the same call"
    return WitnessReport(
        alignment=alignment,
        findings=found,
        required=rules is not None and rules.required,
        unknown_tools=frozenset(unknown),
        incomparable=incomparable,
        allowed="" if sentence else every,
    )


def _is_compared(row: Sighting) -> bool:
    """Whether somebody saw the call made, and somebody else tells of it."""
    others = (row.claimed, row.requested, row.traced if row.seen else None)
    return row.done is not None and any(others)


def _unmapped_methods(record: TrialRecord, rules: WitnessRules) -> list[str]:
    """The methods that the agent asked by itself, of which no rule says which tool asks them."""
    globs = rules.seen_as.values()
    asked = own_requests(record)
    names = dict.fromkeys(each.method_id for each in asked if model_call(record, each) is None)
    return [name for name in names if not any(fnmatchcase(name, glob) for glob in globs)]


def _describe_tools(tools: Sequence[str], methods: Sequence[str]) -> str:
    """That nobody can say whether the server saw calls of these tools, and how a case says it."""
    named = ", ".join(f"`{each}`" for each in tools[:_MOST_NAMES])
    method = methods[0] if len(methods) == 1 else "METHOD"
    rule = ", ".join(f"{each}: {method}" for each in tools[:_MOST_NAMES])
    told = (
        f"not comparable: no rule says which request {named} makes; the case says it with"
        f" `expect: {{witnesses: {{seen_as: {{{rule}}}}}}}`"
    )
    if len(methods) > 1:
        told += f", METHOD being one of {', '.join(methods[:_MOST_NAMES])}"
    return told


def _describe_methods(methods: Sequence[str]) -> str:
    """That nobody can say which tools asked these methods, and how a case says it."""
    named = ", ".join(f"`{each}`" for each in methods[:_MOST_NAMES])
    rule = ", ".join(f"TOOL: {each}" for each in methods[:1])
    return (
        f"not comparable: no rule says which tool asks {named}; the case says it with"
        f" `expect: {{witnesses: {{seen_as: {{{rule}}}}}}}`"
    )


def _requests_of_tools(expectations: Iterable[AnyExpectation]) -> dict[str, str]:
    """What other expectations of the case say of tools that the server sees by their requests."""
    found: dict[str, str] = {}
    for each in expectations:
        found |= getattr(each, "seen_as", {})
    return found


def find_discrepancies(
    record: TrialRecord,
    alignment: WitnessAlignment,
    rules: WitnessRules,
    *,
    is_certain: bool = True,
) -> Findings:
    """What witnesses disagree about.

    Args:
        record: The trial.
        alignment: Its calls side by side.
        rules: Which tools are looked at.
        is_certain: Whether these tools are known to go through the server.
    """
    rows = [row for row in alignment.sightings if _is_tool(row.name, rules)]
    found: Findings = {kind: [] for kind in _WORDS}
    direct = [row for row in rows if row.name not in rules.seen_as]
    judge = _Judge(record, direct, alignment.present, is_certain=is_certain)
    for row in direct:
        judge.judge(row, found)
    judge.judge_counts(found)
    for name in rules.seen_as:
        mapped = [row for row in rows if row.name == name]
        _judge_requests(name, mapped, alignment.present, found)
    found["tampering"] = [f"{each.attempt}" for each in record.tampering]
    return found


def without_allowed(found: Findings, rules: WitnessRules) -> Findings:
    """What witnesses disagree about, without what the rules allow.

    Who allows calls that are not said, or not seen, allows that many more of a tool, too.
    """
    allowed = set(rules.allow)
    counts = [each for each in found["count_differs"] if _direction(each) not in allowed]
    kept: Findings = found | {"count_differs": counts}
    return {kind: [] if kind in allowed else each for kind, each in kept.items()}


class _Judge:
    """Judges the calls of a trial one by one, and then how many there are of each tool."""

    def __init__(
        self,
        record: TrialRecord,
        rows: Sequence[Sighting],
        present: Set[WitnessName],
        *,
        is_certain: bool,
    ) -> None:
        self._claims = "claimed" in present
        self._is_certain = is_certain
        self._is_traced = bool(record.trace.tool_calls)
        self._claimed = Counter(row.name for row in rows if row.claimed)
        self._seen = Counter(row.name for row in rows if row.seen)
        traced = Counter(row.name for row in rows if row.traced)
        # the server's word counts where it knows the tool
        self._done = self._seen if is_certain else Counter({**traced, **self._seen})

    def judge(self, row: Sighting, found: Findings) -> None:
        """Note what is wrong with one call."""
        name, done = row.name, row.done
        counted = self._claimed[name] and self._done[name]
        # who reports no calls is taken at the word of its framework
        told = row.claimed or (None if self._claims else row.traced)
        if told and not self._is_seen(row) and not counted:
            found["claimed_not_seen"].append(name)
        if self._claims and done and not row.claimed and not counted:
            found["seen_not_claimed"].append(name)
        if row.requested and not done and self._would_be_seen(name) and not row.is_output:
            found["asked_not_done"].append(name)
        if differs := _find_difference(row):
            found["args_differ"].append(differs)
        made = row.seen or (row.traced if row.claimed else None)
        if told and made and "unknown" not in {told.status, made.status}:
            _judge_outcome(name, told.status, made.status, found)

    def _is_seen(self, row: Sighting) -> bool:
        if row.seen or not (self._is_certain or self._is_traced or self._seen):
            return True
        return not self._is_certain and row.traced is not None

    def _would_be_seen(self, name: str) -> bool:
        return self._is_certain or self._is_traced or name in self._seen

    def judge_counts(self, found: Findings) -> None:
        """Note which tools were called another number of times than the agent says."""
        found["count_differs"] += [
            {"name": name, "claimed": often, "seen": self._done[name]}
            for name, often in self._claimed.items()
            if self._done[name] and self._done[name] != often
        ]


def _judge_outcome(name: str, told: str, made: str, found: Findings) -> None:
    if told == made:
        return
    kind: Discrepancy = "failed_but_claimed_success" if told == "ok" else "outcome_differs"
    found[kind].append({"name": name, "claimed": told, "seen": made})


def _direction(finding: Finding) -> str:
    is_more = isinstance(finding, dict) and finding["claimed"] > finding["seen"]
    return "claimed_not_seen" if is_more else "seen_not_claimed"


def _unknown(record: TrialRecord, expectation: Witnesses) -> str:
    """Why the witnesses cannot be compared, or an empty string."""
    if not record.session:
        return "no mock session was open, so nobody saw what the agent called"
    if not replies_of(record, expectation.turn):
        return no_reply(expectation.turn)
    if expectation.turn is not None and len(record.replies) > 1:
        return "the server cannot tell turns apart"
    if record.journal.evicted:
        return f"the journal dropped its {record.journal.evicted} oldest entries"
    return ""


def _is_tool(name: str, rules: WitnessRules) -> bool:
    return name in rules.seen_as or any(fnmatchcase(name, glob) for glob in rules.tools)


def _judge_requests(
    name: str, rows: Sequence[Sighting], present: Set[WitnessName], found: Findings
) -> None:
    """Count the calls of a tool that the server sees by its requests, by everybody's word."""
    seen = [row.seen.status for row in rows if row.seen]
    claimed = [row.claimed for row in rows if row.claimed]
    traced = [row.traced for row in rows if row.traced]
    told = claimed if "claimed" in present else traced
    found["claimed_not_seen"] += [name] * (len(told) - len(seen))
    if "claimed" in present:
        found["seen_not_claimed"] += [name] * (len(seen) - len(claimed))
    asked = sum(row.requested is not None for row in rows)
    found["asked_not_done"] += [name] * (asked - len(seen))
    worked = sum(call.status == "ok" for call in told)
    for _ in range(min(worked - seen.count("ok"), seen.count("error"))):
        _judge_outcome(name, "ok", "error", found)


def _find_difference(row: Sighting) -> JsonObject | None:
    """The first two witnesses of a call that tell other arguments.

    The agent's report must be the same; between the others only what both tell is compared, for
    frameworks fill in defaults.
    """
    if row.claimed and row.done:
        told, made = row.claimed.args, row.done.args
        if differs := difference({"equals": told}, made, "args"):
            return _difference(row.name, differs, "claimed", "seen" if row.seen else "traced")
    for witness, told_by, other in (
        ("requested", row.requested, row.done),
        ("traced", row.traced, row.seen),
    ):
        if told_by is None or other is None or told_by is other:
            continue
        one, two = told_by.args, other.args
        if isinstance(one, dict) and isinstance(two, dict):
            both = one.keys() & two.keys()
            one, two = ({key: each[key] for key in one if key in both} for each in (one, two))
            if differs := difference({"equals": one}, two, "args"):
                return _difference(row.name, differs, witness, "seen" if row.seen else "traced")
    return None


def _difference(name: str, differs: Difference, witness: str, other: str) -> JsonObject:
    return {
        "name": name,
        "where": differs.where,
        "witness": witness,
        "other": other,
        "claimed": differs.expected[:_LONGEST],
        "seen": differs.found[:_LONGEST],
    }


def _names(found: Sequence[Finding]) -> str:
    """Names in quotes, with what both tell of how a call ended, or how often it was made."""
    told = []
    for each in found:
        if isinstance(each, str):
            told.append(repr(each))
        elif "where" in each:
            told.append(repr(each["name"]))
        else:
            told.append(f"{each['name']!r} ({each['claimed']} said, {each['seen']} seen)")
    return ", ".join(dict.fromkeys(told))


WITNESSES = section_of(Witnesses, "That the agent's word and the server's agree.", of_turns=False)
