"""A session's journal: cheap to write, bounded by bytes, made into words when it is read."""

from base64 import b64encode
from collections import deque
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from itertools import islice
from operator import attrgetter
from typing import Any

from typing_extensions import override

from mockserver.model import JsonObject, Miss, PlayedRecording, Source
from mockserver.redaction.journal_redaction import redact_journal_body
from mockserver.state import rfc3339

_ENTRY_BYTES = 700
"""What an entry costs beside its texts and bodies: the object, its parameters, its place in the
queue; measured, rounded up."""


class Entry:
    """One journal entry as it is kept; what is not set is as usual, and costs nothing.

    Attributes: those of `mockserver.model.JournalEntry`, except that `at` is a moment, `client` is
    as sent, `response` is the response body itself (empty when it was too large to keep) and
    `request_bytes` is the size of the request's body, and of its query where that was new; `trace`
    is the `traceparent` of a watched request, of its own span where it has one.
    """

    seq: int
    at: datetime
    method_id: str = ""
    http_method: str = "GET"
    path: str = ""
    host: str = ""
    params: JsonObject = {}
    status: int = 200
    source: Source = "state"
    duration_ms: float = 0.0
    client: bytes = b""
    trace: bytes = b""
    response: bytes = b""
    response_bytes: int = 0
    request_bytes: int = 0
    parent: int | None = None
    miss: Miss | None = None
    recording: PlayedRecording | None = None
    fault: str = ""
    ignored: tuple[str, ...] = ()
    after_close: bool = False
    tampering: str = ""
    escapes: tuple[str, ...] = ()
    _body: JsonObject | None = None
    _holds_secrets = False

    @property
    def body(self) -> JsonObject | None:
        """The body of the request, an object or None.

        Secrets leave it when somebody looks: most are never looked at.
        """
        if self._holds_secrets:
            shown: Any = redact_journal_body(self._body)
            self._body, self._holds_secrets = shown, False
        return self._body

    def set_body(self, body: JsonObject | None) -> None:
        """Set a body as it was sent."""
        self._body, self._holds_secrets = body, body is not None

    def set_redacted_body(self, body: JsonObject | None) -> None:
        """Set a body that holds no secrets."""
        self._body, self._holds_secrets = body, False

    def size(self) -> int:
        """What the entry itself costs in bytes, without its response body."""
        return _ENTRY_BYTES + len(self.client) + len(self.path) + 2 * self.request_bytes

    def drop_bodies(self) -> None:
        """Forget both bodies, which are too large to keep."""
        self.set_body(None)
        self.__dict__.pop("body", None)  # as one that is read late was read already
        self.response, self.request_bytes = b"", 0

    def as_json(self, session: str, reference: str) -> JsonObject:
        """The entry in the shape of `mockserver.model.JournalEntry`."""
        return {
            "seq": self.seq,
            "at": rfc3339(self.at),
            "session": session,
            "method_id": self.method_id,
            "http_method": self.http_method,
            "path": self.path,
            "host": self.host,
            "params": self.params,
            "body": self.body,
            "status": self.status,
            "source": self.source,
            "duration_ms": round(self.duration_ms, 3),
            "client": self.client.decode("latin-1"),
            "response_ref": reference,
            "response_bytes": self.response_bytes,
            "parent": self.parent,
            "miss": self.miss.model_dump() if self.miss else None,
            "recording": self.recording.model_dump() if self.recording else None,
            "fault": self.fault,
            "ignored": self.ignored,
            "after_close": self.after_close,
            "tampering": self.tampering,
            "escapes": self.escapes,
        }


