"""`understudy serve`: the fixture server, with its proxy, listeners and replayed cassettes."""

import gc
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from mockserver.commands import without_plugins

if TYPE_CHECKING:
    from mockserver.fronts.interception import InterceptionOptions
    from mockserver.http.application import Application
    from mockserver.http.server import Front
    from mockserver.model import Json
    from mockserver.settings import Interception, Settings


_LISTED = 20


class ReplayOptions(NamedTuple):
    """What is replayed, as the command line says it.

    Attributes:
        cassettes: The files.
        repeats: `--repeats`, or None.
        pace: `--pace`, or None.
        barriers: `--barriers`, or None.
        match: `--match`, or None.
        exact: `--exact`.
        strict: `--strict`.
    """

    cassettes: tuple[Path, ...]
    repeats: str | None
    pace: float | None
    barriers: str | None
    match: str | None
    exact: bool
    strict: bool

    def check(self, *, no_default: bool, tunnel: list[str] | None) -> None:
        """Hold the options against the others.

        Raises:
            MockServerError: One does nothing, or lets a replay reach the network.
        """
        from mockserver.errors import MockServerError

        given = (self.repeats, self.pace, self.barriers, self.match)
        about_default = self.strict or self.exact or any(one is not None for one in given)
        if about_default and (no_default or not self.cassettes):
            raise MockServerError(
                "--repeats, --barriers, --match, --exact, --pace and --strict are about the"
                " cassettes of the default session",
                hint="give it some with --cassette FILE",
            )
        if self.cassettes and tunnel:
            raise MockServerError(
                "--tunnel lets clients through to the network, and replays go nowhere",
                hint="leave out --tunnel or --cassette",
            )

    def names(self) -> list[str] | None:
        """The names of the cassettes, None for none."""
        return [path.stem for path in self.cassettes] or None

    def session_options(self) -> "dict[str, Json]":
        """How the default session plays them: what a session is opened with.

        What `--strict` refuses at the end it also refuses while it goes on.
        """
        wanted = self.match.replace(" ", "").strip(",").split(",") if self.match else None
        return {
            "cassettes": self.names(),
            "repeats": self.repeats or ("once" if self.strict else None),
            "barriers": self.barriers or ("strict" if self.strict else None),
            "match": wanted,
            "exact": self.exact or None,
            "pace": self.pace,
        }

    def sources(
        self, *, fixtures: Path | None, synthesis: bool, no_made_up: bool
    ) -> list[str] | None:
        """Who answers in the default session; None for the usual."""
        made_up = ["synthesis"] if synthesis else []
        if self.cassettes and fixtures is None:
            # there is no tenant to answer for other hosts: an empty one would be a silent miss
            return ["cassette", *made_up]
        cassette = ["cassette"] if self.cassettes else []
        return ["stub", *cassette, "state", *made_up] if synthesis or no_made_up else None


def report_leftovers(application: "Application") -> bool:
    """Say which recordings nobody asked for, what had none, and which came with a warning.

    Returns:
        Whether there were any.
    """
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


def front_options(
    *,
    proxy_port: int | None = None,
    tls_port: int | None = None,
    emulate: Sequence[str] = (),
    tunnel: Sequence[str] = (),
    no_proxy: bool = False,
) -> "tuple[InterceptionOptions, bool]":
    """Read the options of the proxy and the TLS listener.

    Args:
        proxy_port: `--proxy-port`, None where not given.
        tls_port: `--tls-port`, None where not given.
        emulate: `--emulate`.
        tunnel: `--tunnel`.
        no_proxy: `--no-proxy`.

    Returns:
        What they say, and whether any of them was asked for.

    Raises:
        MockServerError: The proxy, or what only it does, is asked for and left out.
    """
    from mockserver.errors import MockServerError
    from mockserver.fronts.interception import InterceptionOptions

    if no_proxy and proxy_port is not None:
        raise MockServerError("--proxy-port opens the proxy and --no-proxy leaves it out")
    emulate, tunnel = tuple(emulate), tuple(tunnel)
    if no_proxy and (tunnel or (emulate and tls_port is None)):
        raise MockServerError(
            "--tunnel and --emulate are for the proxy, and --no-proxy leaves it out"
        )
    if proxy_port is None and not no_proxy:
        return InterceptionOptions(0, tls_port, emulate, tunnel), tls_port is not None
    return InterceptionOptions(proxy_port, tls_port, emulate, tunnel), True


