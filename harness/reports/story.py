"""The shortest story of a failure: where a trial left the path of one that passed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import orjson

from harness.model import (
    Case,
    CaseDecision,
    CheckResult,
    ForkOrigin,
    Frozen,
    Json,
    Records,
    ReferenceTurn,
    TrialDecision,
    TrialRecord,
    trial_numbers,
    trial_shapes,
)
from harness.reports.forks import origin_text
from harness.reports.texts import inert, inert_value, one_line, shorten
from harness.reports.timeline import Event, trial_events

Witness = Literal["tool calls", "requests", "answer"]
Departure = Literal["other", "missing", "extra", "arguments", "outcome", "answer"]

_SHOWN = 600
_SENT = 400
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_WITNESSES: Mapping[str, Witness] = {"call": "tool calls", "request": "requests", "agent": "answer"}


class StoryStep(Frozen):
    """One step of a trial.

    Attributes:
        number: Which step, from 1.
        turn: The turn, or None where nobody knows it.
        witness: Who tells it: the agent (`tool calls`), the server (`requests`), or the `answer`.
        name: The tool, verb and method, or `answer`.
        sent: Arguments, or parameters and body; the text of an answer.
        status: How it ended, or an empty string.
        saw: What came back, shortened.
    """

    number: int
    turn: int | None
    witness: Witness
    name: str
    sent: Json = None
    status: str = ""
    saw: str = ""


class Compared(Frozen):
    """What a trial is compared with.

    Attributes:
        kind: A trial that passed, of this run (`run`), of the baseline (`baseline`) or of a run
            that was named (`other run`); the case's `reference`; or its `expectations` alone.
        run: The run of that trial, or an empty string.
        trial: Its number, or None.
    """

    kind: Literal["run", "baseline", "other run", "reference", "expectations"]
    run: str = ""
    trial: int | None = None


class Story(Frozen):
    """Why a trial failed, in short.

    Attributes:
        run: The run.
        case: The case.
        trial: The trial's number.
        status: What was decided about it.
        reason: Why, one sentence.
        fork: The trial that it was forked from, or None.
        compared: What it is compared with.
        same_steps: How many steps are the same before they part.
        departure: How they part: `other` (another step), `missing` (a step was left out), `extra`
            (a step too many), `arguments` (the same with other arguments), `outcome` (the same, and
            it ended otherwise), `answer` (another text at the end); None where the steps are the
            same, or nothing is known to compare them with.
        witness: Who shows it, or None.
        expected: The step on the path that passed, or None where that had ended.
        actual: What the trial did instead, or None where it had ended.
        difference: The first thing that differs in what was sent, or an empty string.
        before: What the agent saw last before the two part, or None.
        sign: An earlier step that was the same, and answered otherwise; or None.
        checks: What the checks that failed say.
    """

    run: str
    case: str
    trial: int
    status: str
    reason: str = ""
    fork: ForkOrigin | None = None
    compared: Compared
    same_steps: int = 0
    departure: Departure | None = None
    witness: Witness | None = None
    expected: StoryStep | None = None
    actual: StoryStep | None = None
    difference: str = ""
    before: StoryStep | None = None
    sign: StoryStep | None = None
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passing:
    """A trial that passed.

    Attributes:
        record: What happened in it.
        compared: Where it is from.
    """

    record: TrialRecord
    compared: Compared


_MOST_PASSING = 5
NEVER_EXPLAINED = frozenset({"pass", "skipped", "not_evaluated"})
"""What trials come to that have no failure to explain."""


def passing_trials(
    decision: CaseDecision,
    records: Records,
    kind: Literal["run", "baseline", "other run"],
    run: str,
) -> Iterator[Passing]:
    """The first trials of a case that passed in a run.

    Yields:
        Each, read when it is asked for.
    """
    shapes = trial_shapes(decision.trials)
    trials = zip(trial_numbers(decision.trials), shapes, strict=True)
    passed = (number for number, shape in trials if shape.status == "pass")
    for number in islice(passed, _MOST_PASSING):
        record = records.get(decision.case, number)
        if record is not None:
            yield Passing(record, Compared(kind=kind, run=run, trial=number))


def explain(
    case: Case, record: TrialRecord, decision: TrialDecision, passing: Sequence[Passing] = ()
) -> Story:
    """The story of a trial.

    Args:
        case: The case as the trial had it.
        record: The trial.
        decision: What was decided about it.
        passing: Trials of the case that passed; the one that goes along longest is compared.
    """
    told = [
        _check_text(check) for check in decision.checks if check.status == "fail" and check.required
    ]
    story = Story(
        run=record.run,
        case=case.id,
        trial=record.number,
        status=decision.status,
        reason=inert(decision.reason),
        fork=record.fork.origin if record.fork else None,
        compared=Compared(kind="expectations"),
        checks=tuple(inert(each) for each in told),
    )
    actual = _steps(case, record)
    if passing:
        parted = [(_part(_steps(case, each.record), actual), each) for each in passing]
        found, nearest = max(parted, key=lambda pair: pair[0].same)
        return _with_parting(story, found, nearest.compared)
    if any(turn.calls or turn.reports or turn.answer for turn in case.reference):
        return _with_parting(
            story,
            _part(list(_reference_steps(case.reference)), _of_calls(actual)),
            Compared(kind="reference"),
        )
    return story.model_copy(update={"before": actual[-1] if actual else None})


@dataclass(frozen=True, slots=True)
class _Parting:
    """Where two paths part; `same` steps are the same before."""

    same: int
    departure: Departure | None = None
    expected: StoryStep | None = None
    actual: StoryStep | None = None
    before: StoryStep | None = None
    sign: StoryStep | None = None


def _with_parting(story: Story, found: _Parting, compared: Compared) -> Story:
    differs = ""
    if found.departure == "arguments" and found.expected and found.actual:
        differs = first_difference(found.expected.sent, found.actual.sent)
    sides = (found.expected, found.actual)
    shown = next(filter(None, sides if found.departure == "missing" else sides[::-1]), None)
    return story.model_copy(
        update={
            "compared": compared,
            "same_steps": found.same,
            "departure": found.departure,
            "witness": shown.witness if shown and found.departure else None,
            "expected": found.expected,
            "actual": found.actual,
            "difference": differs,
            "before": found.before,
            "sign": found.sign,
        }
    )


def _steps(case: Case, record: TrialRecord) -> list[StoryStep]:
    """What a trial did and saw, in order, without what was said to it or asked of models."""
    found: list[StoryStep] = []
    for event in trial_events(case, record):
        witness = _WITNESSES.get(event.kind)
        # what is below another request was asked by the server itself
        if witness is None or (event.kind == "request" and event.depth > 1):
            continue
        sent = event.text if event.kind == "agent" else event.sent
        found.append(
            StoryStep(
                number=len(found) + 1,
                turn=event.turn,
                witness=witness,
                name="answer" if event.kind == "agent" else inert(event.title),
                sent=inert_value(sent),
                status="" if event.kind == "agent" else event.status,
                saw=_saw(event),
            )
        )
    return found


def _saw(event: Event) -> str:
    if event.kind == "agent":
        return ""
    text = event.answer or "".join(_json(value) for value in event.data.values())
    return shorten(inert(one_line(text)), _SHOWN)


def _of_calls(steps: Sequence[StoryStep]) -> list[StoryStep]:
    """The steps that a reference speaks of: calls as the agent tells them, else tools that ran."""
    calls = [each for each in steps if each.witness != "requests"]
    if any(each.witness == "tool calls" for each in calls):
        return calls
    found = []
    for each in steps:
        name = each.name.rpartition("tools.")[2] if "tools." in each.name else ""
        if each.witness == "answer":
            found.append(each)
        elif name:
            body = each.sent.get("body") if isinstance(each.sent, dict) else None
            found.append(each.model_copy(update={"name": name, "sent": body}))
    return found


def _reference_steps(turns: Sequence[ReferenceTurn]) -> Iterator[StoryStep]:
    number = 0
    for place, turn in enumerate(turns, start=1):
        for call in (*turn.calls, *turn.reports):
            number += 1
            yield StoryStep(number=number, turn=place, witness="tool calls", name=call.name,
                            sent=inert_value(call.args) or None)  # fmt: skip
        number += 1
        yield StoryStep(number=number, turn=place, witness="answer", name="answer",
                        sent=inert(turn.answer))  # fmt: skip


def _part(expected: Sequence[StoryStep], actual: Sequence[StoryStep]) -> _Parting:
    sign: StoryStep | None = None
    for place in range(max(len(expected), len(actual))):
        wanted = expected[place] if place < len(expected) else None
        done = actual[place] if place < len(actual) else None
        before = next((each for each in reversed(actual[:place]) if each.saw), None)
        departure = _departure(wanted, done, expected[place + 1 :], actual[place + 1 :])
        if departure is not None:
            return _Parting(place, departure, wanted, done, before, sign)
        if (
            wanted
            and done
            and sign is None
            and wanted.saw
            and _plain(wanted.saw) != _plain(done.saw)
        ):
            sign = done
    return _Parting(len(actual), sign=sign)


def _departure(
    wanted: StoryStep | None,
    done: StoryStep | None,
    expected: Sequence[StoryStep],
    actual: Sequence[StoryStep],
) -> Departure | None:
    """How one step differs from another, with what comes after each; None where it does not."""
    if wanted is None:
        return "extra"
    if done is None:
        return "missing"
    if wanted.name != done.name:
        if any(_is_like(done, each) for each in expected):
            return "missing"
        return "extra" if any(_is_like(wanted, each) for each in actual) else "other"
    if _plain(wanted.sent) != _plain(done.sent):
        return "answer" if done.witness == "answer" else "arguments"
    return "outcome" if wanted.status and wanted.status != done.status else None


def _is_like(step: StoryStep, other: StoryStep) -> bool:
    return (step.name, _plain(step.sent)) == (other.name, _plain(other.sent))


def _plain(value: Json) -> str:
    """A value as text, without the moments and ids that differ from trial to trial."""
    text = value if isinstance(value, str) else _json(value)
    return _UUID.sub("<id>", _DATE_TIME.sub("<time>", text))


def _json(value: Json) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str).decode()


def first_difference(expected: Json, actual: Json, where: str = "") -> str:
    """The first part in which two values differ, with both; empty where they are equal.

    >>> first_difference({"body": {"a": 1, "b": 2}}, {"body": {"a": 1, "b": 3}})
    'body.b is 3, expected 2'
    >>> first_difference({"a": 1}, {})
    'a is missing, expected 1'
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in dict.fromkeys([*expected, *actual]):
            place = f"{where}.{key}" if where else str(key)
            if key not in actual:
                return f"{place} is missing, expected {_short(expected[key])}"
            if key not in expected:
                return f"{place} is {_short(actual[key])}, expected nothing"
            if found := first_difference(expected[key], actual[key], place):
                return found
        return ""
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(expected, actual, strict=True))
        inside = (first_difference(*pair, f"{where}[{at}]") for at, pair in pairs)
        return next(filter(None, inside), "")
    if _plain(expected) == _plain(actual):
        return ""
    return f"{where or 'it'} is {_short(actual)}, expected {_short(expected)}"


