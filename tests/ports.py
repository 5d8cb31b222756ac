"""Ports for servers that are told theirs: free ones that nobody is given while they are free."""

import os
import socket
from itertools import count

_FIRST, _PORTS = 12_000, 20_000
"""Below the ports that the system gives out by itself, so that no connection takes one of these."""

_STEP = 10_007
"""A prime: processes whose ids are neighbours begin far from each other."""

_next = count(os.getpid() * _STEP)


def free_port() -> int:
    """A port on which nothing listens, another one at each call."""
    for number in _next:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port := _FIRST + number % _PORTS))
            except OSError:
                continue
            return port
    raise AssertionError
