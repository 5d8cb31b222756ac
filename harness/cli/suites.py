"""Commands about suites: `understudy suite list`, `suite register` and `suite import`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, RunDir
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.cases import Suite
    from harness.model import JsonObject


def list_suites(
    folder: Annotated[Path, typer.Argument(help="A folder of suites, or one suite.")] = Path(
        "fixtures"
    ),
    *,
    tags: Annotated[bool, typer.Option("--tags", help="Also count cases per tag.")] = False,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """List suites and what they cover.

    It lists the suites in the folder and the registered ones, each with the number of cases per
    category, and the categories without a case. An invalid suite is listed with its number of
    errors, and the exit code is 2; `understudy lint` prints the errors.

    Example: understudy suite list fixtures --tags
    """
    from harness.errors import HarnessError

    suites = _suites(folder, run_dir)
    if not suites:
        raise HarnessError(f"no suites in {str(folder)!r}", hint="name a folder of suites")
    if as_json:
        print_json([_suite_json(suite, name) for name, suite in suites])
    for name, suite in () if as_json else suites:
        typer.echo(_suite_text(suite, tags=tags, name=name))
    if any(suite.errors for _, suite in suites):
        raise typer.Exit(HarnessError.exit_code)


def _suites(folder: Path, run_dir: Path) -> "list[tuple[str, Suite]]":
    """Found and registered suites, each with the name it is registered by, or an empty one."""
    from harness.cases import find_suites, read_suite
    from harness.cli.run_output import show_warnings
    from harness.storage import RegisteredSuites

    names = {Path(each.path): each.name for each in RegisteredSuites(run_dir).all()}
    found = find_suites(folder) if folder.is_dir() or not names else ()
    there = {path.resolve() for path in found}
    gone = {path: name for path, name in names.items() if not path.exists()}
    show_warnings(f"suite {name!r} is gone from {path}" for path, name in gone.items())
    paths = [*found, *(path for path in names if path not in there | gone.keys())]
    return [(names.get(path.resolve(), ""), read_suite(path)) for path in paths]


def _suite_text(suite: "Suite", *, tags: bool, name: str = "") -> str:
    from harness.cases import count_categories, count_tags, gaps
    from harness.cases.chrome import CHROME

    known = f"  registered as {name}" if name else ""
    lines = [f"{suite.path}  {suite.format}  {len(suite.cases)} cases{known}"]
    lines.append(f"  categories: {_counts(count_categories(suite.cases))}")
    if suite.format == CHROME.name and (missing := gaps(suite.cases)):
        lines.append(f"  no case for: {', '.join(missing)}")
    if tags:
        lines.append(f"  tags: {_counts(count_tags(suite.cases))}")
    if suite.errors:
        lines.append(f"  invalid: {len(suite.errors)} errors; see understudy lint {suite.path}")
    return "\n".join(lines)


def _suite_json(suite: "Suite", name: str) -> "JsonObject":
    from harness.cases import count_categories, count_tags, gaps
    from harness.cases.chrome import CHROME

    return {
        "path": str(suite.path),
        "name": name,
        "format": suite.format,
        "cases": len(suite.cases),
        "categories": dict(count_categories(suite.cases)),
        "tags": dict(count_tags(suite.cases)),
        "categories_without_case": [*gaps(suite.cases)] if suite.format == CHROME.name else [],
        "errors": len(suite.errors),
    }


def _counts(counts: "Mapping[str, int]") -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items()) or "(none)"


def register(
    suite: Annotated[str, typer.Argument(help="The suite; with --remove, its name.")],
    *,
    name: Annotated[
        str, typer.Option(help="The name of the suite. (default: the name of its folder or file)")
    ] = "",
    description: Annotated[str, typer.Option(help="What the suite is for.")] = "",
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the name; the suite stays.")
    ] = False,
    run_dir: RunDir = RUNS,
) -> None:
    """Register a suite by name, for `understudy run NAME` and the REST API.

    The suite must be valid. Names are stored beside the runs.

    Example: understudy suite register fixtures/chrome-enterprise --name chrome
    """
    from harness.cases import load_suite
    from harness.cli.run_execution import time_of_day
    from harness.runner import timestamp
    from harness.storage import RegisteredSuite, RegisteredSuites

    known = RegisteredSuites(run_dir)
    if remove:
        known.remove(suite)
        typer.echo(f"{suite} is registered no more")
        return
    loaded = load_suite(Path(suite))
    made = RegisteredSuite(
        name=name or loaded.name,
        path=str(Path(suite).resolve()),
        description=description,
        registered_at=timestamp(time_of_day()),
    )
    known.register(made)
    typer.echo(f"{made.name}: {len(loaded.cases)} cases in {made.path}")


_WRITTEN = ("native",)


def import_cases(
    suite: Annotated[Path, typer.Argument(help="A suite of any format: a folder or a file.")],
    *,
    to: Annotated[str, typer.Option("--to", help="The format to write: native.")] = "native",
    out: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A new folder. (default: SUITE-native in the working folder)"
        ),
    ] = None,
    var: Annotated[
        list[str] | None,
        typer.Option("--var", help="NAME=VALUE for {{NAME}} in the suite's texts; repeatable."),
    ] = None,
) -> None:
    """Convert a suite of any format into YAML cases.

    No check is lost; fixtures are copied and placeholders filled in. Expectations that have no YAML
    field of their own are written under `checks`.

    Example: understudy suite import fixtures/sre --to native --output sre-native
    """
    from harness.cases import load_suite, variables_of
    from harness.cases.conversion import convert
    from harness.cli.run_output import show_warnings
    from harness.errors import HarnessError

    if to not in _WRITTEN:
        raise HarnessError(f"cannot write format {to!r}", hint=", ".join(_WRITTEN))
    read = load_suite(suite, variables_of(var or ()))
    target = Path(f"{read.name}-native") if out is None else out
    show_warnings(map(str, read.warnings))
    files = convert(read, target)
    typer.echo(f"{len(files)} cases of format {read.format} written to {target}")
    typer.echo(f"check them with: understudy lint {target}")
