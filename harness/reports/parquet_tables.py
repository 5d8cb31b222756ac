"""The tables of `csv_tables` as Parquet, with types."""

import io
from typing import Any

from harness.errors import HarnessError
from harness.model import RunResult
from harness.reports.csv_tables import (
    CHECK_COLUMNS,
    TRIAL_COLUMNS,
    Cell,
    check_rows,
    trial_rows,
)
from harness.reports.texts import one_line

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
    return _table(TRIAL_COLUMNS, list(trial_rows(result)))


def checks_parquet(result: RunResult) -> bytes:
    """One row a check of a trial, in run order.

    Raises:
        HarnessError: pyarrow is not installed.
    """
    return _table(CHECK_COLUMNS, list(check_rows(result)))


def _table(columns: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> bytes:
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
        pa.array([_value(row[number]) for row in rows], type=field.type)
        for number, field in enumerate(fields)
    ]
    out = io.BytesIO()
    parquet.write_table(pa.table(arrays, schema=pa.schema(fields)), out)
    return out.getvalue()


def _value(value: Cell) -> Cell:
    return one_line(value) if isinstance(value, str) else value
