"""The TLS listener: for callers whose hosts file leads Google's names to this machine."""

import asyncio
from typing import cast

from typing_extensions import override

from mockserver.fronts.switchboard import Switchboard, Waiting


class TlsConnection(Waiting):
    """One connection; it is made once the handshake is done, and names no session of its own."""

    def __init__(self, switchboard: Switchboard) -> None:
        super().__init__()
        self._switchboard = switchboard

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._switchboard.secured(cast("asyncio.Transport", transport), None, self)