def _short(value: Json) -> str:
    return shorten(_json(value), 120)


def _check_text(check: CheckResult) -> str:
    name, reason = check.kind.replace("_", " "), one_line(check.reason)
    turn = "" if check.turn is None else f" (turn {check.turn})"
    return reason if reason.startswith(f"{name}:") and not turn else f"{name}{turn}: {reason}"


_HOW: Mapping[Departure, str] = {
    "other": "the trial did something else",
    "missing": "the trial left a step out",
    "extra": "the trial did something more",
    "arguments": "the same step, with other arguments",
    "outcome": "the same step, and it ended otherwise",
    "answer": "the same steps, and another answer",
}
_WHO: Mapping[Witness, str] = {
    "tool calls": "the tool calls that the agent reports",
    "requests": "the requests that the server saw",
    "answer": "the answer",
}


def compared_text(story: Story) -> str:
    """What a story is told against, one sentence."""
    compared = story.compared
    match compared.kind:
        case "run":
            return f"Compared with trial {compared.trial} of this run, which passed."
        case "baseline":
            return (
                "No trial of this case passed in this run; compared with trial"
                f" {compared.trial} of the baseline {compared.run}, which passed."
            )
        case "other run":
            return f"Compared with trial {compared.trial} of run {compared.run}, which passed."
        case "reference":
            return (
                "No trial of this case that passed is known; compared with the reference of the"
                " case."
            )
        case _:
            return (
                "No trial of this case that passed is known, and the case has no reference; this is"
                " what it expects."
            )


