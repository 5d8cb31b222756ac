"""`mockserver snapshot from-cassette` and `minimise`: snapshots made of what was captured."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mockserver.capture.snapshots import Made


def from_cassette(
    cassette: Annotated[Path, typer.Argument(help="A cassette, ours or vcrpy's.")],
    *,
    suite: Annotated[Path, typer.Option(help="The folder of the suite; its base/ is written.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace base files that are there.")
    ] = False,
) -> None:
    """Make the base snapshot of a suite of a cassette of Google APIs.

    Example: mockserver snapshot from-cassette sre.yaml --suite captured/sre
    """
    for line in written(cassette, suite, replace=replace):
        typer.echo(line)


def written(cassette: Path, suite: Path, *, replace: bool) -> Iterator[str]:
    """Write the base snapshot that a cassette comes to.

    Yields:
        Lines about it.

    Raises:
        MockServerError: The cassette cannot be read, holds nothing that a snapshot could, or the
            files are there.
    """
    from mockserver.apis import APIS
    from mockserver.capture.google import google_catalog
    from mockserver.capture.snapshots import SnapshotMaker, write_base
    from mockserver.cassettes.files import read_cassette
    from mockserver.errors import MockServerError

    made = SnapshotMaker(APIS, google_catalog()).make(read_cassette(cassette))
    if not made.used:
        raise MockServerError(
            f"{cassette} holds no answer that a snapshot could be made of",
            hint="see `mockserver cassette show`",
        )
    files = write_base(suite, made.raw, replace=replace)
    yield f"{suite}: {len(files)} base files of {made.used} answers"
    yield from _left_out(made)


def _left_out(made: "Made") -> Iterator[str]:
    for name, status in made.failed:
        yield f"left out: {name} was answered with {status}"
    for name, count in sorted(made.unused.items()):
        yield f"left out: no collection for {name} ({count})"


def minimise(
    captured: Annotated[Path, typer.Argument(help="A suite that was captured.")],
    *,
    base: Annotated[Path, typer.Option(help="The suite whose base the case is put over.")],
    case: Annotated[str, typer.Option(help="The case; its override folder is written.")],
    only: Annotated[
        list[str] | None, typer.Option(help="A collection that counts; all when not given.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace an override that is there.")
    ] = False,
) -> None:
    """Write what a captured snapshot has otherwise than a suite's base, as a case's override.

    Collections that the capture does not hold stay as the base has them.

    Example: mockserver snapshot minimise captured --base fixtures/chrome-enterprise --case EC-051
    --only policies
    """
    from mockserver.capture.snapshots import write_override

    for line in write_override(captured, base, case, tuple(only or ()), replace=replace):
        typer.echo(line)
