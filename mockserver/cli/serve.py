"""`understudy serve`: the fixture server, with its proxy, listeners and replayed cassettes."""

import gc
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from mockserver.cli.serve_options import (
    AccessOptions,
    ProcessOptions,
    ReplayOptions,
    SessionOptions,
    SharingOptions,
    TransportOptions,
)
from mockserver.commands import with_options, without_plugins
from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.http.application import Application
    from mockserver.http.server import Front
    from mockserver.settings import Interception, Settings


_LISTED = 20


def report_leftovers(application: "Application") -> bool:
    """Say which recordings nobody asked for, what had none, and which came with a warning.

    Returns:
        Whether there were any.
    """
    from mockserver.model import Miss

    session = application.sessions.find("default")
    if session is None or session.replay is None:
        return False
    unused = [
        f"unused {each['method']} {each['url']} (#{each['number']} of {each['tape']})"
        for each in session.replay.unused()
    ]
    entries = session.journal.as_json(session.id, bodies=False)["entries"]
    doubtful = [
        f"{entry['http_method']} {entry['host']}{entry['path']}: {entry['recording']['warning']}"
        for entry in entries
        if entry["recording"] is not None and entry["recording"]["warning"]
    ]
    missed = [
        f"no recording of {entry['http_method']} {entry['host']}{entry['path']}"
        f"{Miss.model_validate(entry['miss']).near}"
        for entry in entries
        if entry["miss"] is not None and entry["miss"]["blame"] == "replay_miss"
    ]
    for lines in (missed, doubtful, unused):
        for line in lines[:_LISTED]:
            typer.echo(f"understudy: {line}", err=True)
        if len(lines) > _LISTED:
            typer.echo(f"understudy: and {len(lines) - _LISTED} more", err=True)
    typer.echo(f"understudy: {len(missed)} without a recording, {len(unused)} unused", err=True)
    return bool(unused or missed or doubtful)


class PreparedFronts(NamedTuple):
    """What a server is started with for its fronts.

    Attributes:
        interception: The files that clients need, or None without proxy and TLS listener.
        fronts: What is started beside the server.
        bind: Takes their ports, for all processes that are forked afterwards.
    """

    interception: "Interception | None" = None
    fronts: "tuple[Front, ...]" = ()
    bind: "Callable[[Settings], None] | None" = None


def prepare_fronts(
    options: TransportOptions, *, address: tuple[str, int] = ("", 0), shared: bool = False
) -> PreparedFronts:
    """Prepare the proxy, the TLS listener, and the gRPC listener that both lead to.

    A proxy that nobody asked for is left out where it cannot be had, and that is said. Without a
    port, the gRPC listener starts when a client comes through the others.

    Args:
        options: Which of them, and what they do.
        address: The server's host and port.
        shared: Whether several processes are started with them.

    Raises:
        MockServerError: Options do not go together, or there is no place for the certificate
            authority, or it ended.
    """
    from mockserver.fronts.grpc import GrpcListener
    from mockserver.fronts.relay import PeerSessions

    wanted, insist = options.interception()
    grpc_port, ca = options.grpc_port, options.ca
    peers = PeerSessions()
    grpc = GrpcListener(grpc_port, peers)
    alone = PreparedFronts(fronts=() if grpc_port is None else (grpc,), bind=grpc.bind)
    if wanted.proxy_port is None and wanted.tls_port is None:
        if ca is not None:
            raise MockServerError("--ca is for the proxy and the TLS listener, and there is none")
        return alone
    from mockserver.fronts.interception import (
        KEPT,
        InterceptionFront,
        prepare_interception,
        server_name,
    )
    from mockserver.http.server import real_time

    try:
        authority, files = prepare_interception(
            real_time, kept=ca, name=server_name(*address), shared=shared
        )
    except MockServerError as error:
        if insist or ca is not None or os.environ.get(KEPT):
            raise
        typer.echo(f"understudy: no proxy: {error}", err=True)
        return alone
    front = InterceptionFront(wanted, authority, grpc.address, peers, shared=shared)

    def bind(settings: "Settings") -> None:
        front.bind(settings)
        grpc.bind(settings)

    return PreparedFronts(files, (front, grpc), bind)


