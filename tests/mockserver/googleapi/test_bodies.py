from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import ApiError, Dialect, Method, bind_body, parse_document
from mockserver.model import Json, JsonObject, Profile


def message(**properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties}


ITEM = message(
    sku={"type": "string"},
    unitPrice={"type": "string", "format": "int64"},
    inner={"$ref": "Item"},
    id={"type": "string", "readOnly": True},
)
ORDER = message(
    title={"type": "string", "annotations": {"required": ["x.insert"]}},
    itemCount={"type": "integer", "format": "int32"},
    enabled={"type": "boolean"},
    kind={"type": "string", "enum": ["KIND_UNSPECIFIED", "BIG_ONE", "small"]},
    dueTime={"type": "string", "format": "google-datetime"},
    payload={"type": "string", "format": "byte"},
    item={"$ref": "Item"},
    items={"type": "array", "items": {"$ref": "Item"}},
    names={"type": "array", "items": {"type": "string"}},
    grid={"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
    labels={"type": "object", "additionalProperties": {"type": "string"}},
    parts={"type": "object", "additionalProperties": {"$ref": "Item"}},
    struct={"type": "object", "additionalProperties": {"type": "any"}},
    anything={"type": "any"},
    open={"type": "object"},
    pairs={"$ref": "Pairs"},
    snake_named={"type": "string"},
    createTime={"type": "string", "format": "google-datetime", "readOnly": True},
)
SCHEMAS = {
    "Order": {"id": "Order", **ORDER},
    "Item": {"id": "Item", **ITEM},
    "Pairs": {"id": "Pairs", "type": "array", "items": {"type": "string"}},
}


def method(http_method: str = "POST", *, request: str | None = "Order") -> Method:
    raw: JsonObject = {"id": "x.insert", "httpMethod": http_method, "path": "v1"}
    if request:
        raw["request"] = {"$ref": request}
    document = {"name": "x", "version": "v1", "rootUrl": "https://x.googleapis.com/"}
    parsed = parse_document({**document, "schemas": SCHEMAS, "methods": {"insert": raw}})
    return parsed.methods["x.insert"]


INSERT = method()


def bind(
    body: Json, profile: Profile = "google", dialect: Dialect = "one_platform"
) -> tuple[JsonObject, tuple[str, ...]]:
    return bind_body(INSERT, body, profile, dialect)


def refused(body: Json, profile: Profile = "google", dialect: Dialect = "one_platform") -> ApiError:
    with pytest.raises(ApiError) as caught:
        bind(body, profile, dialect)
    assert caught.value.status == 400
    return caught.value


@pytest.mark.parametrize(
    ("sent", "got"),
    [
        (None, {}),
        ({}, {}),
        ({"items": [[{}], {}]}, {"items": [{}, {}]}),
        ({"itemCount": 5}, {"itemCount": 5}),
        ({"item_count": "5"}, {"itemCount": 5}),
        ({"snake_named": "x"}, {"snake_named": "x"}),
        ({"item": {"unit_price": 5}}, {"item": {"unitPrice": "5"}}),
        (
            {"item": {"inner": {"inner": {"sku": "a"}}}},
            {"item": {"inner": {"inner": {"sku": "a"}}}},
        ),
        ({"items": [{"sku": "a"}, {}]}, {"items": [{"sku": "a"}, {}]}),
        ({"items": {"sku": "a"}}, {"items": [{"sku": "a"}]}),
        ({"names": "a"}, {"names": ["a"]}),
        ({"names": ["a", None]}, {"names": ["a"]}),
        ({"grid": [[1, "2"], []]}, {"grid": [[1, 2], []]}),
        ({"labels": {"a_b": "c", "n": None}}, {"labels": {"a_b": "c"}}),
        ({"parts": {"p": {"unit_price": 1}}}, {"parts": {"p": {"unitPrice": "1"}}}),
        ({"struct": {"a": None, "b_c": [1, {}]}}, {"struct": {"a": None, "b_c": [1, {}]}}),
        ({"anything": [None, {"x_y": 1}]}, {"anything": [None, {"x_y": 1}]}),
        ({"open": {"x_y": None}}, {"open": {"x_y": None}}),
        ({"pairs": ["a"]}, {"pairs": ["a"]}),
        ({"title": None, "itemCount": None}, {}),
        ({"kind": "big-one"}, {"kind": "BIG_ONE"}),
        ({"kind": "BIG_ONE"}, {"kind": "BIG_ONE"}),
        ({"kind": 1}, {"kind": "BIG_ONE"}),
        ({"kind": "UNHEARD_OF"}, {"kind": "UNHEARD_OF"}),
        ({"payload": "-_8"}, {"payload": "+/8="}),
        ({"dueTime": "2026-01-01T01:00:00+01:00"}, {"dueTime": "2026-01-01T00:00:00Z"}),
        ({"enabled": "true"}, {"enabled": True}),
    ],
    ids=str,
)
def test_a_body_is_read_as_the_front_end_does(sent: Json, got: JsonObject) -> None:
    assert bind(sent) == (got, ())


@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        (
            {"target": 1},
            "",
            'Invalid JSON payload received. Unknown name "target": Cannot find field.',
        ),
        (
            {"item": {"target": 1}},
            "item",
            "Invalid JSON payload received. Unknown name \"target\" at 'item': Cannot find field.",
        ),
        (
            {"items": [{}, {"inner": {"unitprice": 1}}]},
            "items[1].inner",
            "Invalid JSON payload received. Unknown name \"unitprice\" at 'items[1].inner': "
            "Cannot find field.",
        ),
        (
            {"title": ["a"]},
            "",
            'Invalid JSON payload received. Unknown name "title": '
            "Proto field is not repeating, cannot start list.",
        ),
        (
            {"itemCount": "abc"},
            "item_count",
            "Invalid value at 'item_count' (TYPE_INT32), \"abc\"",
        ),
        (
            {"item": {"unitPrice": 1.5}},
            "item.unit_price",
            "Invalid value at 'item.unit_price' (TYPE_INT64), 1.5",
        ),
        ({"names": ["a", 5]}, "names[1]", "Invalid value at 'names[1]' (TYPE_STRING), 5"),
        ({"item": "x"}, "item", "Invalid value at 'item' (Item), \"x\""),
        ({"struct": 1}, "struct", "Invalid value at 'struct' (message), 1"),
        ({"open": "x"}, "open", "Invalid value at 'open' (message), \"x\""),
        ({"labels": "x"}, "labels", "Invalid value at 'labels' (message), \"x\""),
        ({"title": {}}, "", "Invalid value (title), Starting an object on a scalar field"),
        (
            {"item": {"sku": {}}},
            "item",
            "Invalid value at 'item' (sku), Starting an object on a scalar field",
        ),
        (
            {"parts": {"a": {}, "b": {"sku": 1}}},
            "parts[1].value.sku",
            "Invalid value at 'parts[1].value.sku' (TYPE_STRING), 1",
        ),
        ({"kind": 7}, "kind", "Invalid value at 'kind' (TYPE_STRING), 7"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_the_words_of_the_front_end(
    sent: Json, field: str, said: str
) -> None:
    error = refused(sent)
    assert error.message == said
    (violation,) = error.details[0]["fieldViolations"]
    assert violation == ({"field": field} if field else {}) | {"description": said}


@pytest.mark.parametrize("body", [[], "x", 5, True], ids=repr)
def test_a_body_that_is_no_object_is_refused(body: Json) -> None:
    assert refused(body).message == (
        'Invalid JSON payload received. Unknown name "": Root element must be a message.'
    )


def test_everything_wrong_is_said_at_once() -> None:
    error = refused({"a": 1, "itemCount": "x", "items": [1, {"b": 2}], "labels": {"c": 1}})
    assert error.message.count("\n") == 4
    assert len(error.details[0]["fieldViolations"]) == 5


def test_read_only_fields_are_ignored_and_reported() -> None:
    body = {"createTime": "now", "item": {"id": "5", "sku": "a"}}
    assert bind(body) == ({"item": {"sku": "a"}}, ("create_time", "item.id"))


def test_the_older_apis_ignore_unknown_names_and_report_them() -> None:
    body = {"target": 1, "item": {"x": 1, "sku": "a"}}
    assert bind(body, dialect="legacy") == ({"item": {"sku": "a"}}, ("target", "item.x"))
    assert 'Unknown name "target"' in refused(body, "strict", "legacy").message


def test_lenient_ignores_whatever_it_cannot_use() -> None:
    body = {
        "target": 1,
        "itemCount": "x",
        "title": ["a"],
        "items": [1, {"sku": "a"}],
        "labels": {"a": 1, "b": "c"},
    }
    assert bind(body, "lenient") == (
        {"items": [{"sku": "a"}], "labels": {"b": "c"}},
        ("target", "item_count", "title", "items[0]", "labels[0].value"),
    )


@pytest.mark.parametrize(
    ("http_method", "dialect", "kept"),
    [
        ("PATCH", "legacy", True),
        ("PUT", "legacy", True),
        ("POST", "legacy", False),
        ("PATCH", "one_platform", False),
    ],
    ids=str,
)
def test_null_clears_a_field_where_the_older_apis_change_one(
    http_method: str, dialect: Dialect, kept: bool
) -> None:
    bound, _ = bind_body(method(http_method), {"title": None}, "google", dialect)
    assert bound == ({"title": None} if kept else {})


def test_strict_refuses_unlisted_enum_values_and_missing_fields() -> None:
    error = refused({"kind": "UNHEARD_OF"}, "strict")
    assert error.message.splitlines() == [
        "Invalid value at 'kind' (TYPE_ENUM), \"UNHEARD_OF\"",
        "Missing required field: title",
    ]
    assert bind({"title": "x", "kind": "small"}, "strict")[1] == ()


def test_a_method_without_a_body_ignores_one() -> None:
    assert bind_body(method(request=None), {"a": 1}, "google", "legacy") == ({}, ("a",))
    assert bind_body(method(request=None), None, "google", "legacy") == ({}, ())


def nested(depth: int, name: str) -> JsonObject:
    body: JsonObject = {}
    for _ in range(depth):
        body = {name: body}
    return body


@pytest.mark.parametrize("depth", [100, 10_000])
@pytest.mark.parametrize(
    ("name", "inner"),
    [("item", "inner"), ("struct", "x"), ("anything", "x"), ("open", "x")],
    ids=str,
)
def test_a_body_nested_too_deeply_is_refused(depth: int, name: str, inner: str) -> None:
    assert refused({name: nested(depth, inner)}).message.startswith(
        "Message too deep. Max recursion depth reached for key '"
    )
    assert bind({name: nested(90, inner)})[1] == ()


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(sorted(ORDER["properties"])) | st.text(max_size=3), inner)
    ),
    max_leaves=10,
)


@given(json_values, st.sampled_from(["lenient", "google", "strict"]))
def test_any_body_is_bound_or_refused(body: Json, profile: Profile) -> None:
    with suppress(ApiError):
        bound, _ = bind(body, profile)
        assert bound.keys() <= ORDER["properties"].keys()


@given(json_values)
def test_what_was_bound_binds_to_itself(body: Json) -> None:
    with suppress(ApiError):
        bound, _ = bind(body, "lenient")
        assert bind(bound, "lenient") == (bound, ())