class SessionJournal:
    """The entries of one session; the oldest leave when the byte limit is reached.

    A response that equals the latest one of its length is held once with it: hashing every body
    would cost more than the few doubles that this misses.

    Attributes:
        evicted: How many entries have left.
        held_bytes: What entries and bodies are reckoned to cost.
    """

    __slots__ = ("_entries", "_holders", "_latest", "_limit", "_seq", "evicted", "held_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._entries: deque[Entry] = deque()
        self._latest: dict[int, bytes] = {}
        self._holders: dict[int, int] = {}
        self._seq = 0
        self.held_bytes = 0
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def latest_number(self) -> int:
        """The number of the latest entry that was begun; 0 before the first."""
        return self._seq

    @property
    def recorded(self) -> int:
        """How many entries were recorded so far, those that left included."""
        return self.evicted + len(self._entries)

    def entries(self) -> list[Entry]:
        """The entries that are held, in the order of their numbers."""
        return sorted(self._entries, key=attrgetter("seq"))

    def find(self, number: int) -> Entry | None:
        """The entry of a number; None where it is not held."""
        return next((entry for entry in self._entries if entry.seq == number), None)

    def recorded_after(self, recorded: int) -> list[Entry]:
        """The entries that were recorded since `recorded` was what it said, as far as held."""
        new = self.recorded - recorded
        return list(islice(reversed(self._entries), max(new, 0)))[::-1]

    def take_number(self) -> int:
        """The number of the next entry; numbers follow the order in which requests came."""
        self._seq += 1
        return self._seq

    def record(self, entry: Entry) -> None:
        """Add an entry; one that alone would break the limit is kept without its bodies."""
        size = _ENTRY_BYTES + len(entry.client) + len(entry.path) + 2 * entry.request_bytes
        body, holders = entry.response, self._holders
        length = entry.response_bytes = len(body)
        if size + length > self._limit:
            entry.drop_bodies()
            size, body, length = entry.size(), b"", 0
        latest = self._latest.get(length)
        if latest is None or latest != body:
            self._latest[length] = latest = body
        key = id(latest)
        held = holders.get(key, 0)
        holders[key] = held + 1
        entry.response = latest
        self._entries.append(entry)
        self.held_bytes += size if held else size + length
        while self.held_bytes > self._limit and len(self._entries) > 1:
            self._evict()

    def _evict(self) -> None:
        oldest, holders = self._entries.popleft(), self._holders
        self.evicted += 1
        body = oldest.response
        # as `Entry.size`, which would be one call more for each request of a full journal
        self.held_bytes -= (
            _ENTRY_BYTES + len(oldest.client) + len(oldest.path) + 2 * oldest.request_bytes
        )
        key = id(body)
        left = holders[key] - 1
        if left:
            holders[key] = left
            return
        del holders[key]
        self.held_bytes -= len(body)
        if self._latest.get(len(body)) is body:
            del self._latest[len(body)]

    def as_json(self, session: str, *, bodies: bool = True, since: int = 0) -> JsonObject:
        """The journal in the shape of `mockserver.model.Journal`; entries after number `since`."""
        entries = [entry for entry in self._entries if entry.seq > since]
        held = {id(entry.response): entry.response for entry in entries if entry.response}
        references = {key: sha256(body).hexdigest() for key, body in held.items()}
        return {
            "entries": [
                entry.as_json(session, references.get(id(entry.response), ""))
                for entry in sorted(entries, key=lambda entry: entry.seq)
            ],
            "bodies": {references[key]: body_text(body) for key, body in held.items()}
            if bodies
            else {},
            "evicted": self.evicted,
        }


class ObservedJournal(SessionJournal):
    """A journal whose entries are also handed to somebody who watches, each once it is complete."""

    __slots__ = ("_observe",)

    def __init__(self, limit_bytes: int, observe: Callable[[Entry], None]) -> None:
        super().__init__(limit_bytes)
        self._observe = observe

    @override
    def record(self, entry: Entry) -> None:
        super().record(entry)
        self._observe(entry)


def body_text(body: bytes) -> str:
    """A response body as text; a binary one as base64 with `base64:` before it."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return "base64:" + b64encode(body).decode()
