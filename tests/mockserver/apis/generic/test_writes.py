from collections.abc import Callable

import pytest

from mockserver.apis.generic import Plan, plan_of
from mockserver.apis.generic.plans import body_field, properties, singular
from mockserver.apis.generic.writes import (
    answer_write,
    keeps_short_names,
    link_to,
    new_id,
    with_identity,
)
from mockserver.collections.places import with_value
from mockserver.googleapi import ApiError, Call, Method
from mockserver.model import Json, JsonObject
from tests.discoverydocs import document, method, path_params
from tests.mockserver.apis.conftest import Generic, world_of

INSERT = plan_of(method("compute:v1", "compute.instances.insert"))
PATH = "projects/p/zones/z/instances/vm"


def call() -> Call:
    return Call("x", {}, {}, world_of())


def new(key: str, method_id: str, params: JsonObject, body: JsonObject) -> JsonObject:
    """What is kept of a new resource."""
    generic = Generic(world_of())
    generic.ask(key, method_id, params, body)
    ((_, row),) = generic.world.table(plan_of(method(key, method_id)).table).rows().items()
    return row


PLACE: JsonObject = {"project": "p", "zone": "z"}


def test_a_new_resource_has_what_its_schema_tells_a_server_adds() -> None:
    row = new("compute:v1", "compute.instances.insert", PLACE, {"name": "vm"})
    assert (row["name"], row["kind"]) == ("vm", "compute#instance")
    assert row["selfLink"] == f"https://www.googleapis.com/compute/v1/{PATH}"
    assert row["id"].isdecimal()
    assert row["creationTimestamp"] == "2026-03-02T09:00:00.000Z"


def test_what_was_given_stays() -> None:
    given = {"name": "vm", "kind": "k", "selfLink": "s", "id": "7", "creationTimestamp": "t"}
    assert new("compute:v1", "compute.instances.insert", PLACE, given).items() >= given.items()


def test_states_and_uids_are_those_of_what_is_ready() -> None:
    asked = {"parent": "projects/p"}
    given: JsonObject = {"instanceId": "i", "instance": {"name": "other"}}
    row = new("spanner:v1", "spanner.projects.instances.create", asked, given)
    assert (row["state"], row["name"]) == ("READY", "projects/p/instances/i")
    service: JsonObject = {"parent": "projects/p/locations/l", "serviceId": "s"}
    row = new("run:v2", "run.projects.locations.services.create", service, {})
    assert len(row["uid"]) == 36


def test_ids_have_the_form_of_their_field() -> None:
    assert new_id(INSERT, call()).isalnum()
    firewalls = plan_of(method("dns:v1", "dns.managedZones.create"))
    assert new_id(firewalls, call())
    numbered = plan_of(method("blogger:v3", "blogger.posts.insert"))
    assert new_id(numbered, call())


def test_a_change_moves_the_time_and_the_etag() -> None:
    event = {"id": "e", "updated": "then", "created": "then", "etag": "old"}
    generic = Generic(world_of(resources={"calendar:v3": {"calendars/c/events": [event]}}))
    params = {"calendarId": "c", "eventId": "e"}
    row = generic.get("calendar:v3", "calendar.events.patch", {"summary": "x"}, **params)
    assert (row["updated"], row["created"]) == ("2026-03-02T09:00:00.000Z", "then")
    assert row["etag"] != "old"
    assert "etag" not in new("pubsub:v1", "pubsub.projects.topics.create", {"name": "a/b/c"}, {})


def test_a_slash_in_an_id_comes_back() -> None:
    plan = plan_of(method("storage:v1", "storage.objects.get"))
    assert with_identity(plan, "b/x/o/a%2Fb", {})["name"] == "a/b"
    assert link_to(plan, "b/x/o/a").startswith("https://storage.googleapis.com/storage/v1/b/")


Over = Callable[..., Generic]
PARENT: JsonObject = {"parent": "projects/p"}
BUCKET: JsonObject = {"bucket": "b"}

