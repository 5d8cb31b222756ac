"""One trial on a page: what happened in order, checks, calls beside those expected, grounding.

Any page can hold it. `trial_view` makes it of stored values, `templates/trial.html` shows it under
the name `view`:

    environment = page_templates("harness.server.console")
    view = trial_view(case, decision, record)

    {% include "trial.html" %}
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal, cast

from harness.checks.grounding import check_grounding
from harness.checks.tools import ToolCallNumbers
from harness.checks.trajectory import trajectory
from harness.checks.witnesses import WitnessReport, report_witnesses
from harness.model import (
    Case,
    CheckResult,
    Expectation,
    Grounding,
    Json,
    JsonObject,
    ToolCall,
    ToolCalls,
    TrialDecision,
    TrialRecord,
)
from harness.reports.html.templates import truncate
from harness.reports.story import (
    NEVER_EXPLAINED,
    Passing,
    compared_text,
    departure_text,
    explain,
    story_lines,
)
from harness.reports.texts import inert
from harness.reports.timeline import Timeline, timeline

_HARMLESS = {"", "optional", "ignored"}


@dataclass(frozen=True, slots=True)
class AlignedCall:
    """One row.

    Attributes:
        expected: The name of the expected call, or an empty string.
        expected_args: What its arguments should be, or None where they do not matter.
        actual: The name of the call that was made, or an empty string.
        args: The arguments of that call, or None where they are not known.
        place: `turn 1` of that call, where there are several; or an empty string.
        sign: `=` for a pair, `≠` for a call that is not as expected, `-` for one that is missing,
            `+` for one that nobody expected.
        reason: Why the two are no pair, short; empty for a pair.
        sentence: The same for reading.
        tone: `good`, `bad` or `soft`.
    """

    expected: str
    expected_args: Json
    actual: str
    args: Json
    place: str
    sign: Literal["=", "≠", "-", "+"]
    reason: str
    sentence: str
    tone: str


def align_calls(
    check: CheckResult, expectation: Expectation | None, record: TrialRecord | None
) -> tuple[AlignedCall, ...]:
    """The alignment that a check of tool calls left, row by row; empty where it left none."""
    if check.kind != ToolCalls.kind_name():
        return ()
    rows = cast("ToolCallNumbers", check.numbers).get("alignment", [])
    calls = _calls(check, record)
    wanted = expectation.calls if isinstance(expectation, ToolCalls) else ()
    failed, several = check.status == "fail", record is not None and len(record.replies) > 1
    aligned = []
    for row in rows:
        number, at = row.get("expected"), row.get("call")
        reason, name = row.get("reason", ""), row.get("name", "")
        call = calls[at] if at is not None and at < len(calls) else None
        expected = wanted[number] if number is not None and number < len(wanted) else None
        aligned.append(
            AlignedCall(
                expected=name if number is not None else "",
                expected_args=expected.args if expected else None,
                actual=call.name if call else (name if at is not None else ""),
                args=call.args if call else None,
                place=f"turn {row['turn']}"
                if several and at is not None and row.get("turn")
                else "",
                sign="+" if number is None else "-" if at is None else "≠" if reason else "=",
                reason=reason,
                sentence=row.get("sentence", ""),
                tone=_tone(reason, failed=failed),
            )
        )
    return tuple(aligned)


def _calls(check: CheckResult, record: TrialRecord | None) -> Sequence[ToolCall]:
    """The calls that the rows number; those that only the server saw are told by name alone."""
    witness = cast("ToolCallNumbers", check.numbers).get("witness")
    if record is not None and witness == "spans":
        found = trajectory(record, check.turn)
        return () if found is None else found.calls
    if record is None or witness != "reply":
        return ()
    replies = record.replies
    if check.turn is not None:
        replies = tuple(reply for reply in replies if reply.turn == check.turn)
    return [call for reply in replies for call in reply.tool_calls]


def _tone(reason: str, *, failed: bool) -> str:
    if not reason:
        return "good"
    return "bad" if failed and reason not in _HARMLESS else "soft"


_MOST_QUOTATIONS = 300


@dataclass(frozen=True, slots=True)
class GroundingView:
    """What the answers quote: identifiers, addresses, codes.

    Attributes:
        served: What the server sent in this trial, or the user said.
        unserved: What nobody did.
        required: Whether the case asks for it, so that a quotation without a source is a failure.
        origins: Where each quotation first stands, `request 3: orders.get`; without those that
            stand nowhere.
    """

    served: frozenset[str]
    unserved: tuple[str, ...]
    required: bool
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a text: whether it is a quotation with or without a source, and of which."""

    text: str
    mark: Literal["", "served", "unserved"] = ""
    origin: str = ""


def grounding_view(case: Case, record: TrialRecord) -> GroundingView | None:
    """What the answers quote, by the rules of the case, or by the usual ones.

    None where nothing is quoted, or where it cannot be told: no session was open, or not all
    responses were kept.
    """
    rules = [each for each in case.expect if isinstance(each, Grounding)]
    served: set[str] = set()
    unserved: dict[str, None] = {}
    origins: dict[str, str] = {}
    for rule in rules or [Grounding()]:
        result = check_grounding(record, rule)
        if result.status == "not_evaluated":
            continue
        missing, sources = result.numbers["ungrounded"], result.numbers["sources"]
        unserved |= dict.fromkeys(missing)
        origins |= sources
        served |= {
            piece for piece in sources if piece not in missing and not _is_allowed(piece, rule)
        }
    if not served and not unserved:
        return None
    return GroundingView(frozenset(served), tuple(unserved), bool(rules), origins)


