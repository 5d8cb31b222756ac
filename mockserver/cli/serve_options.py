"""The options of `understudy serve`, by group, and what each group comes to."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mockserver.cli.specs import session_spec
from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.fronts.interception import InterceptionOptions
    from mockserver.http.server import Front
    from mockserver.model import Json, SessionSpec
    from mockserver.settings import Settings

_PORT = 8765
_SHARED = "Several processes"
_SESSION = "Default session"
_REPLAY = "Replay"
_ACCESS = "Access"
_TRANSPORTS = "Proxy, TLS and gRPC"
_PROCESS = "Process"
_MEBIBYTE = 1024 * 1024
_LONGEST_TOKEN = 4096
_MOST_WORKERS = 64
_FEWEST_CORES = 4
"""A request that is logged takes up to 2.5 times the CPU of one that is not: two do not gain."""


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


@dataclass(frozen=True, kw_only=True)
class SessionOptions:
    """The suite, and the session that requests without a name of one belong to."""

    fixtures: Annotated[
        Path | None,
        typer.Option(help="The suite to serve, such as fixtures/chrome-enterprise."),
    ] = None
    case: Annotated[str | None, typer.Option(help="The case of the default session.")] = None
    clock: Annotated[
        str,
        typer.Option(
            help="The default session's clock: shift, real, frozen, frozen:<RFC 3339>.",
            rich_help_panel=_SESSION,
        ),
    ] = "shift"
    profile: Annotated[
        str,
        typer.Option(
            help="How strictly the default session checks requests against the Discovery documents:"
            " lenient, google or strict.",
            rich_help_panel=_SESSION,
        ),
    ] = "google"
    seed: Annotated[
        int,
        typer.Option(
            help="The seed of the default session's generated ids.", rich_help_panel=_SESSION
        ),
    ] = 0
    auth: Annotated[
        str | None,
        typer.Option(
            help="How the default session checks credentials: off, token, scopes or permissions;"
            " depends on the profile by default.",
            rich_help_panel=_SESSION,
        ),
    ] = None
    acting_as: Annotated[
        str | None,
        typer.Option(
            help="The account that the default session's token stands for; the customer's"
            " administrator by default.",
            metavar="ADDRESS",
            rich_help_panel=_SESSION,
        ),
    ] = None
    synthesis: Annotated[
        bool,
        typer.Option(
            "--synthesis",
            help="Let the default session generate answers from schemas if nothing else answers.",
            rich_help_panel=_SESSION,
        ),
    ] = False
    no_made_up: Annotated[
        bool,
        typer.Option(
            "--no-made-up",
            help="In the default session, do not synthesize answers from the suite's OpenAPI "
            "documents: answer 501, with the lines of YAML that would serve the request.",
            rich_help_panel=_SESSION,
        ),
    ] = False
    trust_suite: Annotated[
        bool,
        typer.Option(
            "--trust-suite",
            help="Run the Python functions that the suite's declared APIs name.",
            rich_help_panel=_SESSION,
        ),
    ] = False
    no_default: Annotated[
        bool,
        typer.Option(
            "--no-default", help="Refuse requests that name no session.", rich_help_panel=_SESSION
        ),
    ] = False

    def check(self) -> None:
        """Hold the options against each other.

        Raises:
            MockServerError: Two do not go together.
        """
        if self.no_default and self.case is not None:
            raise MockServerError(
                "--case opens the default session and --no-default leaves it out",
                hint="choose one",
            )
        if self.synthesis and self.no_made_up:
            raise MockServerError(
                "--synthesis makes answers up and --no-made-up does not", hint="choose one"
            )

    def spec(self, replay: "ReplayOptions") -> "SessionSpec | None":
        """What the default session is opened with; None without one."""
        if self.no_default:
            return None
        return session_spec(
            case=self.case,
            clock=self.clock,
            profile=self.profile,
            seed=self.seed,
            auth=self.auth,
            acting_as=self.acting_as,
            sources=self.sources(replays=bool(replay.cassette)),
            **replay.session_options(),
        )

    def sources(self, *, replays: bool) -> "Json":
        """Who answers in the default session; None for the usual.

        Args:
            replays: Whether it has cassettes.
        """
        made_up = ["synthesis"] if self.synthesis else []
        if replays and self.fixtures is None:
            # there is no tenant to answer for other hosts: an empty one would be a silent miss
            return ["cassette", *made_up]
        cassette = ["cassette"] if replays else []
        usual = not (self.synthesis or self.no_made_up)
        return None if usual else ["stub", *cassette, "state", *made_up]


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """What the default session replays."""

    cassette: Annotated[
        list[Path] | None,
        typer.Option(
            help="A cassette, or a recording of another tool (HAR, WireMock, ...), that the "
            "default session replays; may be repeated. Without --fixtures, nothing else "
            "answers."
        ),
    ] = None
    repeats: Annotated[
        str | None,
        typer.Option(
            help="What answers a request after all its recordings were played: reads (the last "
            "one again, for reads only; the default), once (a miss, as with --strict), "
            "last or cycle.",
            rich_help_panel=_REPLAY,
        ),
    ] = None
    barriers: Annotated[
        str | None,
        typer.Option(
            help="What answers a read that was recorded after a write that was not repeated: warn"
            " (the recording, with a warning; the default), strict (a miss, as with --strict), or"
            " off (the recording).",
            rich_help_panel=_REPLAY,
        ),
    ] = None
    match: Annotated[
        str | None,
        typer.Option(
            help="The parts of a request that must match, out of "
            "method,host,path,query,headers,body (all by default); `match:` in a cassette "
            "can set more.",
            rich_help_panel=_REPLAY,
        ),
    ] = None
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Refuse near answers: those to a request with other times, ids, temporary paths.",
            rich_help_panel=_REPLAY,
        ),
    ] = False
    pace: Annotated[
        float | None,
        typer.Option(
            help="A factor for the pauses of recorded streams: 1 as recorded (the default), 0"
            " none.",
            rich_help_panel=_REPLAY,
        ),
    ] = None
    redaction: Annotated[
        Path | None,
        typer.Option(
            help="The redaction rules that the cassettes were captured with, besides the built-in"
            " ones.",
            rich_help_panel=_REPLAY,
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="At the end, list unused recordings and requests without a recording, and exit"
            " with 1 if there are any. Nothing is played twice or with a warning.",
            rich_help_panel=_REPLAY,
        ),
    ] = False
    hermetic: Annotated[
        bool,
        typer.Option(
            "--hermetic",
            help="Refuse and count connections to other machines, as --cassette does; see "
            "`connections` in /_mock/health.",
            rich_help_panel=_REPLAY,
        ),
    ] = False

    def check(self, *, no_default: bool, tunnel: list[str] | None) -> None:
        """Hold the options against the others.

        Raises:
            MockServerError: One does nothing, or lets a replay reach the network.
        """
        given = (self.repeats, self.pace, self.barriers, self.match)
        about_default = self.strict or self.exact or any(one is not None for one in given)
        if about_default and (no_default or not self.cassette):
            raise MockServerError(
                "--repeats, --barriers, --match, --exact, --pace and --strict are about the"
                " cassettes of the default session",
                hint="give it some with --cassette FILE",
            )
        if self.cassette and tunnel:
            raise MockServerError(
                "--tunnel lets clients through to the network, and replays go nowhere",
                hint="leave out --tunnel or --cassette",
            )
        if self.hermetic and tunnel:
            raise MockServerError(
                "--hermetic lets nothing out and --tunnel does", hint="choose one"
            )

    def session_options(self) -> "dict[str, Json]":
        """How the default session plays them: what a session is opened with.

        What `--strict` refuses at the end it also refuses while it goes on.
        """
        wanted = self.match.replace(" ", "").strip(",").split(",") if self.match else None
        return {
            "cassettes": [path.stem for path in self.cassette or ()] or None,
            "repeats": self.repeats or ("once" if self.strict else None),
            "barriers": self.barriers or ("strict" if self.strict else None),
            "match": wanted,
            "exact": self.exact or None,
            "pace": self.pace,
        }


@dataclass(frozen=True, kw_only=True)
class AccessOptions:
    """Where the server listens, and who may use its control API."""

    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1"
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")
    ] = _PORT
    token: Annotated[
        str,
        typer.Option(
            envvar="MOCKSERVER_TOKEN",
            help="The token that the control API requires, except for /_mock/health; generated on"
            " an address that is not loopback. Without one, agents can change the journal.",
        ),
    ] = ""
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file whose first line is the token; - reads it from standard input, which keeps"
            " it out of command lines and the environment.",
            rich_help_panel=_ACCESS,
        ),
    ] = None
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            callback=_checked_names,
            help="Another host name to accept for the control API: NAME, NAME:PORT, or https://NAME"
            " behind a proxy that terminates TLS.",
            rich_help_panel=_ACCESS,
        ),
    ] = None

    def tokens(self) -> tuple[str, str]:
        """The token of the control API, and the same where it was made up for this server.

        Raises:
            MockServerError: The file has none.
        """
        from mockserver.asgi.addresses import new_token

        token = self.token if self.token_file is None else _token_of(self.token_file)
        made_up = "" if token else new_token(self.host)
        return token or made_up, made_up


def _token_of(file: Path) -> str:
    """The token that a file's first line is; none of it is read twice."""
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


