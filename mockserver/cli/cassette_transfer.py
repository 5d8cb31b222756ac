"""`understudy cassette redact | import | export`: recordings from and to other tools, redacted."""

from pathlib import Path
from typing import Annotated

import typer

from mockserver.cli.capture_output import SealOption, show_questions, write_sealed_map

Rules = Annotated[
    Path | None,
    typer.Option("--redaction", help="Your own redaction rules; ./redaction.yaml by default."),
]


def redact(
    file: Annotated[Path, typer.Argument(help="A recording in any format that can be imported.")],
    to: Annotated[Path, typer.Argument(help="The cassette to write: a .yaml or .json file.")],
    *,
    redaction: Rules = None,
    seal: SealOption = None,
) -> None:
    """Replace secrets and personal data in a recording; refuse to write if a secret is left.

    Example: understudy cassette redact recorded-by-vcrpy.yaml safe.yaml
    """
    _import_recording(file, to, redaction, seal=seal)


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="HAR (of a browser, of Playwright with its ZIP archive, of polly.js), a cassette"
            " of vcrpy, betamax or Ruby's VCR, WireMock mappings (a file or the root folder), a"
            " simulation of Hoverfly, fixtures of nock, an HTTP log, or a Postman collection with"
            " responses."
        ),
    ],
    *,
    to: Annotated[Path, typer.Option(help="The cassette to write: a .yaml or .json file.")],
    upstream: Annotated[
        str, typer.Option(help="https://HOST, for formats that record only paths.")
    ] = "",
    redaction: Rules = None,
    seal: SealOption = None,
) -> None:
    """Convert a recording of another tool into a redacted cassette, whatever its format.

    Example: understudy cassette import session.har --to session.yaml
    """
    if upstream and not upstream.startswith(("http://", "https://")):
        from mockserver.errors import MockServerError

        hint = "such as https://api.example.com"
        raise MockServerError(f"--upstream {upstream!r} is no URL", hint=hint)
    _import_recording(file, to, redaction, upstream=upstream, seal=seal)


def _import_recording(
    file: Path, to: Path, rules: Path | None, *, upstream: str = "", seal: Path | None
) -> None:
    from mockserver.capture.recordings import write_redacted
    from mockserver.capture.setup import capture_redactor, check_seal
    from mockserver.cassettes.foreign import read_foreign

    check_seal(seal)
    cassette, imported = read_foreign(file, upstream=upstream)
    for note in imported.notes:
        typer.echo(f"understudy: {file}: {note}", err=True)
    redactor = capture_redactor(rules)
    made = write_redacted(cassette, to, redactor)
    for line in made.dropped:
        typer.echo(f"understudy: left out: {line}", err=True)
    held = len(cassette.interactions) - made.questioned - len(made.dropped)
    typer.echo(f"{to}: {held} interactions from {imported.format}, {made.replaced} values replaced")
    write_sealed_map(seal, redactor)
    if made.questioned:
        show_questions(to, made.questioned, made.asked)
        raise typer.Exit(1)


def export(
    file: Annotated[Path, typer.Argument(help="A cassette.")],
    *,
    to: Annotated[Path, typer.Option(help="The file to write: .har, .json or .yaml.")],
) -> None:
    """Write a cassette as HAR, YAML or JSON.

    Example: understudy cassette export orgunits.yaml --to orgunits.har
    """
    from mockserver.cassettes.files import read_cassette, write_cassette
    from mockserver.cassettes.files.body_files import copy_bodies_beside
    from mockserver.cassettes.files.writer import write_whole
    from mockserver.cassettes.foreign import har_of
    from mockserver.errors import MockServerError

    cassette = read_cassette(file)
    if to.suffix.lower() == ".har":
        write_whole(to, [har_of(copy_bodies_beside(cassette, to))])
    elif to.suffix.lower() in {".json", ".yaml", ".yml"}:
        write_cassette(cassette, to)
    else:
        raise MockServerError(f"{to}: no format of that name", hint="use .har, .json or .yaml")
    typer.echo(f"{to}: {len(cassette.interactions)} interactions")
