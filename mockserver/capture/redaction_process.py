"""Redacts what is large in a process of its own: nobody else waits for it, and memory is bounded.

The process is started with the first large body. What goes to it and what comes back goes over a
socket that nobody else has; it writes nothing but redacted bodies. It ends with its end of the
socket, however the capture ends.
"""

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.cassettes.files.body_files import BodyWriter
from mockserver.children import child_command
from mockserver.errors import MockServerError
from mockserver.messages.stream_coding import BodyDecoder, CodingError
from mockserver.model import BodyFile, Header, Interaction
from mockserver.redaction import InteractionSanitizer, Question, Redactor, Secret
from mockserver.redaction.large_bodies import LargeBody, NotRedactableError

UNREADABLE = "a content coding that cannot be opened, and so not be redacted"
_NICE = 5
"""How much the process stands back behind those that answer clients."""


class RefusedBody(NamedTuple):
    """A body that is not kept.

    Attributes:
        reason: Why; nothing of the body is in it.
    """

    reason: str


class KeptBody(NamedTuple):
    """A body that is kept in a file.

    Attributes:
        file: Where.
        coding: The recipe to code it again; empty where it was not coded.
        changed: Whether anything was replaced in it.
        questions: What is in question about it.
        secrets: What was replaced in it, and not before.
    """

    file: BodyFile
    coding: str
    changed: bool
    questions: tuple[Question, ...]
    secrets: tuple[Secret, ...]


class RedactedInteraction(NamedTuple):
    """An interaction that was redacted.

    Attributes:
        interaction: It.
        secrets: What was replaced in it, and not before.
    """

    interaction: Interaction
    secrets: tuple[Secret, ...]


class BodyRedaction:
    """One body on its way to its file: opened, redacted, written as it comes.

    Args:
        sanitizer: Redacts it.
        headers: Those beside it.
        part: `request body` or `response body`.
        folder: Where its file will be.
        largest: Bytes without content coding; a larger body is refused.

    Raises:
        NotRedactableError: It is of a coding that nobody knows.
        MockServerError: Nothing can be written there.
    """

    def __init__(
        self,
        sanitizer: InteractionSanitizer,
        headers: Iterable[Header],
        part: str,
        folder: Path,
        largest: int,
    ) -> None:
        given = tuple(headers)
        self._left = self._largest = largest
        try:
            self._opener = BodyDecoder(given)
        except CodingError as error:
            raise NotRedactableError(UNREADABLE) from error
        self._body = LargeBody(sanitizer, given, part)
        self._writer = BodyWriter(folder)

    def feed(self, content: bytes) -> None:
        """What comes next, as it is on the wire.

        Raises:
            NotRedactableError: It cannot be redacted; nothing of it is left.
            MockServerError: It cannot be written; nothing of it is left.
        """
        try:
            for piece in self._opener.feed(content):
                self._keep(piece)
        except CodingError as error:
            self.drop()
            raise NotRedactableError(UNREADABLE) from error
        except BaseException:
            self.drop()
            raise

    def _keep(self, piece: bytes) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise NotRedactableError(too_large(self._largest))
        self._writer.write(self._body.feed(piece))

    def end(self) -> KeptBody:
        """The file; `secrets` is empty.

        Raises:
            NotRedactableError: It cannot be redacted; nothing of it is left.
            MockServerError: It cannot be written; nothing of it is left.
        """
        try:
            self._opener.end()
            self._writer.write(self._body.end())
            file = self._writer.finish()
        except CodingError as error:
            raise NotRedactableError(UNREADABLE) from error
        finally:
            self.drop()
        body = self._body
        return KeptBody(file, self._opener.coding, body.changed, tuple(body.questions), ())

    def drop(self) -> None:
        """Leave nothing of it, unless it is whole."""
        self._writer.drop()


def too_large(largest: int) -> str:
    """Why a body over the limit is not recorded."""
    return f"it has more than {largest >> 20} MiB (--largest-body)"


