"""The other ways in that `mockserver serve` opens: proxy, TLS listener, gRPC."""

from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from mockserver.fronts.interception import Doors
    from mockserver.http.server import Front
    from mockserver.settings import Interception


class Opened(NamedTuple):
    """What a server is started with for its fronts.

    Attributes:
        interception: The files that clients need, or None without proxy and TLS listener.
        fronts: What is started beside the server.
    """

    interception: "Interception | None" = None
    fronts: "tuple[Front, ...]" = ()


def doors(
    ports: tuple[int | None, int | None],
    hosts: tuple[list[str] | None, list[str] | None],
    *,
    no_proxy: bool,
) -> "tuple[Doors, bool]":
    """Read the options of the proxy and the TLS listener.

    Args:
        ports: `--proxy-port` and `--tls-port`, None where not given.
        hosts: `--emulate` and `--tunnel`.
        no_proxy: `--no-proxy`.

    Returns:
        What they say, and whether any of them was asked for.

    Raises:
        MockServerError: The proxy, or what only it does, is asked for and left out.
    """
    from mockserver.errors import MockServerError
    from mockserver.fronts.interception import Doors

    proxy_port, tls_port = ports
    if no_proxy and proxy_port is not None:
        raise MockServerError("--proxy-port opens the proxy and --no-proxy leaves it out")
    emulate, tunnel = (tuple(one or ()) for one in hosts)
    if no_proxy and (tunnel or (emulate and tls_port is None)):
        raise MockServerError(
            "--tunnel and --emulate are for the proxy, and --no-proxy leaves it out"
        )
    if proxy_port is None and not no_proxy:
        return Doors(0, tls_port, emulate, tunnel), tls_port is not None
    return Doors(proxy_port, tls_port, emulate, tunnel), True


def opened(wanted: "Doors", *, insist: bool, grpc_port: int | None = None) -> Opened:
    """Prepare the proxy, the TLS listener, and the gRPC listener that both lead to.

    Args:
        wanted: Which of the first two.
        insist: Whether to fail when they cannot be had; otherwise the server goes without, and
            says so.
        grpc_port: The port of the gRPC listener; without one it starts when a client comes through
            the others.

    Raises:
        MockServerError: There is no place for the certificate authority.
    """
    from mockserver.fronts.grpc import GrpcListener
    from mockserver.fronts.relay import PeerSessions

    peers = PeerSessions()
    grpc = GrpcListener(grpc_port, peers)
    alone = Opened(fronts=() if grpc_port is None else (grpc,))
    if wanted.proxy_port is None and wanted.tls_port is None:
        return alone
    from mockserver.errors import MockServerError
    from mockserver.fronts.interception import InterceptionFront, prepare
    from mockserver.http.server import real_time

    try:
        authority, files = prepare(real_time())
    except MockServerError as error:
        if insist:
            raise
        typer.echo(f"mockserver: no proxy: {error}", err=True)
        return alone
    front = InterceptionFront(wanted, authority, grpc.address, peers)
    return Opened(files, (front, grpc))
