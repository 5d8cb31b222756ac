import pytest

from mockserver.apis.chromepolicy.state import changed_value, mask_paths
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World


def call_in(world: World) -> Call:
    return Call(id="x", params={}, body={}, world=world)


@pytest.mark.parametrize(
    ("mask", "paths"),
    [
        ("a", ["a"]),
        ("a_b,cD", ["aB", "cD"]),
        ("*", ["x", "y"]),
        ("a.b_c", ["a.bC"]),
        ("", []),
    ],
)
def test_a_mask_names_paths_in_lower_camel(mask: str, paths: list[str]) -> None:
    assert mask_paths(mask, {"x": 1, "y": 2}) == paths


def test_only_masked_fields_change_and_the_others_are_named(tenant: World) -> None:
    call = call_in(tenant)
    request = {"updateMask": "a_b", "policyValue": {"value": {"a_b": 1, "other": 2}}}
    value = changed_value(call, "requests[0]", request, None, {"kept": 0})
    assert value == {"kept": 0, "aB": 1}
    assert call.ignored == ["requests[0].policyValue.value.other"]


def test_nested_paths_change_a_copy(tenant: World) -> None:
    current = {"outer": {"kept": 0}}
    request: JsonObject = {
        "updateMask": "outer.x,new.y",
        "policyValue": {"value": {"outer": {"x": 1}, "new": {"y": 2}}},
    }
    value = changed_value(call_in(tenant), "r", request, None, current)
    assert value == {"outer": {"kept": 0, "x": 1}, "new": {"y": 2}}
    assert current == {"outer": {"kept": 0}}


def test_a_masked_path_without_value_is_refused(tenant: World) -> None:
    request = {"updateMask": "a.b", "policyValue": {"value": {"a": 1}}}
    with pytest.raises(ApiError, match=r"'a.b' of the update mask has no value"):
        changed_value(call_in(tenant), "r", request, None, {})
