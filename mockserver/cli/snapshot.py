"""`understudy snapshot`: shows, explains, compares, checks and makes snapshots."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.commands import AsJson, print_json
from mockserver.errors import InvalidFilesError, MockServerError

if TYPE_CHECKING:
    from mockserver.capture.snapshots import SnapshotResult
    from mockserver.model import Json


def from_cassette(
    cassette: Annotated[Path, typer.Argument(help="A cassette written by mockserver or vcrpy.")],
    *,
    suite: Annotated[Path, typer.Option(help="The suite's folder; base/ in it is written.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace existing base files.")
    ] = False,
) -> None:
    """Create a suite's base snapshot from a cassette of Google APIs.

    Example: understudy snapshot from-cassette sre.yaml --suite captured/sre
    """
    for line in write_snapshot(cassette, suite, replace=replace):
        typer.echo(line)


def write_snapshot(cassette: Path, suite: Path, *, replace: bool) -> Iterator[str]:
    """Write the base snapshot that a cassette comes to.

    Yields:
        Lines about it.

    Raises:
        MockServerError: The cassette cannot be read, holds nothing that a snapshot could, or the
            files are there.
    """
    from mockserver.apis import APIS
    from mockserver.capture.google_catalog import google_catalog
    from mockserver.capture.snapshots import SnapshotMaker, write_base
    from mockserver.cassettes.files import read_cassette

    made = SnapshotMaker(APIS, google_catalog()).make(read_cassette(cassette))
    if not made.used:
        raise MockServerError(
            f"{cassette} holds no answer that a snapshot could be made of",
            hint="see `understudy cassette show`",
        )
    files = write_base(suite, made.raw, replace=replace)
    yield f"{suite}: {len(files)} base files of {made.used} answers"
    yield from _left_out(made)


def _left_out(result: "SnapshotResult") -> Iterator[str]:
    for name, status in result.failed:
        yield f"left out: {name} was answered with {status}"
    for name, count in sorted(result.unused.items()):
        yield f"left out: no collection for {name} ({count})"


def minimise(
    captured: Annotated[Path, typer.Argument(help="A suite created by a capture.")],
    *,
    base: Annotated[Path, typer.Option(help="The suite that the case belongs to.")],
    case: Annotated[str, typer.Option(help="The case whose override to write.")],
    only: Annotated[
        list[str] | None, typer.Option(help="Compare only this collection; may be repeated.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace an existing override.")
    ] = False,
) -> None:
    """Write what differs between a captured snapshot and a suite's base as a case's override.

    Collections that were not captured keep the content of the base.

    Example: understudy snapshot minimise captured --base fixtures/sre --case SRE-13 --only entries
    """
    from mockserver.capture.snapshots import write_override

    for line in write_override(captured, base, case, tuple(only or ()), replace=replace):
        typer.echo(line)


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Show, explain, compare, check and create snapshots of suites.",
)

Fixtures = Annotated[
    Path, typer.Argument(help="A suite's folder, such as fixtures/chrome-enterprise.")
]
Case = Annotated[
    str | None, typer.Option("--case", help="The case whose override is merged over the base.")
]


@app.command()
def show(
    fixtures: Fixtures,
    collection: Annotated[
        str | None,
        typer.Argument(help="One collection; without it, all are listed with their sizes."),
    ] = None,
    *,
    case: Case = None,
    served: Annotated[
        bool,
        typer.Option(
            "--served", help="Show the data as the APIs serve it, by key, instead of as written."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print a resolved snapshot: the base with the case's override merged over it.

    Without a collection, --json prints all of them in full.

    Example: understudy snapshot show fixtures/chrome-enterprise orgUnits --case EC-001
    """
    from mockserver.model import SessionSpec, did_you_mean
    from mockserver.snapshots.resolver import SnapshotResolver

    resolved = SnapshotResolver(fixtures).resolve(SessionSpec(case=case))
    held = (
        {name: dict(table.rows()) for name, table in resolved.base.tables.items()}
        if served
        else resolved.raw
    )
    if collection is None and as_json:
        print_json(held)
        return
    if collection is None:
        for name, value in sorted(held.items()):
            typer.echo(f"{name:<20} {_size(value)}")
        return
    if collection not in held:
        raise MockServerError(
            f"no collection {collection!r} in this snapshot", hint=did_you_mean(collection, held)
        )
    print_json(held[collection])