@with_options
def serve(
    session: SessionOptions,
    replay: ReplayOptions,
    access: AccessOptions,
    process: ProcessOptions,
    transports: TransportOptions,
    sharing: SharingOptions,
) -> None:
    """Serve a suite's fixtures the way the real APIs would.

    Requests that do not name a session belong to the default session. Stop with Ctrl-C.

    Example: understudy serve --fixtures fixtures/chrome-enterprise --case EC-001
    """
    gc.disable()  # until all is loaded: nothing of it is garbage, and looking takes a tenth of it
    with without_plugins():
        from mockserver.console import ConsoleFront
        from mockserver.fronts.mcp import McpFront
        from mockserver.http.control import Control  # noqa: F401  (has models, and is asked first)
        from mockserver.http.server import serve as run
        from mockserver.settings import Settings

    session.check()
    replay.check(no_default=session.no_default, tunnel=transports.tunnel)
    alone = {"--watch": process.watch, "--strict": replay.strict, "--metrics": process.metrics}
    count, told = sharing.processes(alone, cores=_cores())
    if told:
        typer.echo(f"understudy: {told}", err=True)
    is_shared = count > 1 or sharing.are_kept
    if is_shared:
        sharing.check(alone)
    others = prepare_fronts(transports, address=(access.host, access.port), shared=is_shared)
    token, made_up = access.tokens()
    if session.fixtures is not None and not process.until_eof:  # a run has looked at its suite
        _tell_missing_base(session.fixtures)
    if replay.redaction is not None:
        from mockserver.storage.redaction_settings import redaction_rules

        redaction_rules(replay.redaction)  # a mistake in it is told now, not when it is used
    cassettes = tuple(replay.cassette or ())
    settings = Settings(
        fixtures=session.fixtures,
        host=access.host,
        port=access.port,
        token=token,
        allowed_hosts=tuple(name.lower() for name in access.allow_host or ()),
        cassettes=cassettes,
        trusted=session.trust_suite,
        hermetic=replay.hermetic or bool(cassettes),
        redaction=replay.redaction,
        default=session.spec(replay),
        journal_bytes=process.journal_bytes,
        max_sessions=process.max_sessions,
        watch=process.watch,
        metrics=process.metrics,
        interception=others.interception,
        http_protocol=process.http_protocol,
    )
    ready = partial(_announce, made_up, settings.fronts)
    pages = () if process.no_console else (ConsoleFront(),)
    beside = (*pages, *_request_tracing(process), *_request_log(process), *others.fronts)
    if is_shared:
        if others.bind is not None:
            others.bind(settings)
        sharing.serve(settings, count, ready=ready, until_eof=process.until_eof, fronts=beside)
        return
    fronts = (McpFront(), *_suite_watch(session.fixtures, watch=process.watch), *beside)
    application = run(settings, ready=ready, until_eof=process.until_eof, fronts=fronts)
    if replay.strict and report_leftovers(application):
        raise typer.Exit(1)


def _cores() -> int:
    """How many cores this process may use; of a container's share of time nothing is known."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _suite_watch(fixtures: Path | None, *, watch: bool) -> "tuple[Front, ...]":
    """What reads a suite again when it changes; nothing where that is not wanted."""
    if not watch:
        return ()
    from mockserver.errors import require_extra
    from mockserver.http.suite_watch import SuiteWatch

    require_extra("watch", "--watch needs", {"watchfiles": "watchfiles"})
    if fixtures is None:
        raise MockServerError("--watch follows a suite's files", hint="name it with --fixtures DIR")

    def tell(message: str) -> None:
        for line in message.splitlines():
            typer.echo(f"understudy: {line}", err=True)

    return (SuiteWatch(fixtures, tell),)


def _request_tracing(process: ProcessOptions) -> "tuple[Front, ...]":
    if not process.otel:
        return ()
    from mockserver.http.server import real_time
    from mockserver.http.tracing import RequestTracing

    return (RequestTracing(real_time),)


def _request_log(process: ProcessOptions) -> "tuple[Front, ...]":
    """What writes a line for each request; nothing where nobody asked for it and nobody watches."""
    if process.quiet or (process.log_format is None and not sys.stderr.isatty()):
        return ()
    from mockserver.http.request_log import RequestLog
    from mockserver.http.server import real_time

    return (RequestLog(sys.stderr, process.log_format or "text", real_time),)


def _tell_missing_base(fixtures: Path) -> None:
    """Say so where a suite's sessions start from nothing: its files may only be misplaced."""
    from mockserver.storage import Suite

    if not fixtures.is_dir() or Suite(fixtures).base_files() or (fixtures / "apis").is_dir():
        return  # what is no folder is told when it is read; a declared API needs no rows
    loose = sorted(path.name for path in fixtures.glob("*.json"))
    found = f"; of {', '.join(loose[:3])} nothing is served" if loose else ""
    typer.echo(
        f"understudy: {fixtures} has no base/*.json: sessions start from nothing but the override"
        f" of their case{found} (put snapshots into {fixtures / 'base'}/)",
        err=True,
    )


def _announce(made_up: str, fronts: Mapping[str, int], url: str) -> None:
    if made_up:
        typer.echo(f"understudy: the control API asks for this token: {made_up}", err=True)
    also = "".join(f", {name} on port {port}" for name, port in fronts.items())
    typer.echo(f"understudy ready at {url} (pid {os.getpid()}{also})")
