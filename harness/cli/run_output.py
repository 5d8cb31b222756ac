"""The output of a run: reports, the table, what to do next, its entry in the index."""

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, closing, nullcontext, redirect_stdout
from pathlib import Path
from shutil import copyfile

import orjson
import typer

from harness.errors import HarnessError, reason_of
from harness.model import JsonObject, RunResult, select_trials
from harness.reports import (
    REPORTS,
    compare_reports,
    comparison_text,
    console_report,
    make_content,
    report_of,
    reproducible,
    versus_text,
    whole_line,
)
from harness.runner import since_whole
from harness.storage import RunFolder

REPORT = "report.json"
_PART = 1 << 20
"""Characters that are printed at once."""


_LOST = frozenset({"fail", "agent_error"})


def show_warnings(warnings: Iterable[str]) -> None:
    """Print warnings on stderr."""
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)


def write_reports(result: RunResult, folder: RunFolder, *, below: str = ".") -> None:
    """Write every report into the run directory; those of a replay tell nothing of when and where.

    Raises:
        InfrastructureError: A file cannot be written.
    """
    result = reproducible(result)
    for name, report in REPORTS.items():  # never the texts of all at once
        folder.write_reports({f"{below}/{name}": make_content(report, result)})


def copy_report(folder: RunFolder, copy: Path, *, below: str = ".") -> None:
    """Write a further copy of the JSON report, of those below a folder of the run directory.

    Raises:
        HarnessError: It cannot be written.
    """
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        copyfile(folder.path / below / REPORT, copy)
    except OSError as error:
        raise HarnessError(f"cannot write {str(copy)!r}: {reason_of(error)}") from None


def only_json(wanted: bool) -> AbstractContextManager[object]:  # noqa: FBT001  (an option's value)
    """Where `--json` is given, what is printed inside the block goes to standard error."""
    return redirect_stdout(sys.stderr) if wanted else nullcontext()


def print_report(folder: RunFolder, *, below: str = ".") -> None:
    """Print the JSON report, of those below a folder of the run directory."""
    with (folder.path / below / REPORT).open(encoding="utf-8", newline="") as report:
        while part := report.read(_PART):
            typer.echo(part, nl=False)


def show_result(
    result: RunResult, *, verbose: bool, filtered: bool = False, alone: bool = False
) -> None:
    """Print the table, the difference to the run before, and how to finish an interrupted run.

    Args:
        result: The run.
        verbose: Whether every trial is listed.
        filtered: Whether some of the suite's cases were left out on purpose; then the others are
            not missed.
        alone: Whether it is not held against the run before.
    """
    from shutil import get_terminal_size

    width = get_terminal_size((100, 24)).columns
    color = sys.stdout.isatty()
    typer.echo(console_report(result, width=width, color=color, verbose=verbose), nl=False)
    if (named := failed_trial(result)) is not None:
        typer.echo(f"why: understudy explain {result.place or result.folder}/{named}")
    if result.comparison is not None:
        typer.echo(versus_text(result.comparison), nl=False)
    if result.interrupted:
        typer.echo(f"finish it with: understudy run --resume {result.place or result.folder}")
    elif result.comparison is None and not alone and (before := _previous(result)) is not None:
        _show_difference(result, before, filtered=filtered)
    if filtered and not alone and not result.interrupted:
        _show_parts(result)


def failed_trial(result: RunResult) -> str | None:
    """The first trial that failed, `<case>/<number>`, where the run is kept."""
    failed = (
        trial
        for each in result.decisions
        for trial in select_trials(each.trials, lambda shape: shape.status in _LOST)
    )
    first = next(failed, None) if result.folder else None
    return f"{first.case}/{first.number}" if first else None


def _show_parts(result: RunResult) -> None:
    """Whether the whole suite was run since parts of it were; the first run has none to miss."""
    last, parts = since_whole(result.manifest, Path(result.folder).parent)
    if last or parts > 1:
        typer.echo(whole_line(last, parts))


def _show_difference(result: RunResult, before: Path, *, filtered: bool) -> None:
    try:
        old: JsonObject = orjson.loads((before / REPORT).read_bytes())
        if filtered:
            known = result.manifest.cases
            old["cases"] = [case for case in old["cases"] if case["caseId"] in known]
        difference = comparison_text(compare_reports(old, report_of(result)))
    except (OSError, ValueError, KeyError, TypeError, HarnessError):
        return  # the earlier run left no report that can be read: there is nothing to compare with
    typer.echo(f"against run {before.name}:")
    typer.echo(difference, nl=False)


def _previous(result: RunResult) -> Path | None:
    """The latest earlier run of the same suite by the same agent."""
    folder, own = Path(result.folder), result.manifest
    second = len("20261120-101500")
    # several runs may begin in one second: their names tell no more
    known = [path for path in folder.parent.iterdir() if path.name[:second] <= folder.name[:second]]
    found: tuple[str, Path] | None = None
    for path in sorted(known, reverse=True):
        if found and path.name[:second] < found[1].name[:second]:
            break
        try:
            manifest = RunFolder(path).manifest()
        except HarnessError:
            continue
        asked = (manifest.suite, manifest.agent, manifest.fork)
        is_like = asked == (own.suite, own.agent, own.fork)
        if is_like and manifest.started_at < own.started_at:
            found = max(found or ("", path), (manifest.started_at, path))
    return found and found[1]


def check_db(db: str) -> None:
    """Refuse a database that can never be used, before anything is run.

    Raises:
        HarnessError: The URL makes no sense, or the extra is not installed.
    """
    if db:
        from pathlib import Path

        from harness.storage import open_index

        open_index(Path(), db).close()


def index_run(folder: "RunFolder", db: str) -> None:
    """Index a run; a database that is down is told, and catches up later."""
    if not db:
        return
    from harness.storage import open_index

    try:
        with closing(open_index(folder.path.parent, db)) as index:
            index.add(folder.path)
    except HarnessError as error:
        show_warnings([f"the run is not indexed: {error}", "later: understudy runs index update"])
