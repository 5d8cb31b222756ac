"""Commands about cases: `understudy case show`, one case as it will be run, and `case new`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.commands import AsJson

if TYPE_CHECKING:
    from harness.cases import Suite
    from harness.model import Case


SUITE = Path("fixtures/chrome-enterprise")


def show(
    case: Annotated[str, typer.Argument(help="The case's id.")],
    *,
    suite: Annotated[Path, typer.Option("--suite", help="The suite: a folder or a file.")] = SUITE,
    template: Annotated[
        str, typer.Option("--prompt-template", help="As for `understudy run`.", metavar="TEXT")
    ] = "{prompt}",
    inject_prompt: Annotated[
        bool, typer.Option("--inject-prompt", help="Put plain-text fixtures into the prompt.")
    ] = False,
    fixtures: Annotated[
        bool, typer.Option("--fixtures", help="Print the resolved snapshot in full, as JSON.")
    ] = False,
    var: Annotated[
        list[str] | None,
        typer.Option("--var", help="NAME=VALUE for {{NAME}} in the case; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a case as it will be run.

    It prints the exact messages, the resolved fixtures, expectations and the reference.

    Example: understudy case show EC-001 --suite fixtures/chrome-enterprise
    """
    from harness.cases import read_suite, variables_of
    from harness.cli.case_text import case_json, case_text, snapshot_json
    from harness.environment import merged_fixtures
    from harness.runner import check_template, fixture_files, prompts_of

    read = read_suite(suite, variables_of(var or ()))
    found = _find_case(read, case)
    paths = fixture_files(read.path, found) if inject_prompt else ()
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    prompts = prompts_of(found, template=check_template(template), texts=texts)
    snapshot = merged_fixtures(read.path, found)
    if as_json:
        typer.echo(case_json(found, prompts, snapshot))
        return
    typer.echo(case_text(found, prompts, snapshot, template=template))
    if fixtures:
        typer.echo(snapshot_json(snapshot))


def _find_case(suite: "Suite", wanted: str) -> "Case":
    """The case of this id, also in a suite whose other cases are invalid."""
    from harness.cases import select
    from harness.errors import InvalidCasesError

    for case in suite.cases:
        if case.id.casefold() == wanted.casefold():
            return case
    if suite.errors:
        raise InvalidCasesError(suite.errors)
    return select(suite.cases, ids=[wanted])[0]


def new(
    suite: Annotated[Path, typer.Argument(help="A suite, or a folder that becomes one.")],
    case: Annotated[str, typer.Argument(help="The id: EC-051.")],
    *,
    title: Annotated[
        str, typer.Option("--title", help="The title of the case, one line.")
    ] = "A case to be written",
    category: Annotated[
        str, typer.Option("--category", help="The failure domain that the case belongs to.")
    ] = "system",
    tags: Annotated[
        str,
        typer.Option(
            "--tags",
            help="Comma-separated; new-path, regression, customer-failure and coverage-gap say why"
            " the case is added.",
        ),
    ] = "",
) -> None:
    """Create the files of a new case.

    In a suite with a registry it writes a Markdown file, an entry and an override; elsewhere a YAML
    file and an override. It overwrites nothing. Fill in the case, then check it with `understudy
    case show`, `understudy lint` and `understudy doctor`.

    Example: understudy case new fixtures/chrome-enterprise EC-051 --title "Printers are gone"
    """
    from harness.cases.template import NewCase, scaffold
    from harness.cli.options import split_list

    written = scaffold(suite, NewCase(case, title, category, tuple(split_list(tags))))
    for path in written:
        typer.echo(str(path))
    typer.echo(f"next: understudy lint {suite}")
