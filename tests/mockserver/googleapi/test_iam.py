import pytest

from mockserver.googleapi import ApiError, Call, get_policy, granted_permissions, set_policy
from mockserver.model import JsonObject
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
    assert granted_permissions(call(world(), {"permissions": ["a.b"]})) == {"permissions": ["a.b"]}
    assert granted_permissions(call(world())) == {}
