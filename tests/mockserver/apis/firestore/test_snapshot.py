from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from mockserver.apis.firestore import API, DOCUMENTS
from mockserver.googleapi import SnapshotImport
from mockserver.model import JsonObject
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.firestore.conftest import DATABASE, ROOT, documents


def found_in(**raw: Any) -> SnapshotImport:
    found = SnapshotImport(raw=raw)
    assert API.import_snapshot is not None
    API.import_snapshot(found)
    return found


def test_documents_are_told_by_path_in_plain_json() -> None:
    born: JsonObject = {"timestampValue": "1990-01-01T00:00:00.10Z"}
    ours = documents(users__ann={
        "age": 31, "at": born, "half": 0.5, "list": [1, born], "map": {"at": born}, "no": None,
        "yes": True,
    })  # fmt: skip
    short = {"timestampValue": "1990-01-01T00:00:00.100Z"}
    assert ours.fields("users/ann") == {
        "age": {"integerValue": "31"}, "at": short, "half": {"doubleValue": 0.5},
        "list": {"arrayValue": {"values": [{"integerValue": "1"}, short]}},
        "map": {"mapValue": {"fields": {"at": short}}}, "no": {"nullValue": None},
        "yes": {"booleanValue": True},
    }  # fmt: skip
    raw = {DATABASE: {"users/ann": {"at": born, "list": [born], "map": {"at": born}}}}
    assert found_in(firestore=raw).times[DOCUMENTS] == (
        ("createTime",), ("updateTime",), ("fields", "at", "timestampValue"),
        ("fields", "list", "arrayValue", "values", "*", "timestampValue"),
        ("fields", "map", "mapValue", "fields", "at", "timestampValue"),
    )  # fmt: skip


def test_documents_in_wire_form_are_completed() -> None:
    name = f"{ROOT}/users/ann"
    resources = {"firestore:v1": {"documents": [{"name": name}, "x", {"name": "y"}]}}
    found = found_in(resources=resources, capturedAt="2026-03-01T09:00:00Z")
    time = "2026-03-01T09:00:00Z"
    row = {"name": name, "fields": {}, "createTime": time, "updateTime": time}
    assert found.tables[DOCUMENTS] == {name: row}
    assert DOCUMENTS not in found_in(resources={}).tables


WRONG: Mapping[str, tuple[Any, str, str]] = {
    "no object": ([], "/firestore", "an array"),
    "no database": ({DATABASE: []}, "/firestore/projects~1p~1databases~1(default)", "an array"),
    "no document": ({DATABASE: {"users": {}}}, "users", "names no document"),
    "no fields": ({DATABASE: {"users/ann": 3}}, "users~1ann", "the fields of a document"),
    "no value": (
        {DATABASE: {"users/ann": {"at": {"timestampValue": "soon"}}}}, "users~1ann", "no value",
    ),
    "twice": ({DATABASE: {"users/ann": {}, "/users/ann/": {}}}, "ann~1", "is there twice"),
    "elsewhere": ({"shop": {"users/ann": {}}}, "shop", "Invalid resource name"),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "where", "says"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_served_is_told_where_it_stands(raw: Any, where: str, says: str) -> None:
    (problem,) = found_in(firestore=raw).problems
    assert where in problem.where
    assert says in problem.message


def test_wire_form_that_is_none_is_told() -> None:
    row = {"name": f"{ROOT}/a/b", "fields": {"x": {"maybeValue": 1}}}
    (problem,) = found_in(resources={"firestore:v1": {"documents": [row]}}).problems
    assert "its fields are none of Firestore" in problem.message


def test_over_http_answers_of_a_stream_are_an_array() -> None:
    base = f"https://firestore.googleapis.com/v1/{ROOT}"
    auth = {"Authorization": "Bearer t"}
    with httpx.Client(transport=EmulatorTransport(), headers=auth) as client:
        nothing: JsonObject = {"fields": {"no": {"nullValue": None}, "none": {"arrayValue": {}}}}
        made = client.patch(f"{base}/users/ann", json=nothing).json()
        assert made["fields"] == nothing["fields"]
        query = {"structuredQuery": {"from": [{"collectionId": "users"}]}}
        (answer,) = client.post(f"{base}:runQuery", json=query).json()
        assert answer["document"] == made
        pipeline = client.post(f"{base}:executePipeline", json={})
        assert "only allowed on ENTERPRISE mode" in pipeline.json()["error"]["message"]
        (told,) = client.post(f"{base}:runQuery", json={**query, "explainOptions": {}}).json()
        used = told["explainMetrics"]["planSummary"]["indexesUsed"]
        assert used == [{"query_scope": "Collection", "properties": "(__name__ ASC)"}]
        missing = client.get(f"{base}/users/bob").json()["error"]
        assert (missing["code"], missing["status"]) == (404, "NOT_FOUND")
