"""No parameter of a list is ignored in silence: it changes the rows, is refused, or selects none.

The walk goes over Discovery: generic lists are asked over rows made from their schemas, emulated
ones over the bundled suites.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.apis.generic import generic_handler, plan_of
from mockserver.apis.generic.plans import Plan, fill_template, list_field
from mockserver.apis.generic.selection import SHAPING, selects
from mockserver.collections import Store
from mockserver.collections.places import with_value
from mockserver.googleapi import ApiError, Call, Document, Method, Parameter
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import (
    MEMBERS,
    Base,
    Clock,
    Ids,
    World,
)
from tests.conformance.emulated import METHODS, Asked, Emulation, Opened
from tests.conformance.generation import Requests
from tests.conformance.hints import FIELDS, PARAMS
from tests.discoverydocs import document, path_params
from tests.tenants import NOW

GENERIC = (
    "androidmanagement:v1", "artifactregistry:v1", "bigquery:v2", "bigquerydatatransfer:v1",
    "blogger:v3", "books:v1", "calendar:v3", "chat:v1", "classroom:v1", "cloudbilling:v1",
    "cloudbuild:v1", "cloudfunctions:v2", "cloudkms:v1", "cloudscheduler:v1", "cloudtasks:v2",
    "compute:v1", "dataflow:v1b3", "dataproc:v1", "dfareporting:v4", "dns:v1", "drive:v2",
    "drive:v3", "firestore:v1", "forms:v1", "iam:v1", "meet:v2", "people:v1", "pubsub:v1",
    "redis:v1", "run:v1", "run:v2", "script:v1", "secretmanager:v1", "servicemanagement:v1",
    "sheets:v4", "spanner:v1", "sqladmin:v1", "storage:v1", "vault:v1", "workflows:v1",
    "youtube:v3",
)  # fmt: skip
HANDLED = {method for api in APIS for method in api.handlers}
EMULATED = sorted({f"{name}:{version}" for api in APIS for name, version in api.documents})
NOTHING = "zzz-nothing"
TEXTS = ("text0", "text1", "_text2", "text3")
_DEEPEST = 3
_DAY = {"start": {"date": "2026-03-02"}, "end": {"date": "2026-03-03"}, "recurrence": None}
SAMPLES: dict[str, list[JsonObject]] = {
    "calendar.events.list": [
        {**_DAY, "status": "confirmed", "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]},
        {**_DAY, "status": "confirmed", "updated": "2026-03-01T00:00:00Z"},
        {**_DAY, "status": "cancelled", "recurringEventId": None},
        {**_DAY, "status": "tentative"},
    ],
    "drive.files.list": [
        {"spaces": ["drive"], "permissions": [], "driveId": None, "trashed": True},
        {"spaces": ["drive"], "permissions": [], "driveId": None},
        {"spaces": ["drive"], "permissions": []},
        {"spaces": ["appDataFolder"]},
    ],
    "storage.objects.list": [
        {"name": "a/text0", "timeDeleted": None, "softDeleteTime": None},
        {"name": "a/", "timeDeleted": None, "softDeleteTime": None},
        {"name": "text", "softDeleteTime": None},
    ],
    "storage.projects.hmacKeys.list": [{"state": "DELETED"}],
    "storage.buckets.list": [{"softDeleteTime": None}, {"softDeleteTime": None}, {}],
    "directory.chromeosdevices.list": [{"orgUnitPath": "/"}, {"orgUnitPath": "/Sales"}],
    "directory.roleAssignments.list": [{"assignedTo": "1"}, {"assignedTo": "2"}],
    "storage.folders.list": [{"name": "a/"}, {"name": "a/b/"}],
}
"""What rows say that a schema does not tell, for lists whose rules look at it."""

BESIDE: dict[str, JsonObject] = {
    "includeTrailingDelimiter": {"delimiter": "/"},
    "includeChildOrgunits": {"orgUnitPath": "/"},
    "includeIndirectRoleAssignments": {"userKey": "1"},
}
"""Parameters that mean something beside others only."""


def value(of: Document, spec: JsonMapping, number: int, depth: int, name: str = "") -> Json:
    """A value of a schema, another one for each number; flags are true of one row."""
    if "$ref" in spec:
        spec = of.schemas.get(spec["$ref"], {})
    kind = spec.get("type")
    if kind == "array":
        inner = value(of, spec["items"], number, depth, name)
        return None if inner is None else [inner]
    if kind == "object":
        if depth >= _DEEPEST:
            return None
        known = spec.get("properties", {})
        made = {one: value(of, each, number, depth + 1, one) for one, each in known.items()}
        full = {name: each for name, each in made.items() if each is not None}
        return full or None
    if "enum" in spec:
        gone = {"DELETED", "SOFT_DELETED", "DELETE_REQUESTED"} & {*spec["enum"]}
        return str(
            min(gone) if gone and not number else spec["enum"][(number + 1) % len(spec["enum"])]
        )
    if kind == "boolean":
        return (number + len(name)) % len(TEXTS) == 0
    if kind in {"integer", "number"}:
        return number + 1
    day = f"2026-03-0{number + 1}"
    texts = {
        "date": day, "date-time": f"{day}T00:00:00Z", "google-datetime": f"{day}T00:00:00Z",
        "int64": str(1772323200000 + number * 86_400_000), "google-duration": f"{number}s",
    }  # fmt: skip
    return texts.get(str(spec.get("format")), TEXTS[number]) if kind == "string" else None


class Walk:
    """One generic list over rows made from its schema."""

    def __init__(self, of: Method) -> None:
        self.method = of
        self.plan: Plan = plan_of(of)
        self.path = path_params(of)
        self.rows = [self._row(number) for number in range(len(TEXTS))]
        parent = fill_template(self.plan.template, self.path) + "/x" * (self.plan.depth - 1)
        rows = {f"{parent}/{number}": row for number, row in enumerate(self.rows)}
        name = self.plan.table
        if self.plan.verb == "operations":
            name = "operations"
            rows = {key: {"left": 0, "outcome": row} for key, row in rows.items()}
        clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
        joined = {"1": {"groupId": "2", "member": {"id": "1"}}}
        base = Base({name: Store(rows), f"{name}/": Store({}), MEMBERS: Store(joined)}, {}, NOW)
        self.world = World(base, clock=clock, ids=Ids(1), session="s1")

    def _row(self, number: int) -> JsonObject:
        made = value(self.method.document, {"$ref": self.plan.item}, number, 0)
        row: JsonObject = dict(made) if isinstance(made, dict) else {}
        for place in filter(None, self.plan.id_fields):
            row = with_value(row, place, TEXTS[number])
        samples = SAMPLES.get(self.method.id, [])
        return {**row, **(samples[number] if number < len(samples) else {})}

    def ask(self, **params: Json) -> tuple[object, list[str]]:
        """What is answered: keys of rows in their order, or the status of a refusal."""
        call = Call(self.method.id, {**self.path, **params}, {}, self.world, self.method.version)
        try:
            answer = generic_handler(self.method)(call) or {}
        except ApiError as error:
            return error.status, call.ignored
        return [answer.get(self.plan.list_key), answer.get("prefixes")], call.ignored

    def silent(self) -> Iterator[str]:
        """Parameters that nothing becomes of.

        Yields:
            Their names.
        """
        for parameter in self.method.parameters.values():
            if parameter.location != "query" or parameter.name in _PAGES:
                continue
            beside = BESIDE.get(parameter.name, {})
            usual, _ = self.ask(**beside)
            assert isinstance(usual, list), f"{self.method.id} refuses its own rows"
            values = self._values(parameter)
            tried = [self.ask(**beside, **{parameter.name: each}) for each in values]
            if not selects(self.plan, parameter.name):
                if not all(parameter.name in ignored for _, ignored in tried):
                    yield parameter.name
            elif all(answer == usual for answer, _ in tried):
                yield parameter.name

    def _values(self, parameter: Parameter) -> Sequence[Json]:
        first = next((name for name, each in self.rows[0].items() if isinstance(each, str)), "id")
        if parameter.name == "orderBy" and not parameter.enum:
            return [f"{first} desc", first, "no_such_field"]
        if parameter.type == "boolean":
            return [True, False]
        if parameter.type in {"integer", "number"}:
            return [2, 987]
        texts = [*parameter.enum, NOTHING, "/", "2026-03-02T12:00:00Z", "1772400000000", "text1"]
        return [[each] for each in texts] if parameter.repeated else texts


_PAGES = frozenset({"pageToken", "pageSize", "maxResults", "limit", "max-results"})


def lists_of(key: str) -> list[Method]:
    every = document(key).methods.values()
    listed = [each for each in every if plan_of(each).verb in {"list", "operations"}]
    return [each for each in listed if each.id not in HANDLED]


@pytest.mark.parametrize("key", sorted({*GENERIC, *EMULATED}))
def test_generic_lists_honour_or_refuse(key: str) -> None:
    silent = {each.id: list(Walk(each).silent()) for each in lists_of(key)}
    assert {name: found for name, found in silent.items() if found} == {}


def test_the_walk_finds_what_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    method = document("compute:v1").methods["compute.instances.list"]
    assert list(Walk(method).silent()) == []
    deaf = "mockserver.apis.generic.resources.list_query"
    monkeypatch.setattr(deaf, lambda plan, asked: ((), ()))
    assert {*Walk(method).silent()} == {"filter", "orderBy"}
    files = document("drive:v3").methods["drive.files.list"]
    assert {"q", "spaces", "supportsAllDrives"} <= {*Walk(files).silent()}


_TIMES_OF_ROWS = frozenset({
    "formatOptions.useInt64Timestamp", "formatOptions.timestampOutputFormat",
})  # fmt: skip
UNUSED: Mapping[str, frozenset[str]] = {
    # how times are written, where the suite has none; jobs are done when they are asked for
    "bigquery.jobs.getQueryResults": frozenset({*_TIMES_OF_ROWS, "timeoutMs", "location"}),
    "bigquery.tabledata.list": _TIMES_OF_ROWS,
    # for statistics of requests; `recursive` is in the document alone
    **dict.fromkeys(
        (f"firestore.projects.databases.documents.{verb}" for verb in ("list", "listDocuments")),
        frozenset({"requestOptions.requestTags", "recursive"}),
    ),
    # deprecated: the parent says it
    "container.projects.locations.clusters.list": frozenset({"projectId", "zone"}),
    "container.projects.locations.clusters.nodePools.list": frozenset(
        {"projectId", "zone", "clusterId"}
    ),
    "container.projects.locations.getServerConfig": frozenset({"projectId", "zone"}),
    "container.projects.zones.getServerconfig": frozenset({"name"}),
    "container.projects.zones.clusters.list": frozenset({"parent"}),
    "container.projects.zones.clusters.nodePools.list": frozenset({"parent"}),
    # changes have one order; where instances are looked for
    "dns.changes.list": frozenset({"sortBy"}),
    **{
        f"sql.{name}.list": frozenset({"location"})
        for name in ("backupRuns", "databases", "instances", "users")
    },
    # said to be unsupported
    "monitoring.folders.timeSeries.list": frozenset({"orderBy"}),
    "monitoring.organizations.timeSeries.list": frozenset({"orderBy"}),
    "monitoring.projects.timeSeries.list": frozenset({"orderBy"}),
    # which fields of customSchemas are shown; what a subscription would be told
    "directory.users.list": frozenset({"customFieldMask", "event"}),
    # what is shown, and where people are looked for
    **{
        f"people.people.{name}": frozenset(
            {
                "mergeSources",
                "personFields",
                "readMask",
                "requestMask.includeField",
                "requestSyncToken",
                "sources",
            }
        )
        for name in (
            "connections.list",
            "getBatchGet",
            "listDirectoryPeople",
            "searchContacts",
            "searchDirectoryPeople",
        )
    },
    "people.otherContacts.list": frozenset({"readMask", "requestSyncToken", "sources"}),
    # a rule of access that is deleted is not kept
    "calendar.acl.list": frozenset({"showDeleted"}),
    # dates are kept as they were entered
    "sheets.spreadsheets.values.batchGet": frozenset({"dateTimeRenderOption"}),
    # no file of the suite is in a shared drive
    "drive.files.list": frozenset({"includeItemsFromAllDrives", "includeTeamDriveItems"}),
}
"""Parameters that their documents say to select nothing, by emulated method."""

_STEPS = {"aggregation.alignmentPeriod": "600s", "aggregation.perSeriesAligner": "ALIGN_RATE"}
_SUM = {"aggregation.crossSeriesReducer": "REDUCE_SUM"}
_AGAIN = {
    "secondaryAggregation.alignmentPeriod": "600s",
    "secondaryAggregation.perSeriesAligner": "ALIGN_MEAN",
    "secondaryAggregation.crossSeriesReducer": "REDUCE_SUM",
}
_COUNTED = {"timedCountDuration": "7000s"}
TOGETHER: Mapping[str, Mapping[str, Any]] = {
    "directory.roleAssignments.list includeIndirectRoleAssignments": {
        "userKey": "mira.okafor@example.com",
    },
    "directory.groups.list sortOrder": {"orderBy": "email"},
    "directory.users.list sortOrder": {"orderBy": "email"},
    "directory.chromebrowsers.list sortOrder": {"orderBy": "machine_name"},
    "clouderrorreporting.projects.groupStats.list alignment": _COUNTED,
    "clouderrorreporting.projects.locations.groupStats.list alignment": _COUNTED,
    **{
        f"monitoring.{parent}.timeSeries.list {name}.groupByFields": {**_STEPS, **more}
        for parent in ("projects", "folders", "organizations")
        for name, more in (("aggregation", _SUM), ("secondaryAggregation", _AGAIN))
    },
}
"""Parameters of emulated lists that mean something beside others only."""

NO_ROWS = frozenset({
    "gmail.users.history.list", "drive.changes.list", "alertcenter.getSettings",
    "apphub.projects.locations.operations.list", "container.projects.locations.operations.list",
    "container.projects.zones.operations.list",
    "observability.folders.locations.operations.list",
    "observability.organizations.locations.operations.list",
    "observability.projects.locations.operations.list", "serviceusage.services.batchGet",
    "serviceusage.services.list",
})  # fmt: skip
"""Lists of what only calls make, or name."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    emulation = Emulation(tmp_path_factory.mktemp("lists") / "suite")
    with emulation.world() as world:
        yield world


