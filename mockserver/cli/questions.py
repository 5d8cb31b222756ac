"""Shows what a capture left in question, with the commands that answer it."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from mockserver.redaction import Question


def show_questions(
    cassette: Path, questioned: int, asked: "Iterable[tuple[str, Question]]"
) -> None:
    """Print questions to standard error.

    Args:
        cassette: The cassette that they are about.
        questioned: How many interactions are in question.
        asked: Method and URL of each request, redacted, and the question.
    """
    from mockserver.capture.recordings import review_of
    from mockserver.capture.review import question_lines

    many = "interaction" if questioned == 1 else "interactions"
    typer.echo(
        f"mockserver: {questioned} {many} in question, kept redacted in {review_of(cassette)}:",
        err=True,
    )
    for line in question_lines(cassette, asked):
        typer.echo(f"mockserver: {line}", err=True)
