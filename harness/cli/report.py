"""`harness report`: the reports of a run that is there already."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from harness.model import RunResult


def report(
    run: Annotated[str, typer.Argument(help="The run: its id or folder, or latest.")],
    *,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="html, junit, markdown, csv, json, charts or github; several by comma.",
        ),
    ] = "html",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A file, a folder, or - for stdout. (default: the run's own)"
        ),
    ] = None,
    baseline: Annotated[
        str, typer.Option(help="Hold the run against an earlier one in the report.")
    ] = "",
    margin: Annotated[
        float, typer.Option(min=0, max=1, help="How much lower may still count as not worse.")
    ] = 0.05,
    max_infra: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of infrastructure errors a run may bear."),
    ] = 0.05,
    run_dir: Annotated[
        Path, typer.Option("--run-dir", envvar="EVAL_RUN_DIR", help="Where runs are kept.")
    ] = Path("runs"),
) -> None:
    """Write reports of a run.

    html is one page without scripts that loads nothing; csv has a row a trial and a row a check;
    charts are SVG; github prints annotations and adds to the page of $GITHUB_STEP_SUMMARY. The exit
    code is 0 however the run ended.

    Example: harness report latest --format html --output report.html
    """
    from harness.cli.reporting import GITHUB, made_reports, named_formats, write_elsewhere
    from harness.cli.reporting import write_further as write_into_the_run
    from harness.errors import HarnessError

    formats = named_formats(format)
    if not formats:
        raise HarnessError("no format given", hint="--format html")
    result = _decided(run, run_dir, max_infra, (baseline, margin))
    if output is None:
        write_into_the_run(result, formats)
        return
    if GITHUB in formats:
        raise HarnessError("github is no file", hint="leave --output out")
    reports = made_reports(result, formats)
    if not reports:
        raise HarnessError("there is nothing to report", hint="the run has no trial to draw")
    if str(output) != "-":
        for path in write_elsewhere(reports, output):
            typer.echo(f"report in {path}")
    elif len(reports) == 1:
        sys.stdout.write(next(iter(reports.values())))
    else:
        raise HarnessError(f"these are several files: {', '.join(reports)}", hint="name a folder")


def _decided(run: str, runs: Path, max_infra: float, versus: tuple[str, float]) -> "RunResult":
    from harness.cli.options import run_path
    from harness.runner import BaselineGate, decide, stored_outcomes
    from harness.statistics import Terms
    from harness.storage import RunFolder
    from harness.verdicts import Limits

    baseline, margin = versus
    folder = RunFolder(run_path(run, runs))
    limits = Limits(max_infra)
    against = None
    if baseline:
        against = BaselineGate(stored_outcomes(run_path(baseline, runs)), Terms(margin=margin))
    return decide(folder, limits, against)
