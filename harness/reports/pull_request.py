"""A comparison as a comment on a pull request: what fails now first, all else folded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.model import CaseComparison, Comparison, Flag
from harness.reports.comparison import COMPARED_NOT, VERDICTS
from harness.reports.texts import one_line

LONGEST_COMMENT = 65_536
"""Characters that GitHub takes."""
_SPARE = 2_000
_LONGEST_CELL = 240
_MOST_NAMED = 200
_WORSE: tuple[Flag, ...] = ("significant", "broken", "changed_outcome", "suspect")
_ICONS = {"regressed": "❌", "changed": "❌", "not_worse": "✅", "inconclusive": "⚠️"}


@dataclass(frozen=True, slots=True)
class ComparedCase:
    """What is told of a case beside its counts.

    Attributes:
        title: Its title.
        reason: Why it does not pass now, or an empty string.
    """

    title: str = ""
    reason: str = ""


def comparison_comment(found: Comparison, cases: Mapping[str, ComparedCase] | None = None) -> str:
    """The comparison as Markdown of at most 65,536 characters.

    Cases that got worse come first, those that newly fail before the others; what improved, what
    was not compared and the figures are folded. Texts of cases stand as code, where nothing in them
    is markup, a mention or a link.

    Args:
        found: The comparison.
        cases: Case id to what else is told of it.
    """
    told = cases or {}
    worse = sorted(
        found.flagged(*_WORSE), key=lambda case: (case.after[0] > 0, _WORSE.index(case.flag))
    )
    improved = found.flagged("improved")
    head = "\n".join(_head(found, worse))
    tail = "\n".join([*_not_compared(found), *_figures(found)])
    left = LONGEST_COMMENT - _SPARE - len(head) - len(tail)
    tables = []
    if worse:
        rows, left = _rows(worse, told, left)
        tables += ["", *_table(rows, len(worse))]
    if improved:
        rows, left = _rows(improved, told, left)
        tables += ["", *_folded(f"Improved: {len(improved)}", _table(rows, len(improved)))]
    return "\n".join([head, *tables, tail]).rstrip() + "\n"


def _head(found: Comparison, worse: Sequence[CaseComparison]) -> list[str]:
    verdict, _, why = VERDICTS[found.verdict].partition(": ")
    lines = [
        f"### {_ICONS[found.verdict]} Agent trials: {verdict.lower()}",
        "",
        f"{_code(found.candidate)} against {_code(found.baseline)}" + (f": {why}." if why else "."),
        "",
    ]
    failing = sum(not case.after[0] for case in worse)
    counts = [
        f"**{failing} newly failing**" if failing else "none newly failing",
        f"{len(worse) - failing} less often passing",
        f"{len(found.flagged('improved'))} improved",
        f"{len(found.cases)} compared",
    ]
    if found.before and found.after:
        was, now = found.before, found.after
        counts.append(
            f"cases passed {was.cases_passed}/{was.cases} → {now.cases_passed}/{now.cases}"
        )
    return [*lines, " · ".join(counts)]


def _rows(
    cases: Iterable[CaseComparison], told: Mapping[str, ComparedCase], left: int
) -> tuple[list[str], int]:
    """As many rows as fit into so many characters, and how many are left then."""
    rows = []
    for case in cases:
        about = told.get(case.case, ComparedCase())
        (passed, valid), (now, of_now) = case.before, case.after
        row = (
            f"| {_code(case.case)} | {passed}/{valid} → {now}/{of_now}"
            f" | {case.flag.replace('_', ' ')} | {_code(about.title)} | {_code(about.reason)} |"
        )
        if len(row) >= left:
            break
        rows.append(row)
        left -= len(row) + 1
    return rows, left


def _table(rows: Sequence[str], total: int) -> list[str]:
    more = [f"and {total - len(rows)} more", ""] if len(rows) < total else []
    if not rows:
        return more
    head = ["| case | passed | what | title | reason |", "|---|---|---|---|---|"]
    return [*head, *rows, "", *more]


def _not_compared(found: Comparison) -> list[str]:
    lines = []
    for name, why in COMPARED_NOT:
        if cases := getattr(found, name):
            shown = ", ".join(map(_code, cases[:_MOST_NAMED]))
            more = f" and {len(cases) - _MOST_NAMED} more" if len(cases) > _MOST_NAMED else ""
            lines.append(f"* {name.replace('_', ' ')} ({why}): {shown}{more}")
    return ["", *_folded("Not compared", lines)] if lines else []


def _figures(found: Comparison) -> list[str]:
    lines = []
    if found.effect is not None and found.low is not None and found.high is not None:
        lines.append(
            f"* mean difference {found.effect * 100:+.1f} points, interval"
            f" {found.low * 100:+.1f} to {found.high * 100:+.1f}, p = {found.p_value:.3g},"
            f" margin {found.margin * 100:g} points"
        )
    if found.verdict == "inconclusive" and found.trials_needed:
        lines.append(f"* {found.trials_needed} trials a case would see a drop of the margin")
    lines += [f"* {_code(warning)}" for warning in found.warnings[:20]]
    return ["", *_folded("Figures", lines)] if lines else []


def _folded(summary: str, lines: Sequence[str]) -> list[str]:
    return ["<details>", f"<summary>{summary}</summary>", "", *lines, "", "</details>"]


def _code(text: str) -> str:
    """A text as code, which cannot end it, nor the cell of a table that it stands in."""
    line = one_line(text, _LONGEST_CELL)
    return f"`{line.replace('`', chr(39)).replace('|', '¦')}`" if line else ""
