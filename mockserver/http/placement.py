"""What the processes of one server share: connections, and calls that no HTTP request carries."""

import socket
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

from mockserver.asgi.requests import Name

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


class LoggedCall(NamedTuple):
    """A call of a transport other than HTTP, as a log holds it.

    Attributes:
        path: `/package.Service/Method`.
        metadata: What was sent beside the message; values of `-bin` keys are bytes.
        content: The message as sent.
        proxied: The session of its connection, where a proxy knows that; else an empty string.
        caller: The session that its caller is of, where it named several; None where it did not.
    """

    path: str
    metadata: tuple[tuple[str, str | bytes], ...]
    content: bytes
    proxied: str = ""
    caller: str | None = None


class CallLog(Protocol):
    """Where calls are logged before they are answered.

    Attributes:
        repeat: Answers a logged call again, to nobody; set by the transport that brings them.
    """

    repeat: Callable[[LoggedCall], Awaitable[None]] | None

    def answering(
        self, call: LoggedCall, names: tuple[Name, ...], token: str
    ) -> AbstractAsyncContextManager[LoggedCall]:
        """Log a call, and answer it within; other requests of its sessions wait meanwhile.

        Args:
            call: The call.
            names: The sessions that it names, and how; none for the default one.
            token: The caller's token as sent.

        Raises:
            MockServerError: It cannot be logged.
        """
        ...
