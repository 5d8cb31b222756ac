"""The log of a session: its opening, and every request that it was sent, in order.

A request is in the log before it is answered. A session follows from its log alone, so a process
that has none of it, or an old copy, makes what it lacks by answering the requests again.
"""

from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import NamedTuple, Protocol

import orjson

from mockserver.errors import MockServerError
from mockserver.model import JsonObject, SessionSpec
from mockserver.sessions.connection_journal import ConnectionNote
from mockserver.state import epoch_micros

_EPOCH = datetime.fromtimestamp(0, UTC)

Headers = tuple[tuple[bytes, bytes], ...]


class LogUnavailableError(MockServerError):
    """The log cannot be read or written: what was asked was not done, or nobody knows."""

    exit_code = 3


class LogFullError(MockServerError):
    """The log has no room: what was asked was not done."""


class Appended(Enum):
    """What became of a record."""

    DONE = "done"
    BEHIND = "behind"
    """Another process was faster: the log has records that the caller does not know."""

    GONE = "gone"
    """There is no such session, or it has expired."""


class Record(NamedTuple):
    """A request as a log holds it.

    Attributes:
        at: When it was answered; its session has this time while it answers it, each time.
        method: The HTTP method as sent.
        scheme: `http` or `https`.
        path: The path as sent.
        query: The query as sent.
        headers: The headers as sent, without the control token.
        body: The body.
        trusted: Whether it bore the control token.
        oversize: Whether the body was over the limit, and is left out.
        caller: The session that its caller is of, where it named several; else an empty string.
        conflicts: Whether it named several sessions, and was refused for it.
        ends: Whether it is no request: the session was closed, and what came before is left out.
        proxied: The session of the connection it came on, where a proxy knows that; else an empty
            string.
        connection: What became of a connection, where it is that and no request.
        is_call: Whether it is a call of gRPC: its path, its metadata in the place of headers, and
            its message.
    """

    at: datetime
    method: str = ""
    scheme: str = "http"
    path: bytes = b""
    query: bytes = b""
    headers: Headers = ()
    body: bytes = b""
    trusted: bool = False
    oversize: bool = False
    caller: str = ""
    conflicts: bool = False
    ends: bool = False
    proxied: str = ""
    connection: ConnectionNote | None = None
    is_call: bool = False

    def encode(self, before: Headers | None = None) -> bytes:
        """The record as bytes.

        Args:
            before: The headers of the record before it; equal ones are not written again.
        """
        same = before is not None and self.headers == before
        head = [
            epoch_micros(self.at),
            self.method,
            self.scheme,
            self.path.decode("latin-1"),
            self.query.decode("latin-1"),
            None if same else [[_text(name), _text(value)] for name, value in self.headers],
            self.trusted,
            self.oversize,
            self.caller,
            self.conflicts,
            self.ends,
        ]
        if self.proxied or self.is_call or self.connection is not None:
            head += [self.proxied, self.connection and list(self.connection), self.is_call]
        return orjson.dumps(head) + b"\n" + self.body

    @classmethod
    def decode(cls, content: bytes, before: Headers = ()) -> "Record":
        """A record of bytes.

        Args:
            content: What `encode` made.
            before: The headers of the record before it.

        Raises:
            LogUnavailableError: It is no record.
        """
        head, _, body = content.partition(b"\n")
        try:
            at, method, scheme, path, query, headers, *rest = orjson.loads(head)
            trusted, oversize, caller, conflicts, ends, *added = rest
            proxied, note, is_call = added or ("", None, False)
            pairs = before
            if headers is not None:
                pairs = tuple((_bytes(name), _bytes(value)) for name, value in headers)
            return cls(
                _EPOCH + timedelta(microseconds=at),
                method, scheme, _bytes(path), _bytes(query), pairs, body,
                trusted, oversize, caller, conflicts, ends, proxied,
                None if note is None else ConnectionNote(*note), is_call,
            )  # fmt: skip
        except (ValueError, TypeError, AttributeError) as error:
            raise unreadable_error() from error


class Opening(NamedTuple):
    """The first record of a session.

    Attributes:
        at: When it was opened.
        spec: What it was opened with; its id and its secret are in it.
    """

    at: datetime
    spec: SessionSpec

    def encode(self) -> bytes:
        """The opening as bytes; what was not given is left out, as it means something."""
        spec: JsonObject = self.spec.model_dump(mode="json", exclude_unset=True)
        return orjson.dumps([epoch_micros(self.at), spec])

    @classmethod
    def decode(cls, content: bytes) -> "Opening":
        """An opening of bytes.

        Raises:
            LogUnavailableError: It is none.
        """
        try:
            at, spec = orjson.loads(content)
            return cls(_EPOCH + timedelta(microseconds=at), SessionSpec.model_validate(spec))
        except (ValueError, TypeError) as error:
            raise unreadable_error() from error


class LoggedSession(NamedTuple):
    """A session that is open.

    Attributes:
        id: Its id.
        case: The case that it was opened on, or None.
    """

    id: str
    case: str | None


class SessionLog(Protocol):
    """Where the logs of sessions are; its methods raise LogUnavailableError and LogFullError.

    The records of a session are numbered from 1, its opening. A record has its place only where it
    is the next one, so of two processes that write the same number one is refused.

    Attributes:
        lineage: How often what holds the logs was seen to begin anew. It may have lost its latest
            records, so whatever was made of records read before is to be made again.
    """

    lineage: int

    async def start(self) -> None:
        """Make sure that logs can be written."""
        ...

    async def stop(self) -> None:
        """Let go of what is open."""
        ...

    async def agree(self, name: str, value: bytes) -> bytes:
        """The value that all processes have by a name: that of the first one that said it."""
        ...

    async def create(self, session: LoggedSession, opening: bytes) -> bool:
        """Begin the log of a session; False where it has one."""
        ...

    async def append(self, session_id: str, number: int, record: bytes) -> Appended:
        """Write the record of a number."""
        ...

    async def read(self, session_id: str, after: int) -> list[tuple[int, bytes]] | None:
        """The records after a number, with theirs; None where there is no such session."""
        ...

    async def close(self, session_id: str, number: int) -> None:
        """Leave the opening of a session and what is from a number on; it is open no more."""
        ...

    async def sessions(self) -> list[LoggedSession]:
        """The open sessions, oldest first."""
        ...

    async def count(self) -> int:
        """How many sessions are open."""
        ...

    async def note(self, content: bytes) -> None:
        """Keep what belongs to no session; the latest 1,000 are kept."""
        ...

    async def notes(self) -> list[bytes]:
        """What was noted, oldest first."""
        ...


MOST_NOTES = 1000


def unreadable_error() -> LogUnavailableError:
    """What a log holds was written by something else."""
    return LogUnavailableError(
        "the log of a session cannot be read: no server of this version wrote it",
        hint="give servers of different versions logs of their own",
    )


def _text(value: bytes) -> str:
    return value.decode("latin-1")


def _bytes(value: str) -> bytes:
    return value.encode("latin-1")
