"""The journal of a session a page at a time, by filters, and one entry of it."""

from collections import Counter
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any

import orjson
from pydantic import Field, ValidationError

from mockserver.errors import SessionError, plain_reason
from mockserver.model import Frozen, JsonObject, did_you_mean, shortened
from mockserver.sessions.journal import Entry, body_text
from mockserver.sessions.session import Session
from mockserver.state import rfc3339

MOST_ENTRIES = 500
"""Entries of one page, at most."""

_LONGEST_PATH = 400
_MOST_NAMES = 100
_ERROR = 400
_VERBS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "GRPC", "CONNECT", "MCP"})


class JournalFilter(Frozen):
    """Which entries of a journal are looked at.

    Attributes:
        text: A text that path, method id, caller, parameters, body or answer must have, in any
            case.
        host: The host, whole.
        method: A verb, a glob over method ids (`directory.*`), or a part of one.
        status: A status (`404`), a class (`4xx`), or `error` for 400 and above.
        source: Who answered.
        miss: Whether only what found no answer is wanted.
        before: Only entries with smaller numbers; 0 for the newest.
        limit: How many of them.
    """

    text: str = Field(default="", max_length=500)
    host: str = Field(default="", max_length=300)
    method: str = Field(default="", max_length=300)
    status: str = Field(default="", pattern=r"^([1-5][0-9][0-9]|[1-5]xx|error)?$")
    source: str = Field(default="", max_length=40)
    miss: bool = False
    before: int = Field(default=0, ge=0)
    limit: int = Field(default=100, ge=1, le=MOST_ENTRIES)

    def test(self) -> Callable[[Entry], bool]:
        """What tells whether an entry is wanted; `before` and `limit` apart."""
        tests: list[Callable[[Entry], bool]] = []
        if self.miss:
            tests.append(lambda entry: entry.miss is not None)
        if self.host:
            tests.append(lambda entry: entry.host == self.host)
        if self.source:
            tests.append(lambda entry: entry.source == self.source)
        if self.status == "error":
            tests.append(lambda entry: entry.status >= _ERROR)
        elif self.status.endswith("xx"):
            tests.append(lambda entry: entry.status // 100 == int(self.status[0]))
        elif self.status:
            tests.append(lambda entry: entry.status == int(self.status))
        if self.method.upper() in _VERBS:
            tests.append(lambda entry: entry.http_method == self.method.upper())
        elif self.method:
            pattern = self.method if "*" in self.method else f"*{self.method}*"
            tests.append(lambda entry: fnmatchcase(entry.method_id, pattern))
        if self.text:
            needle = self.text.casefold()
            tests.append(lambda entry: _has_text(entry, needle))
        return lambda entry: all(test(entry) for test in tests)


def read_filter(query: Mapping[str, str]) -> JournalFilter:
    """The filter that a query string says; empty values are as if they were not there.

    Raises:
        SessionError: 400: an unknown name, or a value that is none.
    """
    given = {name: value for name, value in query.items() if value != ""}
    try:
        return JournalFilter.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)[0]
        name = str(found["loc"][0])
        if found["type"] == "extra_forbidden":
            hint = did_you_mean(name, JournalFilter.model_fields)
            raise SessionError(f"no filter {shortened(name)!r}", hint=hint) from None
        hint = "a status such as 404, 4xx or error" if name == "status" else ""
        raise SessionError(f"{name}: {plain_reason(found['msg'])}", hint=hint) from None


def journal_page(session: Session, wanted: JournalFilter) -> JsonObject:
    """A page of a session's journal, the newest entry first.

    Returns:
        `entries` (each without bodies), `matched` and `held` (numbers of entries), `evicted`,
        `latest` (the newest number), `older` and `newer` (the `before` of the pages beside this
        one, or None), and what there is to filter by: `hosts` and `sources` with their numbers.
    """
    entries = session.journal.entries()
    is_wanted = wanted.test()
    found = [entry for entry in reversed(entries) if is_wanted(entry)]
    start = 0
    if wanted.before:
        start = next((i for i, each in enumerate(found) if each.seq < wanted.before), len(found))
    end = start + wanted.limit
    newer: int | None = None
    if start:
        newer = found[start - wanted.limit - 1].seq if start > wanted.limit else 0
    hosts = Counter(entry.host for entry in entries if entry.host)
    return {
        "entries": [summary(entry) for entry in found[start:end]],
        "matched": len(found),
        "held": len(entries),
        "evicted": session.journal.evicted,
        "latest": entries[-1].seq if entries else 0,
        "older": found[end - 1].seq if end < len(found) else None,
        "newer": newer,
        "hosts": dict(hosts.most_common(_MOST_NAMES)),
        "sources": dict(Counter(entry.source for entry in entries).most_common()),
    }


def summary(entry: Entry) -> JsonObject:
    """An entry without its bodies, its parameters, its caller; a long path is cut."""
    path = entry.path
    return {
        "seq": entry.seq,
        "at": rfc3339(entry.at),
        "http_method": entry.http_method,
        "method_id": entry.method_id,
        "host": entry.host,
        "path": path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…",
        "status": entry.status,
        "source": entry.source,
        "duration_ms": round(entry.duration_ms, 3),
        "parent": entry.parent,
        "fault": entry.fault,
        "miss": None if entry.miss is None else entry.miss.model_dump(exclude={"differs"}),
        "tampering": entry.tampering,
    }


def find_entry(session: Session, number: int) -> Entry:
    """The entry of a number.

    Raises:
        SessionError: 404: it never was, or has left the journal.
    """
    entry = session.journal.find(number)
    if entry is None:
        evicted = session.journal.evicted
        hint = f"{evicted} entries have left it (--journal-bytes)" if evicted else ""
        raise SessionError(f"no entry {number} in this journal", status=404, hint=hint)
    return entry


def full_entry(session: Session, entry: Entry) -> JsonObject:
    """An entry as the journal has it, with its answer and the numbers of its parts.

    Returns:
        `entry` (a `JournalEntry`), `answer` (its response body as text), `parts`.
    """
    reference = sha256(entry.response).hexdigest() if entry.response else ""
    parts = [each.seq for each in session.journal.entries() if each.parent == entry.seq]
    return {
        "entry": entry.as_json(session.id, reference),
        "answer": body_text(entry.response),
        "parts": parts,
    }


def _has_text(entry: Entry, needle: str) -> bool:
    """Whether one of an entry's texts has a text, which is in lower case."""
    texts = (entry.path, entry.method_id, entry.host, entry.client.decode("latin-1"), entry.fault)
    if any(needle in text.casefold() for text in texts):
        return True
    if entry.miss is not None and needle in entry.miss.reason.casefold():
        return True
    asked: Any = (entry.params, entry.body)
    if (entry.params or entry.body) and needle in orjson.dumps(asked).decode().casefold():
        return True
    return needle in entry.response.decode("utf-8", "replace").casefold()
