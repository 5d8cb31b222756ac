"""Which parts of the fixtures the server sent to agents, by its journal, and which cases name.

All of it is told from what trials left behind: nothing is counted while requests are answered.
"""

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from harness.environment import merged_worlds, recorded_results
from harness.errors import HarnessError
from harness.model import (
    Case,
    FixtureCoverage,
    Json,
    JsonObject,
    RunCoverage,
    TrialRecord,
    untouched_first,
)
from harness.storage import RunFolder

_TIME = re.compile(r"\d{4}-\d\d-\d\dT")
_WORD = re.compile(r"\w+")
_EDGES = string.punctuation.replace("_", "") + string.whitespace
_TELLING = 4
"""Characters from which on a text is recognised under another key, too."""

_MOST_WORDS = 16
"""Of so many words a text is at most that is found inside a longer one."""

_MOST_TEXT = 100_000
"""So many characters of an answer that is no JSON are looked at."""

_MOST_SEEN = 100_000
"""Of so many answers it is known that they were looked at: repeats send the same again."""

_MOST_KEYS = 40
"""An object with more keys than these is a table, whose keys are no names of fields."""

_NOT_DATA = frozenset({"capturedAt", "errors", "faults"})
_OF_A_TOOL = frozenset({"description", "inputSchema", "outputSchema"})
_TOOLS = "tools"

Place = tuple[str, str]
"""A collection, and the path of a field in it."""


_NOWHERE: frozenset[Place] = frozenset()


@dataclass(slots=True)
class _Values:
    """Where the values of worlds stand.

    Attributes:
        pairs: By the last key of their path, and their text.
        texts: By their text alone, where that tells something, without punctuation around it.
        times: By their key, where they are times.
    """

    pairs: dict[tuple[str, str], set[Place]] = field(default_factory=dict)
    texts: dict[str, set[Place]] = field(default_factory=dict)
    times: dict[str, set[Place]] = field(default_factory=dict)

    def copy(self) -> "_Values":
        return _Values(dict(self.pairs), dict(self.texts), dict(self.times))

    def add(self, place: Place, key: str, value: Json) -> None:
        text = str(value)
        self.pairs.setdefault((key, text), set()).add(place)
        if _is_telling(value, text):
            self.texts.setdefault(text.strip(_EDGES), set()).add(place)
        if _TIME.match(text):
            self.times.setdefault(key, set()).add(place)

    def take(self, key: str, value: Json) -> Set[Place]:
        """The places of a value, which is then known no more: most are sent again and again."""
        text = str(value)
        found: Set[Place] = self.pairs.pop((key, text), _NOWHERE)
        if _is_telling(value, text):
            found = found | self.texts.pop(text.strip(_EDGES), _NOWHERE)
        return found | self.times.pop(key, _NOWHERE)  # times are moved with the clock

    def inside(self, text: str, *, taken: bool = False) -> set[Place]:
        """The places of the values that stand in a text from one edge of a word to another."""
        found: set[Place] = set()
        look = self.texts.pop if taken else self.texts.get
        spans = [match.span() for match in _WORD.finditer(text)]
        for first, (start, _) in enumerate(spans):
            for _, end in spans[first : first + _MOST_WORDS]:
                found |= look(text[start:end], _NOWHERE)
        return found


