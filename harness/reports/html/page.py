"""The page of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.model import (
    Case,
    CaseComparison,
    CaseDecision,
    CaseStatistics,
    RunResult,
    TrialDecision,
)
from harness.reports.failures import REMEDIES, are_curable, case_classes, failures
from harness.reports.html.chosen import chosen
from harness.reports.html.matrix import GLYPHS, matrix
from harness.reports.html.rendering import rendered
from harness.reports.html.summary import banner, details, findings, tiles
from harness.reports.html.trials import trial_view
from harness.reports.judges import judgements
from harness.reports.svg import CHARTS, STYLE
from harness.reports.versus import VERDICTS

if TYPE_CHECKING:
    from markupsafe import Markup

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
        rendered(
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
    for trial in chosen(result.decisions):
        text = _trial(result, cases[trial.case], trial)
        room -= len(text)
        if room < 0:
            break
        made[trial.case, trial.number] = text
    return made


def _trial(result: RunResult, case: Case, trial: TrialDecision) -> "Markup":
    record = result.records.get(trial.case, trial.number)
    return rendered("trial.html", view=trial_view(case, trial, record), glyphs=GLYPHS)


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
