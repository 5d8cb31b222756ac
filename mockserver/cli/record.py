"""`understudy record`: run a program with all that it asks recorded into one cassette."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.capture.recorder import Recorder
    from mockserver.capture.server import CaptureProxy, UpstreamOptions
    from mockserver.cassettes.replay import Variation
    from mockserver.cli.program_run import ProgramRun
    from mockserver.model import RecordedProgram

CASSETTE = "cassette.yaml"
"""What is recorded into, and replayed, where nothing else is named."""

_IN_QUESTION = 1


def record(  # noqa: PLR0913  (one parameter an option)
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
    twice: Annotated[
        bool,
        typer.Option(
            "--twice",
            help="Run it a second time, live too, and note in the cassette which fields of its "
            "requests were new in each run; a replay answers them as near ones.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a program, and record its traffic in one cassette.

    It records calls of models, APIs, MCP over HTTP and gRPC. The program needs no change: its
    environment names a proxy with its own certificate authority, and base URLs that lead model
    clients through it. Everything is redacted before it is written. With --json, the output of the
    program goes to standard error. The exit code is the program's own, or 1 if the redaction has
    open questions, or if the answer of a model cannot serve as a recording: the key was refused,
    the answer is in another provider's format, or it is cut off. A refused key is never recorded.
    With --twice it is 1, too, if the program did something else the second time: other requests,
    or another exit code. The cassette is that of the first time.

    Example: understudy record --cassette booking.yaml -- python agent.py "book a room"

    Example: understudy record --twice --input "book a room" -- python agent.py
    """
    from mockserver.capture.programs import base_urls
    from mockserver.capture.setup import upstream_options
    from mockserver.errors import require_extra

    require_extra("capture", "captures need", {"brotli": "brotli", "zstandard": "zstandard"})
    path = cassette
    if path.suffix.lower() not in {".yaml", ".yml", ".json"}:
        path /= CASSETTE
    order = _Order(
        command=command,
        given=given,
        bases=base_urls(os.environ, variable or ()),
        redaction=redaction,
        options=upstream_options(idle_timeout, upstream_ca),
    )
    done = _record_once(path, order, apart=as_json)
    variation = _record_again(done, order) if twice else None
    _report(done, variation, as_json=as_json)
    doubtful = done.recorder.questioned or done.capturing.queue.defects
    otherwise = variation is not None and variation.otherwise
    raise typer.Exit(done.told.exit_code or (_IN_QUESTION if doubtful or otherwise else 0))


@dataclass(frozen=True, slots=True)
class _Order:
    """What is run, and how it is recorded."""

    command: list[str]
    given: str | None
    bases: dict[str, str]
    redaction: Path | None
    options: "UpstreamOptions"


class _Recorded(NamedTuple):
    recorder: "Recorder"
    capturing: "CaptureProxy"
    told: "RecordedProgram"


def _record_once(path: Path, order: _Order, *, apart: bool) -> _Recorded:
    """Run the program, and record it into a cassette."""
    import asyncio

    from mockserver.capture.programs import describe_program
    from mockserver.capture.setup import capture_proxy, open_recorder
    from mockserver.model import RecordedProgram

    recorder = open_recorder(path, "all", order.redaction)
    capturing = capture_proxy(recorder, _ignore_line, order.options)
    try:
        run = asyncio.run(_run(capturing, order.command, order.bases, order.given, apart=apart))
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
        command=tuple(order.command),
        exit_code=run.exit_code,
        variables=order.bases,
        input=order.given,
        output=run.output,
    )
    if recorder.recorded and path.is_file():
        describe_program(path, recorder, told)
    return _Recorded(recorder, capturing, told)


def _record_again(done: _Recorded, order: _Order) -> "Variation":
    """Run the program once more, and say in its cassette what varied; the second one is let go."""
    import tempfile
    from dataclasses import replace

    from mockserver.cassettes.files import read_cassette, write_cassette
    from mockserver.cassettes.replay import Variation, compare_recordings
    from mockserver.model import Match

    if not done.recorder.recorded:
        return Variation(otherwise="nothing was recorded, so there is nothing to compare")
    with tempfile.TemporaryDirectory(prefix="understudy-twice-") as folder:
        path = Path(folder) / CASSETTE
        again = _record_once(path, order, apart=True)
        other = read_cassette(path).interactions if again.recorder.recorded else ()
    first = read_cassette(done.recorder.path)
    if again.told.exit_code != done.told.exit_code:
        codes = f"{done.told.exit_code} the first time and with {again.told.exit_code} the second"
        return Variation(otherwise=f"it ended with {codes}")
    found = compare_recordings(first.interactions, other)
    if found.varies:
        info = replace(first.info, match=replace(first.info.match or Match(), varies=found.varies))
        write_cassette(replace(first, info=info), done.recorder.path)
    return found


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


def _report(done: _Recorded, variation: "Variation | None", *, as_json: bool) -> None:
    from mockserver.capture.recorder_queue import summary_lines
    from mockserver.cli.capture_output import show_questions

    recorder, queue = done.recorder, done.capturing.queue
    if as_json:
        print_json({
            "cassette": str(recorder.path) if recorder.recorded else None,
            "exit_code": done.told.exit_code,
            "recorded": recorder.recorded,
            "questioned": recorder.questioned,
            "unrecorded": [each._asdict() for each in queue.unrecorded],
            "telemetry": dict(sorted(queue.telemetry.items())),
            "defective": [each._asdict() for each in queue.defective],
            **({} if variation is None else {"twice": variation._asdict()}),
        })  # fmt: skip
        return
    sys.stdout.flush()
    typer.echo(f"understudy: the program ended with {done.told.exit_code}", err=True)
    for line in (*summary_lines(recorder, queue), *variation_lines(variation)):
        typer.echo(f"understudy: {line}", err=True)
    if recorder.questioned:
        show_questions(recorder.path, recorder.questioned, recorder.questions)


def variation_lines(variation: "Variation | None") -> Iterator[str]:
    """What two recordings of a program tell, for people; nothing where there was one.

    Yields:
        Lines.
    """
    if variation is None:
        return
    if variation.otherwise:
        yield f"the program did something else the second time: {variation.otherwise}"
        yield "the cassette is that of the first time; nothing was learned of what varies"
        return
    told = ", ".join(variation.varies) or "nothing that a replay would not find by itself"
    yield f"varies between two runs: {told}"
    for each in variation.unlearned:
        yield f"not learned, so a replay may miss it: {each}"


def _ignore_line(line: str) -> None:
    """The summary tells all that matters."""
