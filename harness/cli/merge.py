"""`understudy runs merge`: several runs as one."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, MaxInfra, ReportAsJson, ReportCopy, RunDir


def merge(
    runs: Annotated[list[str], typer.Argument(help="The ids or folders of the runs, in order.")],
    *,
    run_dir: RunDir = RUNS,
    max_infra: MaxInfra = 0.05,
    json_output: ReportCopy = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every trial.")] = False,
    as_json: ReportAsJson = False,
) -> None:
    """Merge several runs, such as the shards of a suite, into one.

    The runs must have the same suite, agent, options and policy. Trials of a case that is in
    several runs get consecutive numbers. The original runs stay unchanged. Exit codes are those of
    `understudy run`.

    Example: understudy runs merge 20261120-101500-cae18a 20261120-101502-7b1f40
    """
    from harness.cli.options import run_path
    from harness.cli.run_execution import time_of_day
    from harness.cli.run_output import (
        copy_report,
        only_json,
        print_report,
        show_result,
        write_reports,
    )
    from harness.runner import decide, merge_runs
    from harness.verdicts import Limits, exit_code

    folder = merge_runs([run_path(name, run_dir) for name in runs], run_dir, time_of_day)
    limits = Limits(max_infra)
    result = decide(folder, limits)
    write_reports(result, folder)
    with only_json(as_json):
        show_result(result, verbose=verbose, alone=True)
    if json_output is not None:
        copy_report(folder, json_output)
    folder.publish()
    if as_json:
        print_report(folder)
    raise typer.Exit(exit_code(result, limits))
