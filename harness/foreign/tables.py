"""Tables of anyone, CSV and Parquet: a row is a trial, columns are known by their headers."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.checks.scores import VERDICT
from harness.foreign.results import (
    MEANINGS,
    ImportedResults,
    ImportedTrial,
    ReadOptions,
    chosen_agent,
    count_of,
    rfc3339,
    status_facts,
    text_of,
)
from harness.foreign.source import PARQUET_MAGIC, SourceFile
from harness.model import Json, Reply, Score, Usage
from mockserver.traces import finite

_DELIMITERS = ",;\t"
_LARGEST_CELL = 16 << 20
_LARGEST_TABLE = 4 << 30
_PASSES = frozenset({"pass", "passed", "true", "yes", "y", "ok", "success", "correct", "c", "1"})
_FAILURES = frozenset({
    "fail", "failed", "failure", "false", "no", "n", "incorrect", "wrong", "i", "0",
})  # fmt: skip
_OTHERS = {
    "skip": "skipped", "skipped": "skipped", "error": "infra_error", "errored": "infra_error",
    "agent_error": "agent_error", "infra_error": "infra_error", "replay_miss": "replay_miss",
    "not_evaluated": "not_evaluated",
}  # fmt: skip
_OF_REPLIES = (
    "prompt", "answer", "first_byte_ms", "tokens", "input_tokens", "output_tokens", "cost_usd",
)  # fmt: skip

Row = Mapping[str, Json]


def is_csv(source: SourceFile) -> bool:
    """Whether a file is text whose first line names a case and what became of it."""
    line = source.content[:65536].partition(b"\n")[0]
    headers = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
    found = _columns([each.strip('" ') for each in headers.split(_delimiter(headers))], {})
    return not source.content.startswith(b"{") and "case" in found and len(found) > 1


def is_parquet(source: SourceFile) -> bool:
    """Whether a file is Parquet."""
    return source.content.startswith(PARQUET_MAGIC)


def read_csv(source: SourceFile, options: ReadOptions) -> ImportedResults:
    """Read the rows of a CSV file, separated by commas, semicolons or tabs.

    Raises:
        HarnessError: It cannot be read, or does not say what the cases are.
    """
    text = source.text
    csv.field_size_limit(_LARGEST_CELL)
    delimiter = _delimiter(text.partition("\n")[0])
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [
            {name: each or None for name, each in row.items() if isinstance(name, str)}
            for row in reader
        ]
    except csv.Error as error:
        raise source.error(f"is no CSV: line {reader.line_num}: {error}") from None
    return _results(source, list(reader.fieldnames or ()), rows, options)


def read_parquet(source: SourceFile, options: ReadOptions) -> ImportedResults:
    """Read the rows of a Parquet file.

    Raises:
        HarnessError: pyarrow is not installed, the file cannot be read or is too large, or does not
            say what the cases are.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        hint = "pip install 'understudy[results]'"
        raise source.error("is Parquet, which pyarrow reads", hint) from None
    try:
        file = parquet.ParquetFile(pa.BufferReader(source.content))
        groups = (file.metadata.row_group(each) for each in range(file.metadata.num_row_groups))
        if sum(group.total_byte_size for group in groups) > _LARGEST_TABLE:
            raise source.error(f"unpacks to more than {_LARGEST_TABLE >> 20} MiB")
        table = file.read()
        rows = table.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        said = str(error).splitlines()[0]
        raise source.error(f"cannot be read as Parquet: {said}", "is it whole?") from None
    return _results(source, table.column_names, rows, options)


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)


