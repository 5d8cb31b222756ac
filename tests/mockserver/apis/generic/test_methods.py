"""The conventions, over methods of very different APIs."""

from collections.abc import Callable

import pytest

from mockserver.apis.generic import plan_of
from mockserver.apis.generic.plans import properties
from mockserver.collections.places import with_value
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject
from tests.discoverydocs import document, method, params_from, path_params
from tests.mockserver.apis.conftest import Generic, world_of

Over = Callable[..., Generic]

WRITABLE = [
    ("compute:v1", "compute.instances", "insert"),
    ("compute:v1", "compute.networks", "insert"),
    ("compute:v1", "compute.firewalls", "insert"),
    ("drive:v3", "drive.files", "create"),
    ("drive:v3", "drive.permissions", "create"),
    ("calendar:v3", "calendar.events", "insert"),
    ("calendar:v3", "calendar.acl", "insert"),
    ("tasks:v1", "tasks.tasks", "insert"),
    ("pubsub:v1", "pubsub.projects.topics", "create"),
    ("pubsub:v1", "pubsub.projects.subscriptions", "create"),
    ("run:v2", "run.projects.locations.services", "create"),
    ("run:v2", "run.projects.locations.jobs", "create"),
    ("secretmanager:v1", "secretmanager.projects.secrets", "create"),
    ("sqladmin:v1", "sql.databases", "insert"),
    ("sqladmin:v1", "sql.instances", "insert"),
    ("bigquery:v2", "bigquery.datasets", "insert"),
    ("bigquery:v2", "bigquery.tables", "insert"),
    ("storage:v1", "storage.buckets", "insert"),
    ("storage:v1", "storage.objects", "insert"),
    ("dns:v1", "dns.managedZones", "create"),
    ("dns:v1", "dns.resourceRecordSets", "create"),
    ("spanner:v1", "spanner.projects.instances", "create"),
    ("cloudfunctions:v2", "cloudfunctions.projects.locations.functions", "create"),
    ("cloudtasks:v2", "cloudtasks.projects.locations.queues", "create"),
    ("cloudscheduler:v1", "cloudscheduler.projects.locations.jobs", "create"),
    ("artifactregistry:v1", "artifactregistry.projects.locations.repositories", "create"),
    ("redis:v1", "redis.projects.locations.instances", "create"),
    ("iam:v1", "iam.projects.serviceAccounts", "create"),
    ("people:v1", "people.contactGroups", "create"),
    ("classroom:v1", "classroom.courses", "create"),
    ("blogger:v3", "blogger.posts", "insert"),
    ("firebasehosting:v1beta1", "firebasehosting.projects.sites", "create"),
    ("vpcaccess:v1", "vpcaccess.projects.locations.connectors", "create"),
    ("workflows:v1", "workflows.projects.locations.workflows", "create"),
]


def made(generic: Generic, key: str, resource: str, verb: str) -> tuple[str, JsonObject]:
    """Make one resource; its path and what is kept of it."""
    creates = method(key, f"{resource}.{verb}")
    plan = plan_of(creates)
    params = path_params(creates)
    for name, parameter in creates.parameters.items():
        if parameter.location == "query" and name.endswith("Id") and name != "requestId":
            params[name] = "thing-1"
            break
    generic.ask(key, creates.id, params, body_for(key, resource, verb))
    rows = generic.world.table(plan.table).rows()
    assert len(rows) == 1
    return next(iter(rows.items()))


def body_for(key: str, resource: str, verb: str) -> JsonObject:
    plan = plan_of(method(key, f"{resource}.{verb}"))
    body: JsonObject = {}
    known = properties(document(key), plan.item)
    for place in plan.id_fields:
        if place and not plan.named and known[place[0]].get("format") not in {"int64", "uint64"}:
            body = with_value(body, place, "thing-1")
    return body if plan.method.request == plan.item else {}


def read(
    generic: Generic, key: str, method_id: str, path: str, body: JsonObject | None = None
) -> JsonObject:
    params = params_from(plan_of(method(key, method_id)).template, path)
    return generic.ask(key, method_id, params, body) or {}


