"""`mockserver capture`: record live traffic, redacted, into a cassette."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.capture_google import google
from mockserver.cli.questions import show_questions
from mockserver.cli.sealing import Seal, sealed_away

if TYPE_CHECKING:
    from mockserver.capture.recorder import Recorder
    from mockserver.capture.server import CaptureProxy

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Record live traffic, redacted, into a cassette.",
)
app.command()(google)

_PORT = 8766

Redaction = Annotated[
    Path | None,
    typer.Option(help="Rules of your own; redaction.yaml of this folder when not given."),
]


@app.command()
def proxy(  # noqa: PLR0913  (one parameter an option)
    *,
    cassette: Annotated[Path, typer.Option(help="The cassette, a .yaml or .json file.")],
    upstream: Annotated[
        str | None, typer.Option(help="Stand before this API, such as https://api.example.com.")
    ] = None,
    forward: Annotated[
        bool,
        typer.Option(
            "--forward", help="Be the proxy of clients that ask any API; TLS is ended here."
        ),
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")
    ] = _PORT,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    mode: Annotated[
        str,
        typer.Option(help="What is recorded: none, once, new_episodes, all or refresh."),
    ] = "once",
    redaction: Redaction = None,
    seal: Seal = None,
    idle_timeout: Annotated[
        float,
        typer.Option(min=0.1, help="Give an answer up when nothing of it came for so many s."),
    ] = 60.0,
    upstream_ca: Annotated[
        Path | None, typer.Option(help="Certificates to trust beside the public ones, PEM.")
    ] = None,
    largest_body: Annotated[
        int,
        typer.Option(min=1, help="MiB of a body; a larger one is passed on, not recorded."),
    ] = 1024,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="A line for each request, redacted.")
    ] = False,
) -> None:
    """Record what a client and a live API say to each other; stop with Ctrl-C.

    Whatever is written, to the cassette or to the console, is redacted first. The cassette gets its
    name at the end; until then it is NAME.recording.yaml, and holds every interaction whose end a
    client has seen, even when this process is killed.

    Example: mockserver capture proxy --upstream https://api.example.com --cassette orgs.yaml
    """
    from mockserver.capture.setup import capture_proxy, check_seal, open_recorder, upstream_options
    from mockserver.capture.upstream import upstream_of
    from mockserver.errors import MockServerError

    if forward == (upstream is not None):
        raise MockServerError("choose one: --upstream URL, or --forward")
    place = "" if upstream is None else upstream_of(upstream)
    check_seal(seal)
    treated = upstream_options(idle_timeout, upstream_ca, largest_body)
    recorder = open_recorder(cassette, mode, redaction, upstream=place)
    shown = _shown if verbose or sys.stderr.isatty() else _unshown
    proxying = capture_proxy(recorder, shown, treated)
    try:
        _served(proxying, (host, port), place)
    finally:
        proxying.queue.close()
        _conclude(recorder, proxying, seal)


def _served(proxying: "CaptureProxy", where: tuple[str, int], upstream: str) -> None:
    from mockserver.capture.setup import forward_listener, reverse_listener

    if upstream:
        proxying.run(*reverse_listener(where, upstream, _announced(f"before {upstream}")))
        return
    from mockserver.cli.blocks import Format, written

    way, entrance, block = forward_listener(where, proxying, _announced("as a forward proxy"))
    typer.echo(written(block, Format.SH))
    proxying.run(way, entrance)


def _announced(how: str) -> "Callable[[str], None]":
    def announce(url: str) -> None:
        typer.echo(f"mockserver capture ready at {url}, {how}")

    return announce


def _conclude(recorder: "Recorder", proxying: "CaptureProxy", seal: Path | None) -> None:
    from mockserver.capture.recorder_queue import summary_lines

    if proxying.queue.failed is not None:
        recorder.abandon()
        raise proxying.queue.failed
    recorder.finish()
    sealed_away(seal, recorder.redactor)
    for line in summary_lines(recorder, proxying.queue):
        typer.echo(f"mockserver: {line}", err=True)
    if recorder.questioned:
        show_questions(recorder.path, recorder.questioned, recorder.asked)
        raise typer.Exit(1)


def _shown(line: str) -> None:
    typer.echo(f"mockserver: {line}", err=True)


def _unshown(line: str) -> None:
    """Nobody looks on."""


@app.command()
def finish(
    recording: Annotated[
        Path, typer.Argument(help="NAME.recording.yaml, or the cassette it was to become.")
    ],
    *,
    mode: Annotated[
        str,
        typer.Option(help="Where the cassette is there already: new_episodes, all or refresh."),
    ] = "once",
    redaction: Redaction = None,
) -> None:
    """Make a cassette of what a killed capture left behind.

    Example: mockserver capture finish orgs.recording.yaml
    """
    from mockserver.capture.review import open_questions
    from mockserver.capture.setup import finish_killed_capture

    cassette, count, asked, dropped = finish_killed_capture(recording, mode, redaction)
    typer.echo(f"{cassette}: {count - asked} interactions")
    for line in dropped:
        typer.echo(f"mockserver: left out: {line}", err=True)
    if asked:
        show_questions(cassette, asked, open_questions(cassette))
        raise typer.Exit(1)


@app.command()
def review(
    cassette: Annotated[Path, typer.Argument(help="The cassette that questions are about.")],
    *,
    accept: Annotated[
        int | None,
        typer.Option(min=1, help="This one is no secret: ids of its kind are not asked again."),
    ] = None,
    secret: Annotated[
        int | None, typer.Option(min=1, help="This one is a secret: its pseudonym stays.")
    ] = None,
    redaction: Redaction = None,
) -> None:
    """List what a capture left in question, or answer one question.

    Interactions in question are kept, redacted, in NAME.review.yaml. Those of which nothing else is
    in question go into the cassette, in the order they were recorded. The answer is added to
    redaction.yaml, by kind, field and shape.

    Example: mockserver capture review orgs.yaml --accept 1
    """
    from mockserver.capture.review import answer, open_questions, question_lines
    from mockserver.capture.setup import capture_redactor
    from mockserver.errors import MockServerError
    from mockserver.storage.redaction_settings import FILE_NAME

    if accept is not None and secret is not None:
        raise MockServerError("choose one: --accept NUMBER, or --secret NUMBER")
    number = accept if accept is not None else secret
    if number is not None:
        rules = redaction or Path(FILE_NAME)
        redactor = capture_redactor(redaction)
        done = answer(cassette, number, redactor, rules, secret=secret is not None)
        typer.echo(f"{cassette}: {done.moved} interactions added, {done.left} still in question")
        if done.rule:
            typer.echo(f"{rules}: {done.rule}")
        return
    asked = open_questions(cassette)
    if not asked:
        typer.echo(f"nothing is in question about {cassette}")
    for line in question_lines(cassette, asked):
        typer.echo(line)
