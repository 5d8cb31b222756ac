from pathlib import Path
from typing import Any

import pytest

from mockserver.declared.documents.document import OpenApiDocument
from mockserver.declared.files import parsed_declaration
from mockserver.declared.openapi.drafts import Draft, declaration_text, draft_of
from mockserver.model import JsonObject
from mockserver.storage.untrusted_yaml import load_yaml
from tests.mockserver.declared.documents.examples import BOOKS, SHOP, TRIPS, answer, query


def draft(raw: JsonObject) -> Draft:
    return draft_of(OpenApiDocument(raw, Path("x.json")), "shop")


def test_a_document_of_3_0_becomes_a_declaration() -> None:
    made = draft(SHOP)
    assert made.declaration == {
        "api": "shop",
        "title": "Pet shop",
        "version": "1",
        "hosts": ["eu.shop.example.com"],
        "base_path": "/api/v2",
        "auth": {"header": "X-Key"},
        "errors": {"shape": {"message": "{{message}}"}},
    }
    pets, visits = made.collections["pets"], made.collections["visits"]
    assert pets == {
        "key": "id",
        "ids": "int",
        "operations": ["list", "create", "get", "patch", "delete"],
        "list_in": "data",
        "paging": {"style": "page", "size": "per_page", "total": "meta.total"},
        "search": "q",
        "sort": {"param": "sort", "order": "order"},
        "filters": {"status": "status", "price_max": {"field": "price", "op": "<="}},
        "answer_fields": {"nick": None},
        "schema": "schemas/shop/pets.json",
        "actions": {
            "sell": {"path": "POST /pets/{petId}/sell", "set": {"status": "sell_pending"}},
            "wash": {"path": "POST /pets/{petId}/wash", "status": 202},
        },
    }
    assert visits["parent"] == {"collection": "pets", "field": "petId"}
    assert (visits["key"], visits["ids"]) == ("id", "uuid")
    assert made.data == {
        "pets": [{"id": 1, "name": "Rex", "status": "sold", "price": 9}],
        "visits": [{"id": "7", "vet": {"name": "Ann"}, "petId": 1}],
    }
    assert [each.path for each in made.unserved] == ["/v2/health"]
    assert made.unsure["pets"] == [
        "these parameters of the list have no effect: debug",
        "the action 'wash' changes nothing until its `set` says what",
    ]


def test_the_schema_of_rows_is_what_callers_may_send() -> None:
    schema = draft(SHOP).schemas["schemas/shop/pets.json"]
    properties = schema["properties"]
    assert schema["required"] == ["name"]
    assert properties["nick"]["type"] == ["string", "null"]
    assert properties["price"] == {"type": "number", "exclusiveMinimum": 0}
    assert properties["mother"] == {"$ref": "#/$defs/Pet"}
    assert schema["$defs"]["Pet"]["properties"]["mother"] == {"$ref": "#/$defs/Pet"}
    assert schema["$defs"]["Pet"]["required"] == ["name"]


def test_a_document_of_3_1_becomes_a_declaration() -> None:
    made = draft(BOOKS)
    assert made.collections["books"] == {
        "key": "isbn",
        "operations": ["list", "get", "replace"],
        "upsert": True,
        "list_in": "books",
        "item_in": "book",
        "paging": {
            "style": "cursor",
            "param": "pageToken",
            "size": "pageSize",
            "next": "nextPageToken",
        },
        "filters": {"author": "author", "created_after": {"field": "created_at", "op": ">"}},
        "created": "created_at",
        "answer_fields": {"author": None},
        "schema": "schemas/shop/books.json",
    }
    assert made.data["books"][0]["isbn"] == "111"
    assert made.unsure[""] == ["the document names no host: give `hosts` what clients call"]


def test_a_document_of_swagger_2_becomes_a_declaration() -> None:
    made = draft(TRIPS)
    assert made.declaration["hosts"] == ["trips.example.com"]
    assert made.declaration["base_path"] == "/v1"
    assert made.declaration["auth"] == {"basic": True}
    assert made.collections["trips"] == {
        "key": "code",
        "operations": ["list", "create", "get"],
        "paging": {
            "style": "offset",
            "size": "limit",
            "max": 50,
            "default": 5,
            "next": "link_header",
            "total_header": "x-total-count",
        },
        "filters": {"city": {"field": "city", "op": "in"}},
        "create_status": 200,
        "schema": "schemas/shop/trips.json",
    }
    assert made.schemas["schemas/shop/trips.json"]["properties"]["city"] == {"type": "string"}
    assert made.data == {"trips": [{"code": "a", "city": "Rome"}]}