@pytest.mark.parametrize(("key", "resource", "verb"), WRITABLE, ids=[row[1] for row in WRITABLE])
def test_what_was_made_is_read_listed_changed_and_deleted(
    key: str, resource: str, verb: str
) -> None:
    generic = Generic(world_of())
    path, row = made(generic, key, resource, verb)
    methods = document(key).methods
    assert read(generic, key, f"{resource}.get", path) == row
    lists = plan_of(methods[f"{resource}.list"])
    above = path.rsplit("/", lists.depth)[0] if lists.depth else path
    answer = generic.ask(key, lists.method.id, params_from_list(lists.template, above)) or {}
    assert answer[lists.list_key] == [row]
    if f"{resource}.patch" in methods:
        read(generic, key, f"{resource}.patch", path, {"description": "New"})
    if f"{resource}.delete" in methods:
        read(generic, key, f"{resource}.delete", path)
        with pytest.raises(ApiError) as caught:
            read(generic, key, f"{resource}.get", path)
        assert caught.value.status == 404


def params_from_list(template: str, path: str) -> JsonObject:
    if template.startswith("{+"):
        head, _, rest = template.partition("/")
        return {head.strip("{+}"): path.removesuffix(f"/{rest}")}
    return params_from(template, path)


def test_a_name_is_given_once(over: Over) -> None:
    generic = over()
    secrets = "secretmanager.projects.secrets"
    params: JsonObject = {"parent": "projects/p", "secretId": "s"}
    generic.ask("secretmanager:v1", f"{secrets}.create", params)
    with pytest.raises(ApiError) as caught:
        generic.ask("secretmanager:v1", f"{secrets}.create", params)
    assert caught.value.status == 409


def test_lists_are_paged_filtered_and_ordered(over: Over) -> None:
    names = [f"projects/p/topics/t{number}" for number in range(5)]
    generic = over(**{"pubsub:v1": {"topics": [{"name": name} for name in names]}})
    found, token = [], ""
    while True:
        page = generic.get(
            "pubsub:v1", "pubsub.projects.topics.list",
            project="projects/p", pageSize=2, pageToken=token,
        )  # fmt: skip
        found += [row["name"] for row in page["topics"]]
        token = page.get("nextPageToken", "")
        if not token:
            break
    assert found == names
    files = [{"id": "1", "name": "b"}, {"id": "2", "name": "a"}]
    drive = over(**{"drive:v3": {"files": files}})
    answer = drive.get("drive:v3", "drive.files.list", orderBy="name", supportsAllDrives=True)
    assert [row["id"] for row in answer["files"]] == ["2", "1"]
    assert drive.ignored == ["supportsAllDrives"]


def test_a_list_that_does_not_page_has_as_many_rows_as_are_asked_for(over: Over) -> None:
    generic = over(**{"youtube:v3": {"captions": [{"id": "a"}, {"id": "b"}]}})
    segments = over(**{"analytics:v3": {"segments": [{"id": "a"}, {"id": "b"}]}})
    assert len(generic.get("youtube:v3", "youtube.captions.list", part=["id"])["items"]) == 2
    found = segments.ask("analytics:v3", "analytics.management.segments.list", {"max-results": 1})
    assert (found or {})["items"] == [{"id": "a"}]


def test_a_filter_of_another_grammar_is_refused(over: Over) -> None:
    zone: JsonObject = {"project": "p", "zone": "z"}
    rows = [{"name": "a", "status": "RUNNING"}, {"name": "b", "status": "STOPPED"}]
    generic = over(**{"compute:v1": {"instances": rows}})
    found = generic.get("compute:v1", "compute.instances.list", **zone, filter="status = RUNNING")
    assert [row["name"] for row in found["items"]] == ["a"]
    for name, odd in (("filter", "status eq RUNNING"), ("filter", "status ("), ("orderBy", "-x")):
        with pytest.raises(ApiError) as caught:
            generic.ask("compute:v1", "compute.instances.list", {**zone, name: odd})
        assert caught.value.status == 501


def test_ids_choose_among_the_rows(over: Over) -> None:
    generic = over(**{"youtube:v3": {"videos": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}})
    found = generic.get("youtube:v3", "youtube.videos.list", part=["snippet"], id=["a,c"])
    assert [row["id"] for row in found["items"]] == ["a", "c"]
    assert generic.ask("youtube:v3", "youtube.videos.delete", {"id": "a"}) is None
    assert len(generic.get("youtube:v3", "youtube.videos.list", part=["id"])["items"]) == 2


def test_what_a_snapshot_does_not_tell_is_any_parent(over: Over) -> None:
    generic = over(**{"calendar:v3": {"events": [{"id": "e1", "summary": "Standup"}]}})
    for calendar in ("primary", "team@example.com"):
        found = generic.get("calendar:v3", "calendar.events.list", calendarId=calendar)
        assert [row["id"] for row in found["items"]] == ["e1"]
    one = generic.get("calendar:v3", "calendar.events.get", calendarId="x", eventId="e1")
    assert one["summary"] == "Standup"


