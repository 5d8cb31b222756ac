"""Replays go nowhere: what opens a connection is refused, and counted."""

import sys
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass


_ASKING = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})


_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})


_HERE = frozenset({"localhost", "", "None"})


@dataclass
class Connections:
    """What the process tried to reach since connections are forbidden.

    Attributes:
        opened: Connections to this machine itself; nothing of the server opens one.
        refused: Connections, or look-ups of names, that would have left this machine.
    """

    opened: int = 0
    refused: int = 0


class _Watch:
    """Hears of every connection that the interpreter is about to make."""

    def __init__(self) -> None:
        self.seen = Connections()
        self.allowed: set[str] = set()

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _CONNECTING:
            address = arguments[1]
            if address is not None:  # else it is connected already
                self._check(address[0] if isinstance(address, tuple) else "", opens=True)
        elif event in _ASKING:
            self._check(arguments[0], opens=False)

    def _check(self, host: object, *, opens: bool) -> None:
        name = host.decode("latin-1") if isinstance(host, bytes) else str(host)
        if name in self.allowed:
            return
        if name in _HERE or _is_here(name):
            self.seen.opened += opens
            return
        self.seen.refused += 1
        raise ConnectionRefusedError(f"{name}: a server that replays cassettes goes nowhere")


_watches: list[_Watch] = []


def forbid_connections(*allowed: str) -> None:
    """Let this process reach nothing outside this machine from now on; it cannot be undone.

    Args:
        allowed: Hosts and addresses that the server itself needs.
    """
    if not _watches:
        _watches.append(_Watch())
        sys.addaudithook(_watches[0])
    _watches[0].allowed.update(allowed)


def connections() -> dict[str, int] | None:
    """What the process tried to reach since they are forbidden; None where they are not."""
    return asdict(_watches[0].seen) if _watches else None


def _is_here(name: str) -> bool:
    try:
        return ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False
