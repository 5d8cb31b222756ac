import pytest

from mockserver.apis.generic import plan_of
from mockserver.apis.generic.writes import written
from mockserver.googleapi import Call
from mockserver.model import Json, JsonObject
from tests.discoverydocs import method
from tests.mockserver.apis.generic.conftest import world_of


def reply(
    key: str, method_id: str, path: str, row: JsonObject | None, **params: Json
) -> JsonObject | None:
    plan = plan_of(method(key, method_id))
    return written(plan, Call(method_id, params, {}, world_of()), path, row)


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
    assert answer["response"]["name"] == path


def test_an_older_operation_says_what_it_does_to_what() -> None:
    path = "projects/p/zones/z/instances/vm"
    answer = reply("compute:v1", "compute.instances.delete", path, None, project="p", zone="z")
    assert answer is not None
    told = {name: answer[name] for name in ("operationType", "status", "targetId", "zone")}
    assert told == {"operationType": "delete", "status": "DONE", "targetId": "vm", "zone": "z"}
    assert answer["selfLink"].endswith(f"/zones/z/operations/{answer['name']}")
