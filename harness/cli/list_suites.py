"""`harness list-suites`: the suites of a folder with what they cover."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.cases import Suite


def list_suites(
    folder: Annotated[Path, typer.Argument(help="A folder of suites, or one suite.")] = Path(
        "fixtures"
    ),
    *,
    tags: Annotated[bool, typer.Option("--tags", help="Also count cases per tag.")] = False,
) -> None:
    """List suites and what they cover.

    Each with its number of cases per category, and the categories without any case. A suite that is
    invalid is listed with its number of errors; `harness lint` tells them, and the exit code is 2.

    Example: harness list-suites fixtures --tags
    """
    from harness.cases import find_suites, read_suite
    from harness.errors import HarnessError

    suites = [read_suite(path) for path in find_suites(folder)]
    if not suites:
        raise HarnessError(f"no suites in {str(folder)!r}", hint="name a folder of suites")
    for suite in suites:
        typer.echo(_described(suite, tags=tags))
    if any(suite.errors for suite in suites):
        raise typer.Exit(HarnessError.exit_code)


def _described(suite: "Suite", *, tags: bool) -> str:
    from harness.cases import count_categories, count_tags, gaps

    lines = [f"{suite.path}  {suite.format}  {len(suite.cases)} cases"]
    lines.append(f"  categories: {_counts(count_categories(suite.cases))}")
    if suite.format == "chrome" and (missing := gaps(suite.cases)):
        lines.append(f"  no case for: {', '.join(missing)}")
    if tags:
        lines.append(f"  tags: {_counts(count_tags(suite.cases))}")
    if suite.errors:
        lines.append(f"  invalid: {len(suite.errors)} errors; see harness lint {suite.path}")
    return "\n".join(lines)


def _counts(counts: "Mapping[str, int]") -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items()) or "(none)"