CHOSEN = [
    # a short name in the body, which stays short
    ("logging:v2", "logging.projects.sinks.create", PARENT, {"name": "mine"}, "mine"),
    ("logging:v2", "logging.projects.metrics.create", PARENT, {"name": "a/mine"}, "a/mine"),
    ("logging:v2", "logging.projects.exclusions.create", PARENT, {"name": "mine"},
     "projects/p/exclusions/mine"),
    # a full name in the body, also where the collection has no parent
    (
        "accesscontextmanager:v1",
        "accesscontextmanager.accessPolicies.accessLevels.create",
        {"parent": "accessPolicies/1"},
        {"name": "accessPolicies/1/accessLevels/mine"},
        "accessPolicies/1/accessLevels/mine",
    ),
    ("storagetransfer:v1", "storagetransfer.transferJobs.create", {},
     {"name": "transferJobs/mine"}, "transferJobs/mine"),
    # a parameter beside the resource
    ("secretmanager:v1", "secretmanager.projects.secrets.create",
     {**PARENT, "secretId": "mine"}, {}, "projects/p/secrets/mine"),
    ("vpcaccess:v1", "vpcaccess.projects.locations.connectors.create",
     {"parent": "projects/p/locations/l", "connectorId": "mine"}, {},
     "projects/p/locations/l/connectors/mine"),
    ("identitytoolkit:v2", "identitytoolkit.projects.defaultSupportedIdpConfigs.create",
     {**PARENT, "idpId": "mine.com"}, {}, "projects/p/defaultSupportedIdpConfigs/mine.com"),
    ("storage:v1", "storage.objects.insert", {**BUCKET, "name": "a/mine"}, {}, "a/mine"),
    ("storage:v1", "storage.objects.insert", {**BUCKET, "name": "mine"}, {"name": "x"}, "mine"),
    # a field around the resource
    ("spanner:v1", "spanner.projects.instances.create", PARENT,
     {"instanceId": "mine", "instance": {"displayName": "x"}}, "projects/p/instances/mine"),
    ("iam:v1", "iam.projects.serviceAccounts.create", {"name": "projects/p"},
     {"accountId": "mine", "serviceAccount": {}},
     "projects/p/serviceAccounts/mine@p.iam.gserviceaccount.com"),
    # the path
    ("pubsub:v1", "pubsub.projects.topics.create", {"name": "projects/p/topics/mine"}, {},
     "projects/p/topics/mine"),
    # the resource
    ("storage:v1", "storage.objects.insert", BUCKET, {"name": "a/mine"}, "a/mine"),
    ("dns:v1", "dns.managedZones.create", {"project": "p"}, {"name": "mine"}, "mine"),
    ("dns:v1", "dns.responsePolicyRules.create", {"project": "p", "responsePolicy": "r"},
     {"ruleName": "mine"}, "mine"),
    ("bigquery:v2", "bigquery.jobs.insert", {"projectId": "p"},
     {"jobReference": {"projectId": "p", "jobId": "mine"}}, "mine"),
    ("run:v1", "run.namespaces.services.create", {"parent": "namespaces/p"},
     {"metadata": {"name": "mine"}}, "mine"),
    ("admin:directory_v1", "directory.resources.calendars.insert", {"customer": "c"},
     {"resourceId": "mine"}, "mine"),
]  # fmt: skip


def named(plan: Plan, row: JsonObject) -> Json:
    value: Json = row
    for name in ("name",) if "name" in row and plan.named else plan.id_fields[-1]:
        value = value[name] if isinstance(value, dict) else None
    return value


@pytest.mark.parametrize(
    ("key", "method_id", "params", "body", "name"), CHOSEN, ids=lambda value: str(value)[:50]
)
def test_a_chosen_name_is_kept(
    over: Over, key: str, method_id: str, params: JsonObject, body: JsonObject, name: str
) -> None:
    generic, creates = over(), method(key, method_id)
    plan = plan_of(creates)
    generic.ask(key, method_id, params, body)
    ((path, row),) = generic.world.table(plan.table).rows().items()
    assert (named(plan, row), path.rpartition("/")[2]) == (
        name,
        (name if path.endswith(name) else name.replace("/", "%2F")).rpartition("/")[2],
    )
    with pytest.raises(ApiError) as caught:
        generic.ask(key, method_id, params, body)
    assert caught.value.status == 409


def test_a_name_with_a_slash_is_found_decoded_or_not(over: Over) -> None:
    generic = over()
    generic.ask("logging:v2", "logging.projects.metrics.create", PARENT, {"name": "nginx/all"})
    for name in ("nginx/all", "nginx%2Fall"):
        path = f"projects/p/metrics/{name}"
        found = generic.get("logging:v2", "logging.projects.metrics.get", metricName=path)
        assert found["name"] == "nginx/all"
    listed = generic.get("logging:v2", "logging.projects.metrics.list", **PARENT)
    assert [row["name"] for row in listed["metrics"]] == ["nginx/all"]


