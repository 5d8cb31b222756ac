import pytest

from mockserver.apis.chromepolicy.state import Target, find_target, key_of, read_target
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG


def test_a_target_is_read_and_written_alike() -> None:
    key = {"targetResource": "groups/1", "additionalTargetKeys": {"b": "2", "a": "1"}}
    target = read_target(key, "k")
    assert target == Target("groups", "1", (("a", "1"), ("b", "2")))
    assert key_of(target.resource, target.keys) == key


@pytest.mark.parametrize(
    "key", [None, {}, {"targetResource": "orgunits/"}, {"targetResource": "orgunits/a/b"}]
)
def test_what_names_no_target_is_refused(key: JsonObject | None) -> None:
    with pytest.raises(ApiError) as caught:
        read_target(key, "k")
    assert caught.value.details[0]["fieldViolations"][0]["field"] == "k.target_resource"


def test_an_unknown_target_names_the_nearest(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        find_target(tenant, Target("orgunits", f"{ENG}x"))
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == f"orgunits/{ENG}"
