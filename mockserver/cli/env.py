"""`mockserver env`: the environment block of one session, for a shell or a file."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mockserver.model import SessionInfo


class Format(StrEnum):
    """How the block is written."""

    SH = "sh"
    DOTENV = "dotenv"
    JSON = "json"


def env(
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
        typer.Option("--format", help="Exports for a shell, lines for a .env file, or JSON."),
    ] = Format.SH,
    token: Annotated[
        str, typer.Option(envvar="MOCKSERVER_TOKEN", help="The server's token, if it has one.")
    ] = "",
) -> None:
    """Print what an agent needs in its environment to meet one session.

    Without --session a new session is opened, on --case or on the suite's base.

    Example: eval "$(mockserver env --case EC-001)"
    """
    import asyncio

    from mockserver.errors import MockServerError

    if session is not None and case is not None:
        raise MockServerError(
            "--session names an open session and --case opens a new one", hint="choose one"
        )
    info = asyncio.run(_session(url, token, session, case))
    typer.echo(_WRITERS[form](info.env))


async def _session(url: str, token: str, session: str | None, case: str | None) -> "SessionInfo":
    from mockserver.cli.specs import session_spec
    from mockserver.client import MockServer
    from mockserver.errors import SessionError

    async with await MockServer.attach(url, token=token) as server:
        if session is None:
            return await server.open(session_spec(case=case))
        info = await server.session(session)
    if info.closed:
        raise SessionError(f"session {session!r} is closed", status=410, hint="open a new one")
    return info


def _shell(block: Mapping[str, str]) -> str:
    import shlex

    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in block.items())


def _dotenv(block: Mapping[str, str]) -> str:
    return "\n".join(f'{name}="{value}"' for name, value in block.items())


def _json(block: Mapping[str, str]) -> str:
    import json

    return json.dumps(block, indent=2)


_WRITERS = {Format.SH: _shell, Format.DOTENV: _dotenv, Format.JSON: _json}
