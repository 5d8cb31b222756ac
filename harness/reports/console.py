"""What is printed at the end of a run."""

from typing import TYPE_CHECKING

from harness.model import RunResult, TrialDecision
from harness.reports.coverage import coverage_lines
from harness.reports.failures import Failure, class_counts, failures, remedies
from harness.reports.figures import (
    Figures,
    always_failing,
    by_category,
    custody_lines,
    failure_lines,
    figures,
    flaky,
    is_synthetic,
    made_up_answers,
    recoveries,
    retries,
    statistics_lines,
    witness_lines,
)
from harness.reports.forks import forks_text
from harness.reports.texts import printable_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_STYLES = {"failed": "red", "flaky": "yellow", "inconclusive": "magenta"}


def console_report(
    result: RunResult, *, width: int = 100, color: bool = False, verbose: bool = False
) -> str:
    """The run for a terminal.

    Args:
        result: The run.
        width: Columns.
        color: Whether to write ANSI colours.
        verbose: Whether to list every trial and every check that did not pass.
    """
    from io import StringIO

    from rich.console import Console

    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as capture:
        _print(console, result, verbose=verbose)
    lines = capture.get().split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _print(console: "Console", result: RunResult, *, verbose: bool) -> None:
    _header(console, result)
    console.print(_table(result))
    found = failures(result)
    if found:
        for failure in found:
            _failure(console, failure, verbose=verbose)
        console.print()
    if cures := remedies(result):
        console.print("What can be done:")
        for remedy, _ in cures:
            console.print(f"  {remedy.name}: {remedy.what}", style="dim")
        console.print()
    _lists(console, result)
    if result.forks:
        console.print("Forks:")
        console.print(forks_text(result.forks, result.manifest.run), soft_wrap=True)
    _print_ending(console, result)


def _header(console: "Console", result: RunResult) -> None:
    manifest = result.manifest
    console.print(
        printable_line(f"run {manifest.run}, suite {manifest.suite}, agent {manifest.agent}")
    )
    if manifest.note:
        console.print(f"note: {printable_line(manifest.note)}")
    if is_synthetic(result):
        warning = "SYNTHETIC: no agent was asked; this says nothing about quality"
        console.print(warning, style="bold yellow")
    if result.interrupted:
        console.print("INTERRUPTED: trials are missing; resume the run", style="bold yellow")


def _table(result: RunResult) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("category", no_wrap=True)
    table.add_column("cases passed")
    table.add_column("trials passed")
    for name, each in by_category(result).items():
        style = "red" if _has_failures(each) else "green" if each.decided else "dim"
        table.add_row(name, each.case_rate(), each.trial_rate(), style=style)
    return table


def _has_failures(counts: Figures) -> bool:
    return counts.verdicts.get("passed", 0) < counts.decided


def _failure(console: "Console", failure: Failure, *, verbose: bool) -> None:
    case, decision = failure.case, failure.decision
    console.print(
        f"{decision.verdict.upper()} {case.id} {printable_line(case.title)}"
        f"  {decision.passed}/{decision.valid}",
        style=_STYLES[decision.verdict],
    )
    _print_indented(console, 4, ", ".join(failure.classes))
    if decision.reason:
        _print_indented(console, 4, printable_line(decision.reason))
    for trial in decision.trials if verbose else ():
        _trial(console, trial)


def _trial(console: "Console", trial: TrialDecision) -> None:
    _print_indented(console, 4, f"trial {trial.number}: {trial.status}")
    for check in trial.checks:
        if check.status in {"fail", "not_evaluated"}:
            turn = "" if check.turn is None else f" (turn {check.turn})"
            _print_indented(
                console, 6, f"{check.kind}{turn} {check.status}: {printable_line(check.reason)}"
            )


def _lists(console: "Console", result: RunResult) -> None:
    named = {
        "failure classes": [f"{name} {count}" for name, count in class_counts(result).items()],
        "always failing": always_failing(result),
        "flaky": flaky(result),
        "retried": [f"{name} {count}x" for name, count in retries(result).items()],
        "faults never met": list(result.faults_not_met),
        "recordings never asked for": list(result.recordings_unused),
        "recordings that may not fit": list(result.recordings_doubtful),
        "live addresses tried": list(result.addresses_refused),
        **{f"recovered from {each.profile}": [each.text] for each in recoveries(result)},
        "evidence": custody_lines(result),
        "canaries that died": [
            f"{each.when}: {each.error}" for each in result.canaries if each.error
        ],
    }
    told = {title: names for title, names in named.items() if names}
    for title, names in told.items():
        console.print(f"{title}: {printable_line(', '.join(names))}")
    for line in (*failure_lines(result), *coverage_lines(result)):
        console.print(printable_line(line))
    agreed, *disputes = witness_lines(result) or [""]
    if agreed:
        console.print(printable_line(agreed), style="red" if disputes else None)
    for line in disputes:
        _print_indented(console, 2, printable_line(line))
    made_up, *notes = made_up_answers(result).lines or [""]
    if made_up:
        console.print(printable_line(made_up), style="yellow")
    for line in notes:
        _print_indented(console, 2, printable_line(line))
    if told or agreed or made_up or result.clusters:
        console.print()


def _print_ending(console: "Console", result: RunResult) -> None:
    total = figures(result)
    console.print(f"cases  {total.case_rate()}", style="bold")
    console.print(f"trials {total.trial_rate()}", style="bold")
    for line in statistics_lines(result):
        console.print(line)
    for reason in result.exit_reasons:
        console.print(f"exit {reason.code}: {printable_line(reason.reason)}", style="red")
    if place := result.place or result.folder:
        console.print(f"reports in {place}", soft_wrap=True)


def _print_indented(console: "Console", columns: int, text: str) -> None:
    from rich.padding import Padding

    console.print(Padding(text, (0, 0, 0, columns)))
