"""The HTML page of a run: what stands at its top, the matrix of cases and trials, chosen trials."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import Exit
from harness.model import (
    Case,
    CaseComparison,
    CaseDecision,
    CaseStatistics,
    LatencyFigures,
    RunResult,
    TrialDecision,
    TrialStatus,
)
from harness.reports.comparison import VERDICTS
from harness.reports.failures import REMEDIES, are_curable, case_classes, class_counts, failures
from harness.reports.figures import always_failing, by_attribution, figures, flaky, is_synthetic
from harness.reports.html.rendering import milliseconds, percent, render
from harness.reports.html.trials import trial_view
from harness.reports.judges import judgements
from harness.reports.svg import CHARTS, STYLE

if TYPE_CHECKING:
    from markupsafe import Markup


_MOST_NAMED = 100
_MOST_CLUSTERS = 10


@dataclass(frozen=True, slots=True)
class Banner:
    """The result in one line.

    Attributes:
        tone: `good`, `bad` or `warn`.
        text: The line.
        notes: What must be known beside it.
    """

    tone: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: what it is, the figure, what stands beside it."""

    label: str
    value: str
    note: str = ""


def banner(result: RunResult) -> Banner:
    """How the run ended."""
    notes = []
    if result.interrupted:
        notes.append("Interrupted: trials are missing.")
    if is_synthetic(result):
        notes.append("Synthetic: no agent was asked; this says nothing about quality.")
    if result.interrupted or not result.exit_reasons:
        text = "Interrupted" if result.interrupted else "Every gate passed"
        return Banner("warn" if notes else "good", text, tuple(notes))
    first = result.exit_reasons[0].code
    text = {
        Exit.GATE_FAILED: "A quality gate failed",
        Exit.USAGE: "Nothing could be decided",
        Exit.INFRASTRUCTURE: "The infrastructure failed",
        Exit.REGRESSION: "A regression against the baseline",
        Exit.NO_VERDICT: "No verdict",
    }.get(Exit(first), f"Exit code {first}")
    return Banner("bad", text, tuple(notes))


def tiles(result: RunResult) -> list[Tile]:
    """The figures that are looked at first."""
    total, statistics = figures(result), result.statistics
    found = [
        _rate("Cases passed", total.case_rate()),
        _rate("Trials passed", total.trial_rate()),
    ]
    if statistics is None:
        return found
    interval = statistics.sample or statistics.fixed
    note = f"95 % interval {percent(interval[0])} to {percent(interval[1])}" if interval else ""
    return [
        *found,
        Tile("Mean rate of the cases", percent(statistics.mean), note),
        _clock("Time for a trial", statistics.total),
        _clock("To the first byte", statistics.first_byte),
        _clock("Inside the mock server", statistics.tools),
    ]


def details(result: RunResult) -> list[tuple[str, str]]:
    """What was asked for."""
    manifest = result.manifest
    rule = ", ".join(f"{name} {value}" for name, value in manifest.policy.items())
    versions = ", ".join(f"{name} {value}" for name, value in manifest.versions.items())
    told = [
        ("Suite", manifest.suite),
        ("Agent", manifest.agent),
        ("Started", manifest.started_at),
        ("Policy", rule),
        ("Versions", versions),
        ("Directory", result.folder),
    ]
    return [(name, value) for name, value in told if value]


def findings(result: RunResult) -> list[tuple[str, str]]:
    """Lists over the whole run; empty ones are left out."""
    named = {
        "Failure classes": [f"{name} {count}" for name, count in class_counts(result).items()],
        "Whose failure": [f"{name} {count}" for name, count in by_attribution(result).items()],
        "Alike": [
            f"{each.kind.replace('_', ' ')} {each.what!r} ({len(each.cases)} cases)"
            for each in result.clusters[:_MOST_CLUSTERS]
        ],
        "Always failing": always_failing(result),
        "Flaky": flaky(result),
        "Faults never met": list(result.faults_not_met),
        "Recordings never asked for": list(result.recordings_unused),
        "Recordings that may not fit": list(result.recordings_doubtful),
        "Live addresses tried": list(result.addresses_refused),
    }
    return [(title, _listed(names)) for title, names in named.items() if names]