def _columns(headers: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """What each meaning's column is called; a meaning that no column has is left out."""
    plain = {each.strip().lower().replace(" ", "_").replace("-", "_"): each for each in headers}
    found = {
        meaning: next(plain[name] for name in names if name in plain)
        for meaning, names in MEANINGS.items()
        if any(name in plain for name in names)
    }
    return found | dict(named)


def _results(
    source: SourceFile, headers: Sequence[str], rows: Sequence[Row], options: ReadOptions
) -> ImportedResults:
    columns = _columns(headers, options.columns)
    if missing := sorted(set(options.columns.values()) - set(headers)):
        hint = f"it has {', '.join(map(repr, headers[:20]))}"
        raise source.error(f"has no column {missing[0]!r}", hint)
    if "case" not in columns:
        hint = f"name it: --column case=HEADER, one of {', '.join(map(repr, headers[:20]))}"
        raise source.error("has no column that names the cases", hint)
    if {"kind", "required", "turn"} <= set(headers):
        raise source.error("is a table of checks, not of trials", "import trials.csv beside it")
    if not rows:
        raise source.error("has no row in it")
    agent = chosen_agent(source, _values(rows, columns.get("agent")), options.agent)
    runs = Counter(_values(rows, columns.get("run")))
    if len(runs) > 1:
        hint = "import a file for each"
        raise source.error(f"holds {len(runs)} runs ({', '.join(sorted(runs)[:5])})", hint)
    found = [
        _trial(source, number, {meaning: row.get(name) for meaning, name in columns.items()})
        for number, row in enumerate(rows, 2)
        if "agent" not in columns or not agent or text_of(row.get(columns["agent"])) == agent
    ]
    return ImportedResults(
        suite=source.path.stem,
        agent=agent,
        started_at=min((each.started_at for each in found if each.started_at), default=""),
        trials=found,
    )


def _values(rows: Iterable[Row], column: str | None) -> list[str]:
    return [text_of(row.get(column)) for row in rows] if column else []


def _trial(source: SourceFile, line: int, row: Row) -> ImportedTrial:
    case = _plain(row.get("case"))
    if not case:
        raise source.error(f"names no case in row {line}")
    reason = _plain(row.get("reason")) or _plain(row.get("error"))
    facts: dict[str, Any] = {}
    if "status" in row:
        facts = _of_status(row["status"], reason)
    elif _plain(row.get("error")):
        facts = {"outcome": "infra_error", "error": _plain(row["error"])}
    if (figure := _number(row.get("score"))) is not None:
        passed = {1.0: True, 0.0: False}.get(figure) if "status" not in row else None
        score = Score(name="score", value=figure, passed=passed)
        facts["scores"] = (*facts.get("scores", ()), score)
        if "status" not in row:
            facts["deciding"] = frozenset({"score"})
    milliseconds = _number(row.get("duration_ms"))
    if milliseconds is None:
        milliseconds = (_number(row.get("duration_s")) or 0) * 1000
    prompt = _plain(row.get("prompt"))
    return ImportedTrial(
        case=case,
        number=count_of(_number(row.get("trial"))),
        category=_plain(row.get("category")),
        turns=(prompt,) if prompt else (),
        started_at=rfc3339(_moment(row.get("started_at"))),
        duration_ms=milliseconds,
        agent_ms=_number(row.get("agent_ms")) or 0,
        replies=_replies(row, prompt),
        **facts,
    )


def _of_status(value: Json, reason: str) -> dict[str, Any]:
    word = _plain(value).strip().lower().replace(" ", "_")
    if isinstance(value, float) and value in {0.0, 1.0}:
        word = str(int(value))
    if word in _PASSES or word in _FAILURES:
        verdict = Score(name=VERDICT, passed=word in _PASSES, reason=reason)
        return {"scores": (verdict,)}
    if word not in _OTHERS:
        said = f"the status {_plain(value)!r} is neither a pass nor a failure"
        return {"scores": (Score(name=VERDICT, reason=said),)}
    outcome, error, scores = status_facts(_OTHERS[word], reason)
    return {"outcome": outcome, "error": error, "scores": scores}


def _replies(row: Row, prompt: str) -> tuple[Reply, ...]:
    """What the row says of the reply; nothing where it says nothing."""
    if all(row.get(name) is None for name in _OF_REPLIES[1:]):
        return ()
    total = count_of(_number(row.get("tokens")))
    sides = [count_of(_number(row.get(name))) for name in ("input_tokens", "output_tokens")]
    apart = any(each is not None for each in sides)
    return (
        Reply(
            turn=1,
            prompt=prompt,
            text=_plain(row.get("answer")),
            reports_calls=False,
            usage=Usage(
                input_tokens=sides[0],
                output_tokens=sides[1],
                total_tokens=None if apart else total,
                cost_usd=_number(row.get("cost_usd")),
            ),
            first_byte_ms=_number(row.get("first_byte_ms")),
        ),
    )


def _plain(value: Json) -> str:
    """A cell as text, without the mark that keeps a spreadsheet from taking it for a formula."""
    if isinstance(value, bool):
        return str(value).lower()
    text = text_of(value)
    return text[1:] if text[:1] == "'" and text[1:2] in {"=", "+", "-", "@"} else text


def _number(value: Json) -> float | None:
    if isinstance(value, str):
        try:
            return finite(float(value))
        except ValueError:
            return None
    if not isinstance(value, int | float | str | type(None)):  # a decimal of Parquet
        try:
            return finite(float(value))
        except (TypeError, ValueError):
            return None
    return finite(value)


def _moment(value: Json) -> Json:
    """A date of Parquet is no text."""
    return value.isoformat() if hasattr(value, "isoformat") else value
