"""What a 501 says would serve a request is written into the declaration, and serves it."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from mockserver.model import JsonObject
from tests.mockserver.declared.documents.examples import BOOKS, SHOP, TRIPS
from tests.mockserver.declared.documents.test_methods import ODD, suite_of
from tests.mockserver.declared.worlds import declared

SHOP_URL = "/eu.shop.example.com/api"
NOTHING_MADE_UP = ["stub", "state"]


def lines_of(refused: httpx.Response) -> JsonObject:
    """What the YAML of a 501 says."""
    body = refused.json()
    message = body.get("message") or body["error"]["message"]
    head, _, lines = message.partition("\n\n")
    assert refused.status_code == 501
    assert head.endswith("These lines in the declaration of talk serve it:")
    found: JsonObject = yaml.safe_load(lines)
    return found


@pytest.mark.parametrize(
    ("document", "url", "verb", "path", "lines", "status"),
    [
        (SHOP, SHOP_URL, "GET", "/v2/pets",
         {"collections": {"pets": {"path": "/v2/pets", "ids": "int", "list_in": "data"}}}, 200),
        (SHOP, SHOP_URL, "POST", "/v2/pets", {"collections": {"pets": {
            "path": "/v2/pets", "ids": "int"}}}, 201),
        (SHOP, SHOP_URL, "GET", "/v2/pets/3", {"collections": {"pets": {
            "path": "/v2/pets", "ids": "int"}}}, 404),
        (SHOP, SHOP_URL, "POST", "/v2/pets/3/visits", {"collections": {"visits": {
            "path": "/v2/pets/{petId}/visits", "ids": "hex", "hidden_fields": ["petId"],
            "create_status": 200}}}, 200),
        (SHOP, SHOP_URL, "POST", "/v2/pets/3/wash",
         {"stubs": [{"route": "POST /v2/pets/{petId}/wash", "status": 202}]}, 202),
        (SHOP, SHOP_URL, "GET", "/v2/health", {"stubs": [{"route": "GET /v2/health", "body": {}}]},
         200),
        (BOOKS, "", "GET", "/books", {"collections": {"books": {
            "key": "isbn", "list_in": "books"}}}, 200),
        (TRIPS, "/trips.example.com:8443/v1", "GET", "/trips", {"collections": {"trips": {
            "key": "code", "ids": "hex"}}}, 200),
        (ODD, "/odd.example.com/v1", "GET", "/text", {"stubs": [{
            "route": "GET /text", "headers": {"Content-Type": "text/plain"}, "body": "hello"}]},
         200),
    ],
)  # fmt: skip
async def test_the_lines_of_a_refusal_serve_the_request(
    tmp_path: Path, document: JsonObject, url: str, verb: str, path: str, lines: JsonObject,
    status: int,
) -> None:  # fmt: skip
    how: dict[str, Any] = {"json": {"id": 1, "name": "Bo"}} if verb == "POST" else {}
    suite = suite_of(tmp_path / "before", document)
    async with declared(suite, url=url, sources=NOTHING_MADE_UP) as world:
        refused = await world.ask(verb, path, **how)
    (entry,) = world.journal
    assert (entry["source"], entry["miss"]["blame"]) == ("none", "not_emulated")
    said = lines_of(refused)
    for each in said.get("collections", {}).values():
        each.pop("operations", None)
    assert said == lines
    suite = suite_of(tmp_path / "after", document, **lines_of(refused))
    async with declared(suite, url=url, sources=NOTHING_MADE_UP) as world:
        answered = await world.ask(verb, path, **how)
    assert answered.status_code == status
    assert world.journal[0]["source"] == ("stub" if "stubs" in said else "state")


@pytest.mark.parametrize(
    ("collections", "path", "lines"),
    [
        ({"pets": {"path": "/v2/pets", "operations": ["list"]}}, "/v2/pets/3",
         {"pets": {"operations": ["list", "get"]}}),
        ({"pets": {"path": "/v2/dogs"}}, "/v2/pets/3",
         {"v2-pets": {"path": "/v2/pets", "ids": "int"}}),
        ({"pets": {"path": "/v2/dogs"}, "v2-pets": {"path": "/v2/cats"}}, "/v2/pets/3",
         {"v2-pets-2": {"path": "/v2/pets", "ids": "int"}}),
    ],
    ids=["an operation more", "another name", "a third name"],
)  # fmt: skip
async def test_collections_that_are_there_are_kept(
    tmp_path: Path, collections: JsonObject, path: str, lines: JsonObject
) -> None:
    suite = suite_of(tmp_path, SHOP, collections=collections)
    async with declared(suite, url=SHOP_URL, sources=NOTHING_MADE_UP) as world:
        said = lines_of(await world.ask("GET", path))["collections"]
    for each in said.values():
        if "path" in each:
            each.pop("operations", None)
    assert said == lines


async def test_what_looks_like_a_template_is_no_template(tmp_path: Path) -> None:
    text = {"200": {"content": {"text/plain": {"example": "{{ name }}"}}}}
    document = {"openapi": "3.0.0", "servers": [{"url": "https://odd.example.com"}],
                "paths": {"/text": {"get": {"responses": text}}}}  # fmt: skip
    async with declared(
        suite_of(tmp_path, document), url="/odd.example.com", sources=NOTHING_MADE_UP
    ) as world:
        (stub,) = lines_of(await world.ask("GET", "/text"))["stubs"]
    assert stub["template"] is False
