"""Which parts of the fixtures the server sent to agents, by its journal, and which cases name."""

import re
from collections.abc import Iterable, Iterator, Mapping

from harness.doctor.diagnosis import FixtureCoverage
from harness.model import Json, JsonObject, TrialRecord

_TIME = re.compile(r"\d{4}-\d\d-\d\dT")
_TELLING = 4
"""Characters from which on a text is recognised under another key, too."""

_NOT_DATA = frozenset({"capturedAt", "faults"})


class FixtureUse:
    """Collects what worlds hold, what was sent of it, and what is expected of it."""

    def __init__(self) -> None:
        self._fields: dict[str, dict[str, bool]] = {}
        self._asserted: set[tuple[str, str]] = set()

    def add(
        self, world: JsonObject, records: Iterable[TrialRecord], expected: Iterable[Json] = ()
    ) -> None:
        """Take in the world of a case, and the trials in it.

        Args:
            world: Its merged snapshot, and what tools returned in its recordings.
            records: The trials.
            expected: What the case expects, as data.
        """
        sent = _SentRequest(records)
        named = {str(value) for each in expected for _, _, value in _leaves(each, "")}
        for collection, content in world.items():
            if collection in _NOT_DATA:
                continue
            fields = self._fields.setdefault(collection, {})
            for path, key, value in _leaves(content, ""):
                fields[path] = fields.get(path, False) or sent.holds(key, value)
                if _is_named(str(value), named):
                    self._asserted.add((collection, path))

    def coverage(self) -> tuple[FixtureCoverage, ...]:
        """What was read, by collection."""
        return tuple(
            FixtureCoverage(
                collection=name,
                fields=len(fields),
                never_read=tuple(path for path, read in fields.items() if not read),
                never_asserted=tuple(path for path in fields if (name, path) not in self._asserted),
            )
            for name, fields in self._fields.items()
            if fields
        )


def _is_named(value: str, named: Iterable[str]) -> bool:
    """Whether an expectation names a value, or holds it in a longer text."""
    return any(value == each or (len(value) >= _TELLING and value in each) for each in named)


class _SentRequest:
    def __init__(self, records: Iterable[TrialRecord]) -> None:
        self._pairs: set[tuple[str, str]] = set()
        self._keys: set[str] = set()
        self._texts: set[str] = set()
        for body in (body for record in records for body in record.journal.bodies.values()):
            for _, key, value in _leaves(_parse_body(body), ""):
                text = str(value)
                self._pairs.add((key, text))
                self._keys.add(key)
                self._texts.add(text)

    def holds(self, key: str, value: Json) -> bool:
        """Whether a value was sent; times are moved with the clock, so that their key suffices."""
        text = str(value)
        if (key, text) in self._pairs or (len(text) >= _TELLING and text in self._texts):
            return True
        return key in self._keys and bool(_TIME.match(text))


def sent_texts(record: TrialRecord) -> str:
    """Everything that the server sent in a trial, and what it was asked, as one text."""
    journal = record.journal
    asked = (f"{entry.method_id} {entry.params} {entry.body}" for entry in journal.entries)
    return "\n".join((*journal.bodies.values(), *asked))


def answers(record: TrialRecord) -> tuple[str, ...]:
    """What the server answered in a trial, in order, by the hashes of the answers."""
    return tuple(entry.response_ref for entry in record.journal.entries if not entry.after_close)


def tools_and_methods(records: Iterable[TrialRecord]) -> tuple[frozenset[str], frozenset[str]]:
    """The tools that were called and the methods that were asked in some trials of one case."""
    tools: set[str] = set()
    routes: set[str] = set()
    for record in records:
        tools.update(call.name for call in record.tool_calls)
        for entry in record.journal.entries:
            kind, _, name = entry.method_id.partition(".")
            if kind == "tools" and name:
                tools.add(name)
            elif entry.method_id:
                routes.add(entry.method_id)
    return frozenset(tools), frozenset(routes)


def count_sets(sets: Iterable[Iterable[str]]) -> dict[str, int]:
    """In how many of the sets each item is, most first."""
    counts: dict[str, int] = {}
    for each in sets:
        for item in each:
            counts[item] = counts.get(item, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _parse_body(body: str) -> Json:
    import orjson

    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return body


def _leaves(value: Json, path: str, key: str = "") -> Iterator[tuple[str, str, Json]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            inner = path if "@" in name else f"{path}.{name}".lstrip(".")
            yield from _leaves(item, inner, name)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, path, key)
    elif value is not None:
        yield path, key, value