@pytest.mark.parametrize("raw", [SHOP, BOOKS, TRIPS], ids=["3.0", "3.1", "2.0"])
def test_what_is_written_is_read_as_it_was_meant(raw: JsonObject) -> None:
    made = draft(raw)
    text = declaration_text(made)
    value = load_yaml(text, "x")
    assert value == made.whole
    file, problems = parsed_declaration(value, Path("x.yaml"))
    assert not problems
    assert file
    assert all(f"# unsure: {each}" in text for told in made.unsure.values() for each in told)


def rows(schema: JsonObject, *params: str, **more: Any) -> JsonObject:
    listed: JsonObject = {"parameters": query(*params), "responses": answer(more.get("list", {}))}
    paths = {"/rows": {"get": listed, "post": {"responses": answer(schema)}}}
    paths["/rows/{%s}" % more.get("key", "id")] = {"get": {"responses": answer(schema)}}  # noqa: UP031
    return {"openapi": "3.0.0", "paths": paths, **more.get("top", {})}


def fields(**types: str) -> JsonObject:
    return {"properties": {name: {"type": kind} for name, kind in types.items()}}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (rows(fields(id="integer", login="string"), key="row"), {"key": "id", "ids": "int"}),
        (rows(fields(number="integer"), key="row_number"), {"key": "number", "ids": "int"}),
        (rows({}, key="code"), {"key": "code", "ids": "hex"}),
        (rows({"properties": {"id": {"type": "string", "example": "cus_x1"}}}),
         {"key": "id", "ids": "cus_{{seq}}"}),
        (rows({"properties": {"id": {"type": "string", "example": "12"}}}),
         {"key": "id", "ids": "{{seq | string}}"}),
        (rows(fields(id="string"), "cursor", list=fields(has_more="boolean", x="array")),
         {"paging": {"style": "cursor", "has_more": "has_more", "next": "next_cursor"},
          "list_in": "x"}),
        (rows(fields(id="string", tags="array"), "tags", "fields"),
         {"filters": {"tags": {"field": "tags", "op": "contains"}}, "fields": "fields"}),
        (rows({"properties": {"row": fields(id="string")}}), {"item_in": "row"}),
    ],
)  # fmt: skip
def test_names_tell_keys_pages_and_filters(raw: JsonObject, expected: JsonObject) -> None:
    collection = draft(raw).collections["rows"]
    assert {name: collection.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("schemes", "security", "expected"),
    [
        ({"a": {"type": "http", "scheme": "bearer"}}, [{"a": []}], {"bearer": True}),
        ({"a": {"type": "http", "scheme": "Basic"}}, [{"a": []}], {"basic": True}),
        ({"a": {"type": "oauth2"}}, [{"a": ["x"]}], {"bearer": True}),
        ({"a": {"type": "apiKey", "in": "query", "name": "k"}}, [{"a": []}], {"query": "k"}),
        ({"a": {"type": "apiKey", "in": "cookie", "name": "k"}}, [{"a": []}], None),
        ({"a": {"type": "apiKey", "in": "query", "name": "k"}, "b": {"type": "oauth2"}},
         [{"a": [], "b": []}, {"b": []}], {"bearer": True}),
        ({}, [{"a": []}], None),
    ],
)  # fmt: skip
def test_security_schemes_tell_who_callers_are(
    schemes: JsonObject, security: list[Any], expected: JsonObject | None
) -> None:
    top = {"components": {"securitySchemes": schemes}, "security": security}
    made = draft(rows(fields(id="string"), top=top))
    assert made.declaration.get("auth") == expected
    assert expected or "no security scheme has an equal" in made.unsure[""][1]


def test_examples_that_do_not_fit_loosen_the_schema() -> None:
    raw = rows({"properties": {"id": {"type": "string"}, "n": {"type": "integer"}}})
    body = {"properties": {"n": {"type": "integer"}, "m": {}}, "required": ["n", "m"]}
    post = raw["paths"]["/rows"]["post"]
    post["requestBody"] = {"content": {"application/json": {"schema": body}}}
    shown = {"id": "a", "n": "many"}
    post["responses"] = answer({}, shown, "201") | answer({}, None, "400")
    made = draft(raw)
    assert made.schemas["schemas/shop/rows.json"]["properties"]["n"] == {}
    assert "examples do not fit the schema, which asks nothing of n" in made.unsure["rows"]
    assert made.data == {"rows": [shown]}


def test_names_are_unique_and_what_has_no_collection_around_is_not_served() -> None:
    one = {"get": {"responses": answer(fields(id="string"))}}
    paths = ["/a/{id}", "/a/{a}/rows/{id}", "/b/{id}", "/b/{b}/rows/{id}", "/c/{x}/{y}/rows/{id}",
             "/files/{name}.json"]  # fmt: skip
    made = draft({"openapi": "3.0.0", "paths": dict.fromkeys(paths, one)})
    assert list(made.collections) == ["a", "b", "rows", "b_rows"]
    assert [each.path for each in made.unserved] == paths[-2:]
