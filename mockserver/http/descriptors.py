"""Whether the process may still open files and connections.

A loop that can accept no connection closes it without a word, and whoever asked would take the
blame. So the last descriptors are kept free, a connection that would take one of them is refused in
words, and the sessions that were open then say so in their reports.
"""

import asyncio
import logging
import os
from contextlib import suppress
from typing import Protocol

from mockserver.sessions.shortage import HINT, PROBLEM, is_shortage

RESERVE = 16
"""Descriptors that no connection gets: for files, and for connections that come all at once."""

_BODY = f'{{"error":{{"message":"{PROBLEM}","hint":"{HINT}"}}}}\n'.encode()
REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
    b"X-Mock-Source: none\r\nRetry-After: 1\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
)
"""The answer on a connection for which there is none left."""

_log = logging.getLogger(__name__)


class Witnesses(Protocol):
    """Those who say later that something was wrong."""

    def note_problem(self, problem: str) -> None:
        """Each that is open now keeps it."""
        ...


class DescriptorWatch:
    """Looks whether descriptors are left.

    Args:
        sessions: Whom to tell when there are none.
    """

    def __init__(self, sessions: Witnesses) -> None:
        self._sessions = sessions
        self._is_told = False
        self._spare: int | None = None

    def keep_spare(self) -> None:
        """Keep a descriptor, so that what a log needs can still be loaded when none is left."""
        if self._spare is None:
            with suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY)

    def look(self) -> None:
        """Try to take as many descriptors as are to be left: one may be free by chance."""
        taken: list[int] = []
        is_short = False
        try:
            taken.append(os.open(os.devnull, os.O_RDONLY))
            while len(taken) < RESERVE:
                taken.append(os.dup(taken[0]))
        except OSError as error:
            is_short = is_shortage(error)
        else:
            self._is_told = False
        finally:
            for each in taken:
                os.close(each)
        if is_short:
            self.tell()

    def admits(self, descriptor: int) -> bool:
        """Whether a connection may stay; the lowest free descriptor is always the next one.

        Args:
            descriptor: That of the connection.
        """
        limit = _limit()
        if limit is None or descriptor < limit - RESERVE:
            return True
        self.tell()
        return False

    def refuse_excess(self, transport: asyncio.Transport) -> bool:
        """Refuse a connection that is one too many, in words.

        Returns:
            Whether it was refused.
        """
        own = transport.get_extra_info("socket")
        if own is None or self.admits(own.fileno()):
            return False
        transport.write(REFUSAL)
        transport.close()
        return True

    def tell(self) -> None:
        """Let the sessions and the log know that there are none left."""
        self._sessions.note_problem(PROBLEM)
        if self._is_told:
            return
        self._is_told = True
        if self._spare is None:
            _log.error("%s: %s", PROBLEM, HINT)
            return
        os.close(self._spare)
        self._spare = None
        _log.error("%s: %s", PROBLEM, HINT)
        self.keep_spare()


def _limit() -> int | None:
    """How many descriptors this process may have; None where nothing says so."""
    with suppress(ImportError, OSError):  # none on Windows
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return None if limit == resource.RLIM_INFINITY else limit
    return None
