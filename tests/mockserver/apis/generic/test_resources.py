import pytest

from mockserver.apis.generic import holds_nothing, plan_of
from mockserver.apis.generic.resources import is_served, resource_of
from mockserver.collections.places import value_at, with_value
from mockserver.googleapi import Call, rows_under
from mockserver.model import Json, JsonObject
from mockserver.state import PROJECTS
from tests.discoverydocs import method
from tests.mockserver.apis.conftest import world_of

PLAN = plan_of(method("calendar:v3", "calendar.events.list"))


def test_a_collection_is_served_when_callers_fill_it_or_its_document_is_held() -> None:
    assert PLAN.document_key == "calendar:v3"
    colors = plan_of(method("calendar:v3", "calendar.colors.get"))
    written = world_of()
    written.put("calendar:v3/acl", "calendars/a/acl/b", {})
    for world, nothing in (
        (world_of(), True),
        (world_of(resources={"calendar:v3": {}}), False),
        (written, False),
    ):
        assert holds_nothing(PLAN, world) is nothing
        assert is_served(PLAN, world)
        assert is_served(colors, world) is not nothing


def test_rows_are_found_below_their_parents_and_parents_that_are_not_told() -> None:
    events: Json = {"calendars/a/events": [{"id": "1"}], "events": [{"id": "2"}]}
    world = world_of(resources={"calendar:v3": events})
    resource = resource_of(PLAN)
    for calendar, ids in (("a", ["1", "2"]), ("b", ["2"])):
        call = Call("calendar.events.list", {"calendarId": calendar}, {}, world)
        assert [row["id"] for row in rows_under(resource, call)] == ids
    assert resource.find(world, "calendars/b/events/1") is None
    found = resource.find(world, "calendars/b/events/2")
    assert found is not None
    assert found[0] == "calendars/-/events/2"


PROJECT: JsonObject = {"name": "projects/42", "projectId": "shop"}


def test_a_list_has_the_rows_of_both_names_of_a_project_parent_by_parent() -> None:
    zones: Json = {
        f"projects/{project}/managedZones/z/rrsets": [{"name": f"{name}.", "type": "A"}]
        for project, name in (("42", "b"), ("-", "c"), ("shop", "a"))
    }
    world = world_of(resources={"dns:v1": zones})
    world.put(PROJECTS, "projects/42", PROJECT)
    sets = resource_of(plan_of(method("dns:v1", "dns.resourceRecordSets.list")))
    listed = {"project": "shop", "managedZone": "z"}
    rows = rows_under(sets, Call("dns.resourceRecordSets.list", listed, {}, world))
    assert [row["name"] for row in rows] == ["c.", "a.", "b."]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("projects/shop/instances/db/users/ann", "projects/42/instances/db/users/ann"),
        ("projects/shop/instances/db/users/bob", "projects/-/instances/db/users/bob"),
        ("projects/x/instances/db/users/ann", "projects/-/instances/db/users/1"),
        ("projects/-/instances/db/users/ann", "projects/-/instances/db/users/1"),
        ("projects/shop/instances/other/users/ann", None),
    ],
)
def test_a_key_comes_before_a_name_and_the_first_row_before_others_named_alike(
    name: str, key: str | None
) -> None:
    world = world_of()
    world.put(PROJECTS, "projects/42", PROJECT)
    users = resource_of(plan_of(method("sqladmin:v1", "sql.users.get")))
    for project, last, called in (
        ("-", "1", "ann"), ("-", "2", "ann"), ("-", "bob", "bob"), ("42", "ann", "ann"),
    ):  # fmt: skip
        path = f"projects/{project}/instances/db/users/{last}"
        world.put(users.collection, path, {"name": called})
    found = users.find(world, name)
    assert (found and found[0]) == key


@pytest.mark.parametrize(
    ("row", "value"), [({"a": {"b": 1}}, 1), ({"a": 1}, None), ({}, None)], ids=str
)
def test_values_inside_a_row(row: Json, value: Json) -> None:
    assert value_at(row, ("a", "b")) == value
    assert with_value({"c": 1}, ("a", "b"), 2) == {"c": 1, "a": {"b": 2}}