def prepare_fronts(
    wanted: "InterceptionOptions",
    *,
    insist: bool,
    grpc_port: int | None = None,
    ca: Path | None = None,
    address: tuple[str, int] = ("", 0),
    shared: bool = False,
) -> PreparedFronts:
    """Prepare the proxy, the TLS listener, and the gRPC listener that both lead to.

    Args:
        wanted: Which of the first two.
        insist: Whether to fail when they cannot be had; otherwise the server goes without, and
            says so.
        grpc_port: The port of the gRPC listener; without one it starts when a client comes through
            the others.
        ca: The folder of an authority that is kept; without one, the server has its own.
        address: The server's host and port.
        shared: Whether several processes are started with them.

    Raises:
        MockServerError: There is no place for the certificate authority, or it ended.
    """
    from mockserver.errors import MockServerError
    from mockserver.fronts.grpc import GrpcListener
    from mockserver.fronts.relay import PeerSessions

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


_PORT = 8765
_SHARED = "Several processes"
_SESSION = "Default session"
_REPLAY = "Replay"
_ACCESS = "Access"
_TRANSPORTS = "Proxy, TLS and gRPC"
_PROCESS = "Process"
_MEBIBYTE = 1024 * 1024
_LONGEST_TOKEN = 4096


def _checked_names(names: list[str] | None) -> list[str] | None:
    """The further names of the server.

    Raises:
        BadParameter: One is none.
    """
    from mockserver.asgi.origins import named_origin

    for name in names or ():
        try:
            named_origin(name, 0)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    return names


