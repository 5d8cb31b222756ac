import json
from pathlib import Path

import pytest

from mockserver.declared.documents.document import OpenApiDocument, read_openapi
from mockserver.errors import MockServerError
from mockserver.model import Json, JsonObject
from tests.mockserver.declared.documents.examples import BOOKS, SHOP, TRIPS, answer


@pytest.mark.parametrize(
    ("raw", "servers", "operations"),
    [
        (SHOP, ("https://eu.shop.example.com/api",), 11),
        (BOOKS, (), 3),
        (TRIPS, ("https://trips.example.com:8443/v1/",), 3),
    ],
    ids=["3.0", "3.1", "2.0"],
)
def test_every_version_is_read(raw: JsonObject, servers: tuple[str, ...], operations: int) -> None:
    document = OpenApiDocument(raw, Path("x.json"))
    assert (document.servers, len(document.operations)) == (servers, operations)
    assert not document.problems


def with_schema(schema: JsonObject) -> JsonObject:
    return {"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": answer(schema)}}}}


A_PLACE = "#/paths/~1a/get/responses/200/content/application~1json/schema/$ref"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([], "expected an OpenAPI document, found an array"),
        ({"paths": {}}, "neither `openapi` nor `swagger` says its version"),
        ({"openapi": "4.0"}, "x.json#/openapi: is of version '4.0'"),
        ({"swagger": "1.2"}, "x.json#/swagger: is of version '1.2'"),
        ({"openapi": "3.0.0", "paths": []}, "x.json#/paths: expected an object, found an array"),
        (
            with_schema({"$ref": "#/nowhere"}),
            f"{A_PLACE}: refers to '#/nowhere', which is not there",
        ),
        (with_schema({"$ref": "#here"}), "which is not there"),
        (with_schema({"$ref": "#/openapi/x"}), "which is not there"),
        (with_schema({"$ref": "#/paths/~1a/get/responses/x/0"}), "which is not there"),
        (with_schema({"$ref": A_PLACE.removesuffix("/$ref")}), "refers to itself and to nothing"),
        (
            {
                **with_schema({"$ref": "#/x/a"}),
                "x": {"a": {"allOf": [{"$ref": "#/x/b"}]}, "b": {"anyOf": [{"$ref": "#/x/a"}]}},
            },
            "#/x/b/anyOf/0/$ref: refers to '#/x/a', which consists of itself",
        ),
        (with_schema({"$ref": "https://example.com/x.json"}), "which is on the network"),
        (with_schema({"$ref": "//example.com/x.json"}), "which is on the network"),
        (with_schema({"$ref": "../../etc/passwd#/x"}), "which is another file, and none is read"),
        (with_schema({"$ref": "https://[x/#/y"}), "which is no address"),
    ],
)
def test_what_cannot_be_used_is_an_error_with_its_place(raw: Json, expected: str) -> None:
    with pytest.raises(MockServerError) as caught:
        OpenApiDocument(raw, Path("x.json"))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.json", "{", "x.json:1:2: not JSON"),
        ("x.yaml", "openapi: 3.0.0\npaths: *a", "aliases that stand for too much"),
        ("x.yaml", "openapi: '3.0.0'\npaths:\n  /a: {$ref: y.yaml}\n", "x.yaml:3#/paths/~1a/$ref"),
        (
            "x.json",
            '{"swagger": "2.0",\n "paths": {\n "/a": {\n "$ref": "y.json"}}}',
            "x.json:4#/paths/~1a/$ref: refers to 'y.json', which is another file",
        ),
        ("x.yaml", "#" * (5 << 20), "larger than 4 MiB"),
        ("x.yaml", "a: " + "[" * 5000 + "1" + "]" * 5000, "nested more than 200 deep"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(MockServerError) as caught:
        read_openapi(tmp_path / name)
    assert expected in str(caught.value)


def test_a_limit_beyond_64_bits_is_read(tmp_path: Path) -> None:
    raw = with_schema({"type": "integer", "maximum": 2**70})
    (tmp_path / "x.json").write_text(json.dumps(raw))
    document = read_openapi(tmp_path / "x.json")
    assert document.operations[0].responses[0].schema.raw["maximum"] == float(2**70)


def test_duplicate_ids_and_colliding_paths_are_told_with_pointers() -> None:
    get: JsonObject = {"operationId": "same", "responses": {}}
    raw: JsonObject = {
        "openapi": "3.0.0",
        "paths": {"/a/{b}": {"get": get}, "/a/{c}": {"get": get}},
    }
    document = OpenApiDocument(raw, Path("x.json"))
    assert [str(each) for each in document.problems] == [
        "x.json#/paths/~1a~1{c}/get/operationId: has the operation id 'same' of"
        " #/paths/~1a~1{b}/get",
        "x.json#/paths/~1a~1{c}/get: /a/{c} collides with /a/{b} of #/paths/~1a~1{b};"
        " it is left out",
    ]
    assert [each.path for each in document.operations] == ["/a/{b}"]


def test_references_in_examples_are_data() -> None:
    raw = with_schema({"example": {"$ref": "x"}, "properties": {"$ref": {"type": "string"}}})
    assert OpenApiDocument(raw, Path("x.json")).operations
