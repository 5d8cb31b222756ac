import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.errors import InvalidFilesError
from mockserver.model import JsonObject
from mockserver.snapshots.resolver import suite_apis
from tests.mockserver.declared.documents.examples import SHOP, answer
from tests.mockserver.declared.worlds import declared, write_suite

TALK: JsonObject = {
    "openapi": "3.0.0",
    "servers": [{"url": "https://talk.example.com/api"}],
    "paths": {
        "/people.list": {
            "get": {
                "operationId": "people_list",
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                    {"name": "token", "in": "query", "required": True, "schema": {}},
                ],
                "responses": answer(
                    {}, {"ok": True, "limit": 1, "next_cursor": "abc", "people": [{"id": "a"}]}
                ),
            }
        },
        "/talk.say": {
            "post": {
                "operationId": "talk_say",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/x-www-form-urlencoded": {
                            "schema": {
                                "required": ["text"],
                                "properties": {
                                    "text": {"type": "string"},
                                    "blocks": {"type": "string"},
                                    "loud": {"type": "boolean"},
                                },
                            }
                        }
                    },
                },
                "responses": answer({"properties": {"text": {"type": "string"}, "ok": {}}})
                | answer(
                    {"properties": {"ok": {"type": "boolean", "enum": [False]},
                                    "error": {"type": "string"},
                                    "message": {"type": "string"}}},
                    status="default",
                ),
            }
        },
    },
}  # fmt: skip


def suite_of(folder: Path, document: JsonObject, **declaration: Any) -> Path:
    value = {"api": "talk", "openapi": "openapi/talk.json", **declaration}
    write_suite(folder, value)
    (folder / "apis" / "openapi").mkdir()
    (folder / "apis" / "openapi" / "talk.json").write_text(json.dumps(document))
    return folder


async def test_a_document_alone_is_an_api(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path, TALK), url="/talk.example.com/api") as world:
        said = await world.ask("POST", "/talk.say", data={"text": "hi", "loud": "true"})
        listed = await world.ask("GET", "/people.list?limit=5&token=x&extra=1")
    assert said.json() == {"text": "hi", "ok": None}
    assert listed.json() == {"ok": True, "limit": 5, "next_cursor": "", "people": [{"id": "a"}]}
    assert listed.headers["x-mock-ignored"] == "extra"
    assert [(each["method_id"], each["source"]) for each in world.journal] == [
        ("talk.talk_say", "synthesis"), ("talk.people_list", "synthesis"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "path", "how", "status", "message"),
    [
        ("POST", "/talk.say", {"data": {"loud": "yes"}}, 422,
         "The body is not valid: /loud: 'yes' is not of type 'boolean';"
         " the body: 'text' is a required property."),
        ("POST", "/talk.say", {}, 422, "The body is not valid: the body: is missing."),
        ("POST", "/talk.say", {"json": [1]}, 422,
         "The body is not valid: the body: is an array, not an object."),
        ("GET", "/people.list", {"params": {"limit": "many"}}, 400,
         "The parameters are not valid: token: is missing; limit: 'many' is not of type"
         " 'integer'."),
    ],
)  # fmt: skip
async def test_a_request_that_does_not_fit_is_refused_with_reasons(
    tmp_path: Path, verb: str, path: str, how: dict[str, Any], status: int, message: str
) -> None:
    async with declared(suite_of(tmp_path, TALK), url="/talk.example.com/api") as world:
        refused = await world.ask(verb, path, **how)
    assert (refused.status_code, refused.json()["ok"]) == (status, False)
    assert refused.json()["message"] == message
    assert world.journal[0]["miss"]["blame"] == "agent_error"


async def test_procedures_take_both_verbs_and_fields_from_everywhere(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path, TALK), url="/talk.example.com/api") as world:
        posted = await world.ask(
            "POST", "/people.list", data={"limit": "7"}, headers={"Authorization": "Bearer x"}
        )
        fetched = await world.ask("GET", "/talk.say?text=hey")
        sent = await world.ask("POST", "/talk.say", json={"text": "a", "blocks": [{"type": "x"}]})
    assert posted.json()["limit"] == 7
    assert (fetched.json()["text"], sent.json()["text"]) == ("hey", "a")
    assert [each["method_id"] for each in world.journal] == [
        "talk.people_list", "talk.talk_say", "talk.talk_say",
    ]  # fmt: skip
    rest = {"file": "openapi/talk.json", "rpc": False}
    folder = suite_of(tmp_path / "rest", TALK, openapi=rest)
    async with declared(folder, url="/talk.example.com/api") as world:
        assert (await world.ask("POST", "/people.list")).status_code == 405


