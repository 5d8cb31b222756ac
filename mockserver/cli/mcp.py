"""`understudy mcp`: a session as an MCP server over standard input and output."""

import os
from pathlib import Path
from typing import Annotated

import typer


def mcp(  # noqa: PLR0913  (one parameter an option)
    suite: Annotated[
        Path | None,
        typer.Argument(help="The suite to serve, such as fixtures/chrome-enterprise."),
    ] = None,
    *,
    case: Annotated[str | None, typer.Option(help="The case to serve.")] = None,
    cassette: Annotated[
        list[Path] | None,
        typer.Option(help="A recording of an MCP server to replay; may be given more than once."),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(help="The clock: shift, real, frozen, frozen:<RFC 3339>. (default: shift)"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of generated ids. (default: 0)")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            help="A running server to use. (default without a suite: the server that the "
            "environment names)"
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="With --url: an open session of that server.")
    ] = None,
    control: Annotated[
        bool,
        typer.Option(
            "--control",
            help="Serve a developer's tools instead: open sessions, read journals, explain "
            "misses, write fixtures, run cases. Never give them to the agent under test.",
        ),
    ] = False,
    token: Annotated[
        str,
        typer.Option(envvar="MOCKSERVER_TOKEN", help="With --control: the server's token."),
    ] = "",
) -> None:
    """Serve mocked tools to the MCP client that starts this command.

    With --url, or in an environment that `understudy env` has set up, the tools act on a session of
    that running server. Otherwise the command opens a session of its own.

    Example: understudy mcp fixtures/chrome-enterprise --case EC-001

    Example: understudy mcp --cassette everything.yaml
    """
    from mockserver.cli.specs import session_spec
    from mockserver.errors import MockServerError
    from mockserver.fronts.mcp.front import require_sdk
    from mockserver.fronts.mcp.stdio import relay, serve_world
    from mockserver.settings import Settings

    if control:
        if suite is not None or case is not None or session is not None or cassette:
            raise MockServerError("--control is for a running server", hint="name it with --url")
        require_sdk()
        from mockserver.cli.mcp_control import serve_control

        serve_control(url or "http://127.0.0.1:8765", token)
        return
    cassettes = tuple(cassette or ())
    if suite is None and url is None and session is None and not cassettes:
        url, session = os.environ.get("MOCK_SERVER_URL"), os.environ.get("MOCK_SESSION")
    if url is not None:
        if suite is not None or case is not None or cassettes:
            raise MockServerError(
                "--url names a running server, which has a suite and cassettes of its own",
                hint="leave out the suite, --case and --cassette, or --url",
            )
        if clock is not None or seed is not None:
            raise MockServerError(
                f"{url} is a running server, whose sessions have their own clock and seed",
                hint="leave out --clock and --seed, or name a suite to serve one of its own",
            )
        place = f"/s/{session}" if session is not None else ""
        relay(f"{url.rstrip('/')}{place}/mcp", {})
        return
    if session is not None:
        raise MockServerError("--session names a session of a running server", hint="add --url")
    spec = session_spec(
        case=case,
        clock=clock or "shift",
        seed=seed or 0,
        cassettes=[path.stem for path in cassettes] or None,
        sources=["cassette"] if cassettes and suite is None else None,
    )
    serve_world(Settings(fixtures=suite, cassettes=cassettes, default=spec))
