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
)
from mockserver.googleapi.masks import WHOLE_ANSWER
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
