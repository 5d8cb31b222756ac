"""`understudy env`: the environment block of one session; or a command run under it."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.blocks import (
    CredentialsOption,
    Format,
    check_options,
    format_block,
    with_credentials,
    with_default_credentials,
)
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockserver.cli.env_check import ConnectionReport
    from mockserver.client import MockServer
    from mockserver.model import SessionInfo


def env(  # noqa: PLR0913  (one parameter an option)
    command: Annotated[
        list[str] | None, typer.Argument(help="The command to run, with --check.")
    ] = None,
    *,
    url: Annotated[
        str, typer.Option(envvar="MOCK_SERVER_URL", help="The URL of the running server.")
    ] = "http://127.0.0.1:8765",
    session: Annotated[
        str | None, typer.Option(help="Use this session, which must be open.")
    ] = None,
    case: Annotated[
        str | None, typer.Option(help="Open a new session for this case of the served suite.")
    ] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="The output format: lines for a shell, a .env file, JSON, options of `docker run`,"
            " a service of docker compose, settings of VS Code, or the configuration of an MCP"
            " client.",
        ),
    ] = Format.SH,
    credentials: Annotated[
        CredentialsOption | None,
        typer.Option(help="The kind of credentials that Google clients find; a user's by default."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write --credentials to.")
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Run a command in this environment, and report which APIs it called and which"
            " connections would have left this machine.",
        ),
    ] = False,
    as_json: AsJson = False,
    token: Annotated[
        str,
        typer.Option(envvar="MOCKSERVER_TOKEN", help="The server's control token, if it has one."),
    ] = "",
) -> None:
    """Print the variables that connect an agent to a session.

    With --check --json, the output of the command goes to standard error, and the report to
    standard output. Without --session, a new session is opened for --case or for the suite's base
    snapshot. With --check, the exit code is that of the command, or 1 if a connection would have
    left this machine.

    Example: eval "$(understudy env --case EC-001)"
    """
    import asyncio

    from mockserver.cli.blocks import pysocks_warning
    from mockserver.errors import MockServerError

    if session is not None and case is not None:
        raise MockServerError(
            "--session names an open session and --case opens a new one", hint="choose one"
        )
    if check == (not command):
        raise MockServerError("--check and a command go together: env --check python agent.py")
    check_options(credentials, out)
    form = Format.JSON if as_json else form
    alone = form not in {
        Format.DOCKER,
        Format.DOCKER_COMPOSE,
    }  # in a container the file would not be there
    wanted = _SessionOptions(session, case, credentials, out, alone, as_json)
    info, found = asyncio.run(_open_session(url, token, wanted, command or ()))
    if "HTTPS_PROXY" in info.env and (told := pysocks_warning(os.environ)):
        typer.echo(f"understudy: {told}", err=True)
    if found is None:
        typer.echo(format_block(info.env, form))
    else:
        raise typer.Exit(_print_report(*found, as_json=as_json))


def _print_report(found: "ConnectionReport", status: int, *, as_json: bool) -> int:
    from mockserver.cli.env_check import exit_code, report_json, report_lines

    if as_json:
        print_json(report_json(found, status))
    for line in () if as_json else report_lines(found, status):
        typer.echo(f"understudy: {line}", err=True)
    return exit_code(found, status)


@dataclass(frozen=True)
class _SessionOptions:
    """Which session is wanted, and which credentials its environment block is to have.

    Attributes:
        session: `--session`, or None.
        case: `--case`, or None.
        credentials: `--credentials`, or None.
        out: `--output`, or None.
        defaults: Whether a file with the credentials of a user may be written, if none are named.
        output_apart: Whether standard output is left to the report on the command.
    """

    session: str | None
    case: str | None
    credentials: CredentialsOption | None
    out: Path | None
    defaults: bool
    output_apart: bool


async def _open_session(
    url: str, token: str, wanted: _SessionOptions, command: "Sequence[str]"
) -> "tuple[SessionInfo, tuple[ConnectionReport, int] | None]":
    from mockserver.client import MockServer

    async with await MockServer.attach(url, token=token) as server:
        info = await _session(server, wanted.session, wanted.case)
        if wanted.credentials is not None:
            info = await with_credentials(server, info, wanted.credentials, wanted.out)
        elif wanted.defaults and "HTTPS_PROXY" in info.env:
            info = await with_default_credentials(server, info)
        if not command:
            return info, None
        from mockserver.cli.env_check import check

        output = sys.stderr if wanted.output_apart else None
        return info, await check(server, info, command, output=output)


async def _session(server: "MockServer", session: str | None, case: str | None) -> "SessionInfo":
    from mockserver.cli.specs import session_spec
    from mockserver.errors import SessionError

    if session is None:
        return await server.open(session_spec(case=case))
    info = await server.session(session)
    if info.closed:
        raise SessionError(f"session {session!r} is closed", status=410, hint="open a new one")
    return info
