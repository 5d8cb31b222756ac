from collections import Counter

import pytest

from mockserver.apis.generic import plan_of
from mockserver.apis.generic.plans import body_field
from mockserver.googleapi import DocumentFolder, load_document
from tests.discoverydocs import method


@pytest.mark.parametrize(
    ("key", "method_id", "verb"),
    [
        ("drive:v3", "drive.files.list", "list"),
        ("drive:v3", "drive.files.update", "patch"),
        ("drive:v3", "drive.about.get", "get"),
        ("drive:v3", "drive.files.emptyTrash", "custom"),
        ("drive:v3", "drive.files.export", "custom"),
        ("calendar:v3", "calendar.events.insert", "create"),
        ("calendar:v3", "calendar.events.update", "update"),
        ("calendar:v3", "calendar.events.instances", "custom"),
        ("pubsub:v1", "pubsub.projects.topics.create", "create"),
        ("pubsub:v1", "pubsub.projects.topics.publish", "custom"),
        ("compute:v1", "compute.zoneOperations.wait", "poll"),
        ("compute:v1", "compute.zoneOperations.delete", "forget"),
        ("compute:v1", "compute.instances.setIamPolicy", "set_policy"),
        ("compute:v1", "compute.instances.getSerialPortOutput", "custom"),
        ("compute:v1", "compute.instances.aggregatedList", "custom"),
        ("spanner:v1", "spanner.projects.instances.databases.dropDatabase", "delete"),
        ("spanner:v1", "spanner.projects.instances.databases.operations.get", "poll"),
        ("run:v2", "run.projects.locations.operations.list", "operations"),
        ("apphub:v1", "apphub.projects.locations.getBoundary", "get"),
        ("apphub:v1", "apphub.projects.locations.updateBoundary", "patch"),
    ],
)
def test_a_method_does_what_its_document_tells(key: str, method_id: str, verb: str) -> None:
    assert plan_of(method(key, method_id)).verb == verb


def test_a_plan_knows_collection_schema_and_ids() -> None:
    plan = plan_of(method("compute:v1", "compute.instances.list"))
    assert (plan.table, plan.item, plan.list_key) == ("compute:v1/instances", "Instance", "items")
    assert (plan.ids, plan.id_fields, plan.depth) == (("instance",), (("name",),), 1)
    assert plan.page is not None
    assert (plan.page.size, plan.page.default) == ("maxResults", 500)
    sets = plan_of(method("dns:v1", "dns.resourceRecordSets.get"))
    assert (sets.ids, sets.depth) == (("name", "type"), 2)
    tables = plan_of(method("bigquery:v2", "bigquery.tables.insert"))
    assert tables.id_fields == (("tableReference", "tableId"),)


def test_a_request_may_hold_its_resource_in_a_field() -> None:
    assert body_field(plan_of(method("pubsub:v1", "pubsub.projects.topics.patch"))) == "topic"
    assert body_field(plan_of(method("pubsub:v1", "pubsub.projects.topics.create"))) == ""
    assert body_field(plan_of(method("pubsub:v1", "pubsub.projects.topics.get"))) == ""


@pytest.mark.slow
def test_every_method_of_every_document_has_a_plan() -> None:
    verbs: Counter[str] = Counter()
    for entry in DocumentFolder().entries:
        for each in load_document(entry.path).methods.values():
            plan = plan_of.__wrapped__(each)
            assert plan.list_key or plan.verb != "list", each.id
            verbs[plan.verb] += 1
    assert sum(verbs.values()) > 20_000
    assert verbs["custom"] < sum(verbs.values()) / 3
