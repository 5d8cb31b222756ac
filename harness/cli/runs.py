"""`understudy runs list`, `upload`, `prune`, `index` and `merge`: the runs that there are."""

import re
from contextlib import closing
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, Db, MaxInfra, ReportAsJson, ReportCopy, RunDir
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.storage import Prospect, RunSummary, StoredRun
    from harness.storage.index import IndexUpdate


runs = typer.Typer(name="runs", invoke_without_command=True, rich_markup_mode=None)

_Suite = Annotated[str, typer.Option("--suite", help="Only runs of this suite.")]
_Agent = Annotated[str, typer.Option("--agent", "-a", help="Only runs of this agent.")]
_Limit = Annotated[int, typer.Option(min=1, help="At most so many.")]
_Before = Annotated[str, typer.Option(help="Continue the list after this run.")]


@runs.callback()
def runs_(
    ctx: typer.Context,
    *,
    suite: _Suite = "",
    agent: _Agent = "",
    limit: _Limit = 20,
    before: _Before = "",
    run_dir: RunDir = RUNS,
    db: Db = "",
    as_json: AsJson = False,
) -> None:
    """List runs with their rates, newest first; remove old ones.

    Without a command the runs are listed, as by `understudy runs list`.

    Example: understudy runs list --suite chrome-enterprise --limit 5
    """
    if ctx.invoked_subcommand is None:
        list_runs(
            suite=suite,
            agent=agent,
            limit=limit,
            before=before,
            run_dir=run_dir,
            db=db,
            as_json=as_json,
        )


@runs.command("list")
def list_runs(
    *,
    suite: _Suite = "",
    agent: _Agent = "",
    limit: _Limit = 20,
    before: _Before = "",
    run_dir: RunDir = RUNS,
    db: Db = "",
    as_json: AsJson = False,
) -> None:
    """List runs with their rates, newest first.

    The rate is the mean of the pass rates of the run's cases. The command first adds new runs to
    the index, and then reads it. A fork is listed with the trial and the turn that it comes from.

    Example: understudy runs list --run-dir s3://evals/runs --limit 5
    """
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


