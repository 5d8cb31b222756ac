"""Patches the network transports of httpx and httpx2, sync and async."""

from contextlib import ExitStack
from importlib import import_module
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

from mockserver.testing.transports.httpcore_backend import (
    AsyncSocketBackend,
    Opener,
    SocketBackend,
)
from mockserver.testing.transports.imports import replace_attribute
from mockserver.testing.transports.routes import Route, RouteSocket, is_active, route_to

_Way = tuple[Route, bool]
"""A route, and whether the client means HTTPS."""


def patch_httpx(core_name: str, module: ModuleType, undo: ExitStack) -> None:
    """Lead the clients of httpx, or of a library that is made like it.

    A transport has a pool of connections of its own for each route; whatever its own pool holds,
    a proxy of the environment included, is as it was afterwards.

    Args:
        core_name: The module of its connection pools, `httpcore`.
        module: `httpx`.
        undo: What undoes it.
    """
    pools = _Pools(core_name)
    handle = module.HTTPTransport.handle_request
    handle_async = module.AsyncHTTPTransport.handle_async_request
    close, aclose = module.HTTPTransport.close, module.AsyncHTTPTransport.aclose

    def handle_by_route(self: Any, request: Any) -> Any:
        way = _way(request)
        own = self if way is None else SimpleNamespace(_pool=pools.sync(self, way))
        return handle(own, request)

    async def handle_async_by_route(self: Any, request: Any) -> Any:
        way = _way(request)
        own = self if way is None else SimpleNamespace(_pool=pools.asynchronous(self, way))
        return await handle_async(own, request)

    def close_all(self: Any) -> None:
        for pool in pools.take(self):
            pool.close()
        close(self)

    async def aclose_all(self: Any) -> None:
        for pool in pools.take(self):
            await pool.aclose()
        await aclose(self)

    for owner, name, value in (
        (module.HTTPTransport, "handle_request", handle_by_route),
        (module.AsyncHTTPTransport, "handle_async_request", handle_async_by_route),
        (module.HTTPTransport, "close", close_all),
        (module.AsyncHTTPTransport, "aclose", aclose_all),
    ):
        replace_attribute(owner, name, value, undo)


class _Pools:
    """The pools of each transport, by route and by what the client means: HTTP or HTTPS."""

    def __init__(self, core_name: str) -> None:
        self._core_name = core_name
        self._known: WeakKeyDictionary[Any, dict[_Way, Any]] = WeakKeyDictionary()
        self._lock = Lock()

    def sync(self, transport: Any, way: _Way) -> Any:
        return self._pool(transport, way, "ConnectionPool", SocketBackend)

    def asynchronous(self, transport: Any, way: _Way) -> Any:
        return self._pool(transport, way, "AsyncConnectionPool", AsyncSocketBackend)

    def take(self, transport: Any) -> list[Any]:
        """The pools of a transport, which are no longer used."""
        with self._lock:
            return list(self._known.pop(transport, {}).values())

    def _pool(self, transport: Any, way: _Way, kind: str, backend: Any) -> Any:
        core = import_module(self._core_name)
        with self._lock:
            pools = self._known.setdefault(transport, {})
            for ended in [each for each in pools if not is_active(each[0])]:
                del pools[ended]
            if way not in pools:
                pools[way] = getattr(core, kind)(network_backend=backend(core, _opener(way)))
            return pools[way]


def _way(request: Any) -> _Way | None:
    route = route_to(request.url.host)
    return None if route is None else (route, request.url.scheme == "https")


def _opener(way: _Way) -> Opener:
    route, secure = way

    def open_socket(host: str, port: int, timeout: float | None) -> RouteSocket:
        return RouteSocket.by(route, host, port, secure=secure, timeout=timeout)

    return open_socket