def test_what_a_path_tells_is_that_parent_alone(over: Over) -> None:
    generic = over(**{"calendar:v3": {"calendars/primary/events": [{"id": "e1"}]}})
    assert "items" in generic.get("calendar:v3", "calendar.events.list", calendarId="primary")
    assert "items" not in generic.get("calendar:v3", "calendar.events.list", calendarId="other")


def test_a_resource_is_found_by_its_number_too(over: Over) -> None:
    generic = over(**{"compute:v1": {"instances": [{"name": "vm", "id": "77", "zone": "z"}]}})
    found = generic.get("compute:v1", "compute.instances.get", project="p", zone="z", instance="77")
    assert found["name"] == "vm"


def test_the_only_one_of_its_kind_needs_no_name(over: Over) -> None:
    generic = over(**{"drive:v3": {"about": [{"user": {"displayName": "Ann"}}]}})
    assert generic.get("drive:v3", "drive.about.get")["user"] == {"displayName": "Ann"}


def test_a_change_answers_in_the_way_of_its_api(over: Over) -> None:
    topic = {"name": "projects/p/topics/t", "labels": {"a": "b"}}
    generic = over(**{"pubsub:v1": {"topics": [topic]}})
    body: JsonObject = {"topic": {"labels": {"c": "d"}}, "updateMask": "labels"}
    after = generic.get("pubsub:v1", "pubsub.projects.topics.patch", body, name=topic["name"])
    assert after["labels"] == {"c": "d"}
    service = {"name": "projects/p/locations/l/services/s", "description": "old"}
    run = over(**{"run:v2": {"services": [service]}})
    started = run.get(
        "run:v2", "run.projects.locations.services.patch", {"description": "new"},
        name=service["name"], updateMask="description",
    )  # fmt: skip
    assert "done" not in started
    assert started["name"].startswith("projects/p/locations/l/operations/")
    polled = run.get("run:v2", "run.projects.locations.operations.get", name=started["name"])
    assert (polled["name"], polled["done"]) == (started["name"], True)
    assert polled["response"]["description"] == "new"


def test_what_only_looks_like_a_change_writes_nothing(over: Over) -> None:
    generic = over(**{"run:v2": {}})
    services = "run.projects.locations.services"
    generic.get(
        "run:v2", f"{services}.create", {}, parent="projects/p/locations/l", serviceId="s",
        validateOnly=True,
    )  # fmt: skip
    assert generic.get("run:v2", f"{services}.list", parent="projects/p/locations/l") == {}
    row = {"name": "projects/p/locations/l/services/s"}
    kept = over(**{"run:v2": {"services": [row]}})
    kept.get("run:v2", f"{services}.delete", name=row["name"], validateOnly=True)
    kept.get(
        "run:v2", f"{services}.patch", {"description": "x"}, name=row["name"], validateOnly=True
    )
    assert kept.get("run:v2", f"{services}.get", name=row["name"]) == row


def test_a_missing_row_may_be_made_by_a_change(over: Over) -> None:
    generic = over(**{"run:v2": {}})
    name = "projects/p/locations/l/services/s"
    services = "run.projects.locations.services"
    generic.get("run:v2", f"{services}.patch", {"description": "x"}, name=name, allowMissing=True)
    assert generic.get("run:v2", f"{services}.get", name=name)["description"] == "x"


def test_a_stale_etag_is_refused(over: Over) -> None:
    generic = over(**{"calendar:v3": {"events": [{"id": "e", "etag": '"1"'}]}})
    place: JsonObject = {"calendarId": "c", "eventId": "e"}
    with pytest.raises(ApiError) as caught:
        generic.get("calendar:v3", "calendar.events.update", {"etag": '"0"'}, **place)
    assert caught.value.status == 412
    after = generic.get(
        "calendar:v3", "calendar.events.update", {"etag": '"1"', "summary": "x"}, **place
    )
    assert after["etag"] != '"1"'
    null: Json = None
    cleared = generic.get("calendar:v3", "calendar.events.patch", {"summary": null}, **place)
    assert "summary" not in cleared


