"""Connections that another process of the same server goes on with."""

import socket
from collections.abc import Callable
from typing import Protocol

Adopt = Callable[[socket.socket, bytes], None]
"""Goes on with a connection, given what was read of it."""


class Placement(Protocol):
    """Moves connections between the processes of one server.

    Attributes:
        doors: What goes on with a connection that was moved here, by the name of the port that it
            came to; the server's own port has none.
    """

    doors: dict[str, Adopt]

    def send(self, session_id: str, descriptor: int, data: bytes, door: str = "") -> bool:
        """Move a connection to the process of a session; False where it stays here.

        Args:
            session_id: The session.
            descriptor: The connection.
            data: What was read of it.
            door: The name of the port that it came to; an empty string for the server's own.
        """
        ...
