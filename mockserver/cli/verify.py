"""`understudy verify`: how far the mock agrees with recordings of the live service."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from mockserver.commands import AsJson, print_json
from mockserver.errors import MockServerError

_GATE_FAILED = 1


def verify(  # noqa: PLR0913  (one parameter an option)
    recordings: Annotated[
        list[Path], typer.Argument(help="Recordings, or folders of them, in any known format.")
    ],
    *,
    fixtures: Annotated[
        Path | None,
        typer.Option(help="The suite whose declared APIs and data answer. (default: none)"),
    ] = None,
    method: Annotated[str, typer.Option(help="Count only methods that match this glob.")] = "*",
    host: Annotated[str, typer.Option(help="Count only hosts that match this glob.")] = "*",
    worst: Annotated[
        int, typer.Option(min=0, help="Show this many kinds of differences, the most frequent.")
    ] = 10,
    min_agreement: Annotated[
        float | None,
        typer.Option(
            "--min-agreement",
            min=0,
            max=1,
            help="Fail if fewer exchanges agree, for example 0.95.",
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option("--runs", help="A run folder: name the cases that rest on what differs."),
    ] = None,
    upstream: Annotated[
        str, typer.Option(help="The base URL, for recordings that hold only paths.")
    ] = "",
    html: Annotated[Path | None, typer.Option(help="Also write an HTML page to this file.")] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Also write JUnit XML to this file, a test for each method.")
    ] = None,
    trust_suite: Annotated[
        bool,
        typer.Option(
            "--trust-suite",
            help="Run the Python functions that the suite's declared APIs name.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show how far the mock agrees with recordings of the live service.

    Each recording gets a world of its own, which holds what the recording shows was there before:
    what it reads and did not create. Its requests are sent in order, in this process; the network
    is never asked. Ids, times, etags and page tokens of the live service stand for the mock's own.
    An exchange agrees if the status is the recorded one, and the answer has every field that the
    live service sent, with an equal value.

    With --runs, each difference names the cases whose trials called the method, or read the value.

    Exit codes: 0, or 1 if fewer exchanges agree than --min-agreement, 2 if nothing was compared.

    Example: understudy verify cassettes/ --fixtures fixtures/shop

    Example: understudy verify golden/ --method 'cloudkms.*' --worst 30 --html agreement.html

    Example: understudy verify cassettes/ --min-agreement 0.95 --junit verify.xml
    """
    from mockserver.drift import find_case_reads
    from mockserver.verify import Verifier, as_html, as_junit, as_text, find_recordings
    from mockserver.verify import as_json as json_of

    verifier = Verifier(fixtures, methods=method, hosts=host, trusted=trust_suite)
    with _progress() as before:
        agreement = verifier.verify(find_recordings(recordings, upstream=upstream), before=before)
    if runs is not None:
        agreement.name_cases(find_case_reads(runs))
    least = 1.0 if min_agreement is None else min_agreement
    if html is not None:
        _write(html, as_html(agreement, worst))
    if junit is not None:
        _write(junit, as_junit(agreement, least))
    if as_json:
        print_json(json_of(agreement, worst))
    else:
        typer.echo(as_text(agreement, worst), nl=False)
    total = agreement.total
    if not total.exchanges:
        raise MockServerError(
            "no exchange was compared",
            hint="see above what was not read, is of a host that is not served, or left out",
        )
    if min_agreement is not None and total.agreement < min_agreement:
        typer.echo(
            f"understudy: {total.agreement:.1%} of {total.exchanges} exchanges agree,"
            f" fewer than {min_agreement:.1%}",
            err=True,
        )
        raise typer.Exit(_GATE_FAILED)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Shows on a terminal which recording is sent.

    Yields:
        What is called with the name of each.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda name: status.update(name)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise MockServerError(f"{path} cannot be written: {error.strerror or error}") from error
