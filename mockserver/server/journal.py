"""A session's journal: cheap to write, bounded by bytes, made into words when it is read."""

from base64 import b64encode
from collections import deque
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from mockserver.model import JsonObject, Miss, Source
from mockserver.state import rfc3339

_ROW_BYTES = 600
"""What an entry costs beside its texts and bodies: the row, its parameters, its place in the queue;
measured with tracemalloc, rounded up."""


class Row(NamedTuple):
    """One journal entry as it is kept; the fields are those of `JournalEntry`.

    Attributes that differ: `at` is a moment, `response` is the response body itself (by reference,
    empty when it was too large to keep), `request_bytes` is the size of the request body.
    """

    seq: int
    at: datetime
    method_id: str
    http_method: str
    path: str
    host: str
    params: JsonObject
    body: JsonObject | None
    status: int
    source: Source
    duration_ms: float
    client: str
    response: bytes
    response_bytes: int = 0
    request_bytes: int = 0
    parent: int | None = None
    miss: Miss | None = None
    fault: str = ""
    ignored: tuple[str, ...] = ()
    after_close: bool = False

    def size(self) -> int:
        """What the entry itself costs in bytes, without its response body."""
        return _ROW_BYTES + len(self.path) + len(self.client) + 2 * self.request_bytes


class SessionJournal:
    """The rows of one session; the oldest leave when the byte limit is reached.

    Equal response bodies are held once.

    Attributes:
        evicted: How many entries have left.
    """

    __slots__ = ("_bodies", "_bytes", "_limit", "_rows", "_seq", "evicted")

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._rows: deque[Row] = deque()
        self._bodies: dict[bytes, int] = {}
        self._bytes = 0
        self._seq = 0
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def held_bytes(self) -> int:
        """What the entries and bodies are reckoned to cost."""
        return self._bytes

    def reserve(self) -> int:
        """The number of the next entry; numbers follow the order in which requests came."""
        self._seq += 1
        return self._seq

    def record(self, row: Row) -> None:
        """Add an entry; one that alone would break the limit is kept without its bodies."""
        if row.size() + len(row.response) > self._limit:
            row = row._replace(body=None, response=b"", request_bytes=0)
        self._rows.append(row)
        self._bytes += row.size() + self._hold(row.response)
        while self._bytes > self._limit and len(self._rows) > 1:
            self._evict()

    def _hold(self, body: bytes) -> int:
        holders = self._bodies.get(body, 0)
        self._bodies[body] = holders + 1
        return 0 if holders else len(body)

    def _evict(self) -> None:
        row = self._rows.popleft()
        self.evicted += 1
        self._bytes -= row.size()
        holders = self._bodies.pop(row.response) - 1
        if holders:
            self._bodies[row.response] = holders
        else:
            self._bytes -= len(row.response)

    def as_json(self, session: str, *, bodies: bool = True) -> JsonObject:
        """The journal in the shape of `mockserver.model.Journal`."""
        references = {body: sha256(body).hexdigest() for body in self._bodies if body}
        rows = sorted(self._rows, key=lambda row: row.seq)
        return {
            "entries": [_entry(row, session, references) for row in rows],
            "bodies": {ref: _text(body) for body, ref in references.items()} if bodies else {},
            "evicted": self.evicted,
        }


def _entry(row: Row, session: str, references: dict[bytes, str]) -> JsonObject:
    entry = row._asdict()
    del entry["request_bytes"]
    return entry | {
        "at": rfc3339(row.at),
        "session": session,
        "duration_ms": round(row.duration_ms, 3),
        "miss": row.miss.model_dump() if row.miss else None,
        "response_ref": references.get(entry.pop("response"), ""),
    }


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return "base64:" + b64encode(body).decode()
