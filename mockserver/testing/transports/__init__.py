"""Leads unchanged HTTP clients of this process elsewhere: to a mock in process, or to its proxy.

`lead_clients` patches httpx and httpx2, `http.client` (so `urllib.request`), urllib3 (so requests),
httplib2 (so google-api-python-client) and aiohttp for its duration. Only the opening of connections
is patched: pools, redirects, compression, streaming, timeouts and errors are each client's own.
gRPC opens its connections outside of Python and follows variables of the environment instead.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from threading import RLock

from mockserver.testing.transports.aiohttp_client import patch_aiohttp
from mockserver.testing.transports.http_client import (
    patch_http_client,
    patch_httplib2,
    patch_urllib3,
)
from mockserver.testing.transports.httpx_client import patch_httpx
from mockserver.testing.transports.imports import ImportPatches, Patch
from mockserver.testing.transports.routes import (
    ProxyRoute,
    Route,
    UnservedHostError,
    begin_route,
    go_directly,
)

__all__ = [
    "ProxyRoute",
    "Route",
    "UnservedHostError",
    "go_directly",
    "lead_clients",
    "route_of_environment",
]

_PATCHES: Mapping[str, Patch] = {
    "http.client": patch_http_client,
    "urllib3.connection": patch_urllib3,
    "httplib2": patch_httplib2,
    "httpx": partial(patch_httpx, "httpcore"),
    "httpx2": partial(patch_httpx, "httpcore2"),
    "aiohttp.connector": patch_aiohttp,
}
"""Module name to what patches it; a further client adds its line."""

_lock = RLock()
_users = 0
_installed: ImportPatches | None = None


@contextmanager
def lead_clients(route: Route) -> Iterator[None]:
    """Lead the HTTP clients of this process by a route.

    Routes nest: the inner one counts until it ends. A thread or task that begins one of its own
    takes that; all others take the route that was begun last. Connections that a client keeps open
    are never used by another route than the one that they were opened by.

    Yields:
        Nothing.
    """
    _install()
    try:
        with begin_route(route):
            yield
    finally:
        _remove()


def route_of_environment(
    environment: Mapping[str, str], tunnel: Sequence[str] = ()
) -> ProxyRoute | None:
    """The route to the mock server whose proxy an environment block names; None without one.

    Args:
        environment: The variables of a session.
        tunnel: Globs of hosts that the proxy lets through; they go their own way.
    """
    proxy = environment.get("HTTPS_PROXY", "")
    if not proxy or "MOCK_SESSION" not in environment:
        return None
    direct = environment.get("NO_PROXY", "").lower().split(",")
    return ProxyRoute(proxy, [*(name.strip() for name in direct if name.strip()), *tunnel])


def _install() -> None:
    global _users, _installed
    with _lock:
        if _installed is None:
            patches = ImportPatches(_PATCHES)
            patches.install()
            _installed = patches
        _users += 1


def _remove() -> None:
    global _users, _installed
    with _lock:
        _users -= 1
        if not _users and _installed is not None:
            _installed.remove()
            _installed = None
