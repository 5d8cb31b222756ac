import contextlib
from collections.abc import Iterator
from itertools import count
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.errors import FormatError, MockServerError
from mockserver.storage import (
    Layer,
    Provenance,
    apply_patch_operation,
    merge_layers,
    origins,
    resolve_pointer,
)
from mockserver.storage.provenance import format_pointer, parse_pointer, value_at

BASE = Layer("base/a.json", {"users": [{"n": 0}, {"n": 1}, {"n": 2}], "o": {"x": 1, "y": {"z": 2}}})
OVER = Layer("EC-001/overrides.json", {"o": {"y": {"w": 3}}, "list": [{"k": 1}]})


def found(pointer: str, *layers: Layer) -> list[str]:
    return [str(origin) for origin in origins(layers, pointer)]


@pytest.mark.parametrize(
    ("pointer", "places"),
    [
        ("/o/x", ["base/a.json#/o/x"]),
        ("/o/y/w", ["EC-001/overrides.json#/o/y/w"]),
        ("/o/y", ["EC-001/overrides.json#/o/y", "base/a.json#/o/y"]),
        ("/list/0/k", ["EC-001/overrides.json#/list/0/k"]),
        ("/list/5", []),
        ("/none", []),
        ("/users/2/n", ["base/a.json#/users/2/n"]),
    ],
    ids=str,
)
def test_a_value_is_traced_to_the_files_that_wrote_it(pointer: str, places: list[str]) -> None:
    assert found(pointer, BASE, OVER) == places


@pytest.mark.parametrize(
    ("operations", "pointer", "place"),
    [
        ([{"op": "replace", "path": "/users/1/n", "value": 9}], "/users/1/n", "p#/0"),
        ([{"op": "replace", "path": "/users/1/n", "value": 9}], "/users/2/n", "b#/users/2/n"),
        ([{"op": "remove", "path": "/users/0"}], "/users/0/n", "b#/users/1/n"),
        ([{"op": "add", "path": "/users/1", "value": {"n": 7}}], "/users/2/n", "b#/users/1/n"),
        ([{"op": "add", "path": "/users/1", "value": {"n": 7}}], "/users/0/n", "b#/users/0/n"),
        ([{"op": "add", "path": "/users/-", "value": {"n": 7}}], "/users/3/n", "p#/0"),
        ([{"op": "move", "from": "/o/x", "path": "/moved"}], "/moved", "b#/o/x"),
        ([{"op": "copy", "from": "/o/y", "path": "/copy"}], "/copy/z", "b#/o/y/z"),
        ([{"op": "test", "path": "/o/x", "value": 1}], "/o/x", "b#/o/x"),
        (
            [{"op": "remove", "path": "/users/0"}, {"op": "remove", "path": "/users/0"}],
            "/users/0/n",
            "b#/users/2/n",
        ),
    ],
    ids=[
        "replaced",
        "beside-a-replacement",
        "after-a-removal",
        "after-an-insertion",
        "before-an-insertion",
        "appended",
        "moved",
        "copied",
        "tested",
        "two-removals",
    ],
)
def test_a_value_is_traced_through_patches(
    operations: list[dict[str, Any]], pointer: str, place: str
) -> None:
    patch = Layer("p", tuple(operations))
    assert found(pointer, Layer("b", BASE.content), patch) == [place]


def test_a_replaced_whole_document_comes_from_the_patch() -> None:
    patch = Layer("p", ({"op": "replace", "path": "", "value": {"a": 1}},))
    assert found("/a", BASE, patch) == ["p#/0"]


def test_an_item_is_pointed_at_by_index_or_by_its_own_id() -> None:
    document = {"users": [{"primaryEmail": "ann@example.com", "name": {"given": "Ann"}}]}
    for pointer in ("/users/ann@example.com/name/given", "/users/0/name/given"):
        assert resolve_pointer(document, pointer) == ("/users/0/name/given", "Ann")


@pytest.mark.parametrize(
    ("pointer", "message"),
    [
        ("users", "starts with /"),
        ("/user", "did you mean 'users'"),
        ("/users/9", "nothing at /users/9"),
        ("/users/0/n/x", "nothing at /users/0/n/x"),
    ],
    ids=str,
)
def test_a_pointer_to_nothing_says_how_far_it_leads(pointer: str, message: str) -> None:
    with pytest.raises(MockServerError, match=message):
        resolve_pointer({"users": [{"n": 1}]}, pointer)


