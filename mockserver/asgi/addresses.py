"""Where a server listens: its socket, its URL, and whether others than this machine reach it."""

import secrets
import socket
from ipaddress import ip_address

_BACKLOG = 2048
"""Connections that may wait to be accepted."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket that does not block.

    Args:
        host: An address of this machine.
        port: 0 takes a free one.

    Raises:
        OSError: The address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)  # noqa: FBT003  (the socket's own signature)
    return listener


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def url_of(host: str, port: int) -> str:
    """The URL under which a server on this address is reached from this machine.

    >>> url_of("0.0.0.0", 8765), url_of("::1", 80)
    ('http://127.0.0.1:8765', 'http://[::1]:80')
    """
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104  (compared, not bound)
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def new_token(host: str) -> str:
    """A random token for an address that others can reach too; an empty string for loopback."""
    return "" if is_loopback(host) else secrets.token_urlsafe(32)
