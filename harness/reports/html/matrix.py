"""The matrix of a run: a row for each case, a cell for each trial, what did not pass first.

Any page can hold it. `matrix_view` makes it of cases and decisions, `templates/matrix.html` shows
it under the name `matrix`, and `asset("matrix.js")` adds search, filters, order and keys:

    environment = page_templates("harness.server.console")
    matrix = matrix_view(cases, decisions, trial_link="/runs/r1/trials/{case}/{number}")

    <style>{% include "page.css" %}</style> {% include "matrix.html" %}

A few hundred rows are markup; the others are data beside them, which the script shows when they are
asked for. With the script 2,000 cases of five trials are a page of 300 KB.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import orjson

from harness.model import (
    Case,
    CaseDecision,
    CaseVerdict,
    TrialStatus,
    select_trials,
    trial_numbers,
    trial_shapes,
)
from harness.reports.failures import case_classes
from harness.reports.figures import UNCATEGORISED
from harness.reports.html.templates import GLYPHS, markup
from harness.reports.texts import one_line

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_ROWS = 300
"""So many rows are markup where nobody asks for more."""

MOST_CELLS = 40
"""So many trials of a case have a cell."""

_LONGEST_TITLE = 120
_LONGEST_REASON = 300

VERDICTS: tuple[CaseVerdict, ...] = ("failed", "flaky", "inconclusive", "skipped", "passed")
"""In the order in which rows stand."""

_STATUSES = tuple(GLYPHS)


@dataclass(frozen=True, slots=True)
class Cell:
    """One trial.

    Attributes:
        number: Which.
        status: Its status.
        glyph: The sign of the status.
        href: Where it is shown in full, or an empty string.
    """

    number: int
    status: TrialStatus
    glyph: str
    href: str


@dataclass(frozen=True, slots=True)
class Row:
    """One case.

    Attributes:
        position: Its place in run order, from 0.
        case: The case's id.
        title: Its title, on one line.
        category: Its category.
        verdict: What was decided.
        passed: Valid trials that passed.
        valid: Valid trials.
        classes: The classes of its failures, the most frequent first.
        reason: Why it did not pass: the first failing check, in a sentence.
        other_reasons: How many other reasons its trials have.
        note: What stands beside it, such as a regression; or an empty string.
        milliseconds: The median time of a trial, or None.
        cells: Its first trials.
        hidden: The others in words, or an empty string.
        href: Where the trial that tells most is shown in full, or an empty string.
    """

    position: int
    case: str
    title: str
    category: str
    verdict: CaseVerdict
    passed: int
    valid: int
    classes: tuple[str, ...]
    reason: str
    other_reasons: int
    note: str
    milliseconds: float | None
    cells: tuple[Cell, ...]
    hidden: str
    href: str


@dataclass(frozen=True, slots=True)
class MatrixView:
    """All rows, and what they can be filtered by.

    Attributes:
        rows: Those that are markup, what did not pass first.
        cases: How many rows there are in all.
        verdicts: How many cases have which verdict; those that occur, the worst first.
        categories: How many cases each category has, in alphabetical order.
        classes: How many cases show each class of failure, the most frequent first.
        data: The other rows, and what the script needs to show them: JSON that may stand in a
            script element.
        timed: Whether any row has a time.
    """

    rows: tuple[Row, ...]
    cases: int
    verdicts: Mapping[str, int]
    categories: Mapping[str, int]
    classes: Mapping[str, int]
    data: "Markup"
    timed: bool


def matrix_view(
    cases: Sequence[Case],
    decisions: Sequence[CaseDecision],
    *,
    trial_link: str,
    linked: Collection[tuple[str, int]] | None = None,
    most_rows: int = MOST_ROWS,
    milliseconds: Mapping[str, float | None] | None = None,
    notes: Mapping[str, str] | None = None,
) -> MatrixView:
    """The matrix of a run.

    Args:
        cases: The cases.
        decisions: One for each case, in run order.
        trial_link: Address of a trial, with `{case}` and `{number}` in it.
        linked: The trials that have one; None where all do.
        most_rows: So many rows are markup, the others data.
        milliseconds: The median time of a trial, by case.
        notes: A word beside a case, by case.
    """
    of_id = {case.id: case for case in cases}
    times, beside = milliseconds or {}, notes or {}

    def row(position: int, decision: CaseDecision) -> Row:
        case = of_id[decision.case]
        statuses = (shape.status for shape in trial_shapes(decision.trials))
        trials = zip(trial_numbers(decision.trials), statuses, strict=True)

        def href(number: int) -> str:
            if linked is None or (case.id, number) in linked:
                return trial_link.format(case=case.id, number=number)
            return ""

        return Row(
            position=position,
            case=case.id,
            title=one_line(case.title, _LONGEST_TITLE),
            category=one_line(case.category) or UNCATEGORISED,
            verdict=decision.verdict,
            passed=decision.passed,
            valid=decision.valid,
            classes=case_classes(decision),
            reason=one_line(decision.reason, _LONGEST_REASON),
            other_reasons=_count_other_reasons(decision),
            note=one_line(beside.get(case.id, "")),
            milliseconds=times.get(case.id),
            cells=tuple(
                Cell(number, status, GLYPHS[status], href(number))
                for number, status in islice(trials, MOST_CELLS)
            ),
            hidden=_hidden_cells(decision),
            href=next(filter(None, map(href, _most_telling(decision))), ""),
        )

    rows = sorted(
        (row(*numbered) for numbered in enumerate(decisions)),
        key=lambda each: VERDICTS.index(each.verdict),
    )
    verdicts = Counter(each.verdict for each in rows)
    categories = Counter(each.category for each in rows)
    return MatrixView(
        rows=tuple(rows[:most_rows]),
        cases=len(rows),
        verdicts={name: verdicts[name] for name in VERDICTS if name in verdicts},
        categories=dict(sorted(categories.items())),
        classes=dict(Counter(name for each in rows for name in each.classes).most_common()),
        data=_data(rows[most_rows:], trial_link),
        timed=any(each.milliseconds is not None for each in rows),
    )


def _most_telling(decision: CaseDecision) -> Iterator[int]:
    """The numbers of the trials, those that passed last.

    Yields:
        Each.
    """
    for passes in (False, True):
        shapes = trial_shapes(decision.trials)
        for number, shape in zip(trial_numbers(decision.trials), shapes, strict=True):
            if (shape.status == "pass") is passes:
                yield number


def _count_other_reasons(decision: CaseDecision) -> int:
    """How many reasons trials have that are not the case's; their hashes take less room."""
    explained = select_trials(decision.trials, lambda shape: shape.explained)
    return len({hash(trial.reason) for trial in explained} - {hash(decision.reason)})