def _is_allowed(piece: str, rule: Grounding) -> bool:
    return any(fnmatchcase(piece.casefold(), glob.casefold()) for glob in rule.allow)


def mark_quotations(text: str, grounding: GroundingView | None) -> tuple[Segment, ...]:
    """A text in pieces: what it quotes, and what is between.

    It is made inert and cut before, as a whole: a credential must not be taken apart.
    """
    shown = truncate(inert(text))
    marked = {} if grounding is None else dict.fromkeys(grounding.served, "served")
    marked |= {} if grounding is None else dict.fromkeys(grounding.unserved, "unserved")
    origins = {} if grounding is None else grounding.origins
    pieces = sorted((each for each in marked if each in shown), key=len, reverse=True)
    if not pieces:
        return (Segment(shown),)
    alternatives = "|".join(map(re.escape, pieces[:_MOST_QUOTATIONS]))
    parts = re.split(rf"(?<![^\W_])({alternatives})(?![^\W_])", shown)
    return tuple(
        Segment(part, cast("Any", marked[part]), origins.get(part, ""))
        if place % 2
        else Segment(part)
        for place, part in enumerate(parts)
        if part
    )


_IN_PLAIN_SIGHT = {"alignment", "pairs"}


@dataclass(frozen=True, slots=True)
class CheckView:
    """One check.

    Attributes:
        result: What it says.
        alignment: Expected and actual calls side by side; empty where it compares none.
        numbers: Its other figures.
    """

    result: CheckResult
    alignment: tuple[AlignedCall, ...]
    numbers: JsonObject


@dataclass(frozen=True, slots=True)
class Change:
    """One resource that the agent changed on the server.

    Attributes:
        collection: Where it is.
        what: `added`, `removed` or `changed`.
        key: Which.
        value: The resource, or what it was and is.
    """

    collection: str
    what: str
    key: str
    value: Json


@dataclass(frozen=True, slots=True)
class StoryView:
    """Where a trial went another way than one that passed.

    Attributes:
        compared: What it is compared with, one sentence.
        departure: Where the two part, one sentence.
        lines: What was expected and what was done, each with its name.
    """

    compared: str
    departure: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TrialView:
    """A trial for a page.

    Attributes:
        case: Its case.
        decision: What was decided.
        record: What happened, or None where the record is gone.
        checks: Its checks, in the order of the case.
        timeline: What happened, or None likewise.
        answers: What the agent said, with quotations marked, by turn.
        grounding: What it quoted, or None where that cannot be told.
        witnesses: The tool calls as each witness tells them; None where fewer than two do.
        changes: What the agent changed on the server.
        story: Where it left the path of a trial that passed, or of the case's reference; None where
            there is nothing to compare it with, or nothing to explain.
    """

    case: Case
    decision: TrialDecision
    record: TrialRecord | None
    checks: tuple[CheckView, ...]
    timeline: Timeline | None
    answers: Mapping[int, tuple[Segment, ...]]
    grounding: GroundingView | None
    witnesses: WitnessReport | None
    changes: tuple[Change, ...]
    story: StoryView | None = None


def trial_view(
    case: Case,
    decision: TrialDecision,
    record: TrialRecord | None,
    passing: Iterable[Passing] = (),
) -> TrialView:
    """A trial as it is shown.

    Args:
        case: The case.
        decision: What was decided about it.
        record: What happened in it, or None.
        passing: Trials of the case that passed; read only where the trial failed.
    """
    grounding = grounding_view(case, record) if record else None
    return TrialView(
        case=case,
        decision=decision,
        record=record,
        checks=tuple(_checks(case, decision.checks, record)),
        timeline=timeline(case, record) if record else None,
        answers={
            each.turn: mark_quotations(each.text, grounding)
            for each in (record.replies if record else ())
        },
        grounding=grounding,
        witnesses=report_witnesses(record, case.expect) if record else None,
        changes=_changes(record.state_diff) if record else (),
        story=_story(case, decision, record, passing) if record else None,
    )


def _story(
    case: Case, decision: TrialDecision, record: TrialRecord, passing: Iterable[Passing]
) -> StoryView | None:
    if decision.status in NEVER_EXPLAINED:
        return None
    story = explain(case, record, decision, tuple(passing))
    if story.compared.kind == "expectations":
        return None
    lines = [line for line in story_lines(story) if line[0] != "failed"]
    return StoryView(compared_text(story), departure_text(story), tuple(lines))


def _checks(
    case: Case, checks: Sequence[CheckResult], record: TrialRecord | None
) -> list[CheckView]:
    before = len(checks) - len(case.expect)  # an attempt on the evidence is found before all others
    expectations = [*[None] * before, *case.expect]
    return [
        CheckView(
            result=check,
            alignment=align_calls(check, expectation, record),
            numbers={
                name: value for name, value in check.numbers.items() if name not in _IN_PLAIN_SIGHT
            },
        )
        for check, expectation in zip(checks, expectations, strict=False)
    ]


def _changes(diff: Mapping[str, JsonObject]) -> tuple[Change, ...]:
    return tuple(
        Change(collection, what, key, value)
        for collection, kinds in diff.items()
        for what, rows in kinds.items()
        for key, value in rows.items()
    )
