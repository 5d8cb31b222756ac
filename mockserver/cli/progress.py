"""Progress of long work on a terminal; silence elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.capture.google import PlanStep

Started = Callable[["PlanStep", int, int], None]


@contextmanager
def calls_shown(total: int, shown: Callable[[str], str]) -> Iterator[Started]:
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

        def started(step: "PlanStep", number: int, several: int) -> None:
            seen.add(step.call.id)
            of = f" {number + 1}/{several} {shown(step.about)}" if several > 1 else ""
            progress.update(task, description=f"{step.call.id}{of}"[:60], completed=len(seen) - 1)

        yield started
