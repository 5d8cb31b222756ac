"""Which addresses an agent may be reached at, where others than its user name them.

A name is looked up once for each connection, every address that it has is checked, and the
connection goes to one of those: what is checked and what is connected to cannot differ.
"""

import asyncio
import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from harness.errors import HarnessError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_LOOKUP_S = 5.0
_LOOKUPS = 4
"""How many names are looked up at once; a name server that is silent holds up nothing else."""


class Destinations:
    """Where agents may be reached: this machine, and what was allowed beside it.

    Args:
        allowed: Names (`agents.example.com`, `*.example.com`), addresses and networks
            (`10.0.0.0/8`). A name allows every address that it has but those of the link and of
            nobody (`169.254.169.254`, `0.0.0.0`): these must be allowed as networks.

    Raises:
        HarnessError: One of them is none of these.
    """

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._networks: list[Network] = []
        self._names: list[str] = []
        self._lookups = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="lookup")
        for each in allowed:
            network = _network(each)
            if network is not None:
                self._networks.append(network)
            else:
                self._names.append(_checked_name(each))

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host, each of which may be connected to.

        Raises:
            HarnessError: It has none, or one that may not be reached.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_LOOKUP_S):
                known = await loop.run_in_executor(self._lookups, _looked_up, host, port)
        except (OSError, UnicodeError, ValueError, TimeoutError):
            raise HarnessError(f"the name {host!r} has no address") from None
        refused = [each for each in known if not self._allows(host, each)]
        if refused or not known:
            raise HarnessError(
                f"{host} is {', '.join(refused)}, and agents may not be reached there",
                hint="allow it where the server is started: harness serve --allow-agent HOST",
            )
        return known

    def _allows(self, host: str, address: str) -> bool:
        found = _plain(ip_address(address.partition("%")[0]))
        if found.is_loopback or any(found in each for each in self._networks):
            return True
        nobodys = found.is_link_local or found.is_unspecified or found.is_multicast
        name = host.lower().removesuffix(".")
        return not nobodys and any(fnmatchcase(name, each) for each in self._names)


def _looked_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _plain(address: Address) -> Address:
    """An address as it is connected to: IPv4 in IPv6 is IPv4."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _network(text: str) -> Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _checked_name(text: str) -> str:
    name = text.lower().removesuffix(".")
    if not name or set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789.-_*"):
        hint = "a name (agents.example.com, *.example.com), an address or a network (10.0.0.0/8)"
        raise HarnessError(f"{text!r} is no host that agents may be reached at", hint=hint)
    return name
