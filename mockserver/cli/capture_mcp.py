"""`understudy capture mcp`: record a live MCP server."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.capture_output import (
    LogFormatOption,
    SealOption,
    line_writer,
    show_questions,
    write_sealed_map,
)

if TYPE_CHECKING:
    from mockserver.capture.mcp import McpRecorder, McpTarget
    from mockserver.capture.recorder import Recorder

_PORT = 8767


def mcp(  # noqa: PLR0913  (one parameter an option)
    *,
    cassette: Annotated[
        Path,
        typer.Option(help="The cassette to write: a .yaml or .json file."),
    ],
    url: Annotated[
        str | None,
        typer.Option(help="The endpoint of a live server, such as http://127.0.0.1:3001/mcp."),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            help="The program of a server that communicates over standard input and output."
        ),
    ] = None,
    list_only: Annotated[
        bool,
        typer.Option(
            "--list-only",
            help="Record how the server describes itself, and its lists, without a client, and "
            "exit. No tool is called.",
        ),
    ] = False,
    headers: Annotated[
        list[str] | None,
        typer.Option(
            "--header", help="A header for the live endpoint: 'Authorization: Bearer ...'."
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="With --url: the port to listen on; 0 for any free."),
    ] = _PORT,
    host: Annotated[str, typer.Option(help="With --url: the address to listen on.")] = "127.0.0.1",
    mode: Annotated[
        str,
        typer.Option(
            help="For an existing cassette: once refuses, all replaces it, refresh replaces "
            "the requests that are made again."
        ),
    ] = "once",
    redaction: Annotated[
        Path | None,
        typer.Option(help="Your own redaction rules; ./redaction.yaml by default."),
    ] = None,
    seal: SealOption = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print a redacted line for each request.")
    ] = False,
    log_format: LogFormatOption = None,
) -> None:
    """Record a live MCP server, redacted, into a cassette.

    With --url, clients connect to this command's endpoint, which forwards to the live one. With
    --command, a client starts this command in place of the server. Requests and answers are
    recorded without their ids, together with the messages that the server sent before each answer.

    Example: understudy capture mcp --url http://127.0.0.1:3001/mcp --cassette weather.yaml

    Example: understudy capture mcp --command "npx -y my-server" --cassette tools.yaml

    Example: understudy capture mcp --command "python server.py" --cassette tools.yaml --list-only
    """
    from mockserver.capture.mcp import parse_target
    from mockserver.capture.setup import check_seal, open_recorder
    from mockserver.errors import MockServerError
    from mockserver.fronts.mcp.front import require_sdk

    target = parse_target(url, command, headers or ())
    if list_only:
        require_sdk()
    if mode not in {"once", "all", "refresh"}:
        raise MockServerError(f"--mode {mode} is none of once, all, refresh")
    if mode == "once" and cassette.exists():
        raise MockServerError(
            f"{cassette} is there already",
            hint="--mode all records it anew, refresh keeps the rest",
        )
    check_seal(seal)
    recorder = open_recorder(cassette, mode, redaction)
    wanted = verbose or (not list_only and sys.stderr.isatty())
    shown = line_writer(log_format, wanted=wanted)
    try:
        queue = _record(recorder, target, shown, list_only=list_only, host=host, port=port)
    except BaseException:
        recorder.finish()
        raise
    _finish(recorder, queue, seal)


def _record(
    recorder: "Recorder",
    target: "McpTarget",
    shown: Callable[[str], None],
    *,
    list_only: bool,
    host: str,
    port: int,
) -> "McpRecorder":
    from mockserver.capture.mcp import record_http, record_lists, record_stdio
    from mockserver.http.server import real_time

    if list_only:
        return record_lists(recorder, target, report=shown, clock=real_time)
    if target.command:
        return record_stdio(recorder, target, report=shown, clock=real_time)
    return record_http(
        recorder,
        target,
        host=host,
        port=port,
        report=shown,
        clock=real_time,
        announce=lambda own: typer.echo(
            f"understudy capture ready at {own}, before {recorder.redact_url(target.url)}"
        ),
    )


def _finish(recorder: "Recorder", queue: "McpRecorder", seal: Path | None) -> None:
    """Give the cassette its name, and say what is in it; on standard error alone."""
    from mockserver.capture.recorder_queue import summary_lines

    if queue.failed is not None:
        recorder.abandon()
        raise queue.failed
    recorder.finish()
    write_sealed_map(seal, recorder.redactor)
    for line in summary_lines(recorder, queue):
        typer.echo(f"understudy: {line}", err=True)
    if recorder.questioned:
        show_questions(recorder.path, recorder.questioned, recorder.questions)
        raise typer.Exit(1)
