"""`mockserver cassette redact | import | export`: recordings from and to other tools, redacted."""

from pathlib import Path
from typing import Annotated

import typer

from mockserver.cli.questions import show_questions
from mockserver.cli.sealing import Seal, sealed_away

Rules = Annotated[
    Path | None,
    typer.Option("--redaction", help="Rules of your own; redaction.yaml when not given."),
]


def redact(
    file: Annotated[Path, typer.Argument(help="A recording of any format that is imported.")],
    to: Annotated[Path, typer.Argument(help="The cassette to write, .yaml or .json.")],
    *,
    redaction: Rules = None,
    seal: Seal = None,
) -> None:
    """Replace what is secret or personal in a recording; nothing is written where a secret is left.

    Example: mockserver cassette redact recorded-by-vcrpy.yaml safe.yaml
    """
    _take_over(file, to, redaction, seal=seal)


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="HAR (of a browser, of Playwright with its ZIP archive, of polly.js), a cassette"
            " of vcrpy, betamax or Ruby's VCR, WireMock mappings (a file or the root folder), a"
            " simulation of Hoverfly, fixtures of nock, or a Postman collection with responses."
        ),
    ],
    *,
    to: Annotated[Path, typer.Option(help="The cassette to write, .yaml or .json.")],
    upstream: Annotated[
        str, typer.Option(help="https://HOST, for a format that names only paths.")
    ] = "",
    redaction: Rules = None,
    seal: Seal = None,
) -> None:
    """Make a cassette of another tool's recording, recognised by its content, and redact it.

    Example: mockserver cassette import session.har --to session.yaml
    """
    _take_over(file, to, redaction, upstream=upstream, seal=seal)


def _take_over(
    file: Path, to: Path, rules: Path | None, *, upstream: str = "", seal: Path | None
) -> None:
    from mockserver.capture.recordings import write_redacted
    from mockserver.capture.setup import capture_redactor, check_seal
    from mockserver.cassettes.foreign import read_foreign

    check_seal(seal)
    cassette, imported = read_foreign(file, upstream=upstream)
    for note in imported.notes:
        typer.echo(f"mockserver: {file}: {note}", err=True)
    redactor = capture_redactor(rules)
    made = write_redacted(cassette, to, redactor)
    for line in made.dropped:
        typer.echo(f"mockserver: left out: {line}", err=True)
    held = len(cassette.interactions) - made.questioned - len(made.dropped)
    typer.echo(f"{to}: {held} interactions from {imported.format}, {made.replaced} values replaced")
    sealed_away(seal, redactor)
    if made.questioned:
        show_questions(to, made.questioned, made.asked)
        raise typer.Exit(1)


def export(
    file: Annotated[Path, typer.Argument(help="A cassette.")],
    *,
    to: Annotated[Path, typer.Option(help="The file to write: .har, .json or .yaml.")],
) -> None:
    """Write a cassette as HAR for browsers and other tools, or in the other of its own formats.

    Example: mockserver cassette export orgunits.yaml --to orgunits.har
    """
    from mockserver.cassettes.files import read_cassette, write_cassette
    from mockserver.cassettes.files.body_files import brought_along
    from mockserver.cassettes.files.writing import write_whole
    from mockserver.cassettes.foreign import har_of
    from mockserver.errors import MockServerError

    cassette = read_cassette(file)
    if to.suffix.lower() == ".har":
        write_whole(to, [har_of(brought_along(cassette, to))])
    elif to.suffix.lower() in {".json", ".yaml", ".yml"}:
        write_cassette(cassette, to)
    else:
        raise MockServerError(f"{to}: no format of that name", hint="use .har, .json or .yaml")
    typer.echo(f"{to}: {len(cassette.interactions)} interactions")