def _rate(label: str, rate: str) -> Tile:
    value, _, note = rate.partition(" (")
    return Tile(label, value, note.removesuffix(")"))


def _clock(label: str, clock: LatencyFigures) -> Tile:
    if clock.p50 is None:
        return Tile(label, "n/a", clock.text)
    slow = f"p95 {milliseconds(clock.p95)}" if clock.p95 is not None else ""
    late = f"{clock.censored} of {clock.n} timed out" if clock.censored else ""
    return Tile(label, milliseconds(clock.p50), ", ".join(each for each in (slow, late) if each))


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


MOST_ROWS = 500
MOST_CELLS = 40

GLYPHS: Mapping[TrialStatus, str] = {
    "pass": "✓",
    "fail": "✗",
    "agent_error": "!",
    "not_evaluated": "○",
    "infra_error": "⊘",
    "replay_miss": "?",
    "skipped": "-",
}
"""What stands in a cell, so that nothing hangs on a colour."""

_WORST = ("failed", "flaky", "inconclusive", "skipped", "passed")


@dataclass(frozen=True, slots=True)
class Cell:
    """One trial.

    Attributes:
        number: Which.
        status: Its status.
        glyph: The sign of the status.
        linked: Whether the trial is shown in full below.
    """

    number: int
    status: TrialStatus
    glyph: str
    linked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One case.

    Attributes:
        case: The case.
        decision: What was decided.
        cells: Its first trials.
        more: The others in words, or an empty string.
        linked: Whether the case has a section below.
    """

    case: Case
    decision: CaseDecision
    cells: tuple[Cell, ...]
    more: str
    linked: bool


def matrix(result: RunResult, shown: Collection[tuple[str, int]]) -> list[Row]:
    """The rows: all cases in run order, or the worst of them where there are too many.

    Args:
        result: The run.
        shown: The trials that are shown in full.
    """
    cases = {case.id: case for case in result.cases}
    sections = {case for case, _ in shown}
    return [
        Row(
            case=cases[decision.case],
            decision=decision,
            cells=_cells(decision, shown),
            more=_hidden_cells(decision),
            linked=decision.case in sections,
        )
        for decision in _notable(result.decisions)
    ]


def _notable(decisions: Sequence[CaseDecision]) -> Sequence[CaseDecision]:
    if len(decisions) <= MOST_ROWS:
        return decisions
    return sorted(decisions, key=lambda each: _WORST.index(each.verdict))[:MOST_ROWS]


def _cells(decision: CaseDecision, shown: Collection[tuple[str, int]]) -> tuple[Cell, ...]:
    return tuple(
        Cell(trial.number, trial.status, GLYPHS[trial.status], (trial.case, trial.number) in shown)
        for trial in decision.trials[:MOST_CELLS]
    )


def _hidden_cells(decision: CaseDecision) -> str:
    rest = Counter(trial.status for trial in decision.trials[MOST_CELLS:])
    if not rest:
        return ""
    told = ", ".join(f"{count} {status}" for status, count in rest.most_common())
    return f"and {rest.total()} more: {told}"


MOST_TRIALS = 200
"""So many trials are shown in full."""


def choose_trials(
    decisions: Sequence[CaseDecision], most: int = MOST_TRIALS
) -> list[TrialDecision]:
    """Trials in the order of what they tell, at most so many.

    The first trial of each case that did not pass; then the others that did not, those of all cases
    by turns; then the first pass of each case; then the rest by turns.
    """
    found: dict[tuple[str, int], TrialDecision] = {}
    for trial in _rank(decisions):
        if len(found) >= most:
            break
        found.setdefault((trial.case, trial.number), trial)
    return list(found.values())


def _rank(decisions: Sequence[CaseDecision]) -> Iterator[TrialDecision]:
    yield from _by_turns([_other_trials(decision) for decision in decisions])
    yield from _by_turns([_passed_trials(decision) for decision in decisions])


def _by_turns(lists: Sequence[Sequence[TrialDecision]]) -> Iterator[TrialDecision]:
    for place in range(max(map(len, lists), default=0)):
        yield from (trials[place] for trials in lists if place < len(trials))


def _other_trials(decision: CaseDecision) -> list[TrialDecision]:
    return [trial for trial in decision.trials if trial.status != "pass"]


def _passed_trials(decision: CaseDecision) -> list[TrialDecision]:
    return [trial for trial in decision.trials if trial.status == "pass"]


MOST_CHARACTERS = 6_000_000
"""What is shown of single trials takes up to so many characters; further ones are left out."""

MOST_FIGURES = 1000
"""So many cases have a row in the table of figures."""


@dataclass(frozen=True, slots=True)
class Section:
    """A case, with those of its trials that are shown in full.

    Attributes:
        case: The case.
        decision: What was decided.
        classes: The classes of its failures.
        statistics: Its figures, or None.
        comparison: How it did beside the baseline, or None.
        trials: The trials, as markup.
        hidden: How many of its trials are not shown in full.
    """

    case: Case
    decision: CaseDecision
    classes: tuple[str, ...]
    statistics: CaseStatistics | None
    comparison: CaseComparison | None
    trials: tuple["Markup", ...]
    hidden: int


def html_report(result: RunResult) -> str:
    """The run as one page of HTML: no script, nothing loaded from elsewhere, light and dark.

    Of a large run the worst cases and the trials that tell most are shown; how much is left out is
    said. The same run gives the same page. Texts of agents and servers are inert, credentials in
    them are not shown.
    """
    trials = _trials(result)
    sections = _sections(result, trials)
    statistics = result.statistics
    return str(
        render(
            "page.html",
            run=result,
            banner=banner(result),
            tiles=tiles(result),
            details=details(result),
            findings=findings(result),
            remedies=REMEDIES if are_curable(failures(result)) else (),
            verdicts=VERDICTS,
            judgements=judgements(result),
            charts=_charts(result),
            rows=matrix(result, trials),
            glyphs=GLYPHS,
            sections=sections,
            figures=statistics.cases[:MOST_FIGURES] if statistics else (),
            left_out=sum(len(each.trials) for each in result.decisions) - len(trials),
            chart_style=_markup(STYLE),
        )
    )


def _trials(result: RunResult) -> dict[tuple[str, int], "Markup"]:
    """The trials that are shown in full, the most telling first."""
    cases = {case.id: case for case in result.cases}
    made: dict[tuple[str, int], Markup] = {}
    room = MOST_CHARACTERS
    for trial in choose_trials(result.decisions):
        text = _trial(result, cases[trial.case], trial)
        room -= len(text)
        if room < 0:
            break
        made[trial.case, trial.number] = text
    return made


def _trial(result: RunResult, case: Case, trial: TrialDecision) -> "Markup":
    record = result.records.get(trial.case, trial.number)
    return render("trial.html", view=trial_view(case, trial, record), glyphs=GLYPHS)


def _sections(result: RunResult, trials: Mapping[tuple[str, int], "Markup"]) -> Sequence[Section]:
    cases = {case.id: case for case in result.cases}
    figures = {each.case: each for each in result.statistics.cases} if result.statistics else {}
    against = {each.case: each for each in result.comparison.cases} if result.comparison else {}
    sections = []
    for decision in result.decisions:
        shown = [
            trials[trial.case, trial.number]
            for trial in decision.trials
            if (trial.case, trial.number) in trials
        ]
        if shown:
            sections.append(
                Section(
                    case=cases[decision.case],
                    decision=decision,
                    classes=case_classes(decision),
                    statistics=figures.get(decision.case),
                    comparison=against.get(decision.case),
                    trials=tuple(shown),
                    hidden=len(decision.trials) - len(shown),
                )
            )
    return sections


def _charts(result: RunResult) -> "list[tuple[str, Markup]]":
    if result.statistics is None:
        return []
    drawn = ((title, chart(result.statistics)) for title, chart in CHARTS.values())
    return [(title, _markup(each)) for title, each in drawn if each]


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704  (our own, with every text in it escaped)
