"""`understudy runs compare`: runs of one suite with several agents, in one table."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, RunDir
from harness.errors import HarnessError
from mockserver.commands import AsJson

if TYPE_CHECKING:
    from harness.model import RunResult
    from harness.reports.agents_table import AgentsTable

FORMATS = ("text", "markdown", "json")


def side_by_side(
    runs: Annotated[
        list[str], typer.Argument(help="Runs, an agent each: ids or folders, or latest.")
    ],
    *,
    run_dir: RunDir = RUNS,
    format: Annotated[
        str, typer.Option(help="text, markdown for a comment on a pull request, or json.")
    ] = "text",
    as_json: AsJson = False,
) -> None:
    """Compare the runs of several agents on one suite side by side.

    The table has a line for each case and a column for each agent, with passed and valid trials;
    below them cases, trials, and the mean latency, tokens and cost of a trial. `understudy run`
    with several --agent makes such runs and prints the table. To see whether a difference is
    significant, use `understudy compare`.

    Example: understudy runs compare 20261120-101500-cae18a latest --format markdown
    """
    from harness.cli.options import run_path
    from harness.runner import decide
    from harness.storage import RunFolder
    from harness.verdicts import Limits
    from mockserver.model import did_you_mean

    format = "json" if as_json else format
    if format not in FORMATS:
        raise HarnessError(f"unknown format {format!r}", hint=did_you_mean(format, FORMATS))
    folders = [RunFolder(run_path(name, run_dir)) for name in runs]
    typer.echo(table_text([decide(folder, Limits()) for folder in folders], format), nl=False)


def table_text(results: "Sequence[RunResult]", format: str = "text") -> str:
    """The table of some runs.

    Raises:
        HarnessError: They are of different suites.
    """
    from harness.reports.agents_table import (
        agents_json,
        agents_markdown,
        agents_table,
        agents_text,
    )

    suites = dict.fromkeys(Path(each.manifest.suite).name for each in results)
    if len(suites) > 1:
        raise HarnessError(f"these runs are of several suites: {', '.join(suites)}")
    writers: Mapping[str, Callable[[AgentsTable], str]] = {
        "text": agents_text,
        "markdown": agents_markdown,
        "json": agents_json,
    }
    return writers[format](agents_table(results))