@pytest.fixture(scope="module")
def requests(opened: Opened) -> Requests:
    return Requests(opened.strings(), opened.rows())


def emulated_lists() -> dict[str, str]:
    """Emulated lists, and the field of their answers with the rows."""
    found = {}
    for name, method in METHODS.items():
        collection = method.id.split(".")[-2]
        key = list_field(method.document, method.response, collection)[0]
        if method.http_method == "GET" and key and not method.id.endswith((".get", "History")):
            found[name] = key
    return found


LISTS = emulated_lists()


def starts(opened: Opened, requests: Requests, of: Method) -> Iterator[Mapping[str, Any]]:
    """Calls that may find rows.

    Yields:
        Their parameters.
    """
    hinted = PARAMS.get(of.id, {})
    options: dict[str, Sequence[Any]] = {}
    for name, each in of.parameters.items():
        if each.location != "path" and not each.required and name not in _SENT:
            continue
        if name in hinted:
            options[name] = hinted[name]
        elif name == "groupId":
            options[name] = [error_group(opened)]
        elif each.pattern.startswith("^"):
            options[name] = requests.names(each)
        elif each.required or each.location == "path" or name == "customer":
            options[name] = FIELDS.get(name, ("alpha",))
    for several in islice(product(*options.values()), 60):
        yield dict(zip(options, several, strict=True))


