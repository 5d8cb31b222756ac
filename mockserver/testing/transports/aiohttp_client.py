"""Patches the connector of aiohttp."""

import errno
from contextlib import ExitStack
from functools import partial
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from mockserver.testing.transports.imports import replace_attribute
from mockserver.testing.transports.routes import Route, route_to


def patch_aiohttp(module: ModuleType, undo: ExitStack) -> None:
    """Lead the TCP connections of aiohttp's sessions."""
    connector = module.TCPConnector
    connect, create = connector.connect, connector._create_connection  # noqa: SLF001
    routes: WeakKeyDictionary[Any, Route] = WeakKeyDictionary()

    async def connect_by_route(self: Any, req: Any, *args: Any, **options: Any) -> Any:
        route = route_to(req.url.host or "")
        pooled = self._conns.get(req.connection_key, ())
        for found in [each for each in pooled if routes.get(each[0]) is not route]:
            pooled.remove(found)
            found[0].close()
        return await connect(self, req, *args, **options)

    async def create_by_route(self: Any, req: Any, traces: Any, limits: Any) -> Any:
        from asyncio import get_running_loop  # an agent that has no aiohttp goes without

        route = route_to(req.url.host or "")
        if route is None:
            return await create(self, req, traces, limits)
        loop = get_running_loop()
        port = req.url.port or 80
        try:
            open_socket = partial(
                route.open,
                req.url.host,
                port,
                secure=req.url.scheme in {"https", "wss"},
                timeout=limits.sock_connect,
            )
            opened = await loop.run_in_executor(None, open_socket)
        except OSError as error:
            said = OSError(errno.ECONNREFUSED, getattr(error, "reason", str(error)))
            raise module.ClientConnectorError(req.connection_key, said) from error
        opened.settimeout(0)
        _, protocol = await loop.create_connection(self._factory, sock=opened)
        routes[protocol] = route
        return protocol

    replace_attribute(connector, "connect", connect_by_route, undo)
    replace_attribute(connector, "_create_connection", create_by_route, undo)
