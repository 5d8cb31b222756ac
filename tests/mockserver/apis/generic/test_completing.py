from mockserver.apis.generic import plan_of
from mockserver.apis.generic.writes import changed, created, identified, link_to, new_id, tagged
from mockserver.googleapi import Call
from tests.discoverydocs import method
from tests.mockserver.apis.generic.conftest import world_of

INSERT = plan_of(method("compute:v1", "compute.instances.insert"))
PATH = "projects/p/zones/z/instances/vm"


def call() -> Call:
    return Call("x", {}, {}, world_of())


def test_a_new_resource_has_what_its_schema_tells_a_server_adds() -> None:
    row = created(INSERT, call(), PATH, {})
    assert (row["name"], row["kind"]) == ("vm", "compute#instance")
    assert row["selfLink"] == f"https://compute.googleapis.com/compute/v1/{PATH}"
    assert row["id"].isdecimal()
    assert row["creationTimestamp"] == "2026-03-02T09:00:00.000Z"


def test_what_was_given_stays() -> None:
    given = {"kind": "k", "selfLink": "s", "id": "7", "creationTimestamp": "t"}
    assert created(INSERT, call(), PATH, given).items() >= {**given, "kind": "k"}.items()


def test_states_and_uids_are_those_of_what_is_ready() -> None:
    plan = plan_of(method("spanner:v1", "spanner.projects.instances.create"))
    row = created(plan, call(), "projects/p/instances/i", {"name": "other"})
    assert (row["state"], row["name"]) == ("READY", "projects/p/instances/i")
    run = plan_of(method("run:v2", "run.projects.locations.services.create"))
    assert len(created(run, call(), "projects/p/locations/l/services/s", {})["uid"]) == 36


def test_ids_have_the_form_of_their_field() -> None:
    assert new_id(INSERT, call()).isalnum()
    firewalls = plan_of(method("dns:v1", "dns.managedZones.create"))
    assert new_id(firewalls, call())
    numbered = plan_of(method("blogger:v3", "blogger.posts.insert"))
    assert new_id(numbered, call())


def test_a_change_moves_the_time_and_the_etag() -> None:
    plan = plan_of(method("calendar:v3", "calendar.events.update"))
    row = changed(plan, call(), {"id": "e", "updated": "then", "created": "then", "etag": "old"})
    assert (row["updated"], row["created"]) == ("2026-03-02T09:00:00.000Z", "then")
    assert row["etag"] != "old"
    assert tagged({}, {"a": 1}) == {"a": 1}


def test_a_slash_in_an_id_comes_back() -> None:
    plan = plan_of(method("storage:v1", "storage.objects.get"))
    assert identified(plan, "b/x/o/a%2Fb", {})["name"] == "a/b"
    assert link_to(plan, "b/x/o/a").startswith("https://storage.googleapis.com/storage/v1/b/")
