"""The other ways in that `mockserver serve` opens: proxy, TLS listener, gRPC."""

from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    import uvicorn

    from mockserver.fronts.interception import Doors
    from mockserver.server.application import Application
    from mockserver.server.serving import Front
    from mockserver.server.settings import Interception


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
        MockServerError: The proxy is asked for and left out.
    """
    from mockserver.errors import MockServerError
    from mockserver.fronts.interception import Doors

    proxy_port, tls_port = ports
    if no_proxy and proxy_port is not None:
        raise MockServerError("--proxy-port opens the proxy and --no-proxy leaves it out")
    emulate, tunnel = (tuple(one or ()) for one in hosts)
    if proxy_port is None and not no_proxy:
        return Doors(0, tls_port, emulate, tunnel), tls_port is not None
    return Doors(proxy_port, tls_port, emulate, tunnel), True


def opened(wanted: "Doors", *, insist: bool) -> Opened:
    """Prepare the proxy and the TLS listener.

    Args:
        wanted: Which of them.
        insist: Whether to fail when they cannot be had; otherwise the server goes without, and
            says so.

    Raises:
        MockServerError: There is no place for the certificate authority.
    """
    if wanted.proxy_port is None and wanted.tls_port is None:
        return Opened()
    from mockserver.errors import MockServerError
    from mockserver.fronts.interception import InterceptionFront, prepare
    from mockserver.fronts.relay import PeerSessions
    from mockserver.server.serving import real_time

    try:
        authority, files = prepare(real_time())
    except MockServerError as error:
        if insist:
            raise
        typer.echo(f"mockserver: no proxy: {error}", err=True)
        return Opened()
    front = InterceptionFront(wanted, authority, _no_grpc, PeerSessions())
    return Opened(files, (front,))


async def _no_grpc(application: "Application", server: "uvicorn.Server") -> tuple[str, int]:
    from mockserver.errors import ServerUnavailableError

    raise ServerUnavailableError("this server does not speak gRPC")
