"""Whether the process may still open files and connections.

A loop that can accept no connection closes it without a word, and whoever asked would take the
blame. So the last descriptors are kept free, a connection that would take one of them is refused in
words, and the sessions that were open then say so in their reports.
"""

import errno
import logging
import os
from contextlib import suppress
from typing import Protocol

RESERVE = 16
"""Descriptors that no connection gets: for files, and for connections that come all at once."""

_PROBLEM = "the mock server had no descriptors left, and refused connections"
_HINT = "raise the limit of open files (ulimit -n), or run less at once"
_BODY = f'{{"error":{{"message":"{_PROBLEM}","hint":"{_HINT}"}}}}\n'.encode()
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

    def look(self) -> None:
        """Try to take as many descriptors as are to be left: one may be free by chance."""
        taken: list[int] = []
        try:
            taken.append(os.open(os.devnull, os.O_RDONLY))
            while len(taken) < RESERVE:
                taken.append(os.dup(taken[0]))
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._tell()
        else:
            self._is_told = False
        finally:
            for each in taken:
                os.close(each)

    def admits(self, descriptor: int) -> bool:
        """Whether a connection may stay; the lowest free descriptor is always the next one.

        Args:
            descriptor: That of the connection.
        """
        limit = _limit()
        if limit is None or descriptor < limit - RESERVE:
            return True
        self._tell()
        return False

    def _tell(self) -> None:
        self._sessions.note_problem(_PROBLEM)
        if not self._is_told:
            self._is_told = True
            _log.error("%s: %s", _PROBLEM, _HINT)


def _limit() -> int | None:
    """How many descriptors this process may have; None where nothing says so."""
    with suppress(ImportError, OSError):  # none on Windows
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return None if limit == resource.RLIM_INFINITY else limit
    return None
