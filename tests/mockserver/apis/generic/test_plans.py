from collections import Counter

import pytest

from mockserver.apis.generic import plan_of
from mockserver.apis.generic.plans import (
    body_field,
    custom_verb,
    fill_template,
    id_path,
    is_new_operation,
    is_old_operation,
    is_operation,
    list_field,
    may_equal,
    path_of_link,
    placeholders,
    properties,
    schema_of,
    template_of,
    uses_resource_names,
    wrapping_field,
)
from mockserver.googleapi import DocumentFolder, load_document
from tests.discoverydocs import document, method


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


@pytest.mark.parametrize(
    ("key", "method_id", "template", "verb"),
    [
        ("drive:v3", "drive.files.get", "files/{fileId}", ""),
        ("compute:v1", "compute.instances.list", "projects/{project}/zones/{zone}/instances", ""),
        ("pubsub:v1", "pubsub.projects.topics.publish", "{+topic}", "publish"),
        ("run:v2", "run.projects.locations.services.list", "{+parent}/services", ""),
        ("youtube:v3", "youtube.videos.list", "videos", ""),
    ],
)
def test_a_template_is_the_path_below_the_version(
    key: str, method_id: str, template: str, verb: str
) -> None:
    found = method(key, method_id)
    assert (template_of(found), custom_verb(found)) == (template, verb)


def test_a_template_is_filled_and_what_is_not_known_is_a_dash() -> None:
    assert fill_template("b/{bucket}/o/{object}", {"object": "a/b"}) == "b/-/o/a%2Fb"
    assert fill_template("{+name}/keys", {"name": "projects/p"}) == "projects/p/keys"
    assert placeholders("{+name}/x/{id}") == ("name", "id")
    assert uses_resource_names("{+name}")
    assert not uses_resource_names("x/{+name}")


@pytest.mark.parametrize("link", ["", "not a link", "https://example.com/none"])
def test_what_is_no_link_to_a_version_has_no_path(link: str) -> None:
    assert path_of_link(link) == ""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a/b", "a/b", True),
        ("a/-", "a/b", True),
        ("a/b", "-/b", True),
        ("a", "a/b", False),
        ("a/c", "a/b", False),
    ],
    ids=str,
)
def test_paths_meet_where_a_dash_is_anything(one: str, other: str, same: bool) -> None:
    assert may_equal(one, other) is same


@pytest.mark.parametrize(
    ("key", "name", "new", "old"),
    [
        ("run:v2", "GoogleLongrunningOperation", True, False),
        ("compute:v1", "Operation", False, True),
        ("sqladmin:v1", "Operation", False, True),
        ("drive:v3", "File", False, False),
    ],
)
def test_operations_are_told_by_their_fields(key: str, name: str, new: bool, old: bool) -> None:
    found = document(key)
    assert (is_new_operation(found, name), is_old_operation(found, name)) == (new, old)
    assert is_operation(found, name) is (new or old)


@pytest.mark.parametrize(
    ("key", "response", "collection", "field"),
    [
        ("drive:v3", "FileList", "files", ("files", "File")),
        ("compute:v1", "InstanceList", "instances", ("items", "Instance")),
        ("bigquery:v2", "DatasetList", "datasets", ("datasets", "")),
        ("drive:v3", "About", "about", ("", "")),
        ("drive:v3", None, "files", ("", "")),
    ],
    ids=str,
)
def test_the_field_of_a_list_is_found(
    key: str, response: str | None, collection: str, field: tuple[str, str]
) -> None:
    assert list_field(document(key), response, collection) == field


def test_what_holds_an_item_and_what_tells_its_id() -> None:
    pubsub = document("pubsub:v1")
    assert wrapping_field(pubsub, "UpdateTopicRequest", "Topic") == "topic"
    assert wrapping_field(pubsub, "PublishRequest", "Topic") == ""
    assert id_path(document("sheets:v4"), "Spreadsheet", "spreadsheetId") == ("spreadsheetId",)
    assert id_path(document("drive:v3"), "About", "x") == ()
    assert schema_of(pubsub, "None") == properties(pubsub, None) == {}