@pytest.mark.parametrize("polls", [0, 2])
def test_operations_of_older_apis_are_polled_waited_for_and_listed(polls: int) -> None:
    generic = Generic(world_of(operationPolls=polls))
    zone: JsonObject = {"project": "p", "zone": "z"}
    started = generic.get("compute:v1", "compute.instances.insert", {"name": "vm"}, **zone)
    assert started["status"] == "RUNNING"
    assert started["targetLink"].endswith("/zones/z/instances/vm")
    named = {"operation": started["name"], **zone}
    generic.get("compute:v1", "compute.zoneOperations.get", **named)
    polled = generic.get("compute:v1", "compute.zoneOperations.wait", **named)
    assert (polled["status"], polled["progress"]) == ("DONE", 100)
    assert generic.get("compute:v1", "compute.zoneOperations.list", **zone)["items"] == [polled]
    assert generic.ask("compute:v1", "compute.zoneOperations.delete", named) is None
    assert "items" not in generic.get("compute:v1", "compute.zoneOperations.list", **zone)


def test_operations_of_newer_apis_are_listed_cancelled_and_forgotten(over: Over) -> None:
    generic = over(**{"run:v2": {}})
    place = "projects/p/locations/l"
    started = generic.get(
        "run:v2", "run.projects.locations.services.create", parent=place, serviceId="s"
    )
    operations = "run.projects.locations.operations"
    (listed,) = generic.get("run:v2", f"{operations}.list", name=place)["operations"]
    assert (listed["name"], listed["done"]) == (started["name"], True)
    generic.get("run:v2", f"{operations}.delete", name=started["name"])
    assert generic.get("run:v2", f"{operations}.list", name=place) == {}
    spanner = "spanner.projects.instances.databases.operations.cancel"
    with pytest.raises(ApiError) as caught:
        generic.get("spanner:v1", spanner, name="projects/p/instances/i/databases/d/operations/o")
    assert caught.value.status == 404


def test_policies_of_any_resource_are_kept(over: Over) -> None:
    generic = over()
    policy = {"bindings": [{"role": "roles/viewer", "members": ["user:ann@example.com"]}]}
    secrets = "secretmanager.projects.secrets"
    name = "projects/p/secrets/s"
    kept = generic.get(
        "secretmanager:v1", f"{secrets}.setIamPolicy", {"policy": policy}, resource=name
    )
    assert generic.get("secretmanager:v1", f"{secrets}.getIamPolicy", resource=name) == kept
    bucket: JsonObject = {"bucket": "b"}
    generic.get("storage:v1", "storage.buckets.setIamPolicy", policy, **bucket)
    found = generic.get("storage:v1", "storage.buckets.getIamPolicy", **bucket)
    assert found["bindings"] == policy["bindings"]
    asked: JsonObject = {"permissions": ["a.b"]}
    assert (
        generic.get("storage:v1", "storage.buckets.testIamPermissions", **asked, **bucket) == asked
    )
    assert (
        generic.get("secretmanager:v1", f"{secrets}.testIamPermissions", asked, resource=name)
        == asked
    )


def test_what_callers_make_is_not_there_before_they_do(over: Over) -> None:
    tenant, parent = over(), "projects/p"
    name = f"{parent}/topics/orders"
    assert tenant.get("pubsub:v1", "pubsub.projects.topics.list", project=parent) == {}
    found = tenant.get("compute:v1", "compute.instances.list", project="p", zone="z")
    assert {name: found[name] for name in found if name not in {"id", "selfLink"}} == {
        "kind": "compute#instanceList"
    }
    with pytest.raises(ApiError) as caught:
        tenant.get("pubsub:v1", "pubsub.projects.topics.get", topic=name)
    assert caught.value.status == 404
    tenant.get("pubsub:v1", "pubsub.projects.topics.create", {}, name=name)
    (row,) = tenant.get("pubsub:v1", "pubsub.projects.topics.list", project=parent)["topics"]
    assert row["name"] == name


@pytest.mark.parametrize(
    ("key", "method_id"),
    [
        ("compute:v1", "compute.instances.start"),
        ("compute:v1", "compute.zones.list"),  # callers make none of these
        ("compute:v1", "compute.machineTypes.get"),
        ("drive:v3", "drive.about.get"),
        ("pubsub:v1", "pubsub.projects.topics.publish"),
    ],
)
def test_what_nothing_serves_is_501_with_a_fixture_that_would(
    over: Over, key: str, method_id: str
) -> None:
    with pytest.raises(ApiError) as caught:
        over().ask(key, method_id, path_params(method(key, method_id)))
    assert (caught.value.status, caught.value.code_name) == (501, "UNIMPLEMENTED")
    assert caught.value.miss is not None
    assert caught.value.miss.blame == "fixture_gap"