async def test_collections_stubs_and_functions_win(tmp_path: Path) -> None:
    pets = {"key": "id", "ids": "int", "operations": ["list", "create"]}
    folder = suite_of(
        tmp_path, SHOP, base_path="/api/v2", collections={"pets": pets}, stubs=[
            {"route": "GET /health", "body": {"fine": True}}],
    )  # fmt: skip
    async with declared(folder, url="/eu.shop.example.com/api/v2") as world:
        made = await world.ask("POST", "/pets", json={"name": "Bo"})
        listed = await world.ask("GET", "/pets")
        health = await world.ask("GET", "/health")
        one = await world.ask("GET", "/pets/7")
    assert (made.status_code, listed.json(), health.json()) == (201, [made.json()], {"fine": True})
    assert (one.json()["id"], one.json()["name"]) == (7, "name")
    assert [(each["method_id"], each["source"]) for each in world.journal] == [
        ("talk.pets.create", "state"), ("talk.pets.list", "state"), ("talk.get_health", "stub"),
        ("talk.get_v2_pets_petId", "synthesis"),
    ]  # fmt: skip


async def test_equal_requests_get_equal_answers(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, SHOP)
    bodies = []
    for _ in range(2):
        async with declared(suite, url="/eu.shop.example.com/api") as world:
            bodies += [(await world.ask("GET", "/v2/pets/3/visits")).content for _ in range(2)]
    assert len(set(bodies)) == 1


ODD: JsonObject = {
    "openapi": "3.0.0",
    "servers": [{"url": "http://["}, {"url": "https://odd.example.com/{x}"}, {"url": "/v1"}],
    "paths": {
        "/a/{b}..{c}": {"get": {"responses": answer({})}},
        "/q?x=1": {"get": {"responses": answer({})}},
        "/brace/{x": {"get": {"responses": answer({})}},
        "/none": {"get": {"responses": {}}},
        "/csv": {"get": {"responses": {"200": {"content": {"text/csv": {"example": "a,b"}}}}}},
        "/text": {
            "get": {"responses": {"200": {"content": {"text/plain": {"schema": {
                "type": "string", "example": "hello"}}}}}}
        },
        "/xml": {
            "get": {"responses": {"200": {"content": {"text/xml": {"schema": {
                "type": "object"}}}}}}
        },
        "/gone": {"delete": {"responses": {"204": {"description": ""}}}},
        "/files/{file.id}": {
            "put": {
                "operationId": "put file",
                "parameters": [
                    {"name": "file.id", "in": "path", "schema": {"type": "integer"}}
                ],
                "requestBody": {"content": {"image/*": {"schema": {"type": "string"}}}},
                "responses": answer({"properties": {"id": {"type": "integer"}}}, status="201"),
            }
        },
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "path", "how", "status", "body"),
    [
        ("GET", "/csv", {}, 200, "a,b"),
        ("GET", "/text", {}, 200, "hello"),
        ("GET", "/xml", {}, 501, "talk.get_xml is not served: it answers text/xml alone, of which"
         " the document shows no example."),
        ("GET", "/none", {}, 501, "has no answer of a success for it"),
        ("DELETE", "/gone", {}, 204, ""),
        ("PUT", "/files/7", {"content": b"x", "headers": {"content-type": "image/png"}}, 201,
         '{"id":7}'),
        ("PUT", "/files/x", {}, 400, "file.id: 'x' is not of type 'integer'"),
        ("PUT", "/files/7", {"content": b"x", "headers": {"content-type": "video/x"}}, 415,
         "video/x is not taken here"),
        ("GET", "/a/1..2", {}, 404, "no route"),
    ],
)  # fmt: skip
async def test_answers_of_every_kind(
    tmp_path: Path, verb: str, path: str, how: dict[str, Any], status: int, body: str
) -> None:
    async with declared(suite_of(tmp_path, ODD), url="/odd.example.com/v1") as world:
        answered = await world.ask(verb, path, **how)
    assert (answered.status_code, body in answered.text) == (status, True)


