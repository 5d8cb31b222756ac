"""Patches `http.client` and what is made of it: urllib, urllib3 with requests, httplib2."""

import http.client
import socket
from collections.abc import Callable
from contextlib import ExitStack
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from mockserver.testing.transports.imports import replace_attribute
from mockserver.testing.transports.routes import (
    Route,
    RouteSocket,
    UnservedHostError,
    route_to,
)

Refusal = Callable[[Any, UnservedHostError], Exception]
"""The error of a client library for a host that cannot be reached."""

_refusals: list[tuple[type, Refusal]] = []
_HTTPS = 443


def patch_http_client(module: ModuleType, undo: ExitStack) -> None:
    """Lead every connection of `http.client`; libraries that connect by themselves add to it."""
    putrequest = module.HTTPConnection.putrequest

    def put_on_route(self: Any, method: str, url: str, *args: Any, **options: Any) -> None:
        _lead(self, url)
        putrequest(self, method, url, *args, **options)

    replace_attribute(module.HTTPConnection, "putrequest", put_on_route, undo)
    _patch_connect(module.HTTPConnection, undo)
    _patch_connect(module.HTTPSConnection, undo)


def patch_urllib3(module: ModuleType, undo: ExitStack) -> None:
    """Lead the connections of urllib3, and so of requests."""

    def refusal(connection: Any, error: UnservedHostError) -> Exception:
        return module.NewConnectionError(connection, error.reason)  # type: ignore[no-any-return]

    _patch_family(module.HTTPConnection, module.HTTPSConnection, refusal, undo)


def patch_httplib2(module: ModuleType, undo: ExitStack) -> None:
    """Lead the connections of httplib2, and so of google-api-python-client."""

    def refusal(_: Any, error: UnservedHostError) -> Exception:
        return module.ServerNotFoundError(error.reason)  # type: ignore[no-any-return]

    _patch_family(
        module.HTTPConnectionWithTimeout, module.HTTPSConnectionWithTimeout, refusal, undo
    )


def _patch_family(plain: type, secure: type, refusal: Refusal, undo: ExitStack) -> None:
    row = (plain, refusal), (secure, refusal)
    _refusals.extend(row)
    for each in row:
        undo.callback(_refusals.remove, each)
    _patch_connect(plain, undo)
    if secure is not plain:
        _patch_connect(secure, undo)


def _patch_connect(owner: Any, undo: ExitStack) -> None:
    connect = owner.connect

    def connect_by_route(self: Any) -> None:
        host, port = _target(self, "")
        route = route_to(host)
        if route is None:
            connect(self)
        else:
            _open(self, route, host, port)

    replace_attribute(owner, "connect", connect_by_route, undo)


def _lead(connection: Any, url: str) -> None:
    """See that a connection is of the active route, whatever it was used for before."""
    host, port = _target(connection, url)
    route = route_to(host)
    current = getattr(connection.sock, "route", None)
    # not the close of urllib3, which forgets what is being asked
    if route is None:
        if current is not None:
            http.client.HTTPConnection.close(connection)
    elif current is not route:
        http.client.HTTPConnection.close(connection)
        _open(connection, route, host, port)


def _target(connection: Any, url: str) -> tuple[str, int]:
    """Host and port that a connection is to reach in the end, proxy or not."""
    if url.startswith(("http://", "https://")):
        parts = urlsplit(url)
        return parts.hostname or "", parts.port or (_HTTPS if url[4] == "s" else 80)
    tunnel = getattr(connection, "_tunnel_host", None)
    if tunnel:
        return tunnel, getattr(connection, "_tunnel_port", None) or _HTTPS
    return connection.host, connection.port


def _open(connection: Any, route: Route, host: str, port: int) -> None:
    timeout = connection.timeout
    if timeout is not None and not isinstance(timeout, int | float):
        timeout = socket.getdefaulttimeout()
    try:
        connection.sock = RouteSocket.by(
            route, host, port, secure=_is_secure(connection), timeout=timeout
        )
    except UnservedHostError as error:
        raise _refused(connection, error) from error
    if hasattr(connection, "is_verified"):  # what urllib3 warns without
        connection.is_verified = True


def _is_secure(connection: Any) -> bool:
    return bool(connection.default_port == _HTTPS or getattr(connection, "_tunnel_host", None))


def _refused(connection: Any, error: UnservedHostError) -> Exception:
    for kind, refusal in _refusals:
        if isinstance(connection, kind):
            return refusal(connection, error)
    return error