class FixtureUse:
    """Collects what worlds hold, what was sent of it, and what is expected of it."""

    def __init__(self) -> None:
        self._paths: dict[str, dict[str, None]] = {}
        self._known_values = _Values()
        self._unread: _Values | None = None
        self._held: dict[int, Json] = {}
        self._read: set[Place] = set()
        self._asserted: set[Place] = set()
        self._tools: dict[str, None] = {}
        self._called: set[str] = set()
        self._seen: set[str] = set()

    def add_world(self, world: JsonObject) -> None:
        """Take in a world: a merged snapshot, or what tools returned in recordings.

        Worlds of a suite share what no case changes: that is looked at once.
        """
        for collection, content in world.items():
            if collection in _NOT_DATA or id(content) in self._held:
                continue
            self._held[id(content)] = content  # while it is held, its id is that of nothing else
            if collection == _TOOLS and isinstance(content, Mapping):
                self._tools.update(dict.fromkeys(content))
                content = {name: _answers_of(tool) for name, tool in content.items()}
            elif collection.startswith(f"{_TOOLS}."):
                self._tools[collection.removeprefix(f"{_TOOLS}.")] = None
            paths = self._paths.setdefault(collection, {})
            for path, key, value in _leaves(content, ""):
                paths[path] = None
                self._known_values.add((collection, path), key, value)

    def note_sent(self, record: TrialRecord) -> None:
        """Look at the answers of a trial, once all worlds are known."""
        unread = self._unread = self._unread or self._known_values.copy()
        tools, _ = tools_and_methods([record])
        self._called |= tools
        for ref, body in record.journal.bodies.items():
            if ref in self._seen:
                continue
            if len(self._seen) < _MOST_SEEN:
                self._seen.add(ref)
            value = _parse_body(body)
            if isinstance(value, str):
                self._read |= unread.inside(value[:_MOST_TEXT], taken=True)
                continue
            for key, leaf in _pairs_in(value):
                self._read |= unread.take(key, leaf)

    def note_expected(self, case: Case) -> None:
        """Look at what a case expects, once all worlds are known."""
        for each in case.expect:
            for mention in each.mentions():
                if mention.kind == "collection":
                    self._assert_fields(mention.name, mention.inside)
            self.note_named(each.model_dump(mode="json"))

    def note_named(self, expected: Json) -> None:
        """Look at an expectation as data."""
        for key, leaf in _pairs_in(expected):
            self._asserted |= self._known_values.pairs.get((key, str(leaf)), _NOWHERE)
            if isinstance(leaf, str):
                self._asserted |= self._known_values.inside(leaf)

    def _assert_fields(self, collection: str, names: Iterable[str]) -> None:
        wanted = set(names)
        for path in self._paths.get(collection, ()):
            if any(path == name or path.startswith(f"{name}.") for name in wanted):
                self._asserted.add((collection, path))

    def fixtures(self) -> tuple[FixtureCoverage, ...]:
        """What was read and named, by collection in the order of the worlds."""
        return tuple(
            FixtureCoverage(
                collection=name,
                fields=len(paths),
                never_read=tuple(path for path in paths if (name, path) not in self._read),
                never_asserted=tuple(path for path in paths if (name, path) not in self._asserted),
                read=tuple(path for path in paths if (name, path) in self._read),
            )
            for name, paths in self._paths.items()
            if paths
        )

    def coverage(self) -> RunCoverage:
        """The same for a report, with the tools that no trial called."""
        return RunCoverage(
            fixtures=untouched_first(self.fixtures()),
            tools=tuple(self._tools),
            never_called=tuple(name for name in self._tools if name not in self._called),
        )


def note_coverage(folder: RunFolder, suite: Path) -> None:
    """Look at the trials of a run after the last one, and keep what they touched of their worlds.

    Raises:
        HarnessError: The suite cannot be read any more, or a record is broken.
        InfrastructureError: It cannot be written.
    """
    cases = folder.cases()
    use = FixtureUse()
    worlds = merged_worlds(suite, cases)
    for case in cases:
        use.add_world(worlds.get(case.id, {}))
        use.add_world(_recorded(suite, case))
    for case in cases:
        use.note_expected(case)
    for record in folder.records():
        use.note_sent(record)
    folder.write_coverage(use.coverage())


def _recorded(suite: Path, case: Case) -> JsonObject:
    try:
        return recorded_results(suite, case)
    except HarnessError:
        return {}  # its trial says what is wrong with the recording


def tools_and_methods(records: Iterable[TrialRecord]) -> tuple[frozenset[str], frozenset[str]]:
    """The tools that were called and the methods that were asked in some trials of one case."""
    tools: set[str] = set()
    routes: set[str] = set()
    for record in records:
        tools.update(call.name for call in record.tool_calls)
        for entry in record.journal.entries:
            kind, _, name = entry.method_id.partition(".")
            if kind == _TOOLS and name:
                tools.add(name)
            elif entry.method_id:
                routes.add(entry.method_id)
    return frozenset(tools), frozenset(routes)


def _answers_of(tool: Json) -> Json:
    """What a tool of a snapshot answers by itself, without how it is described."""
    if not isinstance(tool, Mapping):
        return tool
    if "call" in tool:  # its answer is made of what a method answers
        return {}
    return {name: value for name, value in tool.items() if name not in _OF_A_TOOL}


def _is_telling(value: Json, text: str) -> bool:
    return not isinstance(value, bool | float) and len(text) >= _TELLING


def _parse_body(body: str) -> Json:
    import orjson

    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return body


def _leaves(value: Json, path: str, key: str = "") -> Iterator[tuple[str, str, Json]]:
    """The values without parts, each with its path and the last key of it.

    Yields:
        Path, key, value; of JSON in a text, as MCP has it, those inside.
    """
    if isinstance(value, Mapping):
        is_table = len(value) > _MOST_KEYS
        for name, item in value.items():
            step = "*" if is_table else "" if "@" in name else name
            yield from _leaves(item, ".".join(filter(None, (path, step))), name)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, path, key)
    elif value is not None:
        inside = _inside_text(value)
        yield from [(path, key, value)] if inside is None else _leaves(inside, path, key)


def _pairs_in(value: Json) -> Iterator[tuple[str, Json]]:
    """The same without their paths, in any order.

    Yields:
        Key, value.
    """
    waiting = [("", value)]
    while waiting:
        key, item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.items())
        elif isinstance(item, list):
            waiting.extend([(key, each) for each in item])
        elif item is not None:
            inside = _inside_text(item)
            if inside is None:
                yield key, item
            else:
                waiting.append((key, inside))


def _inside_text(value: Json) -> Json:
    """The object or list that a text is; None where it is none."""
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return None
    inside = _parse_body(value)
    return None if isinstance(inside, str) else inside
