import pytest

from mockserver.googleapi import ApiError, Call, get_location, list_locations
from mockserver.model import Json, JsonObject
from mockserver.state import World
from tests.shelves import world


def over() -> World:
    found = world()
    for place in ("eu", "us"):
        found.put("things", f"projects/p/locations/{place}/things/a", {})
    return found


def listed(**params: Json) -> JsonObject:
    answer = list_locations(["things"])(Call("x", params, {}, over()))
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
    get = get_location(["things"])
    eu = "projects/p/locations/eu"
    assert get(Call("x", {"name": eu}, {}, over())) == {"name": eu, "locationId": "eu"}
    with pytest.raises(ApiError) as caught:
        get(Call("x", {"name": "projects/p/locations/mars"}, {}, over()))
    assert caught.value.status == 404
