"""`understudy verify`: how far the mock agrees with recordings of the live service."""

from pathlib import Path
from typing import Annotated

import typer

from mockserver.commands import AsJson, print_json


def verify(
    recordings: Annotated[
        list[Path], typer.Argument(help="Recordings, or folders of them, in any known format.")
    ],
    *,
    fixtures: Annotated[
        Path | None,
        typer.Option(help="The suite that answers. (default: an empty world)"),
    ] = None,
    method: Annotated[str, typer.Option(help="Count only methods that match this glob.")] = "*",
    host: Annotated[str, typer.Option(help="Count only hosts that match this glob.")] = "*",
    worst: Annotated[int, typer.Option(min=0, help="Show this many groups of differences.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show how far the mock agrees with recordings of the live service."""
    from mockserver.verify import Verifier, as_text, find_recordings
    from mockserver.verify import as_json as json_of

    verifier = Verifier(fixtures, methods=method, hosts=host)
    agreement = verifier.verify(find_recordings(recordings))
    if as_json:
        print_json(json_of(agreement, worst))
    else:
        typer.echo(as_text(agreement, worst), nl=False)
