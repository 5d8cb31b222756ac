"""`understudy console`: runs, suites and live sessions as pages, and REST."""

import sys
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import typer

from harness.cli.options import RUNS, Db, RunDir
from harness.errors import HarnessError

_PORT = 8770


def _checked_names(names: list[str] | None) -> list[str] | None:
    """The further names of the server.

    Raises:
        BadParameter: One is none.
    """
    from mockserver.asgi.origins import named_origin

    for name in names or ():
        try:
            named_origin(name, 0)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    return names


def _checked_server(url: str) -> str:
    """The URL of the mock server.

    Raises:
        BadParameter: It is none.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
        raise typer.BadParameter(f"{url!r} is no URL of a server; write http://HOST:PORT")
    return url


def serve(  # noqa: PLR0913  (one parameter an option)
    ctx: typer.Context,
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")
    ] = _PORT,
    suites: Annotated[Path, typer.Option(help="The folder of suites.")] = Path("fixtures"),
    run_dir: RunDir = RUNS,
    db: Db = "",
    server: Annotated[
        str,
        typer.Option(
            envvar="MOCK_SERVER_URL",
            callback=_checked_server,
            help="The mock server whose sessions the console shows; it may start later.",
        ),
    ] = "http://127.0.0.1:8765",
    token: Annotated[
        str,
        typer.Option(
            envvar="HARNESS_TOKEN",
            help="The token that every request must have, and that the console asks for; "
            "generated on an address that is not loopback.",
        ),
    ] = "",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            callback=_checked_names,
            help="Another host name to accept: NAME, NAME:PORT, or https://NAME behind a proxy "
            "that terminates TLS.",
        ),
    ] = None,
    allow_agent: Annotated[
        list[str] | None,
        typer.Option(
            envvar="HARNESS_ALLOW_AGENT",
            help="A further place, beside this machine, at which requested runs may reach "
            "agents: a name (*.example.com), an address or a network (10.0.0.0/8).",
        ),
    ] = None,
    agent: Annotated[
        str,
        typer.Option(envvar="HARNESS_AGENT", help="The agent of requests that name no provider."),
    ] = "",
    allow_subprocess: Annotated[
        bool,
        typer.Option(
            "--allow-subprocess",
            help="Allow requests to start programs: command: and python: agents, and agents' "
            "servers.",
        ),
    ] = False,
    max_runs: Annotated[
        int, typer.Option(min=1, help="How many runs are in progress at the same time.")
    ] = 2,
    max_waiting: Annotated[int, typer.Option(min=0, help="How many runs may wait.")] = 16,
    metrics: Annotated[
        bool,
        typer.Option(
            "--metrics",
            help="Count runs, trials and verdicts for Prometheus at /metrics; needs the extra"
            " `metrics`.",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Print a line for each request, also without a terminal."
        ),
    ] = False,
    log_format: Annotated[
        Literal["text", "json"] | None,
        typer.Option(
            help="How each request is written to stderr: text (the default where stderr is a"
            " terminal; without one, none are written) or json, one object a line.",
        ),
    ] = None,
) -> None:
    """Serve runs, suites and live sessions as web pages and over REST.

    The sessions are those of the mock server at --server; its pages are part of the same
    navigation, and ask for its control token if it has one.

    The console asks once for its own token, if it has one. GET /openapi.json describes the routes.
    Runs that are in progress when the server is stopped keep their finished trials; complete them
    with `understudy run --resume`.

    Example: understudy console --suites fixtures --port 8770
    """
    from harness.cli.run_execution import time_of_day
    from harness.storage import require_store

    require_store()
    from harness.server import Settings
    from harness.server import serve as run
    from mockserver.asgi.addresses import new_token

    named = getattr(ctx.get_parameter_source("suites"), "name", "") == "COMMANDLINE"
    if not suites.is_dir() and (named or suites.exists()):
        raise HarnessError(f"no folder {str(suites)!r}", hint="name the folder of suites")
    made_up = "" if token else new_token(host)
    settings = Settings(
        host=host,
        port=port,
        runs=run_dir,
        suites=suites,
        db=db,
        server=server,
        token=token or made_up,
        allowed_hosts=tuple(name.lower() for name in allow_host or ()),
        allowed_agents=tuple(allow_agent or ()),
        agent=agent,
        allow_subprocess=allow_subprocess,
        max_runs=max_runs,
        max_waiting=max_waiting,
        metrics=metrics,
        log_format=log_format or ("text" if verbose or sys.stderr.isatty() else None),
    )
    if made_up:
        typer.echo(f"understudy: requests must bear this token: {made_up}", err=True)
    run(settings, time_of_day, ready=lambda url: typer.echo(f"understudy console ready at {url}"))
