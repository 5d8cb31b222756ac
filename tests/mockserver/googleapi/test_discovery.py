import pytest

from mockserver.googleapi import parse_document
from mockserver.googleapi.discovery import is_free_form
from mockserver.model import JsonObject

DOCUMENT: JsonObject = {
    "name": "shop",
    "version": "v1",
    "title": "Shop API",
    "rootUrl": "https://Shop.googleapis.com/",
    "baseUrl": "https://www.googleapis.com/shop/v1/",
    "servicePath": "shop/v1/",
    "schemas": {"Item": {"id": "Item", "type": "object", "properties": {}}},
    "methods": {"ping": {"id": "shop.ping", "httpMethod": "GET", "path": "ping"}},
    "resources": {
        "items": {
            "methods": {
                "insert": {
                    "id": "shop.items.insert",
                    "httpMethod": "POST",
                    "path": "items/{itemId}",
                    "parameters": {
                        "itemId": {"type": "string", "required": True, "location": "path"},
                        "count": {
                            "type": "integer",
                            "format": "int32",
                            "minimum": "1",
                            "maximum": "10",
                            "default": "5",
                            "location": "query",
                        },
                        "kinds": {"type": "string", "repeated": True, "enum": ["a", "b"]},
                    },
                    "request": {"$ref": "Item"},
                    "response": {"$ref": "Item"},
                    "scopes": ["https://www.googleapis.com/auth/shop"],
                    "supportsMediaUpload": True,
                }
            },
            "resources": {
                "parts": {
                    "methods": {
                        "get": {"id": "shop.items.parts.get", "httpMethod": "GET", "path": "p"}
                    }
                }
            },
        }
    },
}


def test_methods_are_found_at_every_depth() -> None:
    document = parse_document(DOCUMENT)
    assert list(document.methods) == ["shop.ping", "shop.items.insert", "shop.items.parts.get"]


def test_the_host_is_that_of_the_root_url() -> None:
    document = parse_document(DOCUMENT)
    assert (document.host, document.title) == ("shop.googleapis.com", "Shop API")


def test_a_method_says_what_the_document_says() -> None:
    method = parse_document(DOCUMENT).methods["shop.items.insert"]
    assert (method.api, method.version, method.path) == ("shop", "v1", "shop/v1/items/{itemId}")
    assert (method.request, method.response, method.media_upload) == ("Item", "Item", True)
    assert method.scopes == ("https://www.googleapis.com/auth/shop",)
    assert method.document.methods[method.id] is method


def test_a_parameter_says_what_the_document_says() -> None:
    parameters = parse_document(DOCUMENT).methods["shop.items.insert"].parameters
    count, item, kinds = parameters["count"], parameters["itemId"], parameters["kinds"]
    assert (count.minimum, count.maximum, count.default, count.format) == (1, 10, "5", "int32")
    assert (item.location, item.required) == ("path", True)
    assert (kinds.location, kinds.repeated, kinds.enum) == ("query", True, ("a", "b"))


def test_a_method_without_body_and_answer_has_none() -> None:
    ping = parse_document(DOCUMENT).methods["shop.ping"]
    assert (ping.request, ping.response, ping.scopes, ping.media_upload) == (None, None, (), False)


def test_methods_are_equal_to_themselves_alone_so_that_they_can_key_a_cache() -> None:
    one, other = parse_document(DOCUMENT), parse_document(DOCUMENT)
    assert one.methods["shop.ping"] != other.methods["shop.ping"]
    assert len({one.methods["shop.ping"], other.methods["shop.ping"]}) == 2


def test_what_is_no_document_is_refused() -> None:
    with pytest.raises(KeyError):
        parse_document({"kind": "discovery#directoryList"})


@pytest.mark.parametrize(
    ("schema", "free"),
    [
        ({"type": "object"}, True),
        ({"type": "object", "additionalProperties": {"type": "any"}}, True),
        ({"type": "object", "additionalProperties": {"type": "string"}}, False),
        ({"type": "object", "additionalProperties": {"$ref": "Item"}}, False),
        ({"type": "object", "properties": {}}, False),
    ],
    ids=str,
)
def test_an_object_is_free_form_when_nothing_says_what_is_in_it(
    schema: JsonObject, free: bool
) -> None:
    assert is_free_form(schema) is free