_SENT = frozenset({
    "personFields", "readMask", "resourceNames", "sources",
    "customer", "filter", "groupId", "interval.endTime", "interval.startTime", "name", "parent",
    "query", "ranges", "timeRange.period",
})  # fmt: skip
"""What calls send though a document does not require it, as far as there is a hint."""


def error_group(opened: Opened) -> str:
    stats = "clouderrorreporting.projects.groupStats.list"
    answer = opened.call(stats, projectName="projects/shop-prod")
    return str(answer.body["errorGroupStats"][0]["group"]["groupId"])


def tried(parameter: Parameter) -> Sequence[Any]:
    if parameter.type == "boolean":
        return [True, False]
    if parameter.type in {"integer", "number"}:
        return [1, 2, 987]
    texts = [
        *parameter.enum, NOTHING, "zzz = 1", "true", "2026-11-20T06:30:00Z", "2030-01-01T00:00:00Z",
        "name desc", "DESCENDING", "60s", "86400s", "resource.labels.service_name",
    ]  # fmt: skip
    return [[each] for each in texts] if parameter.repeated else texts


def rows_of(opened: Opened, of: Method, key: str, params: Mapping[str, Any]) -> Any:
    answer = opened.ask(Asked(of, params))
    return answer.body.get(key, []) if answer.status == 200 else answer.status


@pytest.mark.parametrize("name", LISTS)
def test_emulated_lists_honour_or_refuse(name: str, opened: Opened, requests: Requests) -> None:
    of, key = METHODS[name], LISTS[name]
    asked = [(each, rows_of(opened, of, key, each)) for each in starts(opened, requests, of)]
    calls = [each for each, rows in asked if isinstance(rows, list)]
    assert any(isinstance(rows, list) and rows for _, rows in asked) or of.id in NO_ROWS
    silent = set()
    for parameter in of.parameters.values():
        known = {*SHAPING, *UNUSED.get(of.id, ())}
        if parameter.location != "query" or parameter.name in known or of.id in NO_ROWS:
            continue
        beside = TOGETHER.get(f"{of.id} {parameter.name}", {})
        if not any(_matters(opened, of, key, {**each, **beside}, parameter) for each in calls):
            silent.add(parameter.name)
    assert silent == set()


def _matters(
    opened: Opened, of: Method, key: str, params: Mapping[str, Any], parameter: Parameter
) -> bool:
    usual = rows_of(opened, of, key, params)
    assert isinstance(usual, list), params
    return any(
        rows_of(opened, of, key, {**params, parameter.name: each}) != usual
        for each in tried(parameter)
    )
