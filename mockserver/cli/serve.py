"""`mockserver serve`: the fixture server."""

import gc
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

_PORT = 8765
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
    case: Annotated[
        str | None, typer.Option(help="The case that the default session is opened on.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")
    ] = _PORT,
    clock: Annotated[
        str,
        typer.Option(help="The default session's clock: shift, real, frozen, frozen:<RFC 3339>."),
    ] = "shift",
    profile: Annotated[
        str,
        typer.Option(
            help="How strictly the default session holds requests to the documents:"
            " lenient, google or strict."
        ),
    ] = "google",
    seed: Annotated[int, typer.Option(help="Where the default session's ids come from.")] = 0,
    auth: Annotated[
        str | None,
        typer.Option(
            help="What the default session asks of credentials: off, token or scopes; follows the"
            " profile when not given."
        ),
    ] = None,
    synthesis: Annotated[
        bool,
        typer.Option(
            "--synthesis",
            help="Where nothing else answers, the default session makes answers of schemas.",
        ),
    ] = False,
    cassette: Annotated[
        list[Path] | None,
        typer.Option(
            help="A cassette, or a recording of another tool (HAR, WireMock, ...), that the default"
            " session replays; may be given more than once. Without --fixtures nothing else"
            " answers."
        ),
    ] = None,
    repeats: Annotated[
        str | None,
        typer.Option(
            help="What a request gets whose recordings were all played: reads (the latest again for"
            " one that only reads, the default), once (a miss, as with --strict), last or cycle."
        ),
    ] = None,
    barriers: Annotated[
        str | None,
        typer.Option(
            help="What a read gets that was recorded after a write that was not made: warn (the"
            " recording, with a warning; the default), strict (a miss, as with --strict), or off:"
            " writes keep no read from its turn."
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            help="The parts of a request that must be equal, of method,host,path,query,headers,body"
            " (the default: all), such as method,path,query,body; `match:` in a cassette says more."
        ),
    ] = None,
    pace: Annotated[
        float | None,
        typer.Option(
            help="How long the gaps of recorded streams last: 1 as recorded (the default), 0 none."
        ),
    ] = None,
    redaction: Annotated[
        Path | None,
        typer.Option(
            help="The redaction rules that the cassettes were captured with beside the common ones."
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="At the end, list the recordings that nobody asked for and the requests without"
            " one, and exit with 1 if there are any. Nothing is played twice or with a warning.",
        ),
    ] = False,
    hermetic: Annotated[
        bool,
        typer.Option(
            "--hermetic",
            help="Refuse and count what would reach another machine, as with --cassette; see"
            " `connections` of /_mock/health.",
        ),
    ] = False,
    no_default: Annotated[
        bool,
        typer.Option("--no-default", help="Refuse requests that name no session."),
    ] = False,
    token: Annotated[
        str,
        typer.Option(
            envvar="MOCKSERVER_TOKEN",
            help="What the control API asks for beside /_mock/health; made up on an address that is"
            " not loopback. Without one, every agent can change what is kept of it.",
        ),
    ] = "",
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file whose first line is that token; - reads it from standard input, so that it"
            " is in no command line and no environment."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            callback=_checked_names,
            help="A further name that the control API answers to: NAME, NAME:PORT, or https://NAME"
            " behind a proxy that ends TLS.",
        ),
    ] = None,
    journal_bytes: Annotated[
        int, typer.Option(min=65536, help="How much one session's journal may hold, in bytes.")
    ] = 8 * _MEBIBYTE,
    max_sessions: Annotated[
        int, typer.Option(min=1, help="How many sessions may be open at once.")
    ] = 20_000,
    proxy_port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="The CONNECT proxy's port; a free one by default."),
    ] = None,
    no_proxy: Annotated[
        bool, typer.Option("--no-proxy", help="Serve without the CONNECT proxy.")
    ] = False,
    tls_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="A port that answers TLS in Google's name, for hosts files; 0 takes a free one.",
        ),
    ] = None,
    grpc_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="A port that speaks gRPC in the clear; 0 takes a free one. Clients that come"
            " through the proxy need none.",
        ),
    ] = None,
    emulate: Annotated[
        list[str] | None,
        typer.Option(help="A further host, or glob, that proxy and TLS listener answer for."),
    ] = None,
    tunnel: Annotated[
        list[str] | None,
        typer.Option(help="A host, or glob, that the proxy lets through to the real network."),
    ] = None,
    until_eof: Annotated[
        bool,
        typer.Option(
            "--until-eof",
            help="Stop when standard input ends, as it does when the process that holds it dies.",
        ),
    ] = False,
) -> None:
    """Serve a suite's fixtures as the APIs they were taken from.

    Requests that name no session belong to the default one. Stop with Ctrl-C.

    Example: mockserver serve --fixtures fixtures/chrome-enterprise --case EC-001
    """
    gc.disable()  # until all is loaded: nothing of it is garbage, and looking takes a tenth of it
    from mockserver.cli.doors import doors, opened
    from mockserver.cli.replaying import Replayed, tell_leftovers
    from mockserver.cli.specs import session_spec
    from mockserver.errors import MockServerError
    from mockserver.http.server import serve as run
    from mockserver.settings import Settings

    if no_default and case is not None:
        raise MockServerError(
            "--case opens the default session and --no-default leaves it out", hint="choose one"
        )
    replayed = Replayed(tuple(cassette or ()), repeats, pace, barriers, match, strict)
    replayed.check(no_default=no_default, tunnel=tunnel)
    if hermetic and tunnel:
        raise MockServerError("--hermetic lets nothing out and --tunnel does", hint="choose one")
    wanted, insist = doors((proxy_port, tls_port), (emulate, tunnel), no_proxy=no_proxy)
    others = opened(wanted, insist=insist, grpc_port=grpc_port)
    if token_file is not None:
        token = _token_of(token_file)
    made_up = "" if token else _made_up_token(host)
    if fixtures is not None:
        _tell_missing_base(fixtures)
    settings = Settings(
        fixtures=fixtures,
        host=host,
        port=port,
        token=token or made_up,
        allowed_hosts=tuple(name.lower() for name in allow_host or ()),
        cassettes=replayed.cassettes,
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
            sources=replayed.sources(fixtures=fixtures, synthesis=synthesis),
            **replayed.played(),
        ),
        journal_bytes=journal_bytes,
        max_sessions=max_sessions,
        interception=others.interception,
    )
    ready = partial(_announce, made_up, settings.fronts)
    application = run(settings, ready=ready, until_eof=until_eof, fronts=others.fronts)
    if strict and tell_leftovers(application):
        raise typer.Exit(1)


def _tell_missing_base(fixtures: Path) -> None:
    """Say so where a suite's sessions start from nothing: its files may only be misplaced."""
    from mockserver.storage import Suite

    if not fixtures.is_dir() or Suite(fixtures).base_files():
        return  # what is no folder is told when it is read
    loose = sorted(path.name for path in fixtures.glob("*.json"))
    found = f"; of {', '.join(loose[:3])} nothing is served" if loose else ""
    typer.echo(
        f"mockserver: {fixtures} has no base/*.json: sessions start from nothing but the override"
        f" of their case{found} (put snapshots into {fixtures / 'base'}/)",
        err=True,
    )


def _announce(made_up: str, fronts: Mapping[str, int], url: str) -> None:
    if made_up:
        typer.echo(f"mockserver: the control API asks for this token: {made_up}", err=True)
    also = "".join(f", {name} on port {port}" for name, port in fronts.items())
    typer.echo(f"mockserver ready at {url} (pid {os.getpid()}{also})")


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


def _made_up_token(host: str) -> str:
    """A token for an address that others can reach too."""
    from mockserver.settings import is_loopback

    if is_loopback(host):
        return ""
    import secrets

    return secrets.token_urlsafe(32)