class _RedactionWorker:
    """What is done in the process."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._sanitizer = InteractionSanitizer(redactor)
        self._bodies: dict[int, BodyRedaction] = {}
        self._reported = 0

    def learn(self, secrets: Iterable[Secret]) -> None:
        for secret in secrets:
            self._redactor.stand_in(secret.kind, secret.value)

    def interaction(self, interaction: Interaction) -> RedactedInteraction:
        made = self._sanitizer.sanitize(interaction)
        return RedactedInteraction(made, self._unreported_secrets())

    def begin(
        self, number: int, headers: tuple[Header, ...], part: str, folder: Path, largest: int
    ) -> None:
        self._bodies[number] = BodyRedaction(self._sanitizer, headers, part, folder, largest)

    def feed(self, number: int, content: bytes) -> None:
        self._bodies[number].feed(content)

    def end(self, number: int) -> KeptBody:
        return self._bodies.pop(number).end()._replace(secrets=self._unreported_secrets())

    def _unreported_secrets(self) -> tuple[Secret, ...]:
        """What was replaced here since the capture was told."""
        mark, self._reported = self._reported, len(self._redactor.seen)
        return tuple(self._redactor.seen.secrets(mark))

    def drop(self, number: int) -> None:
        body = self._bodies.pop(number, None)
        if body is not None:
            body.drop()

    def drop_all(self) -> None:
        for number in tuple(self._bodies):
            self.drop(number)


_WITHIN_S = 600.0
"""How long one piece of work may take: the end of a body is that of its whole redaction."""

_STOP_WITHIN_S = 10.0
_COMMANDS = frozenset({"learn", "interaction", "begin", "feed", "end", "drop"})


def serve(descriptor: int) -> None:
    """Work until the other end of a socket is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the capture ends first, then this
    os.nice(_NICE)
    with Connection(descriptor) as connection:
        work = _RedactionWorker(connection.recv())
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                name, arguments = connection.recv()
                connection.send(_run_command(work, name, arguments))
        work.drop_all()


def _run_command(work: _RedactionWorker, name: str, arguments: tuple[Any, ...]) -> object:
    try:
        return getattr(work, name)(*arguments) if name in _COMMANDS else None
    except NotRedactableError as error:
        return RefusedBody(error.reason)
    except MockServerError as error:
        return RefusedBody(str(error))
    except Exception as error:  # noqa: BLE001  (its text may hold what was to be redacted)
        return RefusedBody(f"it could not be redacted ({type(error).__name__})")


def main() -> None:
    """Work at the socket that the first argument numbers."""
    serve(int(sys.argv[1]))


def limit_waits(near: socket.socket, seconds: float) -> None:
    """Have reads and writes of a socket that take longer fail as `BlockingIOError`."""
    limit = struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))
    for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
        near.setsockopt(socket.SOL_SOCKET, option, limit)


class RedactionProcess:
    """The process, from the side of the capture; for one thread.

    Args:
        redactor: What it redacts like.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor.new_instance()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._fresh = True

    def ask(self, name: str, *arguments: object) -> Any:
        """Have something done: a method of `_RedactionWorker`.

        Returns:
            What came of it; `RefusedBody` when nothing did.
        """
        try:
            connection = self._connection or self._start()
            connection.send((name, arguments))
            return connection.recv()
        except BlockingIOError:
            self.stop()
            return RefusedBody("the process that redacts large bodies does not answer")
        except (OSError, EOFError):
            self.stop()
            return RefusedBody("the process that redacts large bodies has ended")

    def _start(self) -> Connection:
        near, far = socket.socketpair()
        limit_waits(near, _WITHIN_S)
        with far:
            self._process = subprocess.Popen(  # noqa: S603  (this program itself)
                child_command(f"{__name__}:main", str(far.fileno())),
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        self._connection = Connection(near.detach())
        self._connection.send(self._redactor)
        return self._connection

    def stop(self) -> None:
        """End it; what was under way is not kept."""
        connection, self._connection = self._connection, None
        process, self._process = self._process, None
        if connection is not None:
            connection.close()
        if process is not None:
            try:
                process.wait(_STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
