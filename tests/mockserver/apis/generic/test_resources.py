import pytest

from mockserver.apis.generic import holds_nothing, plan_of
from mockserver.apis.generic.resources import is_served, resource_of
from mockserver.collections.places import value_at, with_value
from mockserver.googleapi import Call, rows_under
from mockserver.model import Json
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


@pytest.mark.parametrize(
    ("row", "value"), [({"a": {"b": 1}}, 1), ({"a": 1}, None), ({}, None)], ids=str
)
def test_values_inside_a_row(row: Json, value: Json) -> None:
    assert value_at(row, ("a", "b")) == value
    assert with_value({"c": 1}, ("a", "b"), 2) == {"c": 1, "a": {"b": 2}}