def serve(  # noqa: PLR0913  (one parameter an option)
    *,
    fixtures: Annotated[
        Path | None,
        typer.Option(help="The suite to serve, such as fixtures/chrome-enterprise."),
    ] = None,
    case: Annotated[str | None, typer.Option(help="The case of the default session.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")
    ] = _PORT,
    clock: Annotated[
        str,
        typer.Option(
            help="The default session's clock: shift, real, frozen, frozen:<RFC 3339>.",
            rich_help_panel=_SESSION,
        ),
    ] = "shift",
    profile: Annotated[
        str,
        typer.Option(
            help="How strictly the default session checks requests against the Discovery documents:"
            " lenient, google or strict.",
            rich_help_panel=_SESSION,
        ),
    ] = "google",
    seed: Annotated[
        int,
        typer.Option(
            help="The seed of the default session's generated ids.", rich_help_panel=_SESSION
        ),
    ] = 0,
    auth: Annotated[
        str | None,
        typer.Option(
            help="How the default session checks credentials: off, token, scopes or permissions;"
            " depends on the profile by default.",
            rich_help_panel=_SESSION,
        ),
    ] = None,
    acting_as: Annotated[
        str | None,
        typer.Option(
            help="The account that the default session's token stands for; the customer's"
            " administrator by default.",
            metavar="ADDRESS",
            rich_help_panel=_SESSION,
        ),
    ] = None,
    synthesis: Annotated[
        bool,
        typer.Option(
            "--synthesis",
            help="Let the default session generate answers from schemas if nothing else answers.",
            rich_help_panel=_SESSION,
        ),
    ] = False,
    no_made_up: Annotated[
        bool,
        typer.Option(
            "--no-made-up",
            help="In the default session, do not synthesize answers from the suite's OpenAPI "
            "documents: answer 501, with the lines of YAML that would serve the request.",
            rich_help_panel=_SESSION,
        ),
    ] = False,
    cassette: Annotated[
        list[Path] | None,
        typer.Option(
            help="A cassette, or a recording of another tool (HAR, WireMock, ...), that the "
            "default session replays; may be repeated. Without --fixtures, nothing else "
            "answers."
        ),
    ] = None,
    repeats: Annotated[
        str | None,
        typer.Option(
            help="What answers a request after all its recordings were played: reads (the last "
            "one again, for reads only; the default), once (a miss, as with --strict), "
            "last or cycle.",
            rich_help_panel=_REPLAY,
        ),
    ] = None,
    barriers: Annotated[
        str | None,
        typer.Option(
            help="What answers a read that was recorded after a write that was not repeated: warn"
            " (the recording, with a warning; the default), strict (a miss, as with --strict), or"
            " off (the recording).",
            rich_help_panel=_REPLAY,
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            help="The parts of a request that must match, out of "
            "method,host,path,query,headers,body (all by default); `match:` in a cassette "
            "can set more.",
            rich_help_panel=_REPLAY,
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Refuse near answers: those to a request with other times, ids, temporary paths.",
            rich_help_panel=_REPLAY,
        ),
    ] = False,
    pace: Annotated[
        float | None,
        typer.Option(
            help="A factor for the pauses of recorded streams: 1 as recorded (the default), 0"
            " none.",
            rich_help_panel=_REPLAY,
        ),
    ] = None,
    redaction: Annotated[
        Path | None,
        typer.Option(
            help="The redaction rules that the cassettes were captured with, besides the built-in"
            " ones.",
            rich_help_panel=_REPLAY,
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="At the end, list unused recordings and requests without a recording, and exit"
            " with 1 if there are any. Nothing is played twice or with a warning.",
            rich_help_panel=_REPLAY,
        ),
    ] = False,
    trust_suite: Annotated[
        bool,
        typer.Option(
            "--trust-suite",
            help="Run the Python functions that the suite's declared APIs name.",
            rich_help_panel=_SESSION,
        ),
    ] = False,
    hermetic: Annotated[
        bool,
        typer.Option(
            "--hermetic",
            help="Refuse and count connections to other machines, as --cassette does; see "
            "`connections` in /_mock/health.",
            rich_help_panel=_REPLAY,
        ),
    ] = False,
    no_default: Annotated[
        bool,
        typer.Option(
            "--no-default", help="Refuse requests that name no session.", rich_help_panel=_SESSION
        ),
    ] = False,
    token: Annotated[
        str,
        typer.Option(
            envvar="MOCKSERVER_TOKEN",
            help="The token that the control API requires, except for /_mock/health; generated on"
            " an address that is not loopback. Without one, agents can change the journal.",
        ),
    ] = "",
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file whose first line is the token; - reads it from standard input, which keeps"
            " it out of command lines and the environment.",
            rich_help_panel=_ACCESS,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            callback=_checked_names,
            help="Another host name to accept for the control API: NAME, NAME:PORT, or https://NAME"
            " behind a proxy that terminates TLS.",
            rich_help_panel=_ACCESS,
        ),
    ] = None,
    journal_bytes: Annotated[
        int,
        typer.Option(
            min=65536, help="The largest journal of a session, in bytes.", rich_help_panel=_PROCESS
        ),
    ] = 8 * _MEBIBYTE,
    max_sessions: Annotated[
        int,
        typer.Option(min=1, help="The largest number of open sessions.", rich_help_panel=_PROCESS),
    ] = 20_000,
    proxy_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="The CONNECT proxy's port; any free port by default.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None,
    no_proxy: Annotated[
        bool,
        typer.Option(
            "--no-proxy", help="Serve without the CONNECT proxy.", rich_help_panel=_TRANSPORTS
        ),
    ] = False,
    tls_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="A port that answers TLS as Google's hosts, for hosts files; 0 for any free port.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None,
    grpc_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="A port for gRPC without TLS; 0 for any free port. Clients of the proxy do not"
            " need it.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None,
    emulate: Annotated[
        list[str] | None,
        typer.Option(
            help="A further host, or glob, that the proxy and the TLS listener mock.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None,
    tunnel: Annotated[
        list[str] | None,
        typer.Option(
            help="A host, or glob, that the proxy connects to the real network.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(
            help="A folder that keeps a certificate authority and shares it with other "
            "servers, for a browser or an image that trusts it once. It signs for any "
            "host, for a year. Without it, and without $MOCKSERVER_CA, each server has "
            "its own, which signs only for its hosts and expires within days.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None,
    until_eof: Annotated[
        bool,
        typer.Option(
            "--until-eof",
            help="Stop when standard input is closed, for example because the parent process died.",
            rich_help_panel=_PROCESS,
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Reload the suite's files when they change, for sessions that are opened "
            "later, and for the default session after a reset. A broken file is reported, "
            "and not served.",
        ),
    ] = False,
    no_console: Annotated[
        bool,
        typer.Option(
            "--no-console", help="Serve without the pages at / (see docs/reference/console.md)."
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Write no line for each request to stderr.")
    ] = False,
    metrics: Annotated[
        bool,
        typer.Option(
            "--metrics",
            rich_help_panel=_PROCESS,
            help="Count requests, misses, faults and durations for Prometheus at "
            "/_mock/metrics; needs the extra `metrics`. Prometheus must send the control "
            "token, if there is one.",
        ),
    ] = False,
    otel: Annotated[
        bool,
        typer.Option(
            "--otel",
            rich_help_panel=_PROCESS,
            help="Send a span for each request to the collector at $OTEL_EXPORTER_OTLP_ENDPOINT, by"
            " OTLP over HTTP; needs the extra `otel`.",
        ),
    ] = False,
    http_protocol: Annotated[
        Literal["fast", "uvicorn"],
        typer.Option(
            "--http-protocol",
            rich_help_panel=_PROCESS,
            help="How connections are served: fast answers simple requests as soon as they are "
            "read; uvicorn starts a task for each. The answers are the same; use uvicorn "
            "to compare, or to find faults.",
        ),
    ] = "fast",
    workers: Annotated[
        str,
        typer.Option(
            metavar="N|auto",
            rich_help_panel=_SHARED,
            help="How many processes serve the port, 1 to 64. Sessions survive a process that "
            "dies; see docs/how-to/share-one-mock-server.md. auto: one for each core, but one in "
            "all below four cores, unless sessions are kept (--redis, --state-dir), and with "
            "options that need one process. The start says how many.",
        ),
    ] = "1",
    redis: Annotated[
        str,
        typer.Option(
            envvar="MOCKSERVER_REDIS",
            rich_help_panel=_SHARED,
            help="The URL of a Redis that keeps the sessions of servers on several machines, "
            "redis://host:6379/0; needs the extra `redis`. Put a URL with a password into "
            "the variable: other users can see command lines.",
        ),
    ] = "",
    redis_prefix: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=_SHARED,
            help="The prefix of the keys in Redis: servers with the same prefix share sessions "
            "(default: understudy).",
        ),
    ] = None,
    session_ttl: Annotated[
        int | None,
        typer.Option(
            min=10,
            rich_help_panel=_SHARED,
            help="How long Redis keeps a session that gets no requests, in seconds (default: a "
            "day).",
        ),
    ] = None,
    state_dir: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SHARED,
            help="The folder of the sessions' logs without --redis: sessions survive a restart "
            "of the server. A temporary folder by default.",
        ),
    ] = None,
    log_bytes: Annotated[
        int | None,
        typer.Option(
            min=65536,
            rich_help_panel=_SHARED,
            help="The largest log of a session, in bytes (default: 64 MiB); a session that reaches"
            " it answers 507.",
        ),
    ] = None,
    log_format: Annotated[
        Literal["text", "json"] | None,
        typer.Option(
            help="How each request is written to stderr: text (the default where stderr is a"
            " terminal; without one, none are written) or json, one object a line.",
        ),
    ] = None,
) -> None:
    """Serve a suite's fixtures the way the real APIs would.

    Requests that do not name a session belong to the default session. Stop with Ctrl-C.

    Example: understudy serve --fixtures fixtures/chrome-enterprise --case EC-001
    """
    gc.disable()  # until all is loaded: nothing of it is garbage, and looking takes a tenth of it
    with without_plugins():
        from mockserver.asgi.addresses import new_token
        from mockserver.cli.specs import session_spec
        from mockserver.console import ConsoleFront
        from mockserver.errors import MockServerError
        from mockserver.fronts.mcp import McpFront
        from mockserver.http.control import Control  # noqa: F401  (has models, and is asked first)
        from mockserver.http.server import serve as run
        from mockserver.settings import Settings

    if no_default and case is not None:
        raise MockServerError(
            "--case opens the default session and --no-default leaves it out", hint="choose one"
        )
    if synthesis and no_made_up:
        text = "--synthesis makes answers up and --no-made-up does not"
        raise MockServerError(text, hint="choose one")
    replayed = ReplayOptions(tuple(cassette or ()), repeats, pace, barriers, match, exact, strict)
    replayed.check(no_default=no_default, tunnel=tunnel)
    if hermetic and tunnel:
        raise MockServerError("--hermetic lets nothing out and --tunnel does", hint="choose one")
    alone = {
        "--watch": watch,
        "--strict": strict,
        "--metrics": metrics,
    }
    is_logged = bool(redis) or state_dir is not None
    count, told = number_of_workers(workers, alone, cores=_cores(), is_logged=is_logged)
    if told:
        typer.echo(f"understudy: {told}", err=True)
    shared = SharingOptions(count, redis, redis_prefix, session_ttl, state_dir, log_bytes)
    if shared.is_wanted:
        shared.check(alone)
    wanted, insist = front_options(
        proxy_port=proxy_port,
        tls_port=tls_port,
        emulate=emulate or (),
        tunnel=tunnel or (),
        no_proxy=no_proxy,
    )
    others = prepare_fronts(
        wanted,
        insist=insist,
        grpc_port=grpc_port,
        ca=ca,
        address=(host, port),
        shared=shared.is_wanted,
    )
    if token_file is not None:
        token = _token_of(token_file)
    made_up = "" if token else new_token(host)
    if fixtures is not None and not until_eof:  # a run has looked at its suite
        _tell_missing_base(fixtures)
    if redaction is not None:
        from mockserver.storage.redaction_settings import redaction_rules

        redaction_rules(redaction)  # a mistake in it is told now, not when something is recorded
    settings = Settings(
        fixtures=fixtures,
        host=host,
        port=port,
        token=token or made_up,
        allowed_hosts=tuple(name.lower() for name in allow_host or ()),
        cassettes=replayed.cassettes,
        trusted=trust_suite,
        hermetic=hermetic or bool(replayed.cassettes),
        redaction=redaction,
        default=None
        if no_default
        else session_spec(
            case=case,
            clock=clock,
            profile=profile,
            seed=seed,
            auth=auth,
            acting_as=acting_as,
            sources=replayed.sources(fixtures=fixtures, synthesis=synthesis, no_made_up=no_made_up),
            **replayed.session_options(),
        ),
        journal_bytes=journal_bytes,
        max_sessions=max_sessions,
        watch=watch,
        metrics=metrics,
        interception=others.interception,
        http_protocol=http_protocol,
    )
    ready = partial(_announce, made_up, settings.fronts)
    log = () if quiet else _request_log(log_format)
    spans = _request_tracing() if otel else ()
    pages = () if no_console else (ConsoleFront(),)
    if shared.is_wanted:
        if others.bind is not None:
            others.bind(settings)
        beside = (*pages, *spans, *log, *others.fronts)
        shared.serve(settings, ready=ready, until_eof=until_eof, fronts=beside)
        return
    fronts = (
        McpFront(),
        *pages,
        *spans,
        *log,
        *_suite_watch(fixtures, watch=watch),
        *others.fronts,
    )
    application = run(settings, ready=ready, until_eof=until_eof, fronts=fronts)
    if strict and report_leftovers(application):
        raise typer.Exit(1)


