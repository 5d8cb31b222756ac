import json

import pytest

from mockserver.apis.generic import plan_of
from mockserver.apis.generic.synthesis import not_served, snippet
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject, SessionSpec
from mockserver.snapshots.worlds import Worlds
from tests.discoverydocs import method, path_params
from tests.mockserver.apis.generic.conftest import Generic, world_of


def fixture(key: str, method_id: str, params: JsonObject) -> JsonObject:
    plan = plan_of(method(key, method_id))
    found: JsonObject = json.loads(snippet(plan, Call(method_id, params, {}, world_of())))
    return found


@pytest.mark.parametrize(
    ("key", "method_id"),
    [
        ("drive:v3", "drive.files.list"),
        ("drive:v3", "drive.files.get"),
        ("calendar:v3", "calendar.events.get"),
        ("compute:v1", "compute.instances.list"),
        ("run:v2", "run.projects.locations.services.list"),
        ("secretmanager:v1", "secretmanager.projects.secrets.versions.get"),
        ("bigquery:v2", "bigquery.tables.get"),
    ],
)
def test_the_fixture_that_is_shown_serves_the_call(key: str, method_id: str) -> None:
    params = path_params(method(key, method_id))
    raw = fixture(key, method_id, params)
    assert Generic(world_of(**raw)).ask(key, method_id, params)


def test_what_no_convention_tells_is_served_by_a_literal_answer() -> None:
    params: JsonObject = {"topic": "projects/p/topics/t"}
    raw = fixture("pubsub:v1", "pubsub.projects.topics.publish", params)
    stub = raw["http"][0]
    assert stub["url"] == "pubsub.googleapis.com/v1/projects/p/topics/t:publish"
    assert stub["body"].keys() == {"messageIds"}
    assert Worlds(None).resolve(SessionSpec(overrides=(raw,))).problems() == ()


def test_a_long_fixture_is_in_the_details_alone() -> None:
    plan = plan_of(method("compute:v1", "compute.instances.start"))
    params: JsonObject = {"project": "p", "zone": "z", "instance": "vm"}
    error: ApiError = not_served(plan, Call("x", params, {}, world_of()))
    assert "see the details" in error.message
    assert json.loads(error.details[0]["metadata"]["fixture"])["http"]
