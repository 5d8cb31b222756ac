"""`understudy report`: writes the reports of a run into its directory, elsewhere, or to GitHub."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, Margin, MaxInfra, RunDir, RunName
from harness.errors import HarnessError, reason_of

if TYPE_CHECKING:
    from harness.model import RunResult
    from harness.reports import Content


GITHUB = "github"
_SUMMARY = "GITHUB_STEP_SUMMARY"


def named_formats(text: str) -> tuple[str, ...]:
    """The formats of a list by comma, each once.

    Raises:
        HarnessError: There is no such format.
    """
    from harness.reports import FORMATS
    from mockserver.model import did_you_mean

    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        if name not in FORMATS:
            raise HarnessError(f"there is no report {name!r}", hint=did_you_mean(name, FORMATS))
    return names


def make_reports(result: "RunResult", formats: Iterable[str]) -> "dict[str, Content]":
    """The reports by file name; those that are empty are left out, `github` is none of a file."""
    from harness.reports import FORMATS, make_content, reproducible

    result = reproducible(result)
    made = {
        file: make_content(report, result)
        for name in formats
        if name != GITHUB
        for file, report in FORMATS[name].items()
    }
    return {file: text for file, text in made.items() if text}


def write_further(result: "RunResult", formats: Iterable[str]) -> None:
    """Write reports into the run directory and tell GitHub, where asked to.

    Raises:
        HarnessError: One cannot be written.
    """
    from harness.storage import RunFolder

    formats = tuple(formats)
    reports = make_reports(result, formats)
    folder = RunFolder(Path(result.folder))
    folder.write_reports(reports)
    for file in reports:
        typer.echo(f"report in {folder.place}/{file}")
    if GITHUB in formats:
        tell_github(result, os.environ)


def write_elsewhere(reports: "Mapping[str, Content]", output: Path) -> list[Path]:
    """Write one report to a file, or any number into a folder (that exists, or ends with `/`).

    Raises:
        HarnessError: Several reports go to one file, or one cannot be written.
    """
    single = len(reports) == 1 and not output.is_dir()
    if not single and output.exists() and not output.is_dir():
        names = ", ".join(reports)
        raise HarnessError(f"{str(output)!r} is one file, and these are several: {names}")
    places = [output if single else output / Path(name).name for name in reports]
    for path, text in zip(places, reports.values(), strict=True):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            parts = (text,) if isinstance(text, str | bytes) else text
            with path.open("wb") as file:
                for each in parts:
                    file.write(each if isinstance(each, bytes) else _encode(each))
        except OSError as error:
            raise HarnessError(f"cannot write {str(path)!r}: {reason_of(error)}") from None
    return places


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def tell_github(result: "RunResult", environment: Mapping[str, str]) -> None:
    """Print annotations for the step's log, and add the summary to the page of the step.

    Args:
        result: The run.
        environment: `GITHUB_STEP_SUMMARY` names the file of the page; without it none is written.

    Raises:
        HarnessError: That file cannot be written.
    """
    from harness.reports import github_annotations, markdown_report

    typer.echo(github_annotations(result), nl=False)
    if not (named := environment.get(_SUMMARY)):
        return
    try:
        with Path(named).open("a", encoding="utf-8", errors="backslashreplace") as page:
            page.write(markdown_report(result) + "\n")
    except OSError as error:
        raise HarnessError(f"cannot write {named!r} (${_SUMMARY}): {reason_of(error)}") from None


def report(
    run: RunName,
    *,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="html, junit, markdown, csv, json, charts, inspect, promptfoo, otel, parquet, "
            "badge or github; several are separated by commas.",
        ),
    ] = "html",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A file, a folder, or - for stdout. (default: the run's folder)"
        ),
    ] = None,
    baseline: Annotated[
        str, typer.Option(help="Compare the run with an earlier one in the report.")
    ] = "",
    margin: Margin = 0.05,
    max_infra: MaxInfra = 0.05,
    run_dir: RunDir = RUNS,
) -> None:
    """Write reports of a run.

    html is one self-contained page; csv has a row for each trial and each check; charts are SVG;
    github prints annotations and appends to the file of $GITHUB_STEP_SUMMARY. The exit code is 0
    whatever the result of the run.

    Example: understudy report latest --format html --output report.html
    """
    from harness.cli.options import run_path
    from harness.runner import BaselineGate, decide, stored_outcomes
    from harness.statistics import Terms
    from harness.storage import RunFolder
    from harness.verdicts import Limits

    formats = named_formats(format)
    if not formats:
        raise HarnessError("no format given", hint="--format html")
    folder = RunFolder(run_path(run, run_dir))
    against = None
    if baseline:
        against = BaselineGate(stored_outcomes(run_path(baseline, run_dir)), Terms(margin=margin))
    result = decide(folder, Limits(max_infra), against)
    if output is None:
        write_further(result, formats)
        RunFolder(Path(result.folder)).publish()
        return
    if GITHUB in formats:
        raise HarnessError("github is no file", hint="leave --output out")
    reports = make_reports(result, formats)
    if not reports:
        raise HarnessError("there is nothing to report", hint="the run has no trial to draw")
    if str(output) != "-":
        for path in write_elsewhere(reports, output):
            typer.echo(f"report in {path}")
    elif len(reports) == 1:
        (content,) = reports.values()
        for part in (content,) if isinstance(content, str | bytes) else content:
            typer.echo(part, nl=False)
    else:
        raise HarnessError(f"these are several files: {', '.join(reports)}", hint="name a folder")
