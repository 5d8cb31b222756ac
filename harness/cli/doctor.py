"""`understudy doctor`: whether this machine is ready, or a suite worth running."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir
from harness.cli.run_options import HTTP_PROFILE_LIST
from mockserver.commands import AsJson, print_json

_NO_AGENT = "none"


def doctor(  # noqa: PLR0913  (one parameter an option)
    ctx: typer.Context,
    suite: Annotated[
        Path | None,
        typer.Argument(help="A suite: a folder or a file. (default: this machine is examined)"),
    ] = None,
    *,
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            "-a",
            help="An agent that should pass, as for `understudy run`; `none`: the oracle alone."
            " (default: the agent of a bundled suite)",
        ),
    ] = "",
    serve: Annotated[
        str, typer.Option("--serve", help="Command that serves the agent, as for `understudy run`.")
    ] = "",
    profile: Annotated[
        str, typer.Option("--profile", help=f"What http: agents are sent: {HTTP_PROFILE_LIST}.")
    ] = "ai-sdk",
    input: Annotated[str, typer.Option("--input", help="Of command: agents.")] = "text",
    token: Annotated[
        str, typer.Option("--token", envvar="EVAL_TOKEN", help="Bearer token for the agent.")
    ] = "",
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="NAME or NAME=VALUE for the agent; repeatable."),
    ] = None,
    ids: Annotated[str, typer.Option("--ids", help="Only these cases, comma-separated.")] = "",
    run: Annotated[
        list[str] | None,
        typer.Option("--run", help="An earlier run whose passes count for suspects; repeatable."),
    ] = None,
    run_dir: RunDir = RUNS,
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds a trial may take.")] = 180.0,
    concurrency: Annotated[
        int, typer.Option("--concurrency", "-j", min=1, help="Trials at a time.")
    ] = 8,
    notes: Annotated[
        bool, typer.Option("--notes/--no-notes", help="Also tell what asks for nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Examine this machine, or a suite.

    Of the machine: the installation, the proxy variables of this shell, the certificate authority,
    ports, the HTTP clients that are installed, and extras. Nothing is changed, and nobody is asked
    over the network. Exit code 1 when there is a problem.

    Of a suite: which cases an agent passes that does nothing, which ones nobody can pass, and which
    ones prove nothing: they pass without what they add to the base, or although the values that
    they ask for are others. Also what the suite covers, and which fixtures nobody reads. Exit code
    1 when there is a finding of level error, 130 when it was interrupted.

    Example: understudy doctor

    Example: understudy doctor fixtures/chrome-enterprise
    """
    if suite is None:
        _examine_machine(ctx, as_json=as_json)
        return
    import asyncio

    from harness.cli.examination import ExaminationOptions, examine_suite
    from harness.cli.options import run_path, split_list
    from harness.cli.reference_agents import ReferenceAgent, reference_agent
    from harness.doctor import diagnosis_text
    from harness.errors import Exit

    given = ReferenceAgent(agent, serve, token, profile, input, tuple(env or ()), concurrency)
    bundled = None if agent else reference_agent(suite)
    asked = ExaminationOptions(
        suite=suite,
        agent=None if agent == _NO_AGENT else (given if agent else bundled),
        ids=tuple(split_list(ids)),
        runs=tuple(run_path(name, run_dir) for name in run or ()),
        timeout_s=timeout,
        concurrency=concurrency,
    )
    diagnosis = asyncio.run(examine_suite(asked))
    if diagnosis is None:
        raise typer.Exit(Exit.INTERRUPTED)
    if as_json:
        print_json(diagnosis)
    else:
        typer.echo(diagnosis_text(diagnosis, notes=notes))
    if diagnosis.count("error"):
        raise typer.Exit(1)


def _examine_machine(ctx: typer.Context, *, as_json: bool) -> None:
    """Examine the machine.

    Raises:
        BadParameter: There are options of a suite.
    """
    from mockserver.cli.doctor import doctor as examine

    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        if source is not None and source.name == "COMMANDLINE" and param.name != "as_json":
            raise typer.BadParameter(f"{param.opts[0]} is of a suite: name one")
    examine(as_json=as_json)
