import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import read_update_mask, update_resource
from mockserver.googleapi.masks import replace_resource, unknown_paths
from mockserver.model import Json, JsonObject

ROWS = st.dictionaries(
    st.sampled_from(["a", "b", "longName"]),
    st.integers(0, 3) | st.dictionaries(st.sampled_from(["x", "y"]), st.integers(0, 3)),
)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("", ()),
        (" , ", ()),
        ("display_name", (("displayName",),)),
        ("displayName, labels.a_b", (("displayName",), ("labels", "a_b"))),
        ("labels.`a.b,c`", (("labels", "a.b,c"),)),
        ("a,a", (("a",),)),
        ("*", (("*",),)),
    ],
    ids=str,
)
def test_masks_are_read(text: str, paths: Json) -> None:
    assert read_update_mask(text) == paths


@given(ROWS, ROWS, st.sampled_from(["a", "b", "longName"]))
def test_a_mask_changes_its_field_and_no_other(
    before: JsonObject, body: JsonObject, name: str
) -> None:
    after = update_resource(before, body, [(name,)])
    assert after.get(name) == body.get(name)
    assert {key: value for key, value in after.items() if key != name} == {
        key: value for key, value in before.items() if key != name
    }


@given(ROWS, ROWS)
def test_every_field_at_once_is_a_replacement(before: JsonObject, body: JsonObject) -> None:
    assert update_resource(before, body, [("*",)], ["a"]) == replace_resource(before, body, ["a"])
    assert replace_resource(before, body) == body


@given(ROWS, ROWS, st.sampled_from(["a", "b", "longName", "*"]))
def test_an_update_twice_is_an_update_once(before: JsonObject, body: JsonObject, name: str) -> None:
    once = update_resource(before, body, [(name,)])
    assert update_resource(once, body, [(name,)]) == once


@pytest.mark.parametrize(
    ("body", "path", "after"),
    [
        ({"l": {"a_b": 2}}, ("l", "a_b"), {"l": {"a_b": 2, "old": 1}}),
        ({"l": {"aB": 2}}, ("l", "a_b"), {"l": {"old": 1, "aB": 2}}),
        ({}, ("l", "old"), {"l": {}}),
        ({"l": {"n": 1}}, ("l", "*"), {"l": {"n": 1}}),
        ({}, ("m", "n"), {"l": {"old": 1}}),
        ({"m": 3}, ("m", "n"), {"l": {"old": 1}}),
    ],
    ids=str,
)
def test_a_path_reaches_inside(body: JsonObject, path: tuple[str, ...], after: JsonObject) -> None:
    assert update_resource({"l": {"old": 1}}, body, [path]) == after


def test_kept_fields_do_not_change() -> None:
    assert update_resource({"name": "n"}, {"name": "m"}, [("name",)], ["name"]) == {"name": "n"}


def test_unknown_fields_of_a_mask_are_all_said() -> None:
    error = unknown_paths(read_update_mask("b,*,c.d,a"), {"a"})
    assert error is not None
    assert error.message.count("Invalid field path") == 2
    assert unknown_paths([("a",)], {"a"}) is None