def departure_text(story: Story) -> str:
    """Where the two part, one sentence."""
    if story.departure is None or story.witness is None:
        if story.compared.kind == "expectations":
            return ""
        return "All steps and answers are the same: what differs is not in them."
    shown = story.actual or story.expected
    turn = f", turn {shown.turn}" if shown and shown.turn else ""
    same = {0: "They part at the first step", 1: "The first step is the same; they part at step 2"}
    start = same.get(story.same_steps) or (
        f"The first {story.same_steps} steps are the same; they part at step {story.same_steps + 1}"
    )
    return f"{start}{turn}: {_HOW[story.departure]}. Shown by {_WHO[story.witness]}."


def story_lines(story: Story) -> list[tuple[str, str]]:
    """The story as named lines, in the order in which they are read."""
    expected, actual, before = story.expected, story.actual, story.before
    lines: list[tuple[str, str]] = []
    if story.departure is not None:
        nothing = "nothing more" if story.departure in {"extra", "missing"} else "nothing"
        lines += [("expected", _step_text(expected) if expected else nothing),
                  ("actual", _step_text(actual) if actual else nothing)]  # fmt: skip
    if story.difference:
        lines.append(("differs", story.difference))
    if actual is not None and actual.saw:
        lines.append(("it saw", f"{actual.status} {actual.saw}".strip()))
    if story.departure == "outcome" and expected is not None and expected.saw:
        lines.append(("instead of", f"{expected.status} {expected.saw}".strip()))
    if before is not None:
        what = f"{before.name} {before.status}".strip()
        lines.append(("seen before", f"{what}: {before.saw}" if before.saw else what))
    if story.sign is not None:
        sign = story.sign
        lines.append(("earlier", f"step {sign.number}, {sign.name}, was answered otherwise than in"
                      f" the trial that passed: {sign.saw}"))  # fmt: skip
    lines += [("failed", each) for each in story.checks]
    return lines


def _step_text(step: StoryStep) -> str:
    if step.witness == "answer":
        return f'the answer "{shorten(one_line(str(step.sent or "")), _SHOWN)}"'
    sent = "" if step.sent is None else f" {shorten(_json(step.sent), _SENT)}"
    return f"{step.name}{sent}{f' > {step.status}' if step.status else ''}"


def story_text(story: Story) -> str:
    """The story for a terminal."""
    title = f"{story.case} trial {story.trial} of run {story.run}: {story.status.replace('_', ' ')}"
    origin = f"  {origin_text(story.fork)}" if story.fork else ""
    if story.status == "pass":
        return "\n".join(filter(None, [f"{title}; there is nothing to explain", origin])) + "\n"
    head = [title, *([origin] if origin else [])]
    if story.reason:
        head.append(f"  {story.reason}")
    head += ["", compared_text(story)]
    if where := departure_text(story):
        head.append(where)
    lines = story_lines(story)
    width = max((len(name) for name, _ in lines), default=0)
    return "\n".join([*head, *(f"  {name:<{width}}  {text}" for name, text in lines)]) + "\n"
