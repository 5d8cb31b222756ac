"""`understudy doctor`: whether this machine is ready, or a suite worth running."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir
from harness.cli.run_options import HTTP_PROFILE_LIST
from mockserver.cli.doctor import Server, examine_server
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
    input: Annotated[
        str, typer.Option("--input", help="What command: agents read: text or json.")
    ] = "text",
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
        typer.Option(
            "--run",
            help="An earlier run, to also find cases that never passed in it; repeatable.",
        ),
    ] = None,
    run_dir: RunDir = RUNS,
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds a trial may take.")] = 180.0,
    concurrency: Annotated[
        int,
        typer.Option("--concurrency", "-j", min=1, help="How many trials run at the same time."),
    ] = 8,
    server: Server = "",
    notes: Annotated[
        bool, typer.Option("--notes/--no-notes", help="Also print findings that need no action.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Diagnose this machine, or the cases of a suite.

    Without a suite, it checks the installation, the proxy variables of this shell, the certificate
    authority, ports, the installed HTTP clients, and extras. It changes nothing and does not use
    the network. The exit code is 1 if there is a problem.

    With a suite, it finds cases that pass with an agent that does nothing, cases that no agent can
    pass, and cases that prove nothing: they still pass without the fixtures that they add to the
    base, or with other expected values. It also reports what the suite covers, and which fixtures
    no agent reads. The exit code is 1 if there is a finding of level error, and 130 if the command
    was interrupted.

    Example: understudy doctor

    With `--server`, it shows what a running mock server waits for, and where its tasks stand.

    Example: understudy doctor fixtures/chrome-enterprise

    Example: understudy doctor --server http://127.0.0.1:8765
    """
    if server:
        _refuse_options(ctx, {"server", "as_json"}, "{} does not go with --server")
        examine_server(server, as_json=as_json)
        return
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

    _refuse_options(ctx, {"as_json"}, "{} is of a suite: name one")
    examine(as_json=as_json)


def _refuse_options(ctx: typer.Context, allowed: Collection[str], problem: str) -> None:
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        if source is not None and source.name == "COMMANDLINE" and param.name not in allowed:
            raise typer.BadParameter(problem.format(param.opts[0]))
