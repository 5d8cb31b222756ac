"""`mockserver env`: the environment block of one session; or a command run under it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.blocks import (
    Format,
    Kind,
    check_options,
    with_credentials,
    with_default_credentials,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockserver.cli.env_check import Seen
    from mockserver.client import MockServer
    from mockserver.model import SessionInfo


def env(  # noqa: PLR0913  (one parameter an option)
    command: Annotated[
        list[str] | None, typer.Argument(help="With --check: the command to run.")
    ] = None,
    *,
    url: Annotated[
        str, typer.Option(envvar="MOCK_SERVER_URL", help="The running server.")
    ] = "http://127.0.0.1:8765",
    session: Annotated[str | None, typer.Option(help="A session that is open already.")] = None,
    case: Annotated[
        str | None, typer.Option(help="Open a new session on this case of the served suite.")
    ] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="Exports for a shell, lines for a .env file, JSON, or options of `docker run`.",
        ),
    ] = Format.SH,
    credentials: Annotated[
        Kind | None,
        typer.Option(help="Which credentials Google's clients find; else those of a user."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the file of --credentials is written.")
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Run a command under the block, and report which APIs it reached and what"
            " would have left this machine.",
        ),
    ] = False,
    token: Annotated[
        str, typer.Option(envvar="MOCKSERVER_TOKEN", help="The server's token, if it has one.")
    ] = "",
) -> None:
    """Print what an agent needs in its environment to meet one session.

    Without --session a new session is opened, on --case or on the suite's base. With --check, the
    exit status is the command's own, or 1 when something would have escaped.

    Example: eval "$(mockserver env --case EC-001)"
    """
    import asyncio

    from mockserver.cli.blocks import warning
    from mockserver.errors import MockServerError

    if session is not None and case is not None:
        raise MockServerError(
            "--session names an open session and --case opens a new one", hint="choose one"
        )
    if check == (not command):
        raise MockServerError("--check and a command go together: env --check python agent.py")
    check_options(credentials, out)
    alone = form is not Format.DOCKER  # in a container the file would not be there
    which = (session, case, credentials, out, alone)
    info, found = asyncio.run(_asked((url, token), which, command or ()))
    if "HTTPS_PROXY" in info.env and (told := warning(os.environ)):
        typer.echo(f"mockserver: {told}", err=True)
    if found is None:
        typer.echo(written(info.env, form))
    else:
        raise typer.Exit(_reported(*found))


def _reported(found: "Seen", status: int) -> int:
    from mockserver.cli.env_check import exit_code, report

    for line in report(found, status):
        typer.echo(f"mockserver: {line}", err=True)
    return exit_code(found, status)


async def _asked(
    where: tuple[str, str],
    which: tuple[str | None, str | None, Kind | None, Path | None, bool],
    command: "Sequence[str]",
) -> "tuple[SessionInfo, tuple[Seen, int] | None]":
    from mockserver.client import MockServer

    url, token = where
    async with await MockServer.attach(url, token=token) as server:
        session, case, kind, out, alone = which
        info = await _session(server, session, case)
        if kind is None and alone and "HTTPS_PROXY" in info.env:
            info = await with_default_credentials(server, info)
        elif kind is not None:
            info = await with_credentials(server, info, kind, out)
        if not command:
            return info, None
        from mockserver.cli.env_check import check

        return info, await check(server, info, command)


async def _session(server: "MockServer", session: str | None, case: str | None) -> "SessionInfo":
    from mockserver.cli.specs import session_spec
    from mockserver.errors import SessionError

    if session is None:
        return await server.open(session_spec(case=case))
    info = await server.session(session)
    if info.closed:
        raise SessionError(f"session {session!r} is closed", status=410, hint="open a new one")
    return info
