"""Checks of addresses: URLs, headers, live Google hosts, destinations.

URLs and headers are checked as users write them, and an environment for live Google hosts. Where
others than the user name an agent, `Destinations` says which addresses it may have.

A name is looked up once for each connection, every address that it has is checked, and the
connection goes to one of those: what is checked and what is connected to cannot differ.
"""

import asyncio
import re
import socket
from collections.abc import Iterable, Mapping
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
from urllib.parse import urlsplit, urlunsplit

from harness.errors import HarnessError

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
_LONGEST_LABEL = 63
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f]")


def checked_url(text: str, hint: str) -> str:
    """A URL as it was given, when something can be asked at it.

    Raises:
        HarnessError: It is none, with `hint` on what to write.
    """
    if _UNPRINTABLE.search(text) or not _leads_somewhere(text):
        raise HarnessError(f"{text!r} is no URL", hint=hint)
    return text


def place_of(url: str) -> str:
    """A URL as it may be told: without what may be secret, its user and its query.

    >>> place_of("http://ann:pw@localhost:8000/a?key=k")
    'http://localhost:8000/a'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=host, query="", fragment=""))


def _leads_somewhere(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # a port or an address that cannot be
        return False
    labels = host.removesuffix(".").split(".")
    named = all(0 < len(label) <= _LONGEST_LABEL for label in labels)
    return parts.scheme in {"http", "https"} and named and port != 0


def checked_header(name: str, value: str) -> tuple[str, str]:
    """A header as it is sent; the value may be secret and is never told.

    Raises:
        HarnessError: HTTP has no such header.
    """
    if not _HEADER_NAME.fullmatch(name):
        raise HarnessError(
            f"{name!r} is no header name", hint="a --header is written 'Name: value'"
        )
    if not _HEADER_VALUE.fullmatch(value):
        raise HarnessError(
            f"the value of header {name} holds a line break or a letter that is not ASCII"
        )
    return name, value


_LIVE_HOST = re.compile(r"(^|\.)(googleapis\.com|accounts\.google\.com|google\.internal)$")


def live_endpoints(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables of an environment that lead to a live Google host.

    >>> live_endpoints({"GOOGLE_API_BASE_URL": "https://admin.googleapis.com", "HOME": "/root"})
    ('GOOGLE_API_BASE_URL',)
    """
    return tuple(sorted(name for name, value in environment.items() if _is_live(value)))


def refuse_live(environment: Mapping[str, str]) -> None:
    """Refuse an agent environment that leads to live Google hosts.

    Raises:
        HarnessError: It does; the names are given, the values are not.
    """
    live = live_endpoints(environment)
    if live:
        raise HarnessError(
            f"the agent would reach live Google hosts: {', '.join(live)}",
            hint="point them to the mock server, unset them, or say --live",
        )


def _is_live(value: str) -> bool:
    if "://" not in value:
        return False
    try:
        host = urlsplit(value.strip()).hostname
    except ValueError:
        return False
    return host is not None and _LIVE_HOST.search(host) is not None


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
                hint="allow it where the server is started: understudy console --allow-agent HOST",
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
