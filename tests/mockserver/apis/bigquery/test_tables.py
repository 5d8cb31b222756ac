"""Datasets, tables and rows of BigQuery: writes, lists, schemas, and what they are refused for."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.apis.bigquery.snapshot import import_snapshot
from mockserver.googleapi import SnapshotImport
from tests.mockserver.apis.bigquery.conftest import FIELDS, Warehouse, plain

ORDERS = "/datasets/shop/tables/orders"
TABLE = {"tableReference": {"tableId": "t"}, "schema": {"fields": [{"name": "a", "type": "INT64"}]}}


def test_datasets(shop: Warehouse) -> None:
    body = {"datasetReference": {"datasetId": "mine"}, "labels": {"team": "dev"}}
    made = shop.call("POST", "/datasets", body)
    assert (made["id"], made["location"], made["kind"]) == ("p:mine", "US", "bigquery#dataset")
    assert shop.refused("POST", "/datasets", body) == (
        409, "duplicate", "Already Exists: Dataset p:mine",
    )  # fmt: skip
    assert shop.refused("GET", "/datasets/none") == (
        404, "notFound", "Not found: Dataset p:none",
    )  # fmt: skip
    changed = shop.call("PATCH", "/datasets/mine", {"labels": {"team": None, "a": "b"}})
    assert (changed["labels"], changed["etag"] != made["etag"]) == ({"a": "b"}, True)
    shop.http.headers["If-Match"] = made["etag"]
    assert shop.refused("PATCH", "/datasets/mine", {"description": "x"})[0] == 412
    shop.http.headers["If-Match"] = changed["etag"]
    shop.call("PATCH", "/datasets/mine", {"description": "x"})
    del shop.http.headers["If-Match"]
    for asked, found in (("", 2), ("labels.a:b", 1), ("labels.team", 1), ("labels.a:x", 0)):
        listed = shop.call("GET", "/datasets", filter=asked).get("datasets", [])
        assert len(listed) == found, asked
    assert shop.refused("GET", "/datasets", filter="name:x")[0] == 400
    shop.call("POST", "/datasets/mine/tables", TABLE)
    assert shop.refused("DELETE", "/datasets/mine") == (
        400, "resourceInUse", "Dataset p:mine is still in use",
    )  # fmt: skip
    shop.call("DELETE", "/datasets/mine", deleteContents="true")
    assert shop.refused("GET", "/datasets/mine/tables/t")[2] == "Not found: Dataset p:mine"


def test_tables(shop: Warehouse) -> None:
    made = shop.call("POST", "/datasets/shop/tables", TABLE)
    assert (made["numRows"], made["schema"]["fields"][0]["type"]) == ("0", "INTEGER")
    assert shop.refused("POST", "/datasets/shop/tables", TABLE) == (
        409, "duplicate", "Already Exists: Table p:shop.t",
    )  # fmt: skip
    assert shop.refused("GET", "/datasets/shop/tables/none") == (
        404, "notFound", "Not found: Table p:shop.none",
    )  # fmt: skip
    listed = shop.call("GET", "/datasets/shop/tables", maxResults=1)
    assert (len(listed["tables"]), listed["totalItems"]) == (1, 2)
    assert shop.call("GET", ORDERS)["numRows"] == "3"
    view = {"query": "SELECT id FROM shop.orders WHERE paid", "useLegacySql": False}
    body = {"tableReference": {"tableId": "v"}, "view": view}
    assert shop.call("POST", "/datasets/shop/tables", body)["type"] == "VIEW"
    assert shop.rows("SELECT * FROM shop.v") == [["1"]]
    shop.call("DELETE", "/datasets/shop/tables/v")
    assert shop.refused("DELETE", "/datasets/shop/tables/v")[0] == 404


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (FIELDS[:2], "is missing in new schema"),
        ([*FIELDS, {"name": "must", "type": "STRING", "mode": "REQUIRED"}], "required fields"),
        ([{**FIELDS[0], "type": "STRING"}, *FIELDS[1:]], "has changed type from INTEGER to STRING"),
        ([*FIELDS, {"name": "who", "type": "STRING"}], "already exists in schema"),
        ([*FIELDS, {"name": "x", "type": "SOMETHING"}], "is not a valid value"),
        ([*FIELDS, {"name": "x", "type": "RECORD"}], "has no schema"),
    ],
)
def test_schemas_that_cannot_be(shop: Warehouse, fields: list[Any], words: str) -> None:
    status, _, message = shop.refused("PATCH", ORDERS, {"schema": {"fields": fields}})
    assert (status, words in message) == (400, True), message


def test_a_field_is_added(shop: Warehouse) -> None:
    shop.call(
        "PATCH", ORDERS, {"schema": {"fields": [*FIELDS, {"name": "note", "type": "STRING"}]}}
    )
    assert shop.rows("SELECT note FROM shop.orders LIMIT 1") == [[None]]


def test_rows_are_listed(shop: Warehouse) -> None:
    first = shop.call("GET", f"{ORDERS}/data", maxResults=2)
    assert (first["totalRows"], len(first["rows"])) == ("3", 2)
    rest = shop.call("GET", f"{ORDERS}/data", maxResults=2, pageToken=first["pageToken"])
    assert [row[0] for row in plain([*first["rows"], *rest["rows"]])] == ["1", "2", "3"]
    assert "pageToken" not in rest
    chosen = shop.call("GET", f"{ORDERS}/data", selectedFields="id,items.sku", startIndex=2)
    assert plain(chosen["rows"]) == [["3", [["a"]]]]
    micros = {"formatOptions.useInt64Timestamp": "true", "selectedFields": "at"}
    assert plain(shop.call("GET", f"{ORDERS}/data", **micros)["rows"]) == [
        ["1772355600000000"], ["1772447400000000"], [None],
    ]  # fmt: skip
    assert shop.refused("GET", f"{ORDERS}/data", selectedFields="nope")[0] == 400


def test_rows_are_inserted(shop: Warehouse) -> None:
    def inserted(*rows: Any, **more: Any) -> Any:
        body = {"rows": [{"json": row} for row in rows], **more}
        return shop.call("POST", f"{ORDERS}/insertAll", body).get("insertErrors", [])

    assert inserted({"id": "4", "at": 1772355600.5, "items": [{"sku": "z"}]}) == []
    assert shop.rows("SELECT id, at, items FROM shop.orders WHERE id = 4") == [
        ["4", "1.7723556005E9", [["z", None]]],
    ]  # fmt: skip
    wrong = inserted({"id": "x"}, {"id": 5})
    assert [(each["index"], each["errors"][0]["reason"]) for each in wrong] == [
        (0, "invalid"), (1, "stopped"),
    ]  # fmt: skip
    assert "bad value" in wrong[0]["errors"][0]["message"]
    for row, words in (
        ({"id": 5, "nope": 1}, "no such field: nope."),
        ({"who": "x"}, "Missing required field: id."),
        ({"id": 5, "tags": "x"}, "repeated"),
        ({"id": 5, "items": [{"count": "x"}]}, "bad value"),
    ):
        assert words in inserted(row)[0]["errors"][0]["message"]
    assert inserted({"id": 5, "nope": 1}, ignoreUnknownValues=True) == []
    assert len(inserted({"id": "x"}, {"id": 6}, skipInvalidRows=True)) == 1
    assert shop.call("GET", ORDERS)["numRows"] == "6"


TYPES: list[tuple[str, Any, Any]] = [
    ("INTEGER", "-7", "-7"), ("FLOAT", 1, "1.0"), ("FLOAT", "NaN", "NaN"),
    ("FLOAT", 1e20, "1.0E20"),
    ("BOOLEAN", "true", "true"), ("STRING", 5, "5"), ("BYTES", "YWI=", "YWI="),
    ("NUMERIC", "1.50", "1.5"), ("BIGNUMERIC", 2, "2"), ("DATE", "2026-03-01", "2026-03-01"),
    ("TIME", "01:02:03.5", "01:02:03.500000"),
    ("DATETIME", "2026-03-01 01:02:03", "2026-03-01T01:02:03"),
    ("TIMESTAMP", "2026-03-01 01:00:00 UTC", "1.7723268E9"), ("JSON", {"a": [1]}, '{"a":[1]}'),
    ("GEOGRAPHY", "POINT(1 2)", "POINT(1 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "sent", "told"), TYPES)
def test_values_of_each_type(shop: Warehouse, kind: str, sent: Any, told: Any) -> None:
    field = {"name": "x", "type": kind}
    made = {"tableReference": {"tableId": "t"}, "schema": {"fields": [field]}}
    shop.call("POST", "/datasets/shop/tables", made)
    rows = [{"json": {"x": sent}}, {"json": {"x": None}}]
    shop.call("POST", "/datasets/shop/tables/t/insertAll", {"rows": rows})
    assert plain(shop.call("GET", "/datasets/shop/tables/t/data")["rows"]) == [[told], [None]]
    assert shop.rows("SELECT x FROM shop.t") == [[told], [None]]
    if kind not in {"STRING", "GEOGRAPHY", "JSON"}:
        wrong = {"rows": [{"json": {"x": "wh?t"}}]}
        answer = shop.call("POST", "/datasets/shop/tables/t/insertAll", wrong)
        assert answer["insertErrors"][0]["errors"][0]["reason"] == "invalid"


def test_rows_of_a_snapshot(tmp_path: Path) -> None:
    tables = [
        {"tableReference": {"datasetId": "d", "tableId": "t"},
         "schema": {"fields": [{"name": "a", "type": "INTEGER"}]},
         "rows": [{"a": 1}, {"f": [{"v": "2"}]}]},
    ]  # fmt: skip
    own = Warehouse(tmp_path / "one", {"resources": {"bigquery:v2": {"tables": tables}}})
    with own.http:
        assert own.rows("SELECT a FROM d.t ORDER BY a") == [["1"], ["2"]]
        own.query("INSERT INTO d.t (a) VALUES (3)")
        assert own.rows("SELECT SUM(a) FROM d.t") == [["6"]]
        assert "bigquery:v2/rows/-.d.t" in own.transport.session.world.diff()


def test_rows_of_a_snapshot_that_cannot_be() -> None:
    found = SnapshotImport(raw={"resources": {"bigquery:v2": {"tables": [
        {"tableReference": {"tableId": "t"}, "rows": [{}]},
        {"tableReference": {"tableId": "u"}, "schema": {"fields": FIELDS[:1]},
         "rows": [{"id": "x"}, 5, {"id": 1}]},
        {"tableReference": {"tableId": "v"}, "schema": {"fields": [{"name": "a", "type": "?"}]}},
    ]}}})  # fmt: skip
    import_snapshot(found)
    place = "/resources/bigquery:v2/tables"
    assert [each.where for each in found.problems] == [
        f"{place}/0/rows", f"{place}/1/rows/0", f"{place}/1/rows/1", f"{place}/2",
    ]  # fmt: skip


def test_reading_changes_nothing(shop: Warehouse) -> None:
    shop.query("SELECT * FROM shop.orders")
    assert shop.transport.session.world.diff() == {}
    world = shop.transport.session.world
    shop.query("DELETE FROM shop.orders WHERE id = 2")
    assert list(world.diff()) == ["bigquery:v2/rows/p.shop.orders", "bigquery:v2/tables"]
    world.undo(0)
    assert len(shop.rows("SELECT id FROM shop.orders")) == 3
