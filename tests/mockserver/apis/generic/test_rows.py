import pytest

from mockserver.apis.generic import plan_of
from mockserver.apis.generic.rows import (
    document_key,
    find_resource,
    is_served,
    path_parameters_of,
    rows_below,
)
from mockserver.collections.places import value_at, with_value
from mockserver.model import Json
from tests.discoverydocs import method
from tests.mockserver.apis.conftest import world_of

PLAN = plan_of(method("calendar:v3", "calendar.events.list"))


def test_a_document_is_served_when_it_is_named_or_written_to() -> None:
    assert document_key(PLAN) == "calendar:v3"
    assert not is_served(PLAN, world_of())
    assert is_served(PLAN, world_of(resources={"calendar:v3": {}}))
    written = world_of()
    written.put("calendar:v3/acl", "calendars/a/acl/b", {})
    assert is_served(PLAN, written)


def test_rows_are_found_below_their_parents_and_parents_that_are_not_told() -> None:
    events: Json = {"calendars/a/events": [{"id": "1"}], "events": [{"id": "2"}]}
    world = world_of(resources={"calendar:v3": events})
    assert [row["id"] for row in rows_below(PLAN, world, "calendars/a/events")] == ["1", "2"]
    assert [row["id"] for row in rows_below(PLAN, world, "calendars/b/events")] == ["2"]
    assert find_resource(PLAN, world, "calendars/b/events/1") is None
    found = find_resource(PLAN, world, "calendars/b/events/2")
    assert found is not None
    assert found[0] == "calendars/-/events/2"


@pytest.mark.parametrize(
    ("row", "value"), [({"a": {"b": 1}}, 1), ({"a": 1}, None), ({}, None)], ids=str
)
def test_values_inside_a_row(row: Json, value: Json) -> None:
    assert value_at(row, ("a", "b")) == value
    assert with_value({"c": 1}, ("a", "b"), 2) == {"c": 1, "a": {"b": 2}}


def test_a_row_tells_of_its_path() -> None:
    row = {"zone": "https://example.com/compute/v1/projects/p/zones/z1", "project": "p", "n": 1.5}
    assert path_parameters_of(row, ["zone", "project", "n", "x"]) == {
        "zone": "z1", "project": "p", "n": "-", "x": "-",
    }  # fmt: skip
