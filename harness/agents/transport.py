"""Carries requests to agents at the addresses that they may be reached at, and to no others."""

from collections.abc import Iterable

import httpcore
import httpx
from typing_extensions import override

from harness.agents.destinations import Destinations
from harness.errors import HarnessError


def transport_to(destinations: Destinations | None) -> httpx.AsyncBaseTransport | None:
    """What carries requests there; None, which is httpx's own, where an agent may be anywhere.

    Proxies that the environment names are not asked: they would look names up themselves.
    """
    return None if destinations is None else CheckedTransport(destinations)


class CheckedTransport(httpx.AsyncHTTPTransport):
    """Connects to addresses that were checked.

    Args:
        destinations: Which they are.
    """

    def __init__(self, destinations: Destinations) -> None:
        super().__init__()
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=None,
            network_backend=_CheckedBackend(destinations),
        )


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were checked, never to a name."""

    def __init__(self, destinations: Destinations) -> None:
        self._destinations = destinations
        self._backend = httpcore.AnyIOBackend()

    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._destinations.addresses(host, port)
        except HarnessError as error:
            raise httpcore.ConnectError(str(error)) from None
        for address in addresses[:-1]:
            try:
                return await self._backend.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._backend.connect_tcp(
            addresses[-1], port, timeout, local_address, socket_options
        )

    @override
    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)