@pytest.mark.parametrize(
    ("sources", "status", "source"),
    [
        (None, 200, "synthesis"),
        (["state", "document"], 200, "synthesis"),
        (["stub", "state", "synthesis"], 200, "synthesis"),
        (["stub", "state"], 501, "none"),
    ],
)
async def test_a_session_says_whether_answers_are_made_up(
    tmp_path: Path, sources: list[str] | None, status: int, source: str
) -> None:
    spec: dict[str, Any] = {} if sources is None else {"sources": sources}
    tools = {"say": {"description": "", "call": {"method": "talk.talk_say", "body": {"text": "a"}}}}
    folder = suite_of(tmp_path, TALK)
    rows = folder / "base" / "rows.json"
    rows.write_text(json.dumps(json.loads(rows.read_text()) | {"tools": tools}))
    async with declared(folder, **spec) as world:
        talk = "/talk.example.com/api"
        answered = await world.ask("POST", f"{talk}/talk.say", data={"text": "hi"})
        invalid = await world.ask("POST", f"{talk}/talk.say")
        tool = await world.ask("POST", "/tools/say", json={})
    assert [each.status_code for each in (answered, invalid, tool)] == [status, 422, status]
    assert answered.headers["x-mock-source"] == source
    told = {entry["method_id"]: entry["source"] for entry in world.journal if not entry["parent"]}
    # what a tool answers is made up where what it rests on is; a refusal never is
    assert invalid.headers["x-mock-source"] == "state"
    assert (told["tools.say"], tool.headers["x-mock-source"]) == (source, source)


async def test_without_synthesis_the_document_tells_what_is_missing(tmp_path: Path) -> None:
    given = {"file": "openapi/talk.json", "synthesis": False}
    async with declared(
        suite_of(tmp_path, TALK, openapi=given), url="/talk.example.com/api"
    ) as world:
        answered = await world.ask("POST", "/talk.say", data={"text": "hi"})
    assert (answered.status_code, world.journal[0]["miss"]["blame"]) == (501, "not_emulated")
    assert "no collection serves it" in answered.json()["message"]


async def test_a_tool_is_bound_to_a_documented_method(tmp_path: Path) -> None:
    folder = suite_of(tmp_path, TALK)
    (folder / "base" / "tools.json").write_text(
        json.dumps(
            {"tools": {"say": {"call": {"method": "talk.talk_say", "body": "{{ arguments }}"}}}}
        )
    )
    async with declared(folder) as world:
        said = await world.client.post(
            "/tools/say", json={"text": "hi"},
            headers={"Authorization": f"Bearer {world.session.token}"},
        )  # fmt: skip
    assert said.status_code == 200, said.text
    assert {"talk.talk_say": "synthesis"}.items() <= {
        each["method_id"]: each["source"] for each in world.journal
    }.items()


REF = {"openapi": "3.0.0", "paths": {"/a": {"$ref": "REF"}}}


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("../../else/talk.json", "", "apis/api.yaml:2#/openapi: the document cannot be used:"
         " ../../else/talk.json: leaves the suite's folder"),
        ("/etc/hosts", "", "apis/api.yaml:2#/openapi: the document cannot be used: /etc/hosts:"
         " leaves the suite's folder"),
        ("openapi/none.json", "", "none.json: cannot be read: No such file or directory"),
        ("openapi/talk.txt", "{}", "is no OpenAPI document"),
        ("openapi/talk.yaml", "#" * (20 << 20), "larger than 4 MiB (as JSON it may have 32 MiB)"),
        ("openapi/talk.json", " " * (33 << 20), "larger than 32 MiB"),
        ("openapi/talk.json", json.dumps(REF).replace("REF", "other.json#/x"),
         "talk.json:1#/paths/~1a/$ref: refers to 'other.json#/x', which is another file"),
        ("openapi/talk.json", json.dumps(REF).replace("REF", "http://127.0.0.1:1/x"),
         "talk.json:1#/paths/~1a/$ref: refers to 'http://127.0.0.1:1/x', which is on the network"),
        ("openapi/talk.json", json.dumps(REF, indent=1).replace("REF", "#/paths/~1a"),
         "talk.json:5#/paths/~1a/$ref: refers to '#/paths/~1a', which refers to itself"),
    ],
)  # fmt: skip
def test_a_document_that_cannot_be_used_is_one_clear_error(
    tmp_path: Path, file: str, text: str, expected: str
) -> None:
    suite = write_suite(tmp_path / "suite", {"api": "talk", "openapi": file})
    (suite / "apis" / "openapi").mkdir()
    if text:
        (suite / "apis" / file).write_text(text)
    with pytest.raises(InvalidFilesError) as caught:
        suite_apis(suite)
    (problem,) = caught.value.problems
    assert expected in str(problem)


