"""What a run leaves: reports in its directory, a table on the terminal, what to do next."""

import sys
from collections.abc import Iterable
from pathlib import Path

import orjson
import typer

from harness.errors import HarnessError
from harness.model import JsonObject, RunResult
from harness.reports import REPORTS, compare_reports, comparison_text, console_report
from harness.storage import RunFolder

REPORT = "report.json"


def show_warnings(warnings: Iterable[str]) -> None:
    """Print warnings on stderr."""
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)


def write_reports(result: RunResult, folder: RunFolder, copy: Path | None) -> None:
    """Write every report into the run directory, and a copy of the JSON one where it was asked for.

    Raises:
        HarnessError: A file cannot be written.
    """
    texts = {name: report(result) for name, report in REPORTS.items()}
    folder.write_reports(texts)
    if copy is None:
        return
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(texts[REPORT], encoding="utf-8")
    except OSError as error:
        raise HarnessError(f"cannot write {str(copy)!r}: {error}") from None


def show_result(result: RunResult, *, verbose: bool) -> None:
    """Print the table, the difference to the run before, and how to finish an interrupted run."""
    from shutil import get_terminal_size

    width = get_terminal_size((100, 24)).columns
    color = sys.stdout.isatty()
    typer.echo(console_report(result, width=width, color=color, verbose=verbose), nl=False)
    for line in _against_previous(result):
        typer.echo(line)
    if result.interrupted:
        typer.echo(f"finish it with: harness run --resume {result.folder}")


def _against_previous(result: RunResult) -> list[str]:
    folder = Path(result.folder)
    now = _report(folder)
    before = _previous(folder, result)
    if now is None or before is None or result.interrupted:
        return []
    old = _report(before)
    if old is None:
        return []
    return [f"against run {before.name}:", comparison_text(compare_reports(old, now))]


def _previous(folder: Path, result: RunResult) -> Path | None:
    """The latest earlier run of the same suite by the same agent."""
    earlier = sorted(path for path in folder.parent.iterdir() if path.name < folder.name)
    for path in reversed(earlier):
        try:
            manifest = RunFolder(path).manifest()
        except HarnessError:
            continue
        if (manifest.suite, manifest.agent) == (result.manifest.suite, result.manifest.agent):
            return path
    return None


def _report(folder: Path) -> JsonObject | None:
    try:
        report: JsonObject = orjson.loads((folder / REPORT).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return report