def _hidden_cells(decision: CaseDecision) -> str:
    shapes = islice(trial_shapes(decision.trials), MOST_CELLS, None)
    rest = Counter(shape.status for shape in shapes)
    if not rest:
        return ""
    counts = ", ".join(f"{count} {status}" for status, count in rest.most_common())
    return f"and {rest.total()} more: {counts}"


def _numbers(cells: Sequence[Cell]) -> list[int]:
    """Empty where they are 1, 2, 3, ..., as in every run that was not interrupted."""
    numbers = [cell.number for cell in cells]
    return [] if numbers == list(range(1, len(numbers) + 1)) else numbers


def _data(rows: Sequence[Row], trial_link: str) -> "Markup":
    """Rows as arrays, names by number, statuses as digits: some 100 bytes a row."""
    categories = list(dict.fromkeys(row.category for row in rows))
    classes = list(dict.fromkeys(name for row in rows for name in row.classes))
    written = orjson.dumps(
        {
            "link": trial_link,
            "statuses": _STATUSES,
            "glyphs": tuple(GLYPHS.values()),
            "verdicts": VERDICTS,
            "categories": categories,
            "classes": classes,
            "rows": [
                (
                    row.position,
                    row.case,
                    row.title,
                    categories.index(row.category),
                    VERDICTS.index(row.verdict),
                    row.passed,
                    row.valid,
                    [classes.index(name) for name in row.classes],
                    row.reason,
                    row.other_reasons,
                    row.note,
                    None if row.milliseconds is None else round(row.milliseconds, 1),
                    [place for place, cell in enumerate(row.cells) if cell.href],
                    _numbers(row.cells),
                    "".join(str(_STATUSES.index(cell.status)) for cell in row.cells),
                    row.hidden,
                )
                for row in rows
            ],
        }
    )
    inert = written.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")
    return markup(inert.decode())
