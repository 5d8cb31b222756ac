"""A session of BigQuery with a dataset of orders, asked over HTTP in process."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.model import JsonObject, SessionSpec
from mockserver.testing import EmulatorTransport

FIELDS: list[JsonObject] = [
    {"name": "id", "type": "INT64", "mode": "REQUIRED"},
    {"name": "who", "type": "STRING"},
    {"name": "at", "type": "TIMESTAMP"},
    {"name": "price", "type": "FLOAT64"},
    {"name": "paid", "type": "BOOL"},
    {"name": "tags", "type": "STRING", "mode": "REPEATED"},
    {
        "name": "items",
        "type": "RECORD",
        "mode": "REPEATED",
        "fields": [{"name": "sku", "type": "STRING"}, {"name": "count", "type": "INTEGER"}],
    },
]
ROWS: list[JsonObject] = [
    {"id": 1, "who": "ann", "at": "2026-03-01T09:00:00Z", "price": 2.5, "paid": True,
     "tags": ["new", "gift"], "items": [{"sku": "a", "count": 2}, {"sku": "b", "count": 1}]},
    {"id": 2, "who": "bob", "at": "2026-03-02T10:30:00Z", "price": 4.0, "paid": False},
    {"id": 3, "who": None, "price": 0.5, "tags": ["new"], "items": [{"sku": "a", "count": 5}]},
]  # fmt: skip
SNAPSHOT: JsonObject = {
    "resources": {
        "bigquery:v2": {
            "datasets": [
                {"datasetReference": {"projectId": "p", "datasetId": "shop"},
                 "labels": {"team": "ops"}},
            ],
            "tables": [
                {"tableReference": {"projectId": "p", "datasetId": "shop", "tableId": "orders"},
                 "schema": {"fields": FIELDS}, "rows": ROWS},
            ],
        },
        "storage:v1": {"buckets": [{"name": "files"}]},
    },
}  # fmt: skip


class Warehouse:
    """BigQuery of one session."""

    def __init__(self, folder: Path, snapshot: JsonObject = SNAPSHOT) -> None:
        (folder / "base").mkdir(parents=True)
        (folder / "base" / "all.json").write_text(json.dumps(snapshot), encoding="utf-8")
        spec = SessionSpec(clock="frozen:2026-03-05T12:00:00Z")
        self.transport = EmulatorTransport(folder, spec)
        base = "https://bigquery.googleapis.com/bigquery/v2/projects/p"
        self.http = httpx.Client(transport=self.transport, base_url=base)
        self.http.headers["Authorization"] = "Bearer t"

    def call(self, verb: str, path: str, body: Any = None, **params: Any) -> Any:
        """What a method answers; raises AssertionError unless it succeeds."""
        answer = self.http.request(verb, path, json=body, params=params)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def refused(
        self, verb: str, path: str, body: Any = None, **params: Any
    ) -> tuple[int, str, str]:
        """Status, reason and message of a refusal."""
        answer = self.http.request(verb, path, json=body, params=params)
        error = answer.json()["error"]
        return answer.status_code, error["errors"][0]["reason"], error["message"]

    def query(self, sql: str, **more: Any) -> Any:
        """What `jobs.query` answers."""
        return self.call("POST", "/queries", {"query": sql, "useLegacySql": False, **more})

    def why_not(self, sql: str, **more: Any) -> tuple[int, str, str]:
        """Why a query is refused."""
        body = {"query": sql, "useLegacySql": False, **more}
        return self.refused("POST", "/queries", body)

    def rows(self, sql: str, **more: Any) -> list[list[Any]]:
        """The rows that a query answers."""
        return plain(self.query(sql, **more).get("rows", ()))


def plain(rows: Sequence[JsonObject]) -> list[list[Any]]:
    """Rows as lists of their cells."""
    return [[value(cell["v"]) for cell in row["f"]] for row in rows]


def value(cell: Any) -> Any:
    if isinstance(cell, list):
        return [value(each["v"]) for each in cell]
    return [value(each["v"]) for each in cell["f"]] if isinstance(cell, dict) else cell


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Warehouse]:
    made = Warehouse(tmp_path / "suite")
    with made.http:
        yield made
