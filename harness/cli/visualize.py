"""`understudy runs charts`: the charts of a results file."""

from pathlib import Path
from typing import Annotated

import typer


def visualize(
    results: Annotated[Path, typer.Argument(help="What `understudy run --json-output` wrote.")],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A folder. (default: beside the results)")
    ] = None,
) -> None:
    """Draw the charts of a review suite's results.

    latency_by_case.png, observation_counts.png, stability.png and pass_fail.png, beside the
    results. Needs the extra `charts`.

    Example: understudy runs charts eval/results/results.json
    """
    from harness.cli.review_output import draw, read_results

    for path in draw(read_results(results), output or results.parent):
        typer.echo(path)