def _size(value: "Json") -> str:
    if isinstance(value, dict) and isinstance(value.get("items"), list):
        value = value["items"]  # a captured page
    if not isinstance(value, list | dict):
        return repr(value)
    return "1 entry" if len(value) == 1 else f"{len(value)} entries"


@app.command()
def explain(
    fixtures: Fixtures,
    pointer: Annotated[
        str | None,
        typer.Argument(
            help="A JSON pointer such as /orgUnits/3/name; a list item may be named by its id, as "
            "in /users/ann@example.com/name. Without it, all values that were reshaped are listed."
        ),
    ] = None,
    *,
    case: Case = None,
    as_json: AsJson = False,
) -> None:
    """Show which file a value comes from, and how it was reshaped when it was loaded.

    Example: understudy snapshot explain fixtures/chrome-enterprise /orgUnits/0/name --case EC-001
    """
    from mockserver.model import SessionSpec
    from mockserver.snapshots.resolver import SnapshotResolver
    from mockserver.storage import origins, resolve_pointer

    resolved = SnapshotResolver(fixtures).resolve(SessionSpec(case=case))
    changes = [(where, what) for where, what in resolved.notes.changes]
    if pointer is None:
        if as_json:
            print_json(
                [{"where": resolved.where(where), "reshaped": what} for where, what in changes]
            )
            return
        for where, what in changes:
            typer.echo(f"{resolved.where(where)}: {what}")
        return
    exact, value = resolve_pointer(resolved.raw, pointer)
    written = [str(origin) for origin in origins(resolved.layers, exact)]
    reshaped = [
        what
        for where, what in changes
        if f"{exact}/".startswith(f"{where}/") or where.startswith(f"{exact}/")
    ]
    if as_json:
        print_json({"pointer": exact, "value": value, "written_in": written, "reshaped": reshaped})
        return
    print_json(value)
    for origin in written:
        typer.echo(f"written in {origin}")
    for what in reshaped:
        typer.echo(f"reshaped: {what}")


@app.command()
def diff(
    fixtures: Fixtures,
    case: Annotated[str, typer.Argument(help="The case to show.")],
    other: Annotated[
        str | None, typer.Argument(help="Compare with this case instead of the base.")
    ] = None,
) -> None:
    """Print the differences between a case and the base, or another case, as a JSON Patch.

    Example: understudy snapshot diff fixtures/chrome-enterprise EC-001
    """
    import jsonpatch

    from mockserver.model import SessionSpec
    from mockserver.snapshots.resolver import SnapshotResolver

    worlds = SnapshotResolver(fixtures)
    before = worlds.merged_snapshot(SessionSpec(case=other))
    after = worlds.merged_snapshot(SessionSpec(case=case))
    print_json(jsonpatch.make_patch(before, after).patch)


@app.command()
def lint(
    fixtures: Annotated[list[Path], typer.Argument(help="The folders of one or more suites.")],
    *,
    hints: Annotated[
        bool,
        typer.Option(
            "--hints", help="Also report values that people cannot read, such as opaque ids."
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if there are warnings.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the base and every override of a suite, and list all problems.

    Errors cannot be served (exit code 2). Warnings are served, but differ from the live API: fields
    and types that the Discovery document does not have, values such as `[object Object]`, stale
    page tokens, oversized fixtures.

    Example: understudy snapshot lint fixtures/chrome-enterprise
    """
    from mockserver.snapshots.lint import lint_suite

    now = datetime.now(UTC)  # noqa: TID251  (only the real clock knows the future)
    errors, warnings = [], 0
    reports = {folder: lint_suite(folder, hints=hints, now=now) for folder in fixtures}
    if as_json:
        print_json([{"suite": folder, **asdict(report)} for folder, report in reports.items()])
    for folder, report in reports.items():
        for problem in () if as_json else report.problems:
            typer.echo(f"{problem.level}: {folder.name}/{problem}")
        errors += [
            replace(problem, where=f"{folder}/{problem.where}")
            for problem in report.problems
            if problem.level == "error"
        ]
        warnings += sum(problem.level == "warning" for problem in report.problems)
        found = f"{len(report.problems)} finding{'s' * (len(report.problems) != 1)}"
        if not as_json:
            typer.echo(f"{folder}: {report.snapshots} snapshots, {found}")
    if errors:
        raise (
            InvalidFilesError(errors[:1])
            if len(errors) == 1
            else MockServerError(f"{len(errors)} errors in snapshots")
        )
    if strict and warnings:
        raise typer.Exit(1)


app.command(name="from-cassette")(from_cassette)
app.command()(minimise)
