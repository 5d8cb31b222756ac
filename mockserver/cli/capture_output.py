"""What capturing commands write beside a cassette: progress, open questions, the sealed map."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from mockserver.capture.google import PlanStep
    from mockserver.redaction import Question, Redactor

SealOption = Annotated[
    Path | None,
    typer.Option(
        help="Also write the original values of the pseudonyms into this file, encrypted with "
        "the redaction key; `understudy redaction unseal` reads it."
    ),
]
LogFormat = Literal["text", "json"]
LogFormatOption = Annotated[
    LogFormat | None,
    typer.Option(
        help="How each request is written to stderr, redacted: text (the default where stderr is a"
        " terminal) or json, one object a line."
    ),
]
StepListener = Callable[["PlanStep", int, int], None]


def line_writer(log_format: LogFormat | None, *, wanted: bool) -> Callable[[str], None]:
    """What writes a redacted line about a request to standard error.

    Args:
        log_format: What was asked for.
        wanted: Whether lines are written without being asked for.
    """
    if log_format == "json":
        return _write_object
    return _write_line if wanted or log_format == "text" else _write_nothing


def _write_line(line: str) -> None:
    typer.echo(f"understudy: {line}", err=True)


def _write_object(line: str) -> None:
    import orjson

    from mockserver.http.server import real_time

    facts = getattr(line, "facts", None) or {"message": str(line)}
    time = real_time().isoformat(timespec="milliseconds")
    typer.echo(orjson.dumps({"time": time, **facts}).decode(), err=True)


def _write_nothing(line: str) -> None:
    """Nobody looks on."""


def write_sealed_map(path: Path | None, redactor: "Redactor") -> None:
    """Write the sealed map where one was asked for, and say so."""
    if path is None:
        return
    from mockserver.capture.setup import seal

    typer.echo(f"understudy: {path} knows {seal(path, redactor)} pseudonyms, sealed", err=True)


def show_questions(
    cassette: Path, questioned: int, questions: "Iterable[tuple[str, Question]]"
) -> None:
    """Print questions to standard error.

    Args:
        cassette: The cassette that they are about.
        questioned: How many interactions are in question.
        questions: Method and URL of each request, redacted, and the question.
    """
    from mockserver.capture.recordings import review_path
    from mockserver.capture.review import question_lines

    many = "interaction" if questioned == 1 else "interactions"
    typer.echo(
        f"understudy: {questioned} {many} in question, kept redacted in {review_path(cassette)}:",
        err=True,
    )
    for line in question_lines(cassette, questions):
        typer.echo(f"understudy: {line}", err=True)


@contextmanager
def show_calls(total: int, shown: Callable[[str], str]) -> Iterator[StepListener]:
    """Show the calls of a plan while they are made.

    Args:
        total: How many calls the plan has.
        shown: What makes a text fit to be seen.

    Yields:
        What is told of each call before it is made: the step, its number, and how many there are.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task("", total=total)
        seen: set[str] = set()

        def show_step(step: "PlanStep", number: int, several: int) -> None:
            seen.add(step.call.id)
            of = f" {number + 1}/{several} {shown(step.about)}" if several > 1 else ""
            progress.update(task, description=f"{step.call.id}{of}"[:60], completed=len(seen) - 1)

        yield show_step
