"""`harness run`: put an agent through a suite, trial by trial, and report."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from harness.cli.run_options import RunOptions, with_run_options

if TYPE_CHECKING:
    from harness.model import RunResult
    from harness.runner import BaselineGate
    from harness.storage import RunFolder


@with_run_options
def run(ctx: typer.Context, options: RunOptions) -> None:
    """Put an agent through a suite, and report.

    Each trial has a session of the mock server of its own. The run directory keeps every trial;
    reports and the exit code follow from it. Exit codes: 0 every gate passed, 1 a case failed,
    2 usage or invalid cases, 3 infrastructure, 4 regression, 5 no verdict, 130 interrupted
    (finish it with --resume).

    Example: harness run fixtures/chrome-enterprise --agent "command:./agent.sh" -n 3

    Example: CHAT_URL=http://localhost:3100/api/chat harness run fixtures/chrome-enterprise
    """
    given = {
        name
        for name in ctx.params
        if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
    }
    raise typer.Exit(execute(options, given))


@dataclass(frozen=True)
class Finished:
    """A run that was decided, whose reports are written.

    Attributes:
        result: What came of it.
        options: What was asked for.
        code: The exit code.
        folder: The run's own.
    """

    result: "RunResult"
    options: RunOptions
    code: int
    folder: "RunFolder"

    def copy(self) -> None:
        """Write the further reports that were asked for.

        Raises:
            HarnessError: One cannot be written; the run and its own reports are kept.
        """
        from harness.cli.reporting import named_formats, write_further
        from harness.cli.review_output import write_results
        from harness.cli.run_reports import copy_report

        wanted = self.options.json_output
        if wanted is not None and not write_results(self.result, wanted):
            copy_report(self.folder, wanted)
        write_further(self.result, named_formats(self.options.report))

    def show(self) -> None:
        """Print the table, what differs from an earlier run, and what to do next."""
        from harness.cli.review_output import show_review
        from harness.cli.run_reports import show_result

        options = self.options
        chosen = (options.ids, options.category, options.tags, options.limit, options.shard)
        show_result(
            self.result,
            verbose=options.verbose,
            filtered=any(chosen),
            alone=bool(options.shard),
        )
        show_review(self.result)


def execute(options: RunOptions, given: Collection[str] = ()) -> int:
    """Run a suite as the options say; print the table, write the reports.

    Args:
        options: What was said.
        given: The names of the options that were given on the command line.

    Returns:
        The exit code.

    Raises:
        HarnessError: Nothing could be run.
    """
    finished = complete(options, given)
    finished.show()
    finished.copy()
    return finished.code


def complete(options: RunOptions, given: Collection[str] = ()) -> Finished:
    """The same, but for the table.

    Raises:
        HarnessError: Nothing could be run.
    """
    import asyncio  # costs a third of the start of `harness --help`

    from harness.cli.indexing import check_db
    from harness.cli.reporting import named_formats
    from harness.cli.run_baselines import against, held_against
    from harness.cli.run_orders import prepare_new, prepare_resumed
    from harness.cli.run_reports import show_warnings
    from harness.cli.running import perform_run

    named_formats(options.report)
    check_db(options.db)
    held = against(options)  # what cannot be read is told before anything is run
    prepared = prepare_resumed(options, given) if options.resume else prepare_new(options)
    prepared = held_against(prepared, held)
    show_warnings(prepared.warnings)
    return _concluded(asyncio.run(perform_run(prepared, options)), options, held)


def _concluded(folder: "RunFolder", options: RunOptions, held: "BaselineGate | None") -> Finished:
    from harness.cli.indexing import index_run
    from harness.cli.run_baselines import save_baseline
    from harness.cli.run_reports import write_reports
    from harness.runner import decide
    from harness.verdicts import Limits, exit_code

    limits = Limits(
        options.max_infra,
        min_stability=options.min_stability,
        allow_empty=options.allow_empty,
    )
    result = decide(folder, limits, held)
    write_reports(result, folder)
    index_run(folder, options.db)
    code = exit_code(result, limits)
    if options.save_baseline:
        save_baseline(result, options, code)
    return Finished(result, options, code, folder)