@runs.command("upload")
def upload(
    run: Annotated[str, typer.Argument(help="The run: its URL, its id, or its local folder.")],
    *,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """Upload the files of a run that its store does not have yet.

    Files that the store already has are not sent again.

    Example: understudy runs upload s3://evals/runs/20261120-101500-cae18a
    """
    from harness.cli.options import local_run
    from harness.errors import HarnessError
    from harness.storage import RunFolder, place_of

    folder = RunFolder(local_run(run, run_dir))
    if folder.mirror is None:
        raise HarnessError(
            f"{str(folder.named)!r} belongs to no store", hint="--run-dir s3://bucket/runs"
        )
    sent = folder.mirror.push_run(folder.path.name)
    if as_json:
        print_json({"run": place_of(folder.path), "sent": sent})
    else:
        typer.echo(f"{place_of(folder.path)}: {sent} files sent")


_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def _duration(text: str) -> timedelta:
    """`12h`, `30d`, `8w`.

    Raises:
        BadParameter: It is none.
    """
    found = re.fullmatch(r"(\d{1,5})([hdw])", text.strip().lower())
    if found is None:
        raise typer.BadParameter(f"{text!r} is no duration; write 12h, 30d or 8w")
    return int(found[1]) * _UNITS[found[2]]


def _size(text: str) -> int:
    """`500MB`, `20GB`: bytes.

    Raises:
        BadParameter: It is none.
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)\s*([kmgt]?)b?", text.strip().lower())
    if found is None:
        raise typer.BadParameter(f"{text!r} is no size; write 500MB or 20GB")
    return int(float(found[1]) * _SIZES[found[2]])


@runs.command("prune")
def prune(  # noqa: PLR0913  (one parameter an option)
    *,
    older_than: Annotated[
        timedelta | None,
        typer.Option(
            parser=_duration,
            metavar="TIME",
            help="Remove runs that began longer ago than this: 12h, 30d, 8w.",
        ),
    ] = None,
    keep: Annotated[
        int | None, typer.Option(min=1, help="Remove all but the newest N of each suite.")
    ] = None,
    max_size: Annotated[
        int | None,
        typer.Option(
            parser=_size,
            metavar="SIZE",
            help="Remove the oldest runs until the rest takes at most this space.",
        ),
    ] = None,
    keep_failed: Annotated[
        timedelta | None,
        typer.Option(
            parser=_duration,
            metavar="TIME",
            help="Keep runs in which a case failed at least this long.",
        ),
    ] = None,
    protect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Ids or notes of runs that stay: 'release-*'; repeatable."
        ),
    ] = None,
    suite: _Suite = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be removed.")
    ] = False,
    run_dir: RunDir = RUNS,
    db: Db = "",
    as_json: AsJson = False,
) -> None:
    """Remove old runs, with their rows in the index and their objects in the store.

    A run is removed if --older-than, --keep or --max-size selects it. These are never removed:
    baselines, runs in progress, unfinished runs that were changed within a day, and folders that
    are not runs. --keep-failed and --protect keep further runs.

    Example: understudy runs prune --older-than 30d --keep-failed 90d --protect "release*" --dry-run

    Example: understudy runs prune --keep 50 --run-dir s3://evals/runs
    """
    from harness.cli.run_execution import time_of_day
    from harness.cli.run_output import show_warnings
    from harness.errors import HarnessError
    from harness.storage import Retention, choose_runs, remove_leftovers, stored_runs, suite_name

    if older_than is None and keep is None and max_size is None:
        raise HarnessError("nothing says which runs may go", hint="--older-than 30d, or --keep 50")
    rules = Retention(older_than, keep, max_size, keep_failed, tuple(protect or ()))
    known, unreadable = stored_runs(run_dir)
    show_warnings(unreadable)
    if suite:
        known = [each for each in known if each.suite == suite_name(suite)]
    known = _with_shared_baselines(known, run_dir, db)
    found = choose_runs(known, rules, time_of_day())
    gone = [each.run for each in found if each.goes]
    if not dry_run:
        remove_leftovers(run_dir)
        gone = _remove(gone, run_dir, db)
    if as_json:
        print_json(_as_json(found, gone, dry_run=dry_run))
    else:
        typer.echo(_prune_text(found, gone, dry_run=dry_run), nl=False)


def _with_shared_baselines(known: "list[StoredRun]", run_dir: Path, db: str) -> "list[StoredRun]":
    """Runs that anybody who indexes in the same database made a baseline are baselines, too."""
    if not db:
        return known
    from harness.storage import open_index

    with closing(open_index(run_dir, db)) as index:
        from harness.storage.index import find_baselines

        shared = {each.run for each in find_baselines(index.database)}
    return [
        each.model_copy(update={"baseline": True}) if each.run in shared else each for each in known
    ]


def _remove(chosen: "Sequence[StoredRun]", run_dir: Path, db: str) -> "list[StoredRun]":
    from harness.cli.run_output import show_warnings
    from harness.errors import HarnessError
    from harness.storage import open_index, remove_run

    gone = []
    for each in chosen:
        if remove_run(run_dir, each):
            gone.append(each)
        else:
            show_warnings([f"run {each.run} stays: somebody began to use it"])
    if gone and (db or (run_dir / "index.db").exists()):
        try:
            with closing(open_index(run_dir, db)) as index:
                index.catch_up()
        except HarnessError as error:
            show_warnings(
                [f"the index still lists them: {error}", "later: understudy runs index update"]
            )
    return gone


def _as_json(
    found: "Sequence[Prospect]", gone: "Sequence[StoredRun]", *, dry_run: bool
) -> dict[str, object]:
    names = {each.name for each in gone}
    rows = [
        each.run.model_dump(mode="json")
        | {"removed": each.run.name in names, "reason": each.reason}
        for each in found
    ]
    freed = sum(each.bytes for each in gone)
    return {"dryRun": dry_run, "removed": len(gone), "bytes": freed, "runs": rows}


def _prune_text(found: "Sequence[Prospect]", gone: "Sequence[StoredRun]", *, dry_run: bool) -> str:
    names = {each.name for each in gone}
    lines = [
        f"{'would remove' if dry_run else 'removed'} {each.run.name}  {each.run.suite}"
        f"  {_megabytes(each.run.bytes)}  {each.reason}"
        for each in found
        if each.run.name in names
    ]
    held = [each for each in found if each.reason and not each.goes]
    lines += [f"keeps {each.run.name}  {each.run.suite}: {each.reason}" for each in held]
    freed = _megabytes(sum(each.bytes for each in gone))
    lines.append(f"{len(gone)} of {len(found)} runs, {freed}")
    return "".join(f"{line}\n" for line in lines)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _table(found: "Sequence[RunSummary]") -> str:
    if not found:
        return "no runs\n"
    rows = [("run", "suite", "agent", "cases", "trials", "rate", ""), *map(_row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (map(str.ljust, row, widths) for row in rows)
    return "".join(f"{'  '.join(cells).rstrip()}\n" for cells in padded)


def _row(run: "RunSummary") -> tuple[str, str, str, str, str, str, str]:
    from harness.reports.forks import origin_text

    said = ["unfinished"] * (run.state == "unfinished") + ["baseline"] * run.baseline
    said += [f"{run.infra} infra"] * bool(run.infra)
    said += [origin_text(run.fork)] if run.fork else []
    said += [run.note] * bool(run.note)
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


class Action(StrEnum):
    """Whether to update the index or to rebuild it."""

    update = "update"
    rebuild = "rebuild"


def index(
    action: Annotated[Action, typer.Argument(help="Whether to update the index or to rebuild it.")],
    *,
    run_dir: RunDir = RUNS,
    db: Db = "",
) -> None:
    """Update the index of runs, or rebuild it.

    The index is built from the run directories, so a rebuild loses nothing; a file that is damaged,
    or not a database, is kept under another name. Commands that read the index update it first. If
    several machines share a database, each of them updates it with its own runs.

    Example: understudy runs index rebuild --db postgresql://evals@db.example.com/evals
    """
    from harness.cli.run_output import show_warnings
    from harness.storage import open_index

    with closing(open_index(run_dir, db)) as opened:
        caught = opened.rebuild() if action is Action.rebuild else opened.catch_up()
        name = opened.database.name
    show_warnings([*filter(None, [caught.set_aside]), *caught.unreadable])
    typer.echo(f"{name}: {_counts_text(caught)}")


def _counts_text(caught: "IndexUpdate") -> str:
    counts = {
        "indexed": len(caught.indexed),
        "unchanged": caught.unchanged,
        "removed": len(caught.removed),
        "unreadable": len(caught.unreadable),
    }
    return ", ".join(f"{number} {what}" for what, number in counts.items() if number) or "no runs"


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