async def test_a_document_of_20_mb_is_served(tmp_path: Path) -> None:
    large = {**TALK, "x-padding": ["x" * 1000] * 20_000}
    async with declared(suite_of(tmp_path, large), url="/talk.example.com/api") as world:
        said = await world.ask("POST", "/talk.say", data={"text": "hi"})
    assert said.status_code == 200


def listed(name: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "array", "items": {"type": "integer"}}
    return {"name": name, "in": "query", "schema": schema, **more}


FORMS: JsonObject = {
    "openapi": "3.1.0",
    "paths": {
        "/rows/{id}": {
            "get": {
                "operationId": "read",
                "parameters": [
                    listed("many"),
                    listed("short", explode=False),
                    listed("piped", style="pipeDelimited"),
                    {"name": "made", "in": "query", "style": "deepObject", "schema": {
                        "type": "object", "properties": {"gte": {"type": "integer"}}}},
                ],
                "responses": answer({}, {"many": [], "short": [], "piped": [], "made": {}}),
            },
            "post": {
                "operationId": "send",
                "requestBody": {"content": {
                    "multipart/form-data": {"schema": {
                        "type": "object", "required": ["file", "tags"],
                        "properties": {"file": {"type": "string", "format": "binary"},
                                       "tags": {"type": "array", "items": {"type": "string"}}},
                    }},
                }},
                "responses": answer({}, {"tags": []}) | {"400": {"description": ""}},
            },
        }
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("many=1&many=2", {"many": [1, 2]}),
        ("many[]=1", {"many": [1]}),
        ("short=1,2", {"short": [1, 2]}),
        ("short=", {"short": []}),
        ("piped=1|2", {"piped": [1, 2]}),
        ("made[gte]=5", {"made": {"gte": 5}}),
    ],
)
async def test_lists_and_objects_in_the_query_are_read(
    tmp_path: Path, query: str, expected: JsonObject
) -> None:
    async with declared(suite_of(tmp_path, FORMS)) as world:
        answered = await world.ask("GET", f"/rows/1?{query}")
    assert answered.json() == {"many": [], "short": [], "piped": [], "made": {}} | expected


async def test_a_file_of_a_form_stands_beside_its_fields(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path, FORMS)) as world:
        sent = await world.ask("POST", "/rows/1", files={"file": b"x"}, data={"tags": "a"})
        wrong = await world.ask("POST", "/rows/1", data={"tags": "a", "file": ["b", "c"]})
    assert (sent.status_code, sent.json()) == (200, {"tags": ["a"]})
    assert wrong.status_code == 400


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"error": {"properties": {
            "code": {"type": "integer"}, "message": {"type": "string"}}}}},
         {"error": {"code": 404, "message": "MESSAGE"}}),
        ({"properties": {"errors": {"type": "array", "items": {
            "properties": {"title": {"type": "string"}, "detail": {"type": "string"}}}}}},
         {"errors": [{"title": "Not Found", "detail": "MESSAGE"}]}),
        ({"properties": {"wrong": {"type": "boolean", "enum": [True]},
                         "msg": {"type": "string"}}}, {"wrong": True, "msg": "MESSAGE"}),
    ],
)  # fmt: skip
async def test_errors_are_said_as_the_document_shows(
    tmp_path: Path, schema: JsonObject, expected: JsonObject
) -> None:
    paths = {"/a": {"get": {"responses": answer({}) | answer(schema, status="404")}}}
    suite = suite_of(tmp_path, {"openapi": "3.0.0", "paths": paths}, base_path="/v1")
    async with declared(suite) as world:
        answered = (await world.ask("GET", "/v1/b")).json()
    message = "There is no route GET /v1/b. The nearest route is GET /v1/a."
    assert json.loads(json.dumps(answered).replace(message, "MESSAGE")) == expected
