"""`harness runs`: the runs that there are, newest first."""

from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, Db, RunDir
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.storage import RunSummary


def runs(
    *,
    suite: Annotated[str, typer.Option("--suite", help="Only those of this suite.")] = "",
    agent: Annotated[str, typer.Option("--agent", "-a", help="Only those of this agent.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    before: Annotated[str, typer.Option(help="Go on with the list after this run.")] = "",
    run_dir: RunDir = RUNS,
    db: Db = "",
    as_json: AsJson = False,
) -> None:
    """List runs with their rates, newest first.

    The rate is the mean over the pass rates of the run's cases. Reads the index, and first takes
    into it what is new in the directory of runs.

    Example: harness runs --suite chrome-enterprise --limit 5
    """
    from contextlib import closing

    from harness.cli.run_output import show_warnings
    from harness.storage import open_index, suite_name

    with closing(open_index(run_dir, db)) as index:
        from harness.storage.index import find_runs

        show_warnings(index.catch_up().unreadable)
        found = find_runs(
            index.database,
            suite=suite_name(suite) if suite else "",
            agent=agent,
            before=before,
            limit=limit,
        )
    if as_json:
        print_json(found)
    else:
        typer.echo(_table(found), nl=False)


def _table(found: "Sequence[RunSummary]") -> str:
    if not found:
        return "no runs\n"
    rows = [("run", "suite", "agent", "cases", "trials", "rate", ""), *map(_row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (map(str.ljust, row, widths) for row in rows)
    return "".join(f"{'  '.join(cells).rstrip()}\n" for cells in padded)


def _row(run: "RunSummary") -> tuple[str, str, str, str, str, str, str]:
    said = ["unfinished"] * (run.state == "unfinished") + ["baseline"] * run.baseline
    said += [f"{run.infra} infra"] * bool(run.infra) + [run.note] * bool(run.note)
    rate = "n/a" if run.rate is None else f"{run.rate:.3f}"
    return (
        run.run,
        run.suite,
        run.agent if len(run.agent) <= _WIDEST else f"{run.agent[: _WIDEST - 3]}...",
        f"{run.passed_cases}/{run.cases}",
        f"{run.passed}/{run.valid}",
        rate,
        ", ".join(said),
    )


_WIDEST = 40
