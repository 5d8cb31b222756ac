"""What the pages show, made of stored values; the templates only write it down."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Generic, TypeVar

import orjson

from harness.cases import Suite, count_categories, count_tags
from harness.checks.judge import Judge
from harness.model import (
    Calibration,
    Case,
    CaseComparison,
    CaseDecision,
    CheckResult,
    Comparison,
    Flag,
    JsonObject,
    RunResult,
    TrialDecision,
    TrialRecord,
)
from harness.reports.judges import Judgement, judgements
from harness.server.console.charts import Trend, trend_of
from harness.server.schemas import SuiteResponse
from harness.storage import CaseSummary, RunSummary
from mockserver.model import JournalEntry

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A part of a long list.

    Attributes:
        items: What is on it.
        number: Which page, from 1.
        pages: How many there are, at least 1.
        total: How many items there are on all of them.
    """

    items: tuple[Item, ...]
    number: int
    pages: int
    total: int


def page_of(items: Sequence[Item], number: int, size: int) -> Page[Item]:
    """A page of a list; the last one where there are fewer.

    >>> page_of("abcde", 2, 2)
    Page(items=('c', 'd'), number=2, pages=3, total=5)
    >>> page_of((), 7, 2)
    Page(items=(), number=1, pages=1, total=0)
    """
    pages = max(1, -(-len(items) // size))
    number = min(number, pages)
    return Page(tuple(items[(number - 1) * size : number * size]), number, pages, len(items))


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """A suite in the list of suites.

    Attributes:
        suite: The suite.
        latest: Its newest finished run with a verdict, or None.
        trend: Its last runs as a small chart, or None.
    """

    suite: SuiteResponse
    latest: RunSummary | None
    trend: Trend | None


def suite_row(suite: SuiteResponse, runs: Sequence[RunSummary]) -> SuiteRow:
    """A suite with its last runs, the oldest first."""
    return SuiteRow(suite, runs[-1] if runs else None, trend_of(runs, width=120, height=28))


@dataclass(frozen=True, slots=True)
class Share:
    """How many cases of a suite have something.

    Attributes:
        name: What they have.
        cases: How many have it.
        passed: How many of them passed in the latest run; None where that says nothing of them.
        decided: How many of them were passed or failed there.
    """

    name: str
    cases: int
    passed: int | None = None
    decided: int = 0


def coverage(suite: Suite, latest: Mapping[str, CaseSummary]) -> dict[str, list[Share]]:
    """What the cases of a suite cover, the most frequent first; what nothing covers is left out.

    Args:
        suite: The suite.
        latest: Its cases in the latest run, by id.
    """
    cases = suite.cases
    names: dict[str, Mapping[str, int]] = {
        "Checks": _count_each(
            {item.kind.replace("_", " ") for item in case.expect} for case in cases
        ),
        "Tools that must be called": _count_each(_needed("tool", case) for case in cases),
        "Methods that must be asked": _count_each(_needed("method", case) for case in cases),
        "Collections that must change": _count_each(_needed("collection", case) for case in cases),
        "Tags": count_tags(cases),
        "World": _count_each(_world_of(case) for case in cases),
    }
    found = {"Categories": [_category(name, count, suite, latest)
                            for name, count in count_categories(cases).items()]}  # fmt: skip
    for title, counts in names.items():
        found[title] = [Share(name, count) for name, count in counts.items()]
    return {title: shares for title, shares in found.items() if shares}


def _category(name: str, count: int, suite: Suite, latest: Mapping[str, CaseSummary]) -> Share:
    own = [latest[case.id] for case in suite.cases
           if (case.category or "(none)") == name and case.id in latest]  # fmt: skip
    decided = [each for each in own if each.verdict in {"passed", "failed", "flaky"}]
    if not decided:
        return Share(name, count)
    return Share(name, count, sum(each.verdict == "passed" for each in decided), len(decided))


def _count_each(names: Iterable[Iterable[str]]) -> dict[str, int]:
    return dict(Counter(name for each in names for name in each).most_common())


def _needed(kind: str, case: Case) -> set[str]:
    """The tools, methods or collections without which a case cannot pass."""
    return {
        each.name
        for item in case.expect
        for each in item.mentions()
        if each.needed and each.kind == kind
    }


def _world_of(case: Case) -> Iterator[str]:
    world = case.fixtures
    facts = {
        "overrides": world.overrides,
        "faults": world.faults,
        "recordings": world.cassettes,
        "workspace files": world.workspace or world.files,
        "several turns": len(case.turns) > 1,
        "a reference solution": case.reference,
        "several trials": case.repeat > 1,
    }
    yield from (name for name, value in facts.items() if value)


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case of a suite.

    Attributes:
        case: The case.
        latest: How it did in the latest run, or None.
    """

    case: Case
    latest: CaseSummary | None


def case_rows(
    suite: Suite, latest: Mapping[str, CaseSummary], *, search: str = "", category: str = ""
) -> list[CaseRow]:
    """The cases of a suite in which each word of a search stands, in the order of the suite."""
    words = search.casefold().split()
    return [
        CaseRow(case, latest.get(case.id))
        for case in suite.cases
        if category in {"", case.category or "(none)"}
        and all(word in _searchable(case) for word in words)
    ]


def _searchable(case: Case) -> str:
    turns = (turn.user for turn in case.turns)
    return "\n".join((case.id, case.title, case.category, *case.tags, *turns)).casefold()


def neighbours(
    decisions: Sequence[CaseDecision], case: str
) -> tuple[TrialDecision | None, TrialDecision | None]:
    """The trials that did not pass of the cases before and after one: to read on from failure."""
    place = next(at for at, each in enumerate(decisions) if each.case == case)
    failing = [
        next((trial for trial in each.trials if trial.status != "pass"), None) for each in decisions
    ]
    before = next(filter(None, reversed(failing[:place])), None)
    return before, next(filter(None, failing[place + 1 :]), None)


FLAGS: Mapping[Flag, tuple[str, str]] = {
    "significant": ("worse", "bad"),
    "broken": ("broken", "bad"),
    "changed_outcome": ("changed outcome", "bad"),
    "suspect": ("suspect", "warn"),
    "improved": ("improved", "good"),
    "same": ("same", ""),
}
"""Flag to its word and its tone; the gravest first."""

VERDICTS: Mapping[str, tuple[str, str]] = {
    "regressed": ("Regressed", "bad"),
    "changed": ("Changed: a rule was broken that allows no difference", "bad"),
    "not_worse": ("Not worse", "good"),
    "inconclusive": ("Inconclusive: so few trials cannot tell", "warn"),
}
"""Verdict of a comparison to its sentence and its tone."""


@dataclass(frozen=True, slots=True)
class ComparedCase:
    """A case in two runs.

    Attributes:
        figures: Its rates and what they tell.
        title: Its title.
        word: The flag in words.
        tone: `good`, `bad`, `warn` or empty.
        before: A trial of the baseline that tells most, or None.
        after: The same of the candidate.
        reason: Why it did not pass in the candidate, or else in the baseline.
    """

    figures: CaseComparison
    title: str
    word: str
    tone: str
    before: TrialDecision | None
    after: TrialDecision | None
    reason: str


def compared_cases(
    comparison: Comparison, before: RunResult, after: RunResult
) -> list[ComparedCase]:
    """The cases that both runs have, the gravest first, then by how far they fell."""
    titles = {case.id: case.title for case in after.cases}
    decided = [{each.case: each for each in run.decisions} for run in (before, after)]
    order = list(FLAGS)
    rows = []
    for each in comparison.cases:
        word, tone = FLAGS[each.flag]
        left, right = (known.get(each.case) for known in decided)
        rows.append(
            ComparedCase(
                figures=each,
                title=titles.get(each.case, ""),
                word=word,
                tone=tone,
                before=_telling(left.trials if left else ()),
                after=_telling(right.trials if right else ()),
                reason=(right.reason if right else "") or (left.reason if left else ""),
            )
        )
    return sorted(
        rows, key=lambda row: (order.index(row.figures.flag), row.figures.delta, row.figures.case)
    )


def _telling(trials: Sequence[TrialDecision]) -> TrialDecision | None:
    """The first trial that did not pass, else the first."""
    return next((each for each in trials if each.status != "pass"), trials[0] if trials else None)


@dataclass(frozen=True, slots=True)
class Pair(Generic[Item]):
    """What stands side by side; None where one side has nothing like it.

    Attributes:
        left: Of the first trial.
        right: Of the second.
        same: Whether both say the same.
    """

    left: Item | None
    right: Item | None
    same: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A tool call, or a request that the server saw, in short.

    Attributes:
        name: The tool, or verb and method.
        status: How it ended, or an empty string.
        sent: Arguments, or parameters and body; None where there are none.
        tone: `bad` where it failed.
    """

    name: str
    status: str
    sent: Any
    tone: str


def call_steps(record: TrialRecord | None) -> list[Step]:
    """The tool calls of a trial as the agent reports them."""
    return [
        Step(
            call.name,
            "" if call.status == "unknown" else call.status,
            call.args or None,
            "bad" if call.status == "error" else "",
        )
        for call in (record.tool_calls if record else ())
    ]


def request_steps(record: TrialRecord | None) -> list[Step]:
    """The requests of a trial as the server saw them."""
    return [_request(entry) for entry in (record.journal.entries if record else ())]


def _request(entry: JournalEntry) -> Step:
    sent: JsonObject = {}
    if entry.params:
        sent["params"] = entry.params
    if entry.body:
        sent["body"] = entry.body
    name = f"{entry.http_method} {entry.method_id or entry.host + entry.path}"
    return Step(name, f"{entry.status} {entry.source}", sent or None,
                "bad" if entry.status >= 400 else "")  # fmt: skip


def align_steps(left: Sequence[Step], right: Sequence[Step]) -> list[Pair[Step]]:
    """Two lists side by side: what both did in the same order stands in one row.

    Steps are alike when they have the same name; whether they sent the same is told beside.
    """
    matcher = SequenceMatcher(None, [each.name for each in left], [each.name for each in right],
                              autojunk=False)  # fmt: skip
    pairs: list[Pair[Step]] = []
    for kind, left_from, left_to, right_from, right_to in matcher.get_opcodes():
        ours, theirs = left[left_from:left_to], right[right_from:right_to]
        if kind == "equal":
            pairs += [Pair(*both, _is_same(*both)) for both in zip(ours, theirs, strict=True)]
        else:
            pairs += [Pair(each, None, same=False) for each in ours]
            pairs += [Pair(None, each, same=False) for each in theirs]
    return pairs


def _is_same(left: Step, right: Step) -> bool:
    sent = [orjson.dumps(each.sent, option=orjson.OPT_SORT_KEYS, default=str)
            for each in (left, right)]  # fmt: skip
    return left.status == right.status and sent[0] == sent[1]


def check_pairs(left: TrialDecision, right: TrialDecision) -> list[Pair[CheckResult]]:
    """The checks of two trials of a case: those that came out differently first.

    The n-th check of a kind stands beside the n-th of that kind: cases that were changed in between
    may have other checks.
    """
    sides: list[dict[tuple[str, int | None, int], CheckResult]] = []
    for decision in (left, right):
        seen: Counter[tuple[str, int | None]] = Counter()
        named = {}
        for check in decision.checks:
            alike = check.kind, check.turn
            named[*alike, seen[alike]] = check
            seen[alike] += 1
        sides.append(named)
    pairs = []
    for key in dict.fromkeys([*sides[0], *sides[1]]):
        ours, theirs = sides[0].get(key), sides[1].get(key)
        same = ours is not None and theirs is not None and ours.status == theirs.status
        pairs.append(Pair(ours, theirs, same))
    return sorted(pairs, key=lambda pair: pair.same)


MOST_JUDGED = 500
"""Of so many trials of a run the opinions are read."""


@dataclass(frozen=True, slots=True)
class JudgeUse:
    """What a run asked of judges.

    Attributes:
        run: The run.
        questions: What was asked, in the order of the cases.
        trials: Trials of cases that ask a judge.
        counted: How many of them the figures below are of; the others are too many to be read.
        opinions: How many opinions were given.
        failed: How many times a judge failed to give one.
        input_tokens: What they read; None where no judge said.
        output_tokens: What they wrote; likewise.
        seconds: How long they took together.
    """

    run: RunSummary
    questions: tuple[Judgement, ...]
    trials: int
    counted: int
    opinions: int
    failed: int
    input_tokens: int | None
    output_tokens: int | None
    seconds: float


def judge_use(run: RunSummary, result: RunResult) -> JudgeUse | None:
    """What a run asked of judges; None where it asked nothing. Reads records of trials."""
    asked = tuple(judgements(result))
    if not asked:
        return None
    judged = {
        case.id for case in result.cases if any(isinstance(item, Judge) for item in case.expect)
    }
    trials = [
        (trial.case, trial.number)
        for decision in result.decisions
        if decision.case in judged
        for trial in decision.trials
    ]
    counted = trials[:MOST_JUDGED]
    records = [result.records.get(*each) for each in counted]
    opinions = [opinion for record in records if record for opinion in record.opinions]
    return JudgeUse(
        run=run,
        questions=asked,
        trials=len(trials),
        counted=len(counted),
        opinions=len(opinions),
        failed=sum(bool(each.error) for each in opinions),
        input_tokens=_total(each.input_tokens for each in opinions),
        output_tokens=_total(each.output_tokens for each in opinions),
        seconds=sum(each.duration_ms for each in opinions) / 1000,
    )


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge that was held against labels of people.

    Attributes:
        calibration: What came of it.
        labels: How many labels there were.
    """

    calibration: Calibration
    labels: int


def calibrated(calibrations: Iterable[Calibration]) -> list[Judged]:
    """Judges by name, each with the number of labels that it was held against."""
    found = [Judged(each, each.positives + each.negatives) for each in calibrations]
    return sorted(found, key=lambda each: (each.calibration.model, each.calibration.prompt))
