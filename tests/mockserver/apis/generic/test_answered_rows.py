"""What answers of reads tell of the rows of collections: as snapshots of recordings take them."""

import pytest

from mockserver.apis.generic.answered_rows import collection_of, is_read, rows_of, with_path
from mockserver.googleapi import IAM_POLICIES
from mockserver.model import JsonObject
from tests.discoverydocs import method

POLICY = {"bindings": [{"role": "roles/viewer", "members": ["user:a@example.com"]}]}
IMAGE = "https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/debian-12-v1"


@pytest.mark.parametrize(
    ("key", "method_id", "read"),
    [
        ("drive:v3", "drive.files.list", True),
        ("drive:v3", "drive.files.get", True),
        ("drive:v3", "drive.files.create", False),
        ("drive:v3", "drive.files.emptyTrash", False),
        ("compute:v1", "compute.images.getFromFamily", False),
        ("compute:v1", "compute.networks.getEffectiveFirewalls", False),
        ("compute:v1", "compute.nodeGroups.listNodes", False),
        ("compute:v1", "compute.backendBuckets.listUsable", True),
        ("licensing:v1", "licensing.licenseAssignments.listForProduct", True),
        ("androidpublisher:v3", "androidpublisher.inappproducts.list", True),
        ("calendar:v3", "calendar.events.instances", False),
    ],
)
def test_reads_are_methods_that_answer_rows(key: str, method_id: str, read: bool) -> None:
    assert is_read(method(key, method_id)) is read


@pytest.mark.parametrize(
    ("key", "method_id", "captures", "answer", "query", "rows"),
    [
        ("drive:v3", "drive.files.get", {"fileId": "a"}, {"id": "a", "name": "n"}, "",
         [("drive:v3/files", "files/a", {"id": "a", "name": "n"})]),
        ("drive:v3", "drive.files.get", {"fileId": "a"}, {}, "", []),
        ("drive:v3", "drive.files.list", {}, {"files": [{"id": "a"}, {"id": "b/c"}, 7, {}]}, "",
         [("drive:v3/files", "files/a", {"id": "a"}),
          ("drive:v3/files", "files/b%2Fc", {"id": "b/c"})]),
        ("drive:v3", "drive.files.list", {}, {"files": "none"}, "", []),
        # what a filter asks for by equality is so of each row that came
        ("drive:v3", "drive.files.list", {}, {"files": [{"id": "a", "name": "own"}]},
         "q=mimeType = 'text/plain' and name='x'&pageSize=3",
         [("drive:v3/files", "files/a", {"mimeType": "text/plain", "name": "own", "id": "a"})]),
        ("drive:v3", "drive.files.list", {}, {"files": [{"id": "a"}]},
         "q=mimeType = 'text/plain' or name='x'", [("drive:v3/files", "files/a", {"id": "a"})]),
        ("drive:v3", "drive.files.list", {}, {"files": [{"id": "a"}]}, "orderBy=name='x'",
         [("drive:v3/files", "files/a", {"id": "a"})]),
        ("pubsub:v1", "pubsub.projects.topics.list", {"project": "projects/p"},
         {"topics": [{"name": "projects/p/topics/t", "labels": {}}, {"labels": {}}]}, "",
         [("pubsub:v1/topics", "projects/p/topics/t",
           {"name": "projects/p/topics/t", "labels": {}})]),
        ("pubsub:v1", "pubsub.projects.topics.getIamPolicy", {"resource": "projects/p/topics/t"},
         POLICY, "",
         [(IAM_POLICIES, "//pubsub.googleapis.com/projects/p/topics/t",
           {"resource": "//pubsub.googleapis.com/projects/p/topics/t", "policy": POLICY})]),
        ("pubsub:v1", "pubsub.projects.topics.getIamPolicy", {"resource": "projects/p/topics/t"},
         {"etag": "ACAB"}, "", []),
        ("compute:v1", "compute.images.getFromFamily",
         {"project": "debian-cloud", "family": "debian-12"},
         {"name": "debian-12-v1", "selfLink": IMAGE, "family": "older"}, "",
         [("compute:v1/images", "projects/debian-cloud/global/images/debian-12-v1",
           {"name": "debian-12-v1", "selfLink": IMAGE, "family": "debian-12"})]),
        ("compute:v1", "compute.images.getFromFamily", {"project": "p", "family": "f"},
         {"name": "debian-12-v1"}, "", []),
        ("pubsub:v1", "pubsub.projects.schemas.listRevisions", {"name": "projects/p/schemas/s"},
         {"schemas": [{"name": "projects/p/schemas/s", "revisionId": "r"}]}, "",
         [("pubsub:v1/schemas", "projects/p/schemas/s",
           {"name": "projects/p/schemas/s", "revisionId": "r"})]),
        ("compute:v1", "compute.nodeGroups.listNodes",
         {"project": "p", "zone": "z", "nodeGroup": "g"}, {"items": [{"name": "node"}]}, "", []),
        ("compute:v1", "compute.disks.list", {"project": "p", "zone": "z"},
         {"items": [{"name": "d", "id": "77"}]}, "filter=status=\"READY\"",
         [("compute:v1/disks", "projects/p/zones/z/disks/d",
           {"status": "READY", "name": "d", "id": "77"})]),
    ],
)  # fmt: skip
def test_answers_of_reads_tell_rows(
    key: str,
    method_id: str,
    captures: dict[str, str],
    answer: JsonObject,
    query: str,
    rows: list[tuple[str, str, JsonObject]],
) -> None:
    assert list(rows_of(method(key, method_id), captures, answer, query)) == rows


@pytest.mark.parametrize(
    ("key", "method_id", "captures", "row", "told"),
    [
        ("calendar:v3", "calendar.events.get", {"calendarId": "c", "eventId": "e"}, {"id": "e"},
         {"calendarId": "c", "id": "e"}),
        ("calendar:v3", "calendar.events.list", {"calendarId": "c"},
         {"id": "e", "calendarId": "own"}, {"calendarId": "own", "id": "e"}),
        ("gmail:v1", "gmail.users.labels.get", {"userId": "me", "id": "L"}, {"id": "L"},
         {"id": "L"}),
        ("gmail:v1", "gmail.users.labels.get", {"userId": "a@b.c", "id": "L"}, {"id": "L"},
         {"userId": "a@b.c", "id": "L"}),
        ("pubsub:v1", "pubsub.projects.topics.get", {"topic": "projects/p/topics/t"},
         {"name": "projects/p/topics/t"}, {"name": "projects/p/topics/t"}),
        ("compute:v1", "compute.disks.get", {"project": "p", "zone": "z", "disk": "d"},
         {"name": "d"}, {"project": "p", "zone": "z", "name": "d"}),
        ("compute:v1", "compute.disks.get", {"project": "p", "zone": "z", "disk": "d"},
         {"name": "d", "selfLink": "s"}, {"name": "d", "selfLink": "s"}),
    ],
)  # fmt: skip
def test_rows_have_what_only_their_path_tells(
    key: str, method_id: str, captures: dict[str, str], row: JsonObject, told: JsonObject
) -> None:
    assert with_path(method(key, method_id), captures, row) == told


def test_a_method_is_about_a_collection() -> None:
    assert collection_of(method("drive:v3", "drive.files.list")) == ("drive:v3", "files")
