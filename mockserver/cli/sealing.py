"""The option `--seal` of the commands that redact."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mockserver.redaction import Redactor

Seal = Annotated[
    Path | None,
    typer.Option(
        help="Also write what the pseudonyms stand for into this file, encrypted with the"
        " redaction key; `mockserver redaction unseal` reads it."
    ),
]


def sealed_away(path: Path | None, redactor: "Redactor") -> None:
    """Write the sealed map where one was asked for, and say so."""
    if path is None:
        return
    from mockserver.capture.setup import seal

    typer.echo(f"mockserver: {path} knows {seal(path, redactor)} pseudonyms, sealed", err=True)
