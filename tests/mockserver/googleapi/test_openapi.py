import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from mockserver.apis import APIS
from mockserver.errors import MockServerError
from mockserver.googleapi import Api, installed_documents, openapi_of_api

DOCUMENTED = [api for api in APIS if api.documents or api.supplements]


def method_ids(node: Any) -> Iterator[str]:
    yield from (each["id"] for each in node.get("methods", {}).values())
    for inner in node.get("resources", {}).values():
        yield from method_ids(inner)


@pytest.mark.parametrize("api", DOCUMENTED, ids=[api.name for api in DOCUMENTED])
def test_every_method_goes_out_and_every_reference_holds(api: Api) -> None:
    made = openapi_of_api(api)
    operations = [each for item in made["paths"].values() for each in item.values()]
    folder = installed_documents()
    raw = [orjson.loads(folder.read(*name) or b"{}") for name in api.documents]
    known = [each for document in (*raw, *api.supplements) for each in method_ids(document)]
    found = [each["operationId"] for each in operations]
    assert len(found) == len(set(found)) == len(set(known) if len(raw) < 2 else known)
    emulated = {each["operationId"] for each in operations if each["x-support"] == "emulated"}
    assert bool(emulated) is bool(set(api.handlers) & set(known))
    text = orjson.dumps(made).decode()
    for reference in set(re.findall(r'"\$ref":"#/components/(\w+)/([^"]+)"', text)):
        assert reference[1] in made["components"][reference[0]], reference
    for path, item in made["paths"].items():
        named = set(re.findall(r"\{([^{}]+)\}", path))
        for each in item.values():
            params = each.get("parameters", ())
            assert named == {one["name"] for one in params if one.get("in") == "path"}, path


def test_words_of_discovery_become_words_of_json_schema() -> None:
    raw = {
        "name": "x", "version": "v1", "rootUrl": "https://x.googleapis.com/", "title": "X",
        "schemas": {
            "Thing": {
                "id": "Thing", "type": "object", "description": "A thing.",
                "properties": {
                    "any": {"type": "any"}, "part": {"$ref": "Thing"},
                    "size": {"type": "integer", "minimum": "1", "maximum": "2.5", "default": "2"},
                    "on": {"type": "boolean", "default": "true"},
                    "bad": {"type": "string", "pattern": "[a-", "default": "x"},
                    "code": {"type": "string", "pattern": "a+", "default": ""},
                    "open": {"type": "number", "minimum": "low", "default": "high"},
                    "map": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            }
        },
        "methods": {
            "get": {"id": "x.get", "httpMethod": "GET", "path": "v1/{+name}", "parameters": {
                "name": {"type": "string", "location": "path"},
                "tags": {"type": "string", "repeated": True, "location": "query",
                         "required": True}}},
            "put": {"id": "x.put", "httpMethod": "GET", "path": "v1/{+name}", "deprecated": True},
        },
    }  # fmt: skip
    made = openapi_of_api(Api(name="x", documents=(), handlers={}, supplements=(raw,)))
    assert made["components"]["schemas"]["Thing"]["properties"] == {
        "any": {}, "part": {"$ref": "#/components/schemas/Thing"},
        "size": {"type": "integer", "minimum": 1, "maximum": 2.5, "default": 2},
        "on": {"type": "boolean", "default": True}, "bad": {"type": "string", "default": "x"},
        "code": {"type": "string", "pattern": "a+"}, "open": {"type": "number", "default": "high"},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
    }  # fmt: skip
    (item,) = made["paths"].values()
    assert item["get"]["parameters"] == [
        {"name": "name", "in": "path", "schema": {"type": "string"}, "required": True},
        {"name": "tags", "in": "query", "required": True,
         "schema": {"type": "array", "items": {"type": "string"}}},
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["tools", "generic"])
def test_an_api_without_documents_says_so(name: str) -> None:
    api = next(each for each in APIS if each.name == name)
    with pytest.raises(MockServerError, match="has no document"):
        openapi_of_api(api)
