"""`understudy record`: run a program with all that it asks recorded into one cassette."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.capture.recorder import Recorder
    from mockserver.capture.server import CaptureProxy
    from mockserver.cli.program_run import ProgramRun
    from mockserver.model import RecordedProgram

CASSETTE = "cassette.yaml"
"""What is recorded into, and replayed, where nothing else is named."""

_IN_QUESTION = 1


def record(
    command: Annotated[list[str], typer.Argument(help="The program and its arguments, after --.")],
    *,
    cassette: Annotated[
        Path,
        typer.Option(
            help="The cassette to write, or a folder for cassette.yaml; an existing "
            "one is replaced."
        ),
    ] = Path(CASSETTE),
    given: Annotated[
        str | None,
        typer.Option(
            "--input",
            help="The standard input of the program; it is kept, and used again in a replay.",
        ),
    ] = None,
    variable: Annotated[
        list[str] | None,
        typer.Option(
            help="An environment variable that holds the base URL of an API. Variables of "
            "model clients, and those with a URL of this machine, are found without it."
        ),
    ] = None,
    redaction: Annotated[
        Path | None, typer.Option(help="Your own redaction rules; ./redaction.yaml by default.")
    ] = None,
    idle_timeout: Annotated[
        float,
        typer.Option(min=0.1, help="Give up on a response after this many seconds without data."),
    ] = 60.0,
    upstream_ca: Annotated[
        Path | None,
        typer.Option(help="A PEM file of certificates to trust in addition to the public ones."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a program, and record its traffic in one cassette.

    It records calls of models, APIs, MCP over HTTP and gRPC. The program needs no change: its
    environment names a proxy with its own certificate authority, and base URLs that lead model
    clients through it. Everything is redacted before it is written. With --json, the output of the
    program goes to standard error. The exit code is the program's own, or 1 if the redaction has
    open questions, or if the answer of a model cannot serve as a recording: the key was refused,
    the answer is in another provider's format, or it is cut off. A refused key is never recorded.

    Example: understudy record --cassette booking.yaml -- python agent.py "book a room"
    """
    import asyncio

    from mockserver.capture.programs import base_urls, describe_program
    from mockserver.capture.setup import capture_proxy, open_recorder, upstream_options
    from mockserver.errors import require_extra
    from mockserver.model import RecordedProgram

    require_extra("capture", "captures need", {"brotli": "brotli", "zstandard": "zstandard"})
    path = cassette
    if path.suffix.lower() not in {".yaml", ".yml", ".json"}:
        path /= CASSETTE
    bases = base_urls(os.environ, variable or ())
    options = upstream_options(idle_timeout, upstream_ca)
    recorder = open_recorder(path, "all", redaction)
    capturing = capture_proxy(recorder, _ignore_line, options)
    try:
        run = asyncio.run(_run(capturing, command, bases, given, apart=as_json))
    except BaseException:
        capturing.queue.close()
        recorder.finish()
        raise
    capturing.queue.close()
    if capturing.queue.failed is not None:
        recorder.abandon()
        raise capturing.queue.failed
    recorder.finish()
    told = RecordedProgram(
        command=tuple(command),
        exit_code=run.exit_code,
        variables=bases,
        input=given,
        output=run.output,
    )
    if recorder.recorded and path.is_file():
        describe_program(path, recorder, told)
    _report(recorder, capturing, told, as_json=as_json)
    doubtful = recorder.questioned or capturing.queue.defects
    raise typer.Exit(run.exit_code or (_IN_QUESTION if doubtful else 0))


async def _run(
    capturing: "CaptureProxy",
    command: list[str],
    bases: dict[str, str],
    given: str | None,
    *,
    apart: bool,
) -> "ProgramRun":
    from mockserver.capture.programs import program_entrance, serve_while
    from mockserver.cli.env_check import merge_environment
    from mockserver.cli.program_run import run_program

    entrance = program_entrance(capturing, bases)
    environ = merge_environment(os.environ, entrance.block)
    return await serve_while(
        capturing, entrance, partial(run_program, command, environ, given, apart=apart)
    )


def _report(
    recorder: "Recorder", capturing: "CaptureProxy", program: "RecordedProgram", *, as_json: bool
) -> None:
    from mockserver.capture.recorder_queue import summary_lines
    from mockserver.cli.capture_output import show_questions

    queue = capturing.queue
    if as_json:
        print_json({
            "cassette": str(recorder.path) if recorder.recorded else None,
            "exit_code": program.exit_code,
            "recorded": recorder.recorded,
            "questioned": recorder.questioned,
            "unrecorded": [each._asdict() for each in queue.unrecorded],
            "telemetry": dict(sorted(queue.telemetry.items())),
            "defective": [each._asdict() for each in queue.defective],
        })  # fmt: skip
        return
    sys.stdout.flush()
    typer.echo(f"understudy: the program ended with {program.exit_code}", err=True)
    for line in summary_lines(recorder, queue):
        typer.echo(f"understudy: {line}", err=True)
    if recorder.questioned:
        show_questions(recorder.path, recorder.questioned, recorder.questions)


def _ignore_line(line: str) -> None:
    """The summary tells all that matters."""
