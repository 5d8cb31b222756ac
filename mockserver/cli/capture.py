"""`understudy capture`: record live traffic, redacted, into a cassette."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.capture_google import google
from mockserver.cli.capture_mcp import mcp
from mockserver.cli.capture_output import (
    LogFormatOption,
    SealOption,
    line_writer,
    show_questions,
    write_sealed_map,
)
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.capture.recorder import Recorder
    from mockserver.capture.server import CaptureProxy

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Record live traffic into a redacted cassette.",
)
app.command()(google)
app.command()(mcp)

_PORT = 8766

Redaction = Annotated[
    Path | None,
    typer.Option(help="Your own redaction rules; ./redaction.yaml by default."),
]


@app.command()
def proxy(  # noqa: PLR0913  (one parameter an option)
    *,
    cassette: Annotated[Path, typer.Option(help="The cassette to write: a .yaml or .json file.")],
    upstream: Annotated[
        str | None,
        typer.Option(help="Act as a reverse proxy of this API, such as https://api.example.com."),
    ] = None,
    forward: Annotated[
        bool,
        typer.Option(
            "--forward", help="Act as a forward proxy for any API, and decrypt its TLS connections."
        ),
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")
    ] = _PORT,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    mode: Annotated[
        str,
        typer.Option(help="What to record: none, once, new_episodes, all or refresh."),
    ] = "once",
    redaction: Redaction = None,
    seal: SealOption = None,
    idle_timeout: Annotated[
        float,
        typer.Option(min=0.1, help="Give up on a response after this many seconds without data."),
    ] = 60.0,
    upstream_ca: Annotated[
        Path | None,
        typer.Option(help="A PEM file of certificates to trust in addition to the public ones."),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(
            help="A folder to keep the certificate authority of --forward in, and to share it "
            "with other servers; without it, and without $MOCKSERVER_CA, the proxy has "
            "its own while it runs. Both sign for any host.",
        ),
    ] = None,
    largest_body: Annotated[
        int,
        typer.Option(
            min=1, help="The largest body to record, in MiB; larger ones are forwarded only."
        ),
    ] = 1024,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print a redacted line for each request.")
    ] = False,
    log_format: LogFormatOption = None,
) -> None:
    """Record the traffic between a client and a live API; stop with Ctrl-C.

    Everything is redacted before it is written to the cassette or the console. Until the capture
    ends, the cassette is called NAME.recording.yaml. It holds every interaction that a client has
    received in full, even if this process is killed.

    Example: understudy capture proxy --upstream https://api.example.com --cassette orgs.yaml
    """
    from mockserver.capture.setup import capture_proxy, check_seal, open_recorder, upstream_options
    from mockserver.capture.upstream import parse_upstream
    from mockserver.errors import MockServerError, require_extra

    if forward == (upstream is not None):
        raise MockServerError("choose one: --upstream URL, or --forward")
    if ca is not None and upstream is not None:
        raise MockServerError("--ca is for --forward: a reverse proxy ends no TLS")
    place = "" if upstream is None else parse_upstream(upstream)
    check_seal(seal)
    require_extra("capture", "captures need", {"brotli": "brotli", "zstandard": "zstandard"})
    options = upstream_options(idle_timeout, upstream_ca, largest_body)
    recorder = open_recorder(cassette, mode, redaction, upstream=place)
    shown = line_writer(log_format, wanted=verbose or sys.stderr.isatty())
    capturing = capture_proxy(recorder, shown, options)
    try:
        _run_proxy(capturing, host, port, upstream=place, ca=ca)
    finally:
        capturing.queue.close()
        _finish_capture(recorder, capturing, seal)


def _run_proxy(
    capturing: "CaptureProxy", host: str, port: int, *, upstream: str, ca: Path | None
) -> None:
    from mockserver.capture.setup import forward_listener, reverse_listener

    if upstream:
        announce = _announcement(f"before {upstream}")
        capturing.run(*reverse_listener(host, port, upstream, announce=announce))
        return
    from mockserver.cli.blocks import Format, format_block

    announce = _announcement("as a forward proxy")
    route, listener, block = forward_listener(host, port, capturing, announce=announce, ca=ca)
    typer.echo(format_block(block, Format.SH))
    capturing.run(route, listener)


def _announcement(text: str) -> "Callable[[str], None]":
    def announce(url: str) -> None:
        typer.echo(f"understudy capture ready at {url}, {text}")

    return announce


def _finish_capture(recorder: "Recorder", capturing: "CaptureProxy", seal: Path | None) -> None:
    from mockserver.capture.recorder_queue import summary_lines

    if capturing.queue.failed is not None:
        recorder.abandon()
        raise capturing.queue.failed
    recorder.finish()
    write_sealed_map(seal, recorder.redactor)
    for line in summary_lines(recorder, capturing.queue):
        typer.echo(f"understudy: {line}", err=True)
    if recorder.questioned:
        show_questions(recorder.path, recorder.questioned, recorder.questions)
        raise typer.Exit(1)


@app.command()
def finish(
    recording: Annotated[
        Path, typer.Argument(help="NAME.recording.yaml, or the name of its cassette.")
    ],
    *,
    mode: Annotated[
        str,
        typer.Option(help="What to do with an existing cassette: new_episodes, all or refresh."),
    ] = "once",
    redaction: Redaction = None,
) -> None:
    """Create a cassette from the recording of a capture that was killed.

    Example: understudy capture finish orgs.recording.yaml
    """
    from mockserver.capture.review import open_questions
    from mockserver.capture.setup import finish_killed_capture

    cassette, count, asked, dropped = finish_killed_capture(recording, mode, redaction)
    typer.echo(f"{cassette}: {count - asked} interactions")
    for line in dropped:
        typer.echo(f"understudy: left out: {line}", err=True)
    if asked:
        show_questions(cassette, asked, open_questions(cassette))
        raise typer.Exit(1)


@app.command()
def review(
    cassette: Annotated[Path, typer.Argument(help="The cassette whose questions to review.")],
    *,
    accept: Annotated[
        int | None,
        typer.Option(
            min=1, help="Question NUMBER is not about a secret; do not ask about such values again."
        ),
    ] = None,
    secret: Annotated[
        int | None,
        typer.Option(min=1, help="Question NUMBER is about a secret; keep its pseudonym."),
    ] = None,
    redaction: Redaction = None,
    as_json: AsJson = False,
) -> None:
    """List the open questions of a capture, or answer one.

    Interactions with open questions are kept, redacted, in NAME.review.yaml. Once all questions
    about an interaction are answered, it is added to the cassette in the order of recording. The
    answer is added to redaction.yaml, by kind, field and shape.

    Example: understudy capture review orgs.yaml --accept 1
    """
    from mockserver.capture.review import (
        answer_question,
        group_questions,
        open_questions,
        question_lines,
    )
    from mockserver.capture.setup import capture_redactor
    from mockserver.errors import MockServerError
    from mockserver.storage.redaction_settings import FILE_NAME

    if accept is not None and secret is not None:
        raise MockServerError("choose one: --accept NUMBER, or --secret NUMBER")
    number = accept if accept is not None else secret
    if number is not None:
        rules = redaction or Path(FILE_NAME)
        redactor = capture_redactor(redaction)
        done = answer_question(cassette, number, redactor, rules, secret=secret is not None)
        if as_json:
            print_json(done)
            return
        typer.echo(f"{cassette}: {done.moved} interactions added, {done.left} still in question")
        if done.rule:
            typer.echo(f"{rules}: {done.rule}")
        return
    asked = open_questions(cassette)
    if as_json:
        groups = enumerate(group_questions(asked), 1)
        print_json([{"number": number, **each._asdict()} for number, each in groups])
        return
    if not asked:
        typer.echo(f"nothing is in question about {cassette}")
    for line in question_lines(cassette, asked):
        typer.echo(line)
