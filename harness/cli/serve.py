"""`harness serve`: suites, runs and baselines over REST."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options.stores import RUNS, Db, RunDir

_PORT = 8770


def serve(  # noqa: PLR0913  (one parameter an option)
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")
    ] = _PORT,
    suites: Annotated[Path, typer.Option(help="The folder of suites.")] = Path("fixtures"),
    run_dir: RunDir = RUNS,
    db: Db = "",
    token: Annotated[
        str,
        typer.Option(
            envvar="HARNESS_TOKEN",
            help="What every request must bear; made up on an address that is not loopback.",
        ),
    ] = "",
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A further host name that the server answers to.")
    ] = None,
    allow_subprocess: Annotated[
        bool,
        typer.Option(
            "--allow-subprocess",
            help="Let requests start programs: command: and python: agents, and agents' servers.",
        ),
    ] = False,
    max_runs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 2,
    max_waiting: Annotated[int, typer.Option(min=0, help="Runs that may wait.")] = 16,
) -> None:
    """Serve suites, runs and baselines over REST.

    GET /openapi.json describes the routes. Runs that go on when the server is stopped keep their
    finished trials; finish them with harness run --resume.

    Example: harness serve --suites fixtures --port 8770
    """
    from harness.cli.running import time_of_day
    from harness.server import Settings, is_loopback
    from harness.server import serve as run

    made_up = "" if token or is_loopback(host) else _made_up_token()
    settings = Settings(
        host=host,
        port=port,
        runs=run_dir,
        suites=suites,
        db=db,
        token=token or made_up,
        allowed_hosts=tuple(name.lower() for name in allow_host or ()),
        allow_subprocess=allow_subprocess,
        max_runs=max_runs,
        max_waiting=max_waiting,
    )
    if made_up:
        typer.echo(f"harness: requests must bear this token: {made_up}", err=True)
    run(settings, time_of_day, ready=lambda url: typer.echo(f"harness ready at {url}"))


def _made_up_token() -> str:
    """A token for an address that others can reach too."""
    import secrets

    return secrets.token_urlsafe(24)
