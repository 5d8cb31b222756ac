"""Which parts of the fixtures the server sent to agents, by its journal, and which cases name.

All of it is told from what trials left behind: nothing is counted while requests are answered.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
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
_EDGES = re.compile(r"\A\W+|\W+\Z")
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


class FixtureUse:
    """Collects what worlds hold, what was sent of it, and what is expected of it."""

    def __init__(self) -> None:
        self._paths: dict[str, dict[str, None]] = {}
        self._pairs: dict[tuple[str, str], set[Place]] = {}
        self._texts: dict[str, set[Place]] = {}
        self._times: dict[str, set[Place]] = {}
        self._known: dict[int, Json] = {}
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
            if collection in _NOT_DATA or id(content) in self._known:
                continue
            self._known[id(content)] = content  # while it is held, its id is that of nothing else
            if collection == _TOOLS and isinstance(content, Mapping):
                self._tools.update(dict.fromkeys(content))
                content = {name: _answers_of(tool) for name, tool in content.items()}
            elif collection.startswith(f"{_TOOLS}."):
                self._tools[collection.removeprefix(f"{_TOOLS}.")] = None
            paths = self._paths.setdefault(collection, {})
            for path, key, value in _leaves(content, ""):
                paths[path] = None
                self._index(collection, path, key, value)

    def _index(self, collection: str, path: str, key: str, value: Json) -> None:
        text, place = str(value), (collection, path)
        self._pairs.setdefault((key, text), set()).add(place)
        if _is_telling(value, text):
            self._texts.setdefault(_EDGES.sub("", text), set()).add(place)
        if _TIME.match(text):
            self._times.setdefault(key, set()).add(place)

    def note_sent(self, record: TrialRecord) -> None:
        """Look at the answers of a trial, once all worlds are known."""
        tools, _ = tools_and_methods([record])
        self._called |= tools
        for ref, body in record.journal.bodies.items():
            if ref in self._seen:
                continue
            if len(self._seen) < _MOST_SEEN:
                self._seen.add(ref)
            value = _parse_body(body)
            if isinstance(value, str):
                self._find_inside(value[:_MOST_TEXT], self._read)
                continue
            for _, key, leaf in _leaves(value, ""):
                text = str(leaf)
                self._read |= self._pairs.get((key, text), frozenset())
                if _is_telling(leaf, text):
                    self._read |= self._texts.get(_EDGES.sub("", text), frozenset())
                self._read |= self._times.get(key, frozenset())  # moved with the clock

    def note_expected(self, case: Case) -> None:
        """Look at what a case expects, once all worlds are known."""
        for each in case.expect:
            for mention in each.mentions():
                if mention.kind == "collection":
                    self._assert_fields(mention.name, mention.inside)
            self.note_named(each.model_dump(mode="json"))

    def note_named(self, expected: Json) -> None:
        """Look at an expectation as data."""
        for _, key, leaf in _leaves(expected, ""):
            self._asserted |= self._pairs.get((key, str(leaf)), frozenset())
            if isinstance(leaf, str):
                self._find_inside(leaf, self._asserted)

    def _assert_fields(self, collection: str, names: Iterable[str]) -> None:
        wanted = set(names)
        for path in self._paths.get(collection, ()):
            if any(path == name or path.startswith(f"{name}.") for name in wanted):
                self._asserted.add((collection, path))

    def _find_inside(self, text: str, found: set[Place]) -> None:
        """Find the values that stand in a text from one edge of a word to another."""
        spans = [match.span() for match in _WORD.finditer(text)]
        for first, (start, _) in enumerate(spans):
            for _, end in spans[first : first + _MOST_WORDS]:
                found |= self._texts.get(text[start:end], frozenset())

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
    elif isinstance(value, str) and value[:1] in {"{", "["}:
        inside = _parse_body(value)
        yield from ([(path, key, value)] if isinstance(inside, str) else _leaves(inside, path, key))
    elif value is not None:
        yield path, key, value
