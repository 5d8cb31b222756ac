"""`understudy runs charts`: the charts of a results file."""

from pathlib import Path
from typing import Annotated

import typer


def visualize(
    results: Annotated[
        Path, typer.Argument(help="A file that `understudy run --json-output` wrote.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The folder for the charts. (default: the folder of the results)"
        ),
    ] = None,
) -> None:
    """Draw the charts of a review suite's results.

    It writes latency_by_case.png, observation_counts.png, stability.png and pass_fail.png. Needs
    the extra `charts`.

    Example: understudy runs charts eval/results/results.json
    """
    from harness.cli.review_output import draw, read_results

    for path in draw(read_results(results), output or results.parent):
        typer.echo(path)