@dataclass(frozen=True, kw_only=True)
class TransportOptions:
    """The proxy, and the listeners for TLS and gRPC."""

    proxy_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="The CONNECT proxy's port; any free port by default.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None
    no_proxy: Annotated[
        bool,
        typer.Option(
            "--no-proxy", help="Serve without the CONNECT proxy.", rich_help_panel=_TRANSPORTS
        ),
    ] = False
    tls_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="A port that answers TLS as Google's hosts, for hosts files; 0 for any free port.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None
    grpc_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="A port for gRPC without TLS; 0 for any free port. Clients of the proxy do not"
            " need it.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None
    emulate: Annotated[
        list[str] | None,
        typer.Option(
            help="A further host, or glob, that the proxy and the TLS listener mock.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None
    tunnel: Annotated[
        list[str] | None,
        typer.Option(
            help="A host, or glob, that the proxy connects to the real network.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None
    ca: Annotated[
        Path | None,
        typer.Option(
            help="A folder that keeps a certificate authority and shares it with other "
            "servers, for a browser or an image that trusts it once. It signs for any "
            "host, for a year. Without it, and without $MOCKSERVER_CA, each server has "
            "its own, which signs only for its hosts and expires within days.",
            rich_help_panel=_TRANSPORTS,
        ),
    ] = None

    def interception(self) -> "tuple[InterceptionOptions, bool]":
        """What the proxy and the TLS listener are asked to do, and whether any option asks it.

        Raises:
            MockServerError: The proxy, or what only it does, is asked for and left out.
        """
        from mockserver.fronts.interception import InterceptionOptions

        if self.no_proxy and self.proxy_port is not None:
            raise MockServerError("--proxy-port opens the proxy and --no-proxy leaves it out")
        emulate, tunnel = tuple(self.emulate or ()), tuple(self.tunnel or ())
        if self.no_proxy and (tunnel or (emulate and self.tls_port is None)):
            raise MockServerError(
                "--tunnel and --emulate are for the proxy, and --no-proxy leaves it out"
            )
        if self.proxy_port is None and not self.no_proxy:
            wanted = InterceptionOptions(0, self.tls_port, emulate, tunnel)
            return wanted, self.tls_port is not None
        return InterceptionOptions(self.proxy_port, self.tls_port, emulate, tunnel), True


@dataclass(frozen=True, kw_only=True)
class ProcessOptions:
    """How the server runs, and what it tells."""

    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Reload the suite's files when they change, for sessions that are opened "
            "later, and for the default session after a reset. A broken file is reported, "
            "and not served.",
        ),
    ] = False
    no_console: Annotated[
        bool,
        typer.Option(
            "--no-console", help="Serve without the pages at / (see docs/reference/console.md)."
        ),
    ] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Write no line for each request to stderr.")
    ] = False
    log_format: Annotated[
        Literal["text", "json"] | None,
        typer.Option(
            help="How each request is written to stderr: text (the default where stderr is a"
            " terminal; without one, none are written) or json, one object a line.",
        ),
    ] = None
    journal_bytes: Annotated[
        int,
        typer.Option(
            min=65536, help="The largest journal of a session, in bytes.", rich_help_panel=_PROCESS
        ),
    ] = 8 * _MEBIBYTE
    max_sessions: Annotated[
        int,
        typer.Option(min=1, help="The largest number of open sessions.", rich_help_panel=_PROCESS),
    ] = 20_000
    until_eof: Annotated[
        bool,
        typer.Option(
            "--until-eof",
            help="Stop when standard input is closed, for example because the parent process died.",
            rich_help_panel=_PROCESS,
        ),
    ] = False
    metrics: Annotated[
        bool,
        typer.Option(
            "--metrics",
            rich_help_panel=_PROCESS,
            help="Count requests, misses, faults and durations for Prometheus at "
            "/_mock/metrics; needs the extra `metrics`. Prometheus must send the control "
            "token, if there is one.",
        ),
    ] = False
    otel: Annotated[
        bool,
        typer.Option(
            "--otel",
            rich_help_panel=_PROCESS,
            help="Send a span for each request to the collector at $OTEL_EXPORTER_OTLP_ENDPOINT, by"
            " OTLP over HTTP; needs the extra `otel`.",
        ),
    ] = False
    http_protocol: Annotated[
        Literal["fast", "uvicorn"],
        typer.Option(
            "--http-protocol",
            rich_help_panel=_PROCESS,
            help="How connections are served: fast answers simple requests as soon as they are "
            "read; uvicorn starts a task for each. The answers are the same; use uvicorn "
            "to compare, or to find faults.",
        ),
    ] = "fast"


@dataclass(frozen=True, kw_only=True)
class SharingOptions:
    """How many processes share the sessions, and where these are kept."""

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
    ] = "1"
    redis: Annotated[
        str,
        typer.Option(
            envvar="MOCKSERVER_REDIS",
            rich_help_panel=_SHARED,
            help="The URL of a Redis that keeps the sessions of servers on several machines, "
            "redis://host:6379/0; needs the extra `redis`. Put a URL with a password into "
            "the variable: other users can see command lines.",
        ),
    ] = ""
    redis_prefix: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=_SHARED,
            help="The prefix of the keys in Redis: servers with the same prefix share sessions "
            "(default: understudy).",
        ),
    ] = None
    session_ttl: Annotated[
        int | None,
        typer.Option(
            min=10,
            rich_help_panel=_SHARED,
            help="How long Redis keeps a session that gets no requests, in seconds (default: a "
            "day).",
        ),
    ] = None
    state_dir: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SHARED,
            help="The folder of the sessions' logs without --redis: sessions survive a restart "
            "of the server. A temporary folder by default.",
        ),
    ] = None
    log_bytes: Annotated[
        int | None,
        typer.Option(
            min=65536,
            rich_help_panel=_SHARED,
            help="The largest log of a session, in bytes (default: 64 MiB); a session that reaches"
            " it answers 507.",
        ),
    ] = None

    def processes(self, alone: Mapping[str, object], *, cores: int) -> tuple[int, str]:
        """How many processes serve, and what the start says of it; nothing for a number.

        Args:
            alone: What does not go with several processes, by option, and whether it was given.
            cores: How many cores this process may use.

        Raises:
            MockServerError: It is neither a number from 1 to 64 nor `auto`.
        """
        asked = self.workers
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
        if cores < _FEWEST_CORES and not (self.redis or self.state_dir):
            return 1, (
                f"--workers auto: one process; this machine has {cores} cores, and several are"
                f" faster from {_FEWEST_CORES} on"
            )
        count = min(cores, _MOST_WORKERS)
        return count, f"--workers auto: {count} processes, without MCP"

    @property
    def are_kept(self) -> bool:
        """Whether sessions are logged whatever the number of processes."""
        return self != SharingOptions(workers=self.workers)

    def check(self, others: Mapping[str, object]) -> None:
        """Hold the options against the others.

        Args:
            others: What does not go with several processes, by option, and whether it was given.

        Raises:
            MockServerError: One does nothing, does not go with several processes, or is no URL of a
                Redis.
            MissingExtraError: The extra `redis` is not installed.
        """
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
        if not self.redis and (self.redis_prefix is not None or self.session_ttl is not None):
            raise MockServerError(
                "--redis-prefix and --session-ttl are about a Redis", hint="name it with --redis"
            )
        if self.redis:
            from mockserver.shared.redis_log import RedisLog

            RedisLog(self.redis)  # a URL that is none is told before ports are taken

    def serve(
        self,
        settings: "Settings",
        count: int,
        *,
        ready: "Callable[[str], None]",
        until_eof: bool,
        fronts: "tuple[Front, ...]",
    ) -> None:
        """Serve by `count` processes until a signal comes; a temporary folder goes then."""
        from mockserver.shared.application import DEFAULT_LOG_BYTES
        from mockserver.shared.redis_log import DEFAULT_PREFIX, DEFAULT_TTL_S
        from mockserver.shared.supervisor import serve_workers
        from mockserver.shared.worker import Sharing

        with tempfile.TemporaryDirectory(prefix="mockserver-") as sockets:
            sharing = Sharing(
                count,
                sockets=Path(sockets),
                state=self.state_dir or Path(sockets),
                redis=self.redis,
                prefix=self.redis_prefix or DEFAULT_PREFIX,
                ttl_s=self.session_ttl or DEFAULT_TTL_S,
                log_bytes=self.log_bytes or DEFAULT_LOG_BYTES,
            )
            serve_workers(
                settings, sharing, ready=ready, until_eof=until_eof, fronts=lambda: fronts
            )
