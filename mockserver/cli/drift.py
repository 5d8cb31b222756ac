"""`mockserver drift`: what has changed since a recording was made; also against the live API."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.drift import Finding, Source, Survey, Tier


@dataclass(frozen=True)
class LivePlan:
    """What is asked live.

    Attributes:
        plan: The plan's file.
        variables: Its variables, `name=value`.
        credentials: A file of credentials; None for the application default ones.
        subject: Whom a service account acts for; empty for itself.
    """

    plan: Path
    variables: tuple[str, ...] = ()
    credentials: Path | None = None
    subject: str = ""


def ask_live(shadow: LivePlan, *, as_snapshot: bool) -> "Source":
    """What the live API answers now, redacted; nothing of it is kept.

    Calls that fail are told on stderr; in the comparison their methods fail or are not there.

    Args:
        shadow: What is asked.
        as_snapshot: Make a snapshot of the answers, to be compared with one.

    Raises:
        MockServerError: The plan is wrong, or there are no credentials.
    """
    from tempfile import TemporaryDirectory

    from mockserver.cassettes.files import read_cassette
    from mockserver.drift import Source

    name = f"live ({shadow.plan})"
    with TemporaryDirectory() as folder:
        path = Path(folder, "live.yaml")
        _capture(shadow, path)
        cassette = read_cassette(path)
    if not as_snapshot:
        return Source(name, cassette=cassette)
    from mockserver.apis import APIS
    from mockserver.capture.google import google_catalog
    from mockserver.capture.snapshots import SnapshotMaker

    return Source(name, snapshot=SnapshotMaker(APIS, google_catalog()).make(cassette).raw)


def _capture(shadow: LivePlan, path: Path) -> None:
    from mockserver.capture.google import Credentials, call_failures, prepare_capture, run_capture
    from mockserver.capture.setup import open_recorder
    from mockserver.cli.capture_output import show_calls
    from mockserver.http.server import real_time

    prepared = prepare_capture(shadow.plan, shadow.variables, {}, real_time)
    recorder = open_recorder(path, "once", None, info=prepared.info)
    credentials = Credentials(shadow.credentials, shadow.subject)
    try:
        with show_calls(len(prepared.plan.calls), recorder.redactor.redact_text) as started:
            done = list(
                run_capture(prepared, credentials, recorder, clock=real_time, started=started)
            )
    except BaseException:
        recorder.abandon()
        raise
    recorder.finish()
    for line in call_failures(done).lines:
        typer.echo(f"mockserver: {recorder.redactor.redact_text(line)}", file=sys.stderr)


_DOCUMENTS = "the installed Discovery documents"


def drift(  # noqa: PLR0913  (one parameter an option)
    old: Annotated[
        Path, typer.Argument(help="A cassette, a suite, or a snapshot's folder or file.")
    ],
    new: Annotated[
        Path | None, typer.Argument(help="A newer one of the same kind to compare it with.")
    ] = None,
    *,
    discovery: Annotated[
        bool,
        typer.Option("--discovery", help=f"Compare with {_DOCUMENTS}; needs no credentials."),
    ] = False,
    max_age: Annotated[
        str, typer.Option("--max-age", help="Fail if it is older than this: 36h, 90d, 12w.")
    ] = "",
    runs: Annotated[
        Path | None,
        typer.Option("--runs", help="A run folder: list the cases that read what changed."),
    ] = None,
    live: Annotated[
        Path | None,
        typer.Option("--live", help="Compare with the live API's current answers to this plan."),
    ] = None,
    variables: Annotated[
        list[str] | None,
        typer.Option("--set", help="A variable of the plan: name=value, or name=[JSON list]."),
    ] = None,
    credentials: Annotated[
        Path | None,
        typer.Option(
            help="A credentials file for --live; the application default credentials by default."
        ),
    ] = None,
    subject: Annotated[
        str,
        typer.Option(help="The user that a service account with domain-wide delegation acts for."),
    ] = "",
    format: Annotated[
        str, typer.Option("--format", help="The output format: text, markdown or json.")
    ] = "text",
    fail_on: Annotated[
        str,
        typer.Option("--fail-on", help="Fail from this tier on: added, values, type or removed."),
    ] = "added",
) -> None:
    """Show how a recording or snapshot differs from another one, or from the API.

    For each method or collection, this compares fields, types, enum values, statuses, counts and
    pages. Exit codes: 0 nothing but counts changed, 10 something was added, 11 a set of values
    changed, 12 a type changed, 13 something was removed, 14 a recording is too old, 2 usage error.

    Example: mockserver drift old.yaml new.yaml --runs runs/20261120-101500-ab12cd

    Example: mockserver drift fixtures/chrome-enterprise --discovery --max-age 90d

    Example: mockserver drift sre.yaml --live cassettes/plans/sre.yaml --set project=my-project
    """
    from mockserver.drift import FORMATS, exit_code

    tier = _tier(fail_on)
    if format not in FORMATS:
        raise MockServerError(f"no format {format!r}", hint=f"known: {', '.join(FORMATS)}")
    shadow = LivePlan(live, tuple(variables or ()), credentials, subject) if live else None
    order = _DriftOptions(old, new, shadow, discovery=discovery, max_age=max_age, runs=runs)
    finding = _compare(order)
    typer.echo(FORMATS[format](finding), nl=False)
    raise typer.Exit(exit_code(finding, tier))


@dataclass(frozen=True)
class _DriftOptions:
    """What is asked for."""

    old: Path
    new: Path | None
    shadow: LivePlan | None
    discovery: bool
    max_age: str
    runs: Path | None

    def __post_init__(self) -> None:
        if self.new is not None and self.shadow is not None:
            raise MockServerError("a second recording and --live are both given", hint="leave one")
        if not (self.new or self.shadow or self.discovery or self.max_age):
            raise MockServerError(
                "nothing to compare with",
                hint="name a second recording, --live, --discovery or --max-age",
            )


def _tier(name: str) -> "Tier":
    from mockserver.drift import find_tier

    tier = find_tier(name)
    if tier is None:
        raise MockServerError(f"no tier {name!r}", hint="known: added, values, type, removed")
    return tier


def _compare(order: _DriftOptions) -> "Finding":
    from mockserver.apis import APIS
    from mockserver.drift import (
        Documents,
        Finding,
        compare,
        compare_with_documents,
        find_case_reads,
        find_cases,
        read_source,
        sort_changes,
        survey,
    )

    documents = Documents(APIS)
    sources = [read_source(path) for path in (order.old, order.new) if path is not None]
    if order.shadow is not None:
        sources.append(ask_live(order.shadow, as_snapshot=sources[0].cassette is None))
    surveys = [survey(source, documents.name) for source in sources]
    changes = compare(*surveys) if len(surveys) == 2 else ()
    if order.discovery:
        changes = sort_changes((*changes, *compare_with_documents(sources[-1], documents)))
    against = [source.name for source in sources[1:]] + [_DOCUMENTS] * order.discovery
    return Finding(
        old=str(order.old),
        new=" and ".join(against),
        changes=changes,
        stale=_find_stale(surveys, order.max_age),
        readers=find_cases(changes, find_case_reads(order.runs), documents) if order.runs else None,
    )


def _find_stale(surveys: "list[Survey]", max_age: str) -> tuple[str, ...]:
    from datetime import UTC, datetime

    from mockserver.drift import read_age, staleness

    if not max_age:
        return ()
    limit = read_age(max_age)
    now = datetime.now(UTC)  # noqa: TID251  (how old a recording is, only the real clock knows)
    return tuple(reason for each in surveys if (reason := staleness(each, limit, now)))
