"""Documents of well-known shapes become declarations of those shapes."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.declared.checks import findings
from mockserver.declared.documents.document import OpenApiDocument
from mockserver.declared.files import parsed_declaration
from mockserver.declared.openapi.drafts import Draft, draft_of
from mockserver.model import Json, JsonObject
from tests.mockserver.declared.documents.examples import answer


def draft(paths: JsonObject, **more: Any) -> Draft:
    raw = {"openapi": "3.0.0", "paths": paths, **more}
    made = draft_of(OpenApiDocument(raw, Path("x.json")), "shop")
    file, problems = parsed_declaration({**made.whole, "collections": {
        name: {key: value for key, value in each.items() if key != "schema"}
        for name, each in made.collections.items()
    }}, Path("x.yaml"))  # fmt: skip
    assert file is not None, problems
    assert list(findings([file.declaration], taken=(), trusted=False)) == []
    return made


def form(**properties: Any) -> JsonObject:
    schema = {"type": "object", "properties": properties}
    return {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}}


def param(name: str, schema: JsonObject | None = None, told: str = "") -> JsonObject:
    return {"name": name, "in": "query", "description": told, "schema": schema or TEXT}


TEXT: JsonObject = {"type": "string"}
NUMBER: JsonObject = {"type": "integer"}
URI: JsonObject = {"type": "string", "format": "uri"}

CUSTOMER: JsonObject = {
    "type": "object",
    "required": ["id", "active", "tags", "balance"],
    "properties": {
        "id": TEXT,
        "object": {"type": "string", "enum": ["customer"]},
        "email": {"type": "string", "nullable": True},
        "created": {"type": "integer", "format": "unix-time"},
        "active": {"type": "boolean"},
        "tags": {"type": "array", "items": TEXT},
        "balance": NUMBER,
        "metadata": {"type": "object", "additionalProperties": TEXT},
    },
}
DELETED: JsonObject = {
    "properties": {"id": TEXT, "object": {"enum": ["customer"]}, "deleted": {"enum": [True]}}
}
RANGE: JsonObject = {"anyOf": [NUMBER, {"properties": {"gte": NUMBER, "lt": NUMBER}}]}
ENVELOPE: JsonObject = {
    "properties": {
        "data": {"type": "array", "items": CUSTOMER},
        "has_more": {"type": "boolean"},
        "object": {"type": "string", "enum": ["list"]},
        "url": TEXT,
    }
}
NOTHING: JsonObject = {"anyOf": [TEXT, {"enum": [""], "type": "string"}]}
PAY: JsonObject = {
    "/v1/customers": {
        "get": {
            "description": "Sorted by creation date, with the most recent customers first.",
            "parameters": [
                param("limit", NUMBER, "Between 1 and 50, and the default is 10."),
                param("starting_after"), param("ending_before"), param("created", RANGE),
            ],
            "responses": answer(ENVELOPE),
        },
        "post": {
            **form(
                email=TEXT, metadata=NOTHING, expand={"type": "array", "items": TEXT},
                active={"type": "boolean", "description": "Defaults to `true`."},
            ),
            "responses": answer(CUSTOMER),
        },
    },
    "/v1/customers/{customer}": {
        "get": {"responses": answer({"anyOf": [CUSTOMER, DELETED]})},
        "post": {**form(email=NOTHING, source=TEXT), "responses": answer(CUSTOMER)},
        "delete": {"responses": answer(DELETED)},
    },
}  # fmt: skip


def test_post_on_rows_pages_by_keys_and_envelopes() -> None:
    made = draft(PAY)
    customers = made.collections["customers"]
    assert customers == {
        "key": "id",
        "ids": "hex",
        "patch_verb": "POST",
        "form_empty": "removed",
        "operations": ["list", "create", "get", "delete", "patch"],
        "list_in": "data",
        "paging": {
            "style": "key", "before": "ending_before", "size": "limit", "max": 50, "default": 10,
            "has_more": "has_more",
        },
        "filters": {
            "created": "created",
            "created[gte]": {"field": "created", "op": ">="},
            "created[lt]": {"field": "created", "op": "<"},
        },
        "create_status": 200,
        "created": "created",
        "time_format": "unix",
        "answer_fields": {
            "object": "customer", "email": None, "active": True, "tags": [], "balance": 0,
            "metadata": {},
        },
        "list_fields": {"object": "list", "url": "{{ path }}"},
        "newest_first": True,
        "delete_answer": {"id": "{{ row.id }}", "object": "customer", "deleted": True},
        "readonly_fields": ["expand"],
        "schema": "schemas/shop/customers.json",
    }  # fmt: skip
    sent = made.schemas["schemas/shop/customers.json"]["properties"]
    assert {"email", "metadata", "source"} <= set(sent)
    assert made.unserved == []
    assert made.declaration["base_path"] == "/v1"


REPO: JsonObject = {
    "properties": {"id": NUMBER, "name": TEXT, "owner": {"properties": {"login": TEXT}}}
}
SHOWN_REPO: Json = {"id": 7, "name": "engine", "owner": {"login": "ada"}}
ISSUE: JsonObject = {
    "required": ["id", "number", "url"],
    "properties": {
        "id": NUMBER, "number": NUMBER, "title": TEXT, "url": URI, "comments_url": URI,
        "html_url": URI, "state": TEXT, "created_at": {"type": "string", "format": "date-time"},
    },
}  # fmt: skip
SHOWN_ISSUE: Json = {"id": 1, "number": 9, "url": "https://hub.example.com/9", "state": "open"}
STATES: JsonObject = {"type": "string", "enum": ["open", "closed", "all"], "default": "open"}
HUB: JsonObject = {
    "/repos/{owner}/{repo}": {
        "parameters": [{"name": "repo", "in": "path", "schema": TEXT}],
        "get": {"responses": answer(REPO, SHOWN_REPO)},
        "patch": {"responses": answer(REPO)},
    },
    "/repos/{owner}/{repo}/issues": {
        "get": {
            "parameters": [
                param("state", STATES),
                param("sort", {"type": "string", "enum": ["created", "title"]}),
                param("direction", {"type": "string", "default": "desc"}),
            ],
            "responses": answer({"type": "array", "items": ISSUE}),
        },
        "post": {"responses": answer(ISSUE, status="201")},
    },
    "/repos/{owner}/{repo}/issues/{issue_number}": {
        "get": {"responses": answer(ISSUE, SHOWN_ISSUE)},
    },
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": {
        "get": {"responses": answer({"type": "array", "items": {"properties": {"id": NUMBER}}})},
        "post": {"responses": answer({"properties": {"id": NUMBER}})},
    },
    "/users/{user}/{kind}/stars/{id}": {"get": {"responses": answer({"properties": {"id": TEXT}})}},
    "/teams/{org}/{team}/notes": {
        "get": {"responses": answer({"type": "array", "items": {"properties": {"id": TEXT}}})},
        "post": {"responses": answer({"properties": {"id": TEXT}})},
    },
}


def test_paths_with_placeholders_that_are_no_collection() -> None:
    made = draft(HUB)
    assert list(made.collections) == ["repos", "issues", "notes", "comments"]
    repos, issues, notes, comments = made.collections.values()
    assert (repos["path"], repos["scope"]) == ("/repos/{owner}", {"owner": "owner.login"})
    assert (repos["key"], repos["operations"]) == ("name", ["get", "patch"])
    assert issues["parent"] == {"collection": "repos", "field": "repo"}
    assert (issues["scope"], issues["hidden_fields"]) == ({"owner": "owner"}, ["owner"])
    assert issues["filters"] == {"state": {"field": "state", "all": "all", "default": "open"}}
    assert issues["defaults"] == {"state": "open"}
    assert issues["newest_first"] is True
    names = {"created": "created_at"}
    assert issues["sort"] == {"param": "sort", "order": "direction", "names": names}
    assert issues["answer_fields"] == {
        "id": "{{ row.number }}", "url": "{{ url }}", "comments_url": "{{ url }}/comments",
    }  # fmt: skip
    assert (notes["path"], notes["hidden_fields"]) == ("/teams/{org}/{team}/notes", ["org", "team"])
    assert comments["parent"] == {"collection": "issues", "field": "issue_number"}
    assert made.data["repos"] == [SHOWN_REPO]
    seed = {"number": 9, "state": "open", "repo": "engine", "owner": "ada"}
    assert made.data["issues"] == [seed]
    assert [each.path for each in made.unserved] == ["/users/{user}/{kind}/stars/{id}"]


META: JsonObject = {
    "properties": {
        "name": TEXT, "namespace": TEXT,
        "creationTimestamp": {"type": "string", "format": "date-time"},
    }
}  # fmt: skip
POD: JsonObject = {
    "properties": {"apiVersion": TEXT, "kind": TEXT, "metadata": META, "data": META},
    "x-kubernetes-group-version-kind": [{"group": "apps", "kind": "Pod", "version": "v1"}],
}
PODS: JsonObject = {
    "properties": {
        "items": {"type": "array", "items": POD}, "kind": TEXT,
        "metadata": {"properties": {"continue": TEXT}},
    },
    "x-kubernetes-group-version-kind": [{"group": "", "kind": "PodList", "version": "v1"}],
}  # fmt: skip


def test_keys_inside_of_metadata() -> None:
    listed = {"parameters": [param("limit", NUMBER), param("continue")], "responses": answer(PODS)}
    bearer = {"a": {"type": "apiKey", "in": "header", "name": "authorization"}}
    made = draft(
        {
            "/api/namespaces/{namespace}/pods": {"get": listed,
                                                 "post": {"responses": answer(POD)}},
            "/api/namespaces/{namespace}/pods/{name}": {"get": {"responses": answer(POD)}},
        },
        components={"securitySchemes": bearer},
        security=[{"a": []}],
    )  # fmt: skip
    assert made.declaration["auth"] == {"bearer": True}
    assert made.collections["pods"] == {
        "key": "metadata.name",
        "path": "/namespaces/{namespace}/pods",
        "scope": {"namespace": "metadata.namespace"},
        "operations": ["list", "create", "get"],
        "list_in": "items",
        "paging": {"style": "cursor", "param": "continue", "size": "limit", "max": 100_000,
                   "default": 100_000, "next": "metadata.continue"},
        "create_status": 200,
        "created": "metadata.creationTimestamp",
        "answer_fields": {"apiVersion": "apps/v1", "kind": "Pod"},
        "list_fields": {"kind": "PodList", "metadata": {}},
    }  # fmt: skip


SID: JsonObject = {"type": "string", "pattern": "^(SM|MM)[0-9a-fA-F]{32}$"}
MESSAGE: JsonObject = {
    "properties": {
        "sid": SID, "to": TEXT, "account_sid": TEXT, "date_sent": TEXT, "status_callback": TEXT,
        "date_created": {"type": "string", "format": "date-time-rfc-2822"},
    }
}  # fmt: skip
MESSAGES: JsonObject = {
    "properties": {"messages": {"type": "array", "items": MESSAGE}, "next_page_uri": TEXT}
}


def test_suffixes_and_capitals() -> None:
    made = draft(
        {
            "/2010/Accounts/{AccountSid}/Messages.json": {
                "get": {
                    "parameters": [param("To"), param("DateSent<"), param("Page")],
                    "responses": answer(MESSAGES),
                },
                "post": {**form(To=TEXT, StatusCallback=TEXT),
                         "responses": answer(MESSAGE, status="201")},
            },
            "/2010/Accounts/{AccountSid}/Messages/{Sid}.json": {
                "post": {**form(To=TEXT), "responses": answer(MESSAGE)},
                "get": {"responses": answer(MESSAGE)},
            },
            "/2010/Accounts/{AccountSid}/Messages/{Sid}/Cancel.json": {
                "post": {"responses": answer(MESSAGE)},
            },
        }
    )  # fmt: skip
    assert made.collections["Messages"] == {
        "key": "sid",
        "path": "/2010/Accounts/{AccountSid}/Messages",
        "suffix": ".json",
        "scope": {"AccountSid": "account_sid"},
        "patch_verb": "POST",
        "operations": ["list", "create", "get", "patch"],
        "ids": "SM{{ hex(32) }}",
        "list_in": "messages",
        "filters": {"To": "to", "DateSent<": {"field": "date_sent", "op": "<="}},
        "paging": {"style": "page", "param": "Page", "next_url": "next_page_uri", "urls": "path"},
        "created": "date_created",
        "time_format": "rfc2822",
        "body_names": "snake_case",
        "schema": "schemas/shop/Messages.json",
        "actions": {
            "Cancel": {"path": "POST /2010/Accounts/{AccountSid}/Messages/{Sid}/Cancel.json"}
        },
    }
    schema = made.schemas["schemas/shop/Messages.json"]
    assert set(schema["properties"]) == {"to", "status_callback"}


@pytest.mark.parametrize("word", ["example", "parent"])
def test_a_row_that_nothing_makes_is_around_others_where_the_document_shows_one(word: str) -> None:
    shown = {"id": "a"} if word == "parent" else None
    rows: JsonObject = {"type": "array", "items": {"properties": {"id": TEXT}}}
    made = draft(
        {
            "/shelves/{shelf}": {"get": {"responses": answer({"properties": {"id": TEXT}}, shown)}},
            "/shelves/{shelf}/books": {"get": {"responses": answer(rows)},
                                       "post": {"responses": answer({})}},
        }
    )  # fmt: skip
    books = made.collections["books"]
    assert ("parent" in books) is (word == "parent")
    assert books.get("path", "") == ("" if word == "parent" else "/shelves/{shelf}/books")
