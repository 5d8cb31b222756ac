"""`understudy runs import`: a run of the results of another tool."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import RUNS, RedactionRules, RunDir


def import_results(  # noqa: PLR0913  (one parameter an option)
    file: Annotated[Path, typer.Argument(help="A file that another tool wrote.")],
    *,
    format: Annotated[
        str,
        typer.Option(
            "--from",
            help="inspect, promptfoo, otel, traces, junit, csv or parquet."
            " (default: by the content)",
        ),
    ] = "",
    suite: Annotated[str, typer.Option(help="The run's suite. (default: the file's)")] = "",
    agent: Annotated[
        str,
        typer.Option(help="The run's agent; if the file has results of several, the one to read."),
    ] = "",
    policy: Annotated[
        str,
        typer.Option(help="all, majority, a share such as 0.8, or pass_hat:K:MIN. (default: all)"),
    ] = "",
    score: Annotated[
        list[str] | None,
        typer.Option(help="A score that decides; repeatable. (default: as in the file)"),
    ] = None,
    min_score: Annotated[
        float | None, typer.Option(help="The lowest numeric score that passes.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="MEANING=HEADER of a table, such as case=test_id; repeatable."),
    ] = None,
    note: Annotated[str, typer.Option(help="A note on why the run was made.")] = "",
    redaction: RedactionRules = None,
    run_dir: RunDir = RUNS,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every trial.")] = False,
) -> None:
    """Import the results of another tool as a run.

    It reads Inspect logs, promptfoo results, OpenTelemetry traces (OTLP as JSON), JUnit XML, CSV
    and Parquet. Tests, samples, traces and rows become cases, and repetitions become trials;
    verdicts become scores. Values that the file lacks stay empty, and no verdict is invented.
    Secrets and people in what was asked and answered are replaced before anything is written. The
    exit code is 0 whatever the results are; `understudy compare` and `understudy runs regressions`
    are gates.

    Example: understudy runs import logs/2026-11-20_sums.eval --min-score 0.7
    """
    from harness.cli.run_execution import time_of_day
    from harness.cli.run_output import show_result, write_reports
    from harness.foreign import ReadOptions, SourceFile, columns_of, read_results
    from harness.model import Origin
    from harness.runner import ImportTerms, decide, import_run, read_policy, redacted_results
    from harness.verdicts import Limits

    options = ReadOptions(
        agent=agent,
        scores=tuple(score or ()),
        min_score=min_score,
        columns=columns_of(column or ()),
    )
    terms = ImportTerms(suite, agent, note, read_policy(policy) if policy else None)
    source = SourceFile(file)
    name, results = read_results(source, options, format)
    origin = Origin(format=name, file=source.name, digest=source.digest, tool=results.tool)
    results, replaced = redacted_results(results, redaction)
    folder = import_run(results, origin, options, terms, run_dir, time_of_day)
    result = decide(folder, Limits())
    write_reports(result, folder)
    show_result(result, verbose=verbose, alone=True)
    if replaced:
        typer.echo(f"{replaced} values were replaced by pseudonyms")
    folder.publish()