_MOST_WORKERS = 64
_FEWEST_CORES = 4
"""A request that is logged takes up to 2.5 times the CPU of one that is not: two do not gain."""


def number_of_workers(
    asked: str, alone: Mapping[str, object], *, cores: int, is_logged: bool = False
) -> tuple[int, str]:
    """How many processes serve, and what the start says of it; nothing where a number was given.

    Args:
        asked: `--workers`.
        alone: What does not go with several processes, by option, and whether it was given.
        cores: How many cores this process may use.
        is_logged: Whether requests are logged with one process, too.

    Raises:
        MockServerError: It is neither a number from 1 to 64 nor `auto`.
    """
    from mockserver.errors import MockServerError

    if asked.isascii() and asked.isdigit() and 1 <= int(asked) <= _MOST_WORKERS:
        return int(asked), ""
    if asked != "auto":
        raise MockServerError(
            f"--workers {asked!r} is no number of processes",
            hint=f"1 to {_MOST_WORKERS}, or auto",
        )
    given = next((name for name, value in alone.items() if value), "")
    if given:
        return 1, f"--workers auto: one process, since {given} needs it"
    if cores < _FEWEST_CORES and not is_logged:
        return 1, (
            f"--workers auto: one process; this machine has {cores} cores, and several are faster"
            f" from {_FEWEST_CORES} on"
        )
    count = min(cores, _MOST_WORKERS)
    return count, f"--workers auto: {count} processes, without MCP"


