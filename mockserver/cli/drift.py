"""`understudy drift`: what has changed since a recording was made; also against the live API."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.commands import AsJson
from mockserver.errors import MockServerError
from mockserver.model import did_you_mean

if TYPE_CHECKING:
    from mockserver.capture.mcp import McpTarget
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
    from mockserver.capture.google_catalog import google_catalog
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
        typer.echo(f"understudy: {recorder.redactor.redact_text(line)}", file=sys.stderr)


def ask_live_mcp(
    old: "Source", target: "McpTarget", *, calls_tools: bool
) -> "tuple[Source, Source]":
    """What a cassette has of what a live MCP server was asked again, and what that answers now.

    What was not asked is told on stderr; nothing that was answered is kept.

    Raises:
        MockServerError: There is no cassette, or the server cannot be asked.
    """
    import asyncio
    from dataclasses import replace

    from mockserver.capture.mcp import repeat_recorded
    from mockserver.drift import Source
    from mockserver.messages.mcp_calls import is_mcp
    from mockserver.model import Cassette

    cassette = old.cassette
    if cassette is None or not any(map(is_mcp, cassette.interactions)):
        raise MockServerError(
            f"{old.name} has no recordings of an MCP server",
            hint="record one: understudy capture mcp",
        )
    found = asyncio.run(repeat_recorded(target, cassette.interactions, calls_tools=calls_tools))
    for line in found.skipped:
        typer.echo(f"understudy: {line}", err=True)
    recorded = replace(cassette, interactions=tuple(found.recorded))
    live = Cassette("live", tuple(found.answered))
    name = target.url or " ".join(target.command)
    return Source(old.name, cassette=recorded), Source(f"live ({name})", cassette=live)


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
    mcp_url: Annotated[
        str | None,
        typer.Option(help="Compare with the live MCP server at this endpoint."),
    ] = None,
    mcp_command: Annotated[
        str | None,
        typer.Option(help="Compare with the live MCP server that this command starts."),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(help="A header for --mcp-url: 'Authorization: Bearer ...'."),
    ] = None,
    call_tools: Annotated[
        bool,
        typer.Option(
            "--call-tools",
            help="Also make recorded calls of tools that may change something on the live server.",
        ),
    ] = False,
    format: Annotated[
        str, typer.Option("--format", help="The output format: text, markdown or json.")
    ] = "text",
    fail_on: Annotated[
        str,
        typer.Option("--fail-on", help="Fail from this tier on: added, values, type or removed."),
    ] = "added",
    as_json: AsJson = False,
) -> None:
    """Compare recordings or snapshots with newer ones or with the API.

    For each method or collection, this compares fields, types, enum values, statuses, counts and
    pages. Exit codes: 0 nothing but counts changed, 10 something was added, 11 a set of values
    changed, 12 a type changed, 13 something was removed, 14 a recording is too old, 2 usage error.

    Example: understudy drift old.yaml new.yaml --runs runs/20261120-101500-ab12cd

    Example: understudy drift fixtures/chrome-enterprise --discovery --max-age 90d

    Example: understudy drift sre.yaml --live cassettes/plans/sre.yaml --set project=my-project

    Example: understudy drift weather.yaml --mcp-url http://127.0.0.1:3001/mcp
    """
    from mockserver.drift import FORMATS, exit_code

    tier = _tier(fail_on)
    format = "json" if as_json else format
    if format not in FORMATS:
        raise MockServerError(f"no format {format!r}", hint=did_you_mean(format, FORMATS))
    shadow = LivePlan(live, tuple(variables or ()), credentials, subject) if live else None
    target = _mcp_target(mcp_url, mcp_command, header or [], call_tools=call_tools)
    order = _DriftOptions(
        old,
        new,
        shadow,
        discovery=discovery,
        max_age=max_age,
        runs=runs,
        target=target,
        calls_tools=call_tools,
    )
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
    target: "McpTarget | None"
    calls_tools: bool

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.new, self.shadow, self.target)) > 1:
            raise MockServerError(
                "more than one is given of a second recording, --live and a live MCP server",
                hint="leave one",
            )
        if not (self.new or self.shadow or self.target or self.discovery or self.max_age):
            raise MockServerError(
                "nothing to compare with",
                hint="name a second recording, --live, --mcp-url, --mcp-command, --discovery or"
                " --max-age",
            )


def _mcp_target(
    url: str | None, command: str | None, headers: list[str], *, call_tools: bool
) -> "McpTarget | None":
    if url is None and command is None:
        if headers or call_tools:
            raise MockServerError(
                "--header and --call-tools are about a live MCP server",
                hint="name it with --mcp-url or --mcp-command",
            )
        return None
    if url is not None and command is not None:
        raise MockServerError("choose one: --mcp-url URL, or --mcp-command 'PROGRAM ARGUMENTS'")
    from mockserver.capture.mcp import parse_target
    from mockserver.fronts.mcp.front import require_sdk

    require_sdk()
    return parse_target(url, command, headers)


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
    if order.target is not None:
        sources = [*ask_live_mcp(sources[0], order.target, calls_tools=order.calls_tools)]
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
