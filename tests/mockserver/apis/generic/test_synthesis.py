import json

import pytest

from mockserver.apis.generic import plan_of, synthesize
from mockserver.apis.generic.synthesis import not_served, snippet
from mockserver.googleapi import ApiError, Call
from mockserver.model import Json, JsonObject, SessionSpec
from mockserver.snapshots.resolver import SnapshotResolver
from tests.discoverydocs import check_answer, method, path_params
from tests.mockserver.apis.conftest import Generic, world_of

METHODS = [
    ("drive:v3", "drive.files.list"),
    ("compute:v1", "compute.instances.get"),
    ("calendar:v3", "calendar.events.list"),
    ("run:v2", "run.projects.locations.services.get"),
    ("youtube:v3", "youtube.videos.list"),
    ("vision:v1", "vision.images.annotate"),
    ("bigquery:v2", "bigquery.jobs.query"),
    ("language:v1", "language.documents.analyzeEntities"),
]


def made(key: str, method_id: str, body: JsonObject | None = None, **params: Json) -> JsonObject:
    answer = synthesize(method(key, method_id), Call(method_id, params, body or {}, world_of()))
    assert answer is not None
    return answer


@pytest.mark.parametrize(("key", "method_id"), METHODS)
def test_an_answer_has_the_shape_of_its_schema_and_is_always_the_same(
    key: str, method_id: str
) -> None:
    answer = made(key, method_id)
    check_answer(method(key, method_id), answer)
    assert answer == made(key, method_id)
    assert answer


def test_what_the_request_names_the_answer_names() -> None:
    assert made("drive:v3", "drive.files.get", fileId="1a")["id"] == "1a"
    service = made("run:v2", "run.projects.locations.services.get", name="projects/p/x")
    assert service["name"] == "projects/p/x"
    event = made("calendar:v3", "calendar.events.insert", {"summary": "Lunch"}, calendarId="c")
    assert event["summary"] == "Lunch"


def test_another_request_or_seed_has_another_answer() -> None:
    one, two = (made("drive:v3", "drive.files.get", fileId=each) for each in "ab")
    assert one["name"] != two["name"]


def test_enums_have_a_value_that_says_something() -> None:
    job = made("run:v2", "run.projects.locations.services.get", name="n")
    assert "UNSPECIFIED" not in str(job["ingress"])


def test_depth_is_bounded_and_no_answer_stays_none() -> None:
    deep = made("compute:v1", "compute.instances.get", instance="vm")
    shallow = synthesize(
        method("compute:v1", "compute.instances.get"), Call("x", {}, {}, world_of()), deepest=1
    )
    assert shallow is not None
    assert len(str(shallow)) < len(str(deep))
    deletes = method("drive:v3", "drive.files.delete")
    assert synthesize(deletes, Call("x", {}, {}, world_of())) is None


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
    assert SnapshotResolver(None).resolve(SessionSpec(overrides=(raw,))).problems() == ()


def test_a_long_fixture_is_in_the_details_alone() -> None:
    plan = plan_of(method("compute:v1", "compute.instances.start"))
    params: JsonObject = {"project": "p", "zone": "z", "instance": "vm"}
    error: ApiError = not_served(plan, Call("x", params, {}, world_of()))
    assert "see the details" in error.message
    assert json.loads(error.details[0]["metadata"]["fixture"])["http"]