@pytest.mark.parametrize(
    ("key", "method_id", "params", "body"),
    [
        ("chat:v1", "chat.spaces.create", {"requestId": "r"}, {"displayName": "x"}),
        ("androidmanagement:v1", "androidmanagement.enterprises.create", {"projectId": "p"}, {}),
        ("calendar:v3", "calendar.events.insert", {"calendarId": "c"}, {}),
    ],
    ids=["a space", "an id of something else", "an event"],
)
def test_a_name_that_nobody_chose_is_made(
    over: Over, key: str, method_id: str, params: JsonObject, body: JsonObject
) -> None:
    generic = over()
    generic.ask(key, method_id, params, body)
    (path,) = generic.world.table(plan_of(method(key, method_id)).table).rows()
    assert len(path.rpartition("/")[2]) >= 19


def test_a_name_beside_an_id_of_the_servers_own_is_kept(over: Over) -> None:
    generic, key, parent = over(), "cloudbuild:v1", "projects/p/locations/l"
    triggers = "cloudbuild.projects.locations.triggers"
    made = generic.get(key, f"{triggers}.create", {"name": "mine"}, parent=parent)
    assert (made["name"], len(made["id"])) == ("mine", 20)
    for name in ("mine", made["id"]):
        assert generic.get(key, f"{triggers}.get", name=f"{parent}/triggers/{name}") == made


def test_short_names_of_a_snapshot_are_found_below_any_parent() -> None:
    resources: JsonObject = {
        "logging:v2": {"sinks": [{"name": "mine"}]},
        "chat:v1": {"spaces": [{"name": "spaces/mine"}]},
    }
    generic = Generic(world_of(resources=resources))
    sink = generic.get("logging:v2", "logging.projects.sinks.get", sinkName="projects/p/sinks/mine")
    assert sink["name"] == "mine"
    assert generic.get("logging:v2", "logging.projects.sinks.list", **PARENT) == {"sinks": [sink]}
    assert generic.get("chat:v1", "chat.spaces.get", name="spaces/mine")["name"] == "spaces/mine"


DOCUMENTS = "projects/p/databases/(default)/documents"


@pytest.mark.parametrize("parent", [DOCUMENTS, f"{DOCUMENTS}/users/ann"], ids=["root", "below"])
def test_documents_of_firestore_are_made_and_listed_at_the_root_and_below(
    over: Over, parent: str
) -> None:
    generic, key = over(), "firestore:v1"
    documents, place = "firestore.projects.databases.documents", {"parent": parent}
    params: JsonObject = {**place, "collectionId": "notes"}
    chosen = {**params, "documentId": "mine"}
    made = generic.ask(key, f"{documents}.createDocument", chosen, {"fields": {}})
    assert made is not None
    assert made["name"] == f"{parent}/notes/mine"
    generic.ask(key, f"{documents}.createDocument", {**params, "collectionId": "other"})
    for name in ("list", "listDocuments"):
        assert generic.ask(key, f"{documents}.{name}", params) == {"documents": [made]}
    assert generic.get(key, f"{documents}.get", name=made["name"]) == made


def test_a_job_has_a_status_that_ends_the_wait_for_it(over: Over) -> None:
    generic, key = over(), "bigquery:v2"
    body: JsonObject = {"jobReference": {"projectId": "p", "jobId": "mine"}}
    made = generic.get(key, "bigquery.jobs.insert", body, projectId="p")
    assert made["status"] == {"state": "DONE"}
    assert generic.get(key, "bigquery.jobs.get", projectId="p", jobId="mine") == made


MANY = (
    "aiplatform:v1", "alloydb:v1", "apigateway:v1", "apigee:v1", "artifactregistry:v1",
    "batch:v1", "bigquery:v2", "bigtableadmin:v2", "calendar:v3", "certificatemanager:v1",
    "cloudbuild:v1", "clouddeploy:v1", "cloudfunctions:v2", "cloudkms:v1", "cloudscheduler:v1",
    "cloudtasks:v2", "composer:v1", "compute:v1", "dataform:v1", "dataproc:v1",
    "dialogflow:v2", "dns:v1", "domains:v1", "eventarc:v1", "file:v1",
    "gkehub:v1", "iam:v1", "logging:v2", "managedkafka:v1", "memcache:v1",
    "networkservices:v1", "notebooks:v1", "privateca:v1", "pubsub:v1", "redis:v1",
    "run:v2", "secretmanager:v1", "spanner:v1", "sqladmin:v1", "storage:v1",
    "tpu:v2", "vmmigration:v1", "vpcaccess:v1", "workflows:v1", "workstations:v1",
)  # fmt: skip
"""APIs whose documents are walked."""


