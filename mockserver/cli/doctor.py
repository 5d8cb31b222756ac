"""Whether this machine is ready, and what a server that runs waits for: `understudy doctor`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.cli.machine import Finding

_MARKS = {"ok": "ok  ", "note": "note", "warning": "WARN", "problem": "FAIL"}


Server = Annotated[
    str,
    typer.Option(
        "--server",
        metavar="URL",
        help="Show what the mock server there waits for, and since when; its control token is"
        " read from MOCKSERVER_TOKEN.",
    ),
]


def doctor(
    *,
    server: Server = "",
    as_json: AsJson = False,
) -> None:
    """Check this machine for problems, and show how to fix them.

    Looks at the installation, the proxy variables of this shell, the certificate authority, ports,
    the HTTP clients that are installed, and extras. Nothing is changed, and nobody is asked over
    the network. Exit code 1 when there is a problem.

    Example: understudy doctor

    Example: understudy doctor --server http://127.0.0.1:8765
    """
    if server:
        examine_server(server, as_json=as_json)
        return
    import os

    from mockserver.cli.machine import examine_machine
    from mockserver.http.server import real_time

    found = list(examine_machine(os.environ, real_time()))
    problems = sum(each.level == "problem" for each in found)
    if as_json:
        print_json(found)
    else:
        typer.echo(_text(found, problems))
    if problems:
        raise typer.Exit(1)


def examine_server(url: str, *, as_json: bool) -> None:
    """Print what a server waits for, and where its tasks stand.

    Raises:
        ServerUnavailableError: No mock server answers there.
    """
    import asyncio
    import os

    from mockserver.client import MockServer
    from mockserver.model import JsonObject

    async def ask() -> JsonObject:
        server = await MockServer.attach(url, token=os.environ.get("MOCKSERVER_TOKEN", ""))
        try:
            return await server.waits()
        finally:
            await server.close()

    health = asyncio.run(ask())
    found = {name: health[name] for name in ("pid", "waits", "overdue", "tasks")}
    if as_json:
        print_json(found)
        return
    lines = [f"  {each['seconds']:8.1f} s  {each['for']}" for each in found["waits"]]
    typer.echo(f"process {found['pid']} waits for {len(lines) or 'nothing'}")
    typer.echo("\n".join((*lines, f"{found['overdue']} waits were given up", "tasks")))
    for each in found["tasks"]:
        typer.echo(f"  {each['task']}\n    " + "\n    ".join(each["at"]))


def _text(found: "Sequence[Finding]", problems: int) -> str:
    lines = []
    topic = ""
    for each in found:
        if each.topic != topic:
            topic = each.topic
            lines.append(topic)
        lines.append(f"  {_MARKS[each.level]}  {each.text}")
        if each.mend:
            lines.append(f"        {each.mend}")
    warnings = sum(each.level == "warning" for each in found)
    lines.append(f"{problems} problems, {warnings} warnings")
    return "\n".join(lines)
