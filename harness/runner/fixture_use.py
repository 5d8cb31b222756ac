"""Which parts of the fixtures the server sent to agents, by its journal, and which cases name.

All of it is told from what trials left behind: nothing is counted while requests are answered.
"""

from collections.abc import Iterable
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
from mockserver.messages.read_fields import (
    NOWHERE,
    Place,
    ReadFields,
    WorldFields,
    pairs_in,
)

_MOST_SEEN = 100_000
"""Of so many answers it is known that they were looked at: repeats send the same again."""

_TOOLS = "tools"


class FixtureUse:
    """Collects what worlds hold, what was sent of it, and what is expected of it."""

    def __init__(self) -> None:
        self._known = WorldFields()
        self._read: ReadFields | None = None
        self._asserted: set[Place] = set()
        self._called: set[str] = set()
        self._seen: set[str] = set()

    def add_world(self, world: JsonObject) -> None:
        """Take in a world: a merged snapshot, or what tools returned in recordings."""
        self._known.add_world(world)

    def note_sent(self, record: TrialRecord) -> None:
        """Look at the answers of a trial, once all worlds are known."""
        read = self._read = self._read or ReadFields(self._known)
        tools, _ = tools_and_methods([record])
        self._called |= tools
        for ref, body in record.journal.bodies.items():
            if ref in self._seen:
                continue
            if len(self._seen) < _MOST_SEEN:
                self._seen.add(ref)
            read.note_answer(body)

    def note_expected(self, case: Case) -> None:
        """Look at what a case expects, once all worlds are known."""
        for each in case.expect:
            for mention in each.mentions():
                if mention.kind == "collection":
                    self._assert_fields(mention.name, mention.inside)
            self.note_named(each.model_dump(mode="json"))

    def note_named(self, expected: Json) -> None:
        """Look at an expectation as data."""
        values = self._known.values
        for key, leaf in pairs_in(expected):
            self._asserted |= values.pairs.get((key, str(leaf)), NOWHERE)
            if isinstance(leaf, str):
                self._asserted |= values.inside(leaf)

    def _assert_fields(self, collection: str, names: Iterable[str]) -> None:
        wanted = set(names)
        for path in self._known.paths.get(collection, ()):
            if any(path == name or path.startswith(f"{name}.") for name in wanted):
                self._asserted.add((collection, path))

    def fixtures(self) -> tuple[FixtureCoverage, ...]:
        """What was read and named, by collection in the order of the worlds."""
        was_read = self._read.places if self._read else frozenset()
        return tuple(
            FixtureCoverage(
                collection=name,
                fields=len(paths),
                never_read=tuple(path for path in paths if (name, path) not in was_read),
                never_asserted=tuple(path for path in paths if (name, path) not in self._asserted),
                read=tuple(path for path in paths if (name, path) in was_read),
            )
            for name, paths in self._known.paths.items()
            if paths
        )

    def coverage(self) -> RunCoverage:
        """The same for a report, with the tools that no trial called."""
        return RunCoverage(
            fixtures=untouched_first(self.fixtures()),
            tools=tuple(self._known.tools),
            never_called=tuple(name for name in self._known.tools if name not in self._called),
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