def chosen_by(plan: Plan) -> tuple[str, JsonObject, JsonObject] | None:
    """How a client names what a method makes: the way, and parameters and body that say it."""
    creates, own = plan.method, singular(plan.collection).casefold()
    if creates.http_method == "PUT":
        return None
    for name, parameter in creates.parameters.items():
        stem = name.removesuffix("Id").casefold()
        is_id = parameter.location == "query" and name.endswith("Id")
        if is_id and name != "requestId" and own.endswith(stem):
            return "query", {name: "mine-1"}, {}
    if body_field(plan) or creates.request != plan.item:
        return None
    known = properties(creates.document, plan.item)
    if plan.named:
        return ("short", {}, {"name": "mine-1"}) if keeps_short_names(plan) else None
    place = plan.id_fields[-1]
    spec = known.get(place[0], {}) if place else {}
    if len(plan.ids) != 1 or not place or spec.get("readOnly") or spec.get("type") == "integer":
        return None
    return ("body", {}, with_value({}, place, "mine-1")) if "format" not in spec else None


def named_creates(key: str) -> list[tuple[Method, Method]]:
    """The methods of a document that make what a client names, each with the one that reads it."""
    methods = document(key).methods
    found = []
    for each in methods.values():
        read = methods.get(f"{each.id.rpartition('.')[0]}.get")
        if read and plan_of(each).verb == "create" and chosen_by(plan_of(each)):
            found.append((each, read))
    return found


@pytest.mark.parametrize("key", MANY)
def test_whatever_a_client_names_is_read_by_that_name(over: Over, key: str) -> None:
    pairs = named_creates(key)
    lost = []
    for creates, reads in pairs:
        generic, plan = over(), plan_of(creates)
        _, params, body = chosen_by(plan) or ("", {}, {})
        generic.ask(key, creates.id, {**path_params(creates), **params}, body)
        asked = path_params(reads)
        last = plan.ids[-1] if plan.ids and not plan.named else next(iter(asked))
        asked[last] = f"{asked[last].rpartition('/')[0]}/mine-1".lstrip("/")
        try:
            generic.ask(key, reads.id, asked)
        except ApiError:
            lost.append(creates.id)
    assert lost == []


def test_enough_is_walked() -> None:
    ways = [
        way[0]
        for key in MANY
        for each, _ in named_creates(key)
        if (way := chosen_by(plan_of(each)))
    ]
    assert min(ways.count(way) for way in ("query", "short", "body")) > 20
    assert len(ways) > 300


def reply(
    key: str, method_id: str, path: str, row: JsonObject | None, **params: Json
) -> JsonObject | None:
    plan = plan_of(method(key, method_id))
    return answer_write(plan, Call(method_id, params, {}, world_of()), path, row)


def test_the_resource_nothing_or_an_empty_message() -> None:
    row = {"id": "1"}
    assert reply("drive:v3", "drive.files.create", "files/1", row) == row
    assert reply("drive:v3", "drive.files.delete", "files/1", None) is None
    assert reply("pubsub:v1", "pubsub.projects.topics.delete", "projects/p/topics/t", None) == {}


def test_a_resource_may_come_in_a_field_of_its_answer() -> None:
    row = {"name": "x"}
    assert reply("dns:v1", "dns.policies.patch", "projects/p/policies/x", row) == {"policy": row}
    assert reply("dns:v1", "dns.resourceRecordSets.delete", "projects/p/x", None) == {}


@pytest.mark.parametrize(
    ("key", "method_id", "path", "name"),
    [
        (
            "run:v2", "run.projects.locations.services.create",
            "projects/p/locations/l/services/s", "projects/p/locations/l/operations/",
        ),
        (
            "spanner:v1", "spanner.projects.instances.databases.create",
            "projects/p/instances/i/databases/d", "projects/p/instances/i/databases/d/operations/",
        ),
        (
            "cloudresourcemanager:v3", "cloudresourcemanager.tagKeys.create",
            "tagKeys/1", "operations/",
        ),
    ],
)  # fmt: skip
def test_an_operation_is_named_as_it_will_be_asked_for(
    key: str, method_id: str, path: str, name: str
) -> None:
    answer = reply(key, method_id, path, {"name": path})
    assert answer is not None
    assert answer["name"].startswith(name)
    assert "done" not in answer or answer["response"]["name"] == path


def test_an_older_operation_says_what_it_does_to_what() -> None:
    path = "projects/p/zones/z/instances/vm"
    answer = reply("compute:v1", "compute.instances.delete", path, None, project="p", zone="z")
    assert answer is not None
    told = {name: answer[name] for name in ("operationType", "status", "targetId")}
    assert told == {"operationType": "delete", "status": "RUNNING", "targetId": "vm"}
    assert answer["selfLink"].endswith(f"/zones/z/operations/{answer['name']}")
