"""The HTML page of a run: what stands at its top, the matrix of cases and trials, chosen trials."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from harness.errors import Exit
from harness.model import (
    Case,
    CaseComparison,
    CaseDecision,
    CaseStatistics,
    LatencyFigures,
    RunResult,
    RunStatistics,
    TrialDecision,
    TrialShape,
    select_trials,
    trial_numbers,
)
from harness.reports.comparison import VERDICTS
from harness.reports.coverage import coverage_view
from harness.reports.failures import case_classes, class_counts, remedies
from harness.reports.figures import (
    always_failing,
    by_attribution,
    figures,
    flaky,
    is_synthetic,
    made_up_answers,
)
from harness.reports.forks import fork_lines
from harness.reports.html.matrix import MOST_ROWS, MatrixView, matrix_view
from harness.reports.html.templates import (
    asset,
    content_hash,
    markup,
    milliseconds,
    percent,
    render,
)
from harness.reports.html.trials import trial_view
from harness.reports.judges import judgements
from harness.reports.story import passing_trials
from harness.reports.svg import CHARTS, STYLE
from harness.reports.texts import cost_text

if TYPE_CHECKING:
    from markupsafe import Markup


_MOST_NAMED = 30
_MOST_CLUSTERS = 10
_FEW = 20


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
    made_up = made_up_answers(result)
    if made_up.text:
        alone = len(made_up.notes)
        passed = f"; {alone} check{'s' * (alone > 1)} passed by these alone" if alone else ""
        notes.append(f"{made_up.text}{passed}.")
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
    if statistics.mean not in {None, 0.0, 1.0}:  # else it says what the rates say
        found.append(Tile("Mean rate of the cases", percent(statistics.mean), note))
    clocks = [
        _clock("Time for a trial", statistics.total),
        _clock("To the first byte", statistics.first_byte),
        _clock("Inside the mock server", statistics.tools),
    ]
    return [*found, *(each for each in (*clocks, _tokens(result)) if each is not None)]


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
        ("Directory", result.place or result.folder),
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
        "Made-up answers": made_up_answers(result).lines,
    }
    return [(title, _name_list(names)) for title, names in named.items() if names]


def _rate(label: str, rate: str) -> Tile:
    value, _, note = rate.partition(" (")
    return Tile(label, value, note.removesuffix(")"))


def _clock(label: str, clock: LatencyFigures) -> Tile | None:
    late = f"{clock.censored} of {clock.n} timed out" if clock.censored else ""
    if clock.p50 is None:
        return Tile(label, "n/a", late) if late else None
    if not clock.max:
        return None
    slow = ""
    if clock.p95 is not None and clock.n > 1:  # of a few trials the 95th percentile is the slowest
        slow = f"{'p95' if clock.n >= _FEW else 'slowest'} {milliseconds(clock.p95)}"
    return Tile(label, milliseconds(clock.p50), ", ".join(each for each in (slow, late) if each))


def _tokens(result: RunResult) -> Tile | None:
    """Tokens and cost of a trial, the mean over those whose agent or spans tell them."""
    tokens = [each.tokens for each in result.facts if each.tokens is not None]
    costs = [each.cost_usd for each in result.facts if each.cost_usd is not None]
    if not tokens:
        return None
    cost = cost_text(fmean(costs)) if costs else ""
    return Tile("Tokens for a trial", f"{fmean(tokens):.0f}", cost)


def _name_list(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


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
    yield from _by_turns(select_trials(each.trials, _did_not_pass) for each in decisions)
    yield from _by_turns(select_trials(each.trials, _passed) for each in decisions)


def _by_turns(cases: Iterable[Iterator[TrialDecision]]) -> Iterator[TrialDecision]:
    left = list(cases)
    while left:
        going_on = []
        for trials in left:
            if (trial := next(trials, None)) is not None:
                yield trial
                going_on.append(trials)
        left = going_on


def _passed(shape: TrialShape) -> bool:
    return shape.status == "pass"


def _did_not_pass(shape: TrialShape) -> bool:
    return shape.status != "pass"


MOST_CHARACTERS = 6_000_000
"""What is shown of single trials takes up to so many characters; further ones are left out."""

MOST_FIGURES = 300
"""So many cases have a row in the table of figures; those with the lowest rates."""


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
    """The run as one page of HTML: nothing loaded from elsewhere, light and dark.

    It can be read without its script, which adds search, filters, order and keys. Of a large run
    the trials that tell most are shown; how much is left out is said. The same run gives the same
    page. Texts of agents and servers are inert, credentials in them are not shown.
    """
    trials = _trials(result)
    sections = _sections(result, trials)
    style, script = markup(asset("page.css") + STYLE), asset("matrix.js")
    return str(
        render(
            "page.html",
            run=result,
            banner=banner(result),
            tiles=tiles(result),
            details=details(result),
            findings=findings(result),
            remedies=remedies(result),
            class_counts=class_counts(result),
            verdicts=VERDICTS,
            judgements=judgements(result),
            charts=_charts(result),
            matrix=_matrix(result, trials),
            sections=sections,
            coverage=coverage_view(result),
            forks=fork_lines(result.forks),
            here=result.manifest.run,
            link=None,
            figures=_figures(result.statistics),
            repeated=len(_repeated_cases(result.statistics)),
            left_out=sum(len(each.trials) for each in result.decisions) - len(trials),
            style=style,
            script=script,
            policy=_policy(style, script),
        )
    )


def _trials(result: RunResult) -> dict[tuple[str, int], "Markup"]:
    """The trials that are shown in full, the most telling first."""
    cases = {case.id: case for case in result.cases}
    decided = {each.case: each for each in result.decisions}
    made: dict[tuple[str, int], Markup] = {}
    room = MOST_CHARACTERS
    for trial in choose_trials(result.decisions):
        record = result.records.get(trial.case, trial.number)
        passing = passing_trials(decided[trial.case], result.records, "run", result.manifest.run)
        view = trial_view(cases[trial.case], trial, record, passing)
        text = render("trial_section.html", view=view, open=not made and trial.status != "pass")
        room -= len(text)
        if room < 0:
            break
        made[trial.case, trial.number] = text
    return made


def _matrix(result: RunResult, shown: Collection[tuple[str, int]]) -> MatrixView:
    """Every case that did not pass is markup, so that it can be read without the script."""
    others = sum(each.verdict != "passed" for each in result.decisions)
    figures = result.statistics.cases if result.statistics else ()
    against = result.comparison.cases if result.comparison else ()
    return matrix_view(
        result.cases,
        result.decisions,
        trial_link="#trial-{case}-{number}",
        linked=shown,
        most_rows=max(MOST_ROWS, others),
        milliseconds={each.case: each.total.p50 for each in figures},
        notes={each.case: each.flag.replace("_", " ") for each in against if each.flag != "same"},
    )


def _policy(style: str, script: str) -> str:
    """What the page may do: its own style and its own script, and nothing else."""
    return (
        f"default-src 'none'; style-src {content_hash(style)}; script-src {content_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )


def _sections(result: RunResult, trials: Mapping[tuple[str, int], "Markup"]) -> Sequence[Section]:
    cases = {case.id: case for case in result.cases}
    figures = {each.case: each for each in result.statistics.cases} if result.statistics else {}
    against = {each.case: each for each in result.comparison.cases} if result.comparison else {}
    sections = []
    for decision in result.decisions:
        shown = [
            trials[decision.case, number]
            for number in trial_numbers(decision.trials)
            if (decision.case, number) in trials
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


def _repeated_cases(statistics: RunStatistics | None) -> list[CaseStatistics]:
    """The cases with several valid trials; one has no rate, no spread, no agreement."""
    return [each for each in statistics.cases if each.rate.valid > 1] if statistics else []


def _figures(statistics: RunStatistics | None) -> list[CaseStatistics]:
    found = _repeated_cases(statistics)
    if len(found) <= MOST_FIGURES:
        return found
    return sorted(found, key=lambda each: each.rate.rate or 0.0)[:MOST_FIGURES]


_TELLING: Mapping[str, Callable[[CaseStatistics], bool]] = {
    "pass_rates": lambda case: case.rate.passed < case.rate.valid,
    "latency": lambda case: case.total.n > 1,
    "stability": lambda case: any(
        each.value is not None and each.value < 1 for each in case.stability
    ),
}
"""What at least one case with several trials must show for a chart to tell something."""


def _charts(result: RunResult) -> "list[tuple[str, Markup]]":
    """The charts that tell something of this run."""
    repeated = _repeated_cases(result.statistics)
    if result.statistics is None:
        return []
    return [
        (title, markup(drawn))
        for name, (title, chart) in CHARTS.items()
        if any(map(_TELLING[name], repeated)) and (drawn := chart(result.statistics))
    ]
