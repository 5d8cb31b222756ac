"""`harness demo`: the whole round with the bundled suite and the bundled agent."""

from pathlib import Path
from typing import Annotated

import typer

from harness.errors import HarnessError

SUITE = Path("fixtures", "chrome-enterprise")
FLAWS = ("all", "skips-tool", "invents-id", "ignores-page-token", "claims-write")


def demo(
    *,
    flawed: Annotated[
        bool, typer.Option("--flawed", help="Use an agent that has every flaw, to see failures.")
    ] = False,
    flaw: Annotated[
        str,
        typer.Option(
            "--flaw",
            help="Use an agent that has one flaw: skips-tool, invents-id, ignores-page-token or"
            " claims-write.",
        ),
    ] = "",
    trials: Annotated[int, typer.Option("--trials", "-n", min=1, help="Trials for each case.")] = 3,
    concurrency: Annotated[
        int, typer.Option("--concurrency", "-j", min=1, help="Trials at a time.")
    ] = 8,
    run_dir: Annotated[
        Path, typer.Option("--run-dir", help="Where the run and its reports are kept.")
    ] = Path("runs"),
) -> None:
    """Run the bundled suite with its agent.

    Starts a mock server and the bundled agent, runs the suite, reports, and stops both. The agent
    is a chat server that uses the real Google client library and knows nothing of the mock server.
    With --flawed it fails, and the exit code is 1, as for any failed gate.

    Example: harness demo --flaw claims-write -n 1
    """
    from harness.cli.run import execute
    from harness.cli.run_options import RunOptions

    name = flaw or ("all" if flawed else "")
    if name and name not in FLAWS:
        raise HarnessError(f"no flaw is called {name!r}", hint=f"known: {', '.join(FLAWS)}")
    port = _free_port()
    suite = bundled_suite()
    options = RunOptions(
        suite=suite,
        agent=f"http:http://127.0.0.1:{port}/api/chat",
        serve=_agent_command(port, name),
        trials=trials,
        concurrency=concurrency,
        run_dir=run_dir,
        note=f"demo, agent with flaw {name}" if name else "demo",
    )
    code = execute(options)
    typer.echo(_what_next(suite, name))
    raise typer.Exit(code)


def bundled_suite() -> Path:
    """The bundled suite: below the current folder, or in the checkout that this package runs from.

    Raises:
        HarnessError: It is in neither place.
    """
    for folder in (Path(), Path(__file__).parents[2]):
        if (folder / SUITE / "registry.json").is_file():
            return folder / SUITE
    raise HarnessError(f"the bundled suite {SUITE} is not here", hint="run this in a checkout")


def _agent_command(port: int, flaw: str) -> str:
    import shlex
    import sys

    command = [sys.executable, "-m", "harness.demo.server", "--port", str(port)]
    return shlex.join([*command, "--flawed", flaw] if flaw else command)


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _what_next(suite: Path, flaw: str) -> str:
    steps = [
        (f"harness show EC-001 --suite {suite}", "one case, as it is sent"),
        (f"mockserver serve --fixtures {suite}", "the mock APIs for your agent"),
        (f"harness run {suite} --agent http:URL", "your own agent"),
    ]
    if not flaw:
        steps.insert(0, ("harness demo --flawed", "the same suite with an agent that fails it"))
    width = max(len(command) for command, _ in steps) + 2
    return "\n".join(["next:", *(f"  {command:<{width}} {what}" for command, what in steps)])