def test_what_layers_come_to_is_reckoned_once_for_all_pointers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    applied = Mock(side_effect=apply_patch_operation)
    monkeypatch.setattr("mockserver.storage.provenance.apply_patch_operation", applied)
    operations = tuple({"op": "add", "path": f"/a/{n}", "value": n} for n in range(5))
    provenance = Provenance([Layer("base/a.json", {"a": []}), Layer("x.patch.json", operations)])
    found = [provenance.origins(f"/a/{n}") for n in range(5)]
    assert [str(each[0]) for each in found] == [f"x.patch.json#/{n}" for n in range(5)]
    assert applied.call_count == 5


@given(st.lists(st.text(alphabet="a~/0", max_size=4), max_size=4))
def test_a_path_and_its_pointer_are_the_same(path: list[str]) -> None:
    assert parse_pointer(format_pointer(tuple(path))) == tuple(path)


def test_a_value_that_is_not_there_is_the_default() -> None:
    assert value_at({"a": [1]}, ("a", "0")) == 1
    assert value_at({"a": [1]}, ("b",)) is None
    assert value_at({"a": [1]}, ("b",), []) == []


def test_text_that_is_no_pointer_is_refused() -> None:
    with pytest.raises(MockServerError, match="starts with /"):
        parse_pointer("a/b")


SHAPES: st.SearchStrategy[Any] = st.recursive(
    st.just(0),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), SHAPES, min_size=1, max_size=3)


def numbered(shape: Any, numbers: Iterator[int]) -> Any:
    """A value of that shape whose leaves are numbers that occur once."""
    if isinstance(shape, list):
        return [numbered(each, numbers) for each in shape]
    if isinstance(shape, dict):
        return {name: numbered(each, numbers) for name, each in shape.items()}
    return next(numbers)


def places_in(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, value
    held = dict(enumerate(value)) if isinstance(value, list) else value
    for name, each in held.items() if isinstance(held, dict) else ():
        yield from places_in(each, (*path, str(name)))


def operation(draw: Any, document: Any, numbers: Iterator[int]) -> dict[str, Any]:
    """An operation of a patch that can be applied."""
    places = dict(places_in(document))
    inside = [path for path in places if path]
    kind = draw(
        st.sampled_from(["add", "replace", "remove", "move", "copy"] if inside else ["add"])
    )
    containers = {path: each for path, each in places.items() if not isinstance(each, int)}
    made: dict[str, Any] = {"op": kind}
    if kind in {"remove", "replace"}:
        made["path"] = format_pointer(draw(st.sampled_from(inside)))
    else:
        into = draw(st.sampled_from(list(containers)))
        held = containers[into]
        names = [*map(str, range(len(held) + 1)), "-"] if isinstance(held, list) else list("abc")
        made["path"] = format_pointer((*into, draw(st.sampled_from(names))))
    if kind in {"add", "replace"}:
        made["value"] = numbered(draw(SHAPES), numbers)
    if kind in {"move", "copy"}:
        made["from"] = format_pointer(draw(st.sampled_from(inside)))
    return made


@given(st.data())
def test_the_first_origin_of_each_value_is_what_wrote_it(data: st.DataObject) -> None:
    numbers = count(1)
    layers = [Layer("0", numbered(data.draw(OBJECTS), numbers))]
    document = merge_layers(layers)
    for name in "123":
        if data.draw(st.booleans()):
            layers.append(Layer(name, numbered(data.draw(OBJECTS), numbers)))
            document = merge_layers(layers)
            continue
        operations: list[dict[str, Any]] = []
        for _ in range(data.draw(st.integers(1, 3))):
            made = operation(data.draw, document, numbers)
            with contextlib.suppress(FormatError):  # a value is not moved into itself
                document = apply_patch_operation(document, made, where="")
                operations.append(made)
        layers.append(Layer(name, tuple(operations)))
    for path, value in places_in(document):
        if isinstance(value, int):
            origin = origins(layers, format_pointer(path))[0]
            layer = layers[int(origin.layer)]
            if isinstance(layer.content, tuple):
                written = layer.content[int(origin.pointer[1:])]["value"]
                assert value in [each for _, each in places_in(written)]
            else:
                assert value_at(layer.content, parse_pointer(origin.pointer)) == value