def _cores() -> int:
    """How many cores this process may use; of a container's share of time nothing is known."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class SharingOptions(NamedTuple):
    """How sessions are shared, as the command line says it.

    Attributes:
        workers: `--workers`.
        redis: `--redis`, or an empty string.
        prefix: `--redis-prefix`, or None.
        ttl_s: `--session-ttl`, or None.
        state_dir: `--state-dir`, or None.
        log_bytes: `--log-bytes`, or None.
    """

    workers: int
    redis: str
    prefix: str | None
    ttl_s: int | None
    state_dir: Path | None
    log_bytes: int | None

    @property
    def is_wanted(self) -> bool:
        """Whether any of them was asked for."""
        return self != (1, "", None, None, None, None)

    def check(self, others: Mapping[str, object]) -> None:
        """Hold the options against the others.

        Args:
            others: What does not go with several processes, by option, and whether it was given.

        Raises:
            MockServerError: One does nothing, or does not go with several processes.
        """
        from mockserver.errors import MockServerError

        given = [name for name, value in others.items() if value]
        if given:
            raise MockServerError(
                f"{given[0]} does not go with --workers, --redis and --state-dir",
                hint="serve it by a server of one process",
            )
        if self.redis and self.state_dir is not None:
            raise MockServerError(
                "--redis keeps sessions in Redis and --state-dir in files", hint="choose one"
            )
        if not self.redis and (self.prefix is not None or self.ttl_s is not None):
            raise MockServerError(
                "--redis-prefix and --session-ttl are about a Redis", hint="name it with --redis"
            )

    def serve(
        self,
        settings: "Settings",
        *,
        ready: "Callable[[str], None]",
        until_eof: bool,
        fronts: "tuple[Front, ...]",
    ) -> None:
        """Serve until a signal comes; a folder that was not named is removed then."""
        from mockserver.shared.application import DEFAULT_LOG_BYTES
        from mockserver.shared.redis_log import DEFAULT_PREFIX, DEFAULT_TTL_S
        from mockserver.shared.supervisor import serve_workers
        from mockserver.shared.worker import Sharing

        with tempfile.TemporaryDirectory(prefix="mockserver-") as sockets:
            sharing = Sharing(
                self.workers,
                sockets=Path(sockets),
                state=self.state_dir or Path(sockets),
                redis=self.redis,
                prefix=self.prefix or DEFAULT_PREFIX,
                ttl_s=self.ttl_s or DEFAULT_TTL_S,
                log_bytes=self.log_bytes or DEFAULT_LOG_BYTES,
            )
            serve_workers(
                settings, sharing, ready=ready, until_eof=until_eof, fronts=lambda: fronts
            )


def _suite_watch(fixtures: Path | None, *, watch: bool) -> "tuple[Front, ...]":
    """What reads a suite again when it changes; nothing where that is not wanted."""
    if not watch:
        return ()
    from mockserver.errors import MockServerError, require_extra
    from mockserver.http.suite_watch import SuiteWatch

    require_extra("watch", "--watch needs", {"watchfiles": "watchfiles"})
    if fixtures is None:
        raise MockServerError("--watch follows a suite's files", hint="name it with --fixtures DIR")

    def tell(message: str) -> None:
        for line in message.splitlines():
            typer.echo(f"understudy: {line}", err=True)

    return (SuiteWatch(fixtures, tell),)


def _request_tracing() -> "tuple[Front, ...]":
    from mockserver.http.server import real_time
    from mockserver.http.tracing import RequestTracing

    return (RequestTracing(real_time),)


def _request_log(log_format: Literal["text", "json"] | None) -> "tuple[Front, ...]":
    """What writes a line for each request; nothing where nobody asked for it and nobody watches."""
    if log_format is None and not sys.stderr.isatty():
        return ()
    from mockserver.http.request_log import RequestLog
    from mockserver.http.server import real_time

    return (RequestLog(sys.stderr, log_format or "text", real_time),)


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


def _token_of(file: Path) -> str:
    """The token that a file's first line is; none of it is read twice."""
    from mockserver.errors import MockServerError
    from mockserver.process import forbid_inspection

    forbid_inspection()
    try:
        # byte by byte: what follows on standard input is read elsewhere
        with open(0 if str(file) == "-" else file, "rb", 0, closefd=str(file) != "-") as source:
            line = b""
            while (byte := source.read(1)) and byte != b"\n" and len(line) < _LONGEST_TOKEN:
                line += byte
    except OSError as error:
        raise MockServerError(f"cannot read --token-file {str(file)!r}: {error.strerror}") from None
    text = line.decode("ascii", "replace").strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise MockServerError(
            f"--token-file {str(file)!r} does not begin with a token",
            hint="one line of printable ASCII without blanks",
        )
    return text
