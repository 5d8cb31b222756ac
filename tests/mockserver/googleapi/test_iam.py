import pytest

from mockserver.googleapi import (
    ApiError,
    Call,
    get_policy,
    granted_permissions,
    location_handlers,
    set_policy,
)
from mockserver.model import Json, JsonObject
from mockserver.state import World
from tests.shelves import world

NAME = "//storage.googleapis.com/things/a"
BINDINGS = [{"role": "roles/viewer", "members": ["user:ann@example.com"]}]


def call(over: World, body: JsonObject | None = None) -> Call:
    return Call("x", {}, body or {}, over)


def test_a_resource_without_a_policy_has_an_empty_one() -> None:
    assert get_policy(call(world()), NAME).keys() == {"version", "etag"}


def test_a_policy_is_replaced_and_a_stale_etag_refused() -> None:
    over = world()
    stale = get_policy(call(over), NAME)["etag"]
    fresh = set_policy(call(over, {"policy": {"bindings": BINDINGS, "etag": stale}}), NAME)
    assert get_policy(call(over), NAME) == fresh
    assert fresh["bindings"] == BINDINGS
    with pytest.raises(ApiError) as caught:
        set_policy(call(over, {"policy": {"bindings": [], "etag": stale}}), NAME)
    assert (caught.value.status, caught.value.code_name) == (409, "ABORTED")
    assert set_policy(call(over, {"policy": {"etag": fresh["etag"]}}), NAME).keys() == {
        "version", "etag",
    }  # fmt: skip


def test_the_caller_has_every_permission() -> None:
    asked = {"permissions": ["a.b"]}
    assert granted_permissions(call(world(), asked), "") == asked
    assert granted_permissions(call(world()), "") == {}


PLACES = location_handlers("x", ("things",))


def over() -> World:
    found = world()
    for place in ("eu", "us"):
        found.put("things", f"projects/p/locations/{place}/things/a", {})
    return found


def listed(**params: Json) -> JsonObject:
    answer = location_handlers("x", ["things"])["x.list"](Call("x", params, {}, over()))
    assert answer is not None
    return answer


def test_locations_are_those_of_resources_and_global() -> None:
    found = [each["locationId"] for each in listed(name="projects/42")["locations"]]
    assert found == ["eu", "global", "us"]
    assert [each["name"] for each in listed(name="projects/q")["locations"]] == [
        "projects/q/locations/global"
    ]


def test_locations_are_filtered_and_paged() -> None:
    assert listed(name="projects/p", filter="locationId=none") == {}
    assert "nextPageToken" in listed(name="projects/p", pageSize=1)


def test_a_location_is_read() -> None:
    get = location_handlers("x", ["things"])["x.get"]
    eu = "projects/p/locations/eu"
    assert get(Call("x", {"name": eu}, {}, over())) == {"name": eu, "locationId": "eu"}
    with pytest.raises(ApiError) as caught:
        get(Call("x", {"name": "projects/p/locations/mars"}, {}, over()))
    assert caught.value.status == 404
