import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.errors import FormatError
from mockserver.storage import Layer, apply_patch_operation, merge_layers, overlay

keys = st.sampled_from(["a", "b", "c"])
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(keys, values, max_size=3)


@given(objects)
def test_an_empty_layer_changes_nothing(base: dict[str, Any]) -> None:
    assert overlay(base, {}) == base


@given(objects, objects)
def test_a_layer_put_twice_is_a_layer_put_once(base: dict[str, Any], layer: dict[str, Any]) -> None:
    """CEP-14: fixtures of a case are the base with its overrides merged in."""
    once = overlay(base, layer)
    assert overlay(once, layer) == once


@given(objects, objects)
def test_overlay_changes_neither_argument(base: dict[str, Any], layer: dict[str, Any]) -> None:
    before = copy.deepcopy((base, layer))
    overlay(base, layer)
    assert (base, layer) == before


def test_what_a_layer_does_not_touch_is_shared() -> None:
    base = {"users": [1, 2], "nested": {"kept": [3], "changed": 1}}
    result = overlay(base, {"nested": {"changed": 2}})
    assert result["users"] is base["users"]
    assert result["nested"]["kept"] is base["nested"]["kept"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("layer", "result"),
    [
        ({"a": [9]}, {"a": [9], "b": {"c": 1}}),
        ({"b": None}, {"a": [1, 2], "b": None}),
        ({"b": {"d": 2}}, {"a": [1, 2], "b": {"c": 1, "d": 2}}),
        ({"b": 3}, {"a": [1, 2], "b": 3}),
    ],
    ids=["array-replaces", "null-replaces", "objects-merge", "scalar-replaces"],
)
def test_objects_merge_and_anything_else_replaces(layer: Any, result: Any) -> None:
    assert overlay({"a": [1, 2], "b": {"c": 1}}, layer) == result


def test_a_patch_edits_inside_an_array_and_leaves_the_base_alone() -> None:
    base = Layer("base/a.json", {"users": [{"n": 1}, {"n": 2}], "other": {"x": [1]}})
    before = copy.deepcopy(base.content)
    patch = Layer(
        "c.patch.json",
        (
            {"op": "test", "path": "/users/0/n", "value": 1},
            {"op": "replace", "path": "/users/1/n", "value": 9},
            {"op": "add", "path": "/users/-", "value": {"n": 3}},
            {"op": "move", "from": "/other/x", "path": "/moved"},
            {"op": "remove", "path": "/users/0"},
        ),
    )
    assert merge_layers([base, patch]) == {
        "users": [{"n": 9}, {"n": 3}],
        "other": {},
        "moved": [1],
    }
    assert base.content == before


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ({"op": "remove", "path": "/nothing"},
         "'remove /nothing' cannot be applied: can't remove a non-existent object 'nothing'"),
        ({"op": "test", "path": "/a", "value": 2},
         "'test /a' cannot be applied: the test does not hold"),
        ({"op": "explode", "path": "/a"},
         "'explode /a' cannot be applied: Unknown operation 'explode'"),
        ({"op": "add", "path": "no slash", "value": 1},
         "'add no slash' cannot be applied: Location must start with /"),
        ({"op": "add", "path": "/b/c", "value": 1},
         "'add /b/c' cannot be applied: member 'b' is not there"),
        ({"op": "replace", "path": "", "value": []}, "leaves something else than an object"),
    ],
)  # fmt: skip
def test_a_patch_that_cannot_be_applied_names_its_operation(
    operation: dict[str, Any], said: str
) -> None:
    with pytest.raises(FormatError) as refused:
        apply_patch_operation({"a": 1}, operation, where="x.patch.json#/0")
    assert str(refused.value) == f"x.patch.json#/0: {said}"
