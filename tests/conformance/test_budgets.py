"""No emulated method looks through a collection: of 5,000 rows it touches a page and a few."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from typing_extensions import override

from mockserver.apis import APIS
from mockserver.collections import LazyRows, SortedTree, Store
from mockserver.googleapi import Api
from mockserver.model import JsonObject
from mockserver.state import CHANNELS, World
from tests.conformance.compute import MEMBERS
from tests.conformance.emulated import METHODS, Answer, Asked, Emulation, Opened
from tests.conformance.generation import Requests

ROWS = 5_000
MARK = "number-of-the-copy"
"""What stands for the number in a pattern of copies."""
PAGE, FEW = 5, 250
"""The page that is asked for, and what a call may touch beside four times what it answers."""

MORE: Mapping[str, str] = {
    **dict.fromkeys(
        ("compute.*nstanceGroup*.delete*", "compute.*nstanceGroupManagers.resize"),
        "takes the members of the group along",
    ),
    "compute.*nstanceGroups.listInstances": "asks for those that run of all members",
    "compute.*.aggregatedList": "joins the lists of all zones and regions",
    "dns.managedZones.delete": "takes the changes of the zone along",
    "dns.resourceRecordSets.patch": "compares the types of a name, here of half of all",
    "sql.instances.clone": "copies what is in the instance",
    "run.*.delete": "takes revisions, executions and tasks along",
    "container.projects.*": "a cluster tells all its node pools",
    "chat.spaces.delete": "takes members and messages along",
    "chat.spaces.find*": "look through the spaces of one user",
    "chat.spaces.search": "tells apart the spaces of others",
    "chat.spaces.setup": "looks through the direct messages of one user",
    "chat.spaces.messages.delete": "takes the replies of the message along",
    "chromemanagement.customers.reports.*": "counts all devices, or apps of one report",
    "directory.groups.delete": "takes the memberships of the group along",
    "cloudidentity.groups.delete": "takes the memberships of the group along",
    "directory.orgunits.patch": "carries a new path to all units below",
    "directory.orgunits.update": "carries a new path to all units below",
    **dict.fromkeys(
        ("directory.users.patch", "directory.users.update"),
        "takes mail, calendars and files along to a new address",
    ),
    "logging.projects.logs.delete": "deletes all entries of a log",
    "cloudidentity.groups.memberships.searchTransitiveMemberships": "goes through groups in groups",
    "calendar.calendarList.list": "joins calendars and what the caller keeps of them",
    "calendar.freebusy.query": "follows each series of a calendar",
    "calendar.events.instances": "joins a series and what is said of single instances",
    "calendar.calendars.clear": "deletes all events of the calendar",
    "calendar.calendars.delete": "deletes all events of the calendar",
    "cloudtasks.*.queues.delete": "takes the tasks of the queue along",
    "cloudtasks.*.queues.purge": "takes the tasks of the queue along",
    "secretmanager.*.secrets.delete": "takes the versions of the secret along",
    "pubsub.projects.topics.delete": "its subscriptions say that they have lost it",
    "pubsub.projects.topics.publish": "puts messages into all subscriptions of the topic",
    "pubsub.projects.subscriptions.de*": "takes the backlog of the subscription along",
    "pubsub.projects.subscriptions.seek": "makes the backlog of the subscription anew",
    "pubsub.projects.snapshots.create": "keeps the backlog of the subscription",
    "docs.*": "writes and reads whole documents",
    "people.people.searchDirectoryPeople": "pages through all users that a word means",
    "people.contactGroups.list": "lists the groups of the system beside those that are made",
    "gmail.users.getProfile": "counts threads",
    "gmail.users.threads.list": "counts threads",
    "chromepolicy.customers.policies.resolve": "resolves every schema that a filter means",
    "cloudasset.searchAll*": "search the texts of all assets and policies",
    "logging.entries.list": "reads entries by the thousand, as a query takes them",
    "logging.monitoredResourceDescriptors.list": "of descriptors of one type the last is told",
    "clouderrorreporting.*.deleteEvents": "makes events of all errors of the log",
    "clouderrorreporting.*.events.list": "makes events of all errors of the log",
    "clouderrorreporting.*.groupStats.list": "makes events of all errors of the log",
    "reports.activities.list": "asks each activity of the span for people, units and details",
    "reports.userUsageReport.get": "asks each user for their org unit, groups and parameters",
    "monitoring.*.timeSeries.list": "finds the entries of all series of the metric",
    "monitoring.*prometheus.api.v1.query": "reckons with all series of the metric",
    "monitoring.*prometheus.api.v1.query.get": "reckons with all series of the metric",
    "monitoring.*prometheus.api.v1.query_range*": "reckons with all series of the metric",
    "monitoring.*prometheus.api.v1.metadata.list": "tells of the descriptors of all metrics",
    "monitoring.services.delete": "takes the objectives of the service along",
    "directory.members.delete": "compares the first 2000 members with who is not one",
    "tasks.tasklists.delete": "takes the tasks of the list along",
    "tasks.tasks.clear": "hides the completed tasks of the list, which an index finds",
    "tasks.tasks.delete": "takes the subtasks along",
    "tasks.tasks.insert": "siblings have numbered places, which those behind the new task change",
    "tasks.tasks.move": "siblings have numbered places, which those behind the task change",
    "bigquery.datasets.list": "goes past the hidden datasets, here half of all",
    "bigquery.datasets.delete": "takes what is in the dataset along",
    "bigquery.jobs.*": "queries read whole tables",
    "bigquerystorage.projects.createReadSession": "keeps all that its table held",
    "bigquery.tables.delete": "takes the rows of the table along",
    "bigquery.tables.get": "tells of the bytes of the rows, once for each write",
    "bigquery.tables.patch": "tells of the bytes of the rows, once for each write",
    "bigquery.tables.update": "tells of the bytes of the rows, once for each write",
    "drive.comments.*": "tells the replies of each comment, which an index finds",
    "drive.files.copy": "copies the cells of a spreadsheet, which are looked for among all",
    "drive.files.emptyTrash": "deletes all that is in the trash",
    "drive.files.delete": "takes the history of the file, and what is in a folder, along",
    "drive.files.export": "reads a spreadsheet, as methods of Sheets do",
    "drive.links.*": "reads a spreadsheet, as methods of Sheets do",
    "sheets.*": "spreadsheets are looked for among files, which a snapshot may hold in three ways",
}
"""Methods that touch more, and why."""

UNREACHED: Mapping[str, str] = {
    "chat.media.upload": "it needs what is uploaded",
    **MEMBERS,
    "compute.instanceGroups.addInstances": "nobody is a member twice",
    "compute.*Operations.wait": "operations are named by the calls that start them",
    "drive.about.get": "it needs `fields`, which is a parameter of all methods",
    "people.people.updateContact": "it needs the etag that a read tells",
    **dict.fromkeys(
        (f"storage.objects.{verb}" for verb in ("compose", "copy", "move", "restore", "rewrite")),
        "no fixture holds a content, and none is uploaded before",
    ),
    "cloudkms.*.asymmetricDecrypt": "its ciphertexts are made with a key of this process",
    "firestore.projects.databases.documents.executePipeline": "databases are of no edition with it",
    "bigquerystorage.projects.readRows": "streams are named by the session that has them",
    "bigquerystorage.projects.splitReadStream": "the same",
    "firestore.projects.databases.documents.rollback": "transactions are named by what begins them",
    "monitoring.projects.timeSeries.create*": "no series takes the same points twice",
    "monitoring.projects.notificationChannels.delete": "policies notify the channel, copies do too",
    "oauth2.accounts.*": "answer people, in HTML",
    "reports.entityUsageReports.get": "no day of the suite has reports of such entities",
    "admin.channels.stop": "channels are named by the calls that open them",
    "*.watch": "no id names two channels, and those of the base have it",
    "*.operations.*": "operations are named by the calls that start them",
    "*.prometheus.api.v1.series": "its document has no field for `match[]`",
    "logging.locations.*": "its paths are those of projects, folders and others",
    "logging.logs.*": "its paths are those of projects, folders and others",
}
TOLD_BY: Mapping[str, Sequence[str]] = {
    "orgUnits": ("orgUnitId", "orgUnitPath", "name"),
    "users": ("id", "primaryEmail"),
    "deletedUsers": ("id", "primaryEmail"),
    "groups": ("id", "email"),
    "members": ("id", "email"),
    "domains": ("domainName",),
    "projects": ("name", "projectId"),
    "enrollmentTokens": ("tokenId", "token"),
    "auditEvents": ("uniqueQualifier",),
    "policies": ("targetResource",),
    "admin:directory_v1/roleAssignments": ("roleAssignmentId", "assignedTo"),
    "admin:directory_v1/verificationCodes": ("userId", "verificationCode"),
    "licensing:v1/licenseAssignments": ("userId",),
    "timeSeries": ("route", "revision_name"),
    "gmail:v1/labels": ("id", "name"),
    "apphubDiscoveredServices": ("name", "uri"),
    "apphubDiscoveredWorkloads": ("name", "uri"),
}
"""The fields that tell rows of a table apart, where that is not the end of their keys."""


class Touched:
    """Counts the rows and entries of indexes that are handed out, and the tables asked for."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.tables: set[str] = set()

    def each(self, what: str, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.counts[what] += 1
            yield item

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        def after(owner: type, name: str, seen: Callable[[Any, Any], Any]) -> None:
            plain = getattr(owner, name)

            def watched(self: Any, *given: Any) -> Any:
                return seen(given, plain(self, *given))

            patch.setattr(owner, name, watched)

        def one(_: Any, found: Any) -> Any:
            self.counts["rows"] += 1
            return found

        def several(what: str) -> Callable[[Any, Any], Any]:
            def count(_: Any, found: Any) -> Any:
                self.counts[what] += len(found)
                return found

            return count

        def table(given: Any, found: Any) -> Any:
            self.tables.add(given[0])
            return found

        after(Store, "get", one)
        after(Store, "rows_of", several("rows"))
        after(Store, "rows", lambda _, rows: CountedRows(rows, self.counts))
        after(Store, "pairs", lambda _, pairs: self.each("rows", pairs))
        after(SortedTree, "part", several("entries"))
        after(SortedTree, "first_from", lambda _, found: next(self.each("entries", [found])))
        after(World, "table", table)
        after(World, "stored_table", table)
        patch.setattr(SortedTree, "__iter__", lambda tree: iter(tree.part(0, len(tree))))


class CountedRows(Mapping[str, JsonObject]):
    """Rows by key that count what is asked of them."""

    def __init__(self, rows: Mapping[str, JsonObject], counts: Counter[str]) -> None:
        self._rows, self._counts = rows, counts

    @override
    def __getitem__(self, key: str) -> JsonObject:
        self._counts["rows"] += 1
        return self._rows[key]

    @override
    def __contains__(self, key: object) -> bool:
        return key in self._rows

    @override
    def __iter__(self) -> Iterator[str]:
        for key in self._rows:
            self._counts["rows"] += 1
            yield key

    @override
    def __len__(self) -> int:
        return len(self._rows)


def many(name: str, rows: Mapping[str, JsonObject]) -> Store:
    """A table of 5,000 rows: some rows, and copies of them beside them.

    There is one customer, and a write is told to each channel that watches.
    """
    originals = [] if name in {"customer", CHANNELS} else rows.items()
    copies = [copied(name, key, row, MARK) for key, row in originals]
    patterns = [(key, orjson.dumps(row).decode()) for key, row in copies]
    sources: dict[str, JsonObject | tuple[str, str]] = dict(rows)
    for number in range(ROWS if patterns else 0):
        key, text = patterns[number % len(patterns)]
        sources[key.replace(MARK, f"{number:04}")] = text, f"{number:04}"
    return Store(LazyRows(sources, _row))


def _row(_: str, source: JsonObject | tuple[str, str]) -> JsonObject:
    if isinstance(source, dict):
        return source
    text, mark = source
    row: JsonObject = orjson.loads(text.replace(MARK, mark))
    return row


def copied(name: str, key: str, row: JsonObject, mark: str) -> tuple[str, JsonObject]:
    """A row under a key of its own, and different wherever it told itself from others."""
    fields = TOLD_BY.get(name)
    last = key.rpartition("/")[2]
    own = {key, last} if fields is None else set(values_of(row, fields))
    made = altered(row, own, mark)
    assert isinstance(made, dict)
    for text in own:
        if fields is not None and text in key:
            return key.replace(text, marked(text, mark)), made
    return key + mark, made


def values_of(value: Any, fields: Sequence[str]) -> Iterator[str]:
    for name, each in value.items() if isinstance(value, dict) else ():
        if name in fields and isinstance(each, str):
            yield each
        yield from values_of(each, fields)


def altered(value: Any, own: set[str], mark: str) -> Any:
    if isinstance(value, str):
        ends = any(value.endswith(f"{sign}{text}") for text in own for sign in "/:")
        return marked(value, mark) if value and (value in own or ends) else value
    if isinstance(value, dict):
        return {name: altered(each, own, mark) for name, each in value.items()}
    return [altered(each, own, mark) for each in value] if isinstance(value, list) else value


def marked(text: str, mark: str) -> str:
    name, at, domain = text.partition("@")
    return f"{name}{mark}{at}{domain}" if at else f"{text}{mark}"


def asks_for_page(asked: Asked) -> Asked:
    """The same call for a small page, where its method has pages."""
    fields = asked.method.document.schemas.get(asked.method.request or "", {})
    size = dict.fromkeys(("pageSize", "maxResults"), PAGE)
    params = {name: PAGE for name in size if name in asked.method.parameters}
    declared = fields.get("properties", {})
    body = {name: PAGE for name in size if declared.get(name, {}).get("type") == "integer"}
    more = None if asked.body is None else {**asked.body, **body}
    return Asked(asked.method, {**asked.params, **params}, more)


class Prepared:
    """Ordinary calls of all methods of an API, and a base with many rows of all that they read."""

    def __init__(self, api: Api, emulation: Emulation, requests: Requests, seen: Touched) -> None:
        self._emulation, self._requests, self._seen = emulation, requests, seen
        self.asked: dict[str, Asked] = {}
        self._tables: dict[str, set[str]] = {}
        self._rows: dict[str, dict[str, JsonObject]] = {}
        for name in METHODS:
            if METHODS[name].id in api.handlers:
                self._look_for_call(name, 5)
                self._look_for_call(name, 50)
        with emulation.world() as world:
            base = world.session.base
        tables = {name: many(name, rows) for name, rows in self._rows.items()}
        self._base = replace(base, tables={**base.tables, **tables})

    def _look_for_call(self, name: str, most: int) -> None:
        """Find a call that is answered, and keep the rows of the tables that it reads."""
        if name in self.asked:
            return

        @settings(
            max_examples=most, deadline=None, derandomize=True, database=None,
            phases=[Phase.generate], suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(self._requests.of(METHODS[name]))
        def look(asked: Asked) -> None:
            if name not in self.asked:
                self._seen.tables = set()
                with self._emulation.world() as world:
                    if world.ask(asks_for_page(asked)).status < 400:
                        self.asked[name] = asks_for_page(asked)
                        self._tables[name] = self._seen.tables
                        base = world.session.base.tables
                        for table in set(self._seen.tables):
                            made = world.session.world.table(table)
                            rows = base[table] if base.get(table) else made
                            self._rows.setdefault(table, {}).update(rows.rows())

        look()

    def _world(self) -> Opened:
        opened = self._emulation.world()
        opened.session.base = self._base
        return opened

    def spent(self, name: str) -> tuple[Counter[str], ...]:
        """What a call touches after its tables were written to, what the next, what is allowed."""
        with self._world() as world:
            world.ask(self.asked[name])  # the indexes of a base are made once, for all its sessions
        with self._world() as world:
            for table in self._tables[name]:
                for key, row in islice(self._base.tables.get(table, Store()).pairs(), 1):
                    world.session.world.put(table, key, dict(row))
            counts, allowed = [], 0
            for _ in range(2):
                self._seen.counts.clear()
                answer = world.ask(self.asked[name])
                counts.append(Counter(self._seen.counts))
                assert len(counts) > 1 or answer.status < 400, answer.content
                allowed = FEW + 4 * items_of(answer)
        return (*counts, Counter(rows=allowed, entries=allowed))


def items_of(answer: Answer) -> int:
    """How many items an answer lists."""
    body = answer.body if answer.content.startswith(b"{") else {}
    return sum(len(each) for each in body.values() if isinstance(each, list))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Prepared]]:
    seen = Touched()
    made: dict[str, Prepared] = {}
    with pytest.MonkeyPatch.context() as patch:
        seen.watch(patch)
        emulation = Emulation(tmp_path_factory.mktemp("budgets") / "suite")
        with emulation.world() as world:
            requests = Requests(world.strings(), world.rows())

        def of(name: str) -> Prepared:
            api = next(each for each in APIS if METHODS[name].id in each.handlers)
            if api.name not in made:
                made.clear()  # the rows of all would be many
                made[api.name] = Prepared(api, emulation, requests, seen)
            return made[api.name]

        yield of


def touch_more() -> dict[str, list[str]]:
    """The rows of both tables, and the methods that each means."""
    return {
        glob: [name for name in METHODS if fnmatchcase(METHODS[name].id, glob)]
        for glob in (*UNREACHED, *MORE)
    }


TOUCH_MORE = {name for names in touch_more().values() for name in names}


def test_every_row_of_both_tables_means_a_method() -> None:
    assert [glob for glob, names in touch_more().items() if not names] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in METHODS if name not in TOUCH_MORE])
def test_a_call_touches_a_page_and_a_few(name: str, prepared: Callable[[str], Prepared]) -> None:
    first, second, allowed = prepared(name).spent(name)
    assert first <= allowed
    assert second <= allowed
