"""Tables: a row a trial, and a row a check; as CSV for a spreadsheet, and as Parquet."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from harness.errors import HarnessError
from harness.model import (
    CheckResult,
    RunResult,
    TrialDecision,
    TrialFacts,
    facts_by_case,
    pair_by_number,
)
from harness.reports.failures import trial_classes
from harness.reports.texts import one_line

TRIAL_COLUMNS = (
    "run", "case", "category", "trial", "status", "not_evaluated", "classes", "reason",
    "duration_ms", "agent_ms", "first_byte_ms", "tools_ms", "tokens", "cost_usd", "turns",
    "attempts", "tool_calls", "synthetic",
)  # fmt: skip
CHECK_COLUMNS = (
    "run", "case", "category", "trial", "turn", "kind", "status", "required", "reason",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
Cell = str | int | float | bool | None


def trials_csv(result: RunResult) -> str:
    """One row a trial, in run order; times are milliseconds, what is not known is empty."""
    return "".join(trials_csv_parts(result))


def trials_csv_parts(result: RunResult) -> Iterator[str]:
    """The same text in parts, for runs of any number of trials."""
    return _table(TRIAL_COLUMNS, trial_rows(result))


def checks_csv(result: RunResult) -> str:
    """One row a check of a trial, in run order."""
    return "".join(checks_csv_parts(result))


def checks_csv_parts(result: RunResult) -> Iterator[str]:
    """The same text in parts, for runs of any number of trials."""
    return _table(CHECK_COLUMNS, check_rows(result))


def trial_rows(result: RunResult) -> Iterator[tuple[Cell, ...]]:
    """A row a trial, in run order.

    Yields:
        Cells in the order of `TRIAL_COLUMNS`; None is what is not known.
    """
    facts = facts_by_case(result.facts)
    category = {case.id: case.category for case in result.cases}
    for each in result.decisions:
        for trial, beside in pair_by_number(each.trials, facts.of(each.case)):
            yield (*_start(result, category[each.case], trial), *_trial(trial, beside))


def check_rows(result: RunResult) -> Iterator[tuple[Cell, ...]]:
    """A row a check of a trial, in run order.

    Yields:
        Cells in the order of `CHECK_COLUMNS`.
    """
    for category, trial in _trials(result):
        for check in trial.checks:
            yield (*_start(result, category, trial), *_check(check))


def _trials(result: RunResult) -> Iterable[tuple[str, TrialDecision]]:
    category = {case.id: case.category for case in result.cases}
    for decision in result.decisions:
        for trial in decision.trials:
            yield category[decision.case], trial


def _start(result: RunResult, category: str, trial: TrialDecision) -> Sequence[Cell]:
    return result.manifest.run, trial.case, category, trial.number


def _trial(trial: TrialDecision, facts: TrialFacts | None) -> Sequence[Cell]:
    decided: list[Cell] = [
        trial.status, trial.not_evaluated, "; ".join(trial_classes(trial)), trial.reason,
    ]  # fmt: skip
    if facts is None:
        return [*decided, *[None] * (len(TRIAL_COLUMNS) - 4 - len(decided))]
    return [
        *decided,
        _ms(facts.duration_ms), _ms(facts.agent_ms), _ms(facts.first_byte_ms), _ms(facts.tools_ms),
        facts.tokens, facts.cost_usd, facts.turns, facts.attempts, len(facts.tools),
        facts.synthetic,
    ]  # fmt: skip


def _check(check: CheckResult) -> Sequence[Cell]:
    return check.turn, check.kind, check.status, check.required, check.reason


def _ms(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The lines of a table.

    Yields:
        Each.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in chain([columns], ([_cell(value) for value in row] for row in rows)):
        writer.writerow(row)
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def _cell(value: Cell) -> Cell:
    """A text that a spreadsheet does not take for a formula; true and false in small letters."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    line = one_line(value)
    return f"'{line}" if line.startswith(_FORMULA) else line


_TYPES = {
    "trial": "int64", "not_evaluated": "bool", "duration_ms": "float64", "agent_ms": "float64",
    "first_byte_ms": "float64", "tools_ms": "float64", "tokens": "int64", "cost_usd": "float64",
    "turns": "int64", "attempts": "int64", "tool_calls": "int64", "synthetic": "bool",
    "turn": "int64", "required": "bool",
}  # fmt: skip
"""Columns that are no text."""


def trials_parquet(result: RunResult) -> bytes:
    """One row a trial, in run order; times are milliseconds, what is not known is null.

    Raises:
        HarnessError: pyarrow is not installed.
    """
    return _parquet(TRIAL_COLUMNS, list(trial_rows(result)))


def checks_parquet(result: RunResult) -> bytes:
    """One row a check of a trial, in run order.

    Raises:
        HarnessError: pyarrow is not installed.
    """
    return _parquet(CHECK_COLUMNS, list(check_rows(result)))


def _parquet(columns: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        hint = "pip install 'understudy[results]'"
        raise HarnessError("the report parquet is written by pyarrow", hint=hint) from None
    fields: list[Any] = [
        pa.field(name, pa.type_for_alias(_TYPES.get(name, "string"))) for name in columns
    ]
    arrays = [
        pa.array([_typed(row[number]) for row in rows], type=field.type)
        for number, field in enumerate(fields)
    ]
    out = io.BytesIO()
    parquet.write_table(pa.table(arrays, schema=pa.schema(fields)), out)
    return out.getvalue()


def _typed(value: Cell) -> Cell:
    return one_line(value) if isinstance(value, str) else value
