import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import (
    ApiError,
    Dialect,
    Mask,
    Method,
    apply_mask,
    envelope,
    parse_document,
    parse_mask,
    read_update_mask,
    update_resource,
)
from mockserver.googleapi.masks import WHOLE_ANSWER, replace_resource, unknown_paths
from mockserver.model import Json, JsonObject

FILE = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "author": {"$ref": "Person"},
        "capabilities": {"type": "object", "properties": {"canEdit": {"type": "boolean"}}},
        "labels": {"type": "object", "additionalProperties": {"$ref": "Person"}},
        "value": {"type": "any"},
        "open": {"type": "object"},
    },
}
SCHEMAS = {
    "Files": {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "File"}},
            "kind": {"type": "string"},
            "nextPageToken": {"type": "string"},
        },
    },
    "File": FILE,
    "Person": {"type": "object", "properties": {"uri": {"type": "string"}}},
}


def method(response: str | None = "Files") -> Method:
    raw: JsonObject = {"id": "x.list", "httpMethod": "GET", "path": "v1"}
    if response:
        raw["response"] = {"$ref": response}
    document = {"name": "x", "version": "v1", "rootUrl": "https://x.googleapis.com/"}
    return parse_document({**document, "schemas": SCHEMAS, "methods": {"a": raw}}).methods["x.list"]


LIST = method()
BODY: JsonObject = {
    "kind": "files",
    "items": [
        {"id": "1", "author": {"uri": "u", "name": "n"}, "labels": {"x": {"uri": "v"}}},
        {"id": "2", "value": {"a": [1, {"b": 2}]}},
    ],
}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("kind", {"kind": "files"}),
        ("*", BODY),
        ("kind,nextPageToken", {"kind": "files"}),
        ("nextPageToken", {}),
        ("next_page_token,kind", {"kind": "files"}),
        ("items/id", {"items": [{"id": "1"}, {"id": "2"}]}),
        ("items.id", {"items": [{"id": "1"}, {"id": "2"}]}),
        ("items(id)", {"items": [{"id": "1"}, {"id": "2"}]}),
        (
            " items ( id , author/uri ) ",
            {"items": [{"id": "1", "author": {"uri": "u"}}, {"id": "2"}]},
        ),
        (
            "items/author/uri,items/id",
            {"items": [{"id": "1", "author": {"uri": "u"}}, {"id": "2"}]},
        ),
        ("items/*", {"items": BODY["items"]}),
        (
            "items/*/uri",
            {
                "items": [
                    {"id": "1", "author": {"uri": "u"}, "labels": {}},
                    {"id": "2", "value": {}},
                ]
            },
        ),
        ("items", {"items": BODY["items"]}),
        ("items,items/id", {"items": BODY["items"]}),
        ("items/capabilities/canEdit", {"items": [{}, {}]}),
        ("items/labels/x/uri", {"items": [{"labels": {"x": {"uri": "v"}}}, {}]}),
        ("items/value/a/b", {"items": [{}, {"value": {"a": [1, {"b": 2}]}}]}),
        ("items/open/whatever", {"items": [{}, {}]}),
    ],
    ids=str,
)
def test_a_mask_keeps_what_it_names(text: str, left: JsonObject) -> None:
    assert apply_mask(parse_mask(text, LIST), BODY) == left


def test_fields_named_twice_are_taken_together() -> None:
    mask = parse_mask("items(author/uri),items(author(uri),id)", LIST)
    assert mask == Mask(
        {"items": Mask({"author": Mask({"uri": WHOLE_ANSWER}), "id": WHOLE_ANSWER})}
    )


def test_an_answer_without_a_schema_may_have_any_field() -> None:
    assert parse_mask("a/b", method(None)) == Mask({"a": Mask({"b": WHOLE_ANSWER})})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("canAddChildren", "canAddChildren"),
        ("items(id,capabilities/canAddChildren)", "canAddChildren"),
        ("items/id/x", "x"),
        ("items(", "items("),
        ("items(id", "items(id"),
        ("items(id kind)", "kind"),
        ("items)", ")"),
        ("items(id))", ")"),
        ("items,,kind", ","),
        ("kind,", "kind,"),
        ("/kind", "/"),
        ("", ""),
    ],
    ids=repr,
)
def test_a_field_the_answer_cannot_have_is_refused(text: str, name: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_mask(text, LIST)
    assert envelope(caught.value, "legacy")["error"]["errors"] == [
        {
            "message": f"Invalid field selection {name}",
            "domain": "global",
            "reason": "invalidParameter",
            "location": "fields",
            "locationType": "parameter",
        }
    ]


def test_the_newer_apis_name_the_whole_path_in_a_violation() -> None:
    with pytest.raises(ApiError) as caught:
        parse_mask("items/nope", LIST, "one_platform")
    error = envelope(caught.value, "one_platform")["error"]
    assert error["message"] == "Request contains an invalid argument."
    assert error["details"][0]["fieldViolations"] == [
        {
            "field": "items/nope",
            "description": "Error expanding 'fields' parameter. "
            "Cannot find matching fields for path 'items.nope'.",
        }
    ]


@pytest.mark.parametrize("dialect", ["legacy", "one_platform"])
@pytest.mark.parametrize("sign", ["/", "("])
def test_a_mask_nested_without_end_is_refused(dialect: Dialect, sign: str) -> None:
    with pytest.raises(ApiError):
        parse_mask(sign.join(["value"] * 100_000), method(None), dialect)


names = st.sampled_from(["kind", "nextPageToken", "items/id", "items(author/uri,id)", "items/*"])
values: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {"kind": st.text(), "items": st.lists(st.fixed_dictionaries({"id": st.text()}))}
)


@given(st.lists(names, min_size=1), values)
def test_masking_twice_is_masking_once(parts: list[str], body: JsonObject) -> None:
    mask = parse_mask(",".join(parts), LIST)
    once = apply_mask(mask, body)
    assert apply_mask(mask, once) == once


@given(st.text(alphabet="abik(),/.* "))
def test_any_text_is_a_mask_or_refused(text: str) -> None:
    try:
        mask = parse_mask(text, LIST)
    except ApiError:
        return
    assert mask.fields


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


@pytest.mark.parametrize(
    ("path", "is_selected"),
    [
        ("", True), ("a", True), ("a b", True), ("a b deeper", True), ("a c", False),
        ("other", True), ("other c", True), ("other b", False),
    ],
)  # fmt: skip
def test_a_mask_tells_what_it_selects(path: str, is_selected: bool) -> None:
    mask = Mask({"a": Mask({"b": WHOLE_ANSWER}), "*": Mask({"c": WHOLE_ANSWER})})
    assert mask.selects(*path.split()) is is_selected
    assert Mask({"a": WHOLE_ANSWER}).selects("other") is False
