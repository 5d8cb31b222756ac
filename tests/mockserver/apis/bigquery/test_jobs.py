"""Jobs of BigQuery: queries, DML, definitions, scripts, loads, copies, extractions."""

import json
from typing import Any

import pytest

from tests.mockserver.apis.bigquery.conftest import Warehouse

UPLOAD = "https://bigquery.googleapis.com/upload/bigquery/v2/projects/p/jobs"
STORAGE = "https://storage.googleapis.com/upload/storage/v1/b/files/o"


def run(shop: Warehouse, kind: str, own: Any, **more: Any) -> Any:
    return shop.call("POST", "/jobs", {"configuration": {kind: own, **more}})


def load(shop: Warehouse, content: bytes, own: Any) -> Any:
    """A load by a multipart upload."""
    config = {"configuration": {"load": {"destinationTable": table("loaded"), **own}}}
    body = (
        b"--x\r\nContent-Type: application/json\r\n\r\n" + json.dumps(config).encode()
        + b"\r\n--x\r\nContent-Type: */*\r\n\r\n" + content + b"\r\n--x--"
    )  # fmt: skip
    kind = {"Content-Type": 'multipart/related; boundary="x"'}
    answer = shop.http.post(UPLOAD, params={"uploadType": "multipart"}, content=body, headers=kind)
    assert answer.status_code == 200, answer.text
    return answer.json()


def table(name: str) -> dict[str, str]:
    return {"projectId": "p", "datasetId": "shop", "tableId": name}


def test_a_query_job(shop: Warehouse) -> None:
    job = run(shop, "query", {"query": "SELECT id FROM shop.orders", "useLegacySql": False})
    ident = job["jobReference"]["jobId"]
    assert (job["status"], job["statistics"]["query"]["statementType"]) == (
        {"state": "DONE"}, "SELECT",
    )  # fmt: skip
    first = shop.call("GET", f"/queries/{ident}", maxResults=2)
    assert (first["totalRows"], len(first["rows"]), first["jobComplete"]) == ("3", 2, True)
    rest = shop.call("GET", f"/queries/{ident}", maxResults=2, pageToken=first["pageToken"])
    assert len(rest["rows"]) == 1
    anonymous = job["configuration"]["query"]["destinationTable"]
    path = f"/datasets/{anonymous['datasetId']}/tables/{anonymous['tableId']}"
    assert len(shop.call("GET", f"{path}/data")["rows"]) == 3
    assert shop.call("GET", path)["schema"]["fields"][0]["name"] == "id"
    assert shop.call("GET", f"/jobs/{ident}")["id"] == f"p:US.{ident}"
    assert shop.call("POST", f"/jobs/{ident}/cancel")["job"]["status"]["state"] == "DONE"
    (listed,) = shop.call("GET", "/jobs")["jobs"]
    assert (listed["state"], listed["jobReference"]["jobId"]) == ("DONE", ident)
    again = {"jobReference": {"jobId": ident}, "configuration": {"query": {"query": "SELECT 1"}}}
    assert shop.refused("POST", "/jobs", again)[:2] == (409, "duplicate")
    assert shop.refused("GET", f"/jobs/{ident}", location="EU")[0] == 404
    shop.call("DELETE", f"/jobs/{ident}/delete")
    assert shop.refused("GET", f"/jobs/{ident}") == (404, "notFound", f"Not found: Job p:{ident}")


def test_a_job_that_fails_is_a_job(shop: Warehouse) -> None:
    own = {"query": "SELECT * FROM shop.none", "useLegacySql": False}
    job = run(shop, "query", own)
    assert job["status"]["errorResult"]["reason"] == "notFound"
    found = shop.refused("GET", f"/queries/{job['jobReference']['jobId']}")
    assert found[:2] == (404, "notFound")
    body = {"configuration": {"query": own, "dryRun": True}}
    assert shop.refused("POST", "/jobs", body)[0] == 404
    for wrong in ({}, {"query": own, "load": {}}):
        assert shop.refused("POST", "/jobs", {"configuration": wrong})[:2] == (400, "invalid")
    away = {"configuration": {"query": {**own, "query": "SELECT id FROM far.t"}}}
    place = {"datasetReference": {"datasetId": "far"}, "location": "EU"}
    shop.call("POST", "/datasets", place)
    shop.query("CREATE TABLE far.t (id INT64)")
    found = shop.call("POST", "/jobs", {**away, "jobReference": {"location": "US"}})
    assert "was not found in location US" in found["status"]["errorResult"]["message"]
    legacy = {"query": "SELECT id FROM [p:shop.orders]", "useLegacySql": True}
    assert "legacy SQL" in run(shop, "query", legacy)["status"]["errorResult"]["message"]


CHANGES: list[tuple[str, tuple[int, int, int], list[list[str]]]] = [
    ("INSERT INTO shop.orders (id, who) VALUES (4, 'cy')", (1, 0, 0),
     [["1", "ann"], ["2", "bob"], ["3", ""], ["4", "cy"]]),
    ("INSERT INTO shop.orders (id, who) SELECT id + 10, who FROM shop.orders WHERE paid", (1, 0, 0),
     [["1", "ann"], ["2", "bob"], ["3", ""], ["11", "ann"]]),
    ("UPDATE shop.orders SET who = 'x', price = price + 1 WHERE id < 3", (0, 2, 0),
     [["1", "x"], ["2", "x"], ["3", ""]]),
    ("UPDATE shop.orders o SET who = s.w FROM (SELECT 3 AS k, 'z' AS w) s WHERE o.id = s.k",
     (0, 1, 0), [["1", "ann"], ["2", "bob"], ["3", "z"]]),
    ("DELETE FROM shop.orders WHERE 'new' IN UNNEST(tags)", (0, 0, 2), [["2", "bob"]]),
    ("DELETE shop.orders WHERE TRUE", (0, 0, 3), []),
    ("MERGE shop.orders T USING (SELECT 1 AS k, 'm' AS w UNION ALL SELECT 9, 'n') S ON T.id = S.k"
     " WHEN MATCHED THEN UPDATE SET who = S.w WHEN NOT MATCHED THEN INSERT (id, who) VALUES (k, w)",
     (1, 1, 0), [["1", "m"], ["2", "bob"], ["3", ""], ["9", "n"]]),
    ("TRUNCATE TABLE shop.orders", (0, 0, 3), []),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "counts", "rows"), CHANGES)
def test_rows_are_changed(shop: Warehouse, sql: str, counts: Any, rows: Any) -> None:
    found = shop.query(sql)
    stats = found["dmlStats"]
    names = ("insertedRowCount", "updatedRowCount", "deletedRowCount")
    assert tuple(int(stats[name]) for name in names) == counts
    assert shop.rows("SELECT id, IFNULL(who, '') FROM shop.orders ORDER BY id") == rows


def test_changes_that_are_refused(shop: Warehouse) -> None:
    for sql, words in (
        ("INSERT INTO shop.orders (who) VALUES ('x')", "cannot be null"),
        ("UPDATE shop.orders o SET who = s.w FROM (SELECT 1 AS k, 'a' AS w UNION ALL SELECT"
         " 1, 'b') s"
         " WHERE o.id = s.k", "at most one source row"),
        ("MERGE shop.orders T USING (SELECT 1 AS k UNION ALL SELECT 1) S ON T.id = S.k"
         " WHEN MATCHED THEN DELETE", "at most one source row"),
        ("DELETE FROM shop.none WHERE TRUE", "Not found: Table p:shop.none"),
        ("DROP TABLE shop.none", "Not found: Table p:shop.none"),
        ("CREATE TABLE shop.orders (a INT64)", "Already Exists: Table p:shop.orders"),
        ("CREATE TABLE shop.x (a SOMETHING)", ""),
        ("DROP VIEW shop.orders", "is not a view"),
        ("ALTER TABLE shop.orders ADD COLUMN x INT64", "ALTER"),
    ):  # fmt: skip
        found = shop.why_not(sql)
        assert words in found[2], found
    assert shop.rows("SELECT COUNT(*) FROM shop.orders") == [["3"]]


def test_definitions(shop: Warehouse) -> None:
    shop.query("CREATE SCHEMA lake")
    made = "CREATE TABLE lake.t (a INT64 NOT NULL, b ARRAY<STRUCT<c STRING>>, d TIMESTAMP)"
    shop.query(f"{made} PARTITION BY DATE(d) CLUSTER BY a OPTIONS(description='what it is')")
    found = shop.call("GET", "/datasets/lake/tables/t")
    assert [each["type"] for each in found["schema"]["fields"]] == [
        "INTEGER",
        "RECORD",
        "TIMESTAMP",
    ]
    assert (found["timePartitioning"], found["clustering"], found["description"]) == (
        {"type": "DAY", "field": "d"}, {"fields": ["a"]}, "what it is",
    )  # fmt: skip
    shop.query("CREATE OR REPLACE TABLE lake.t AS SELECT id, tags FROM shop.orders")
    shop.query("CREATE TABLE IF NOT EXISTS lake.t (x INT64)")
    shop.query("CREATE VIEW lake.v AS SELECT COUNT(*) AS n FROM lake.t")
    assert shop.rows("SELECT n FROM lake.v") == [["3"]]
    shop.query("DROP VIEW lake.v")
    shop.query("DROP TABLE IF EXISTS lake.none")
    assert "still in use" in shop.why_not("DROP SCHEMA lake")[2]
    shop.query("DROP SCHEMA lake CASCADE")
    assert shop.refused("GET", "/datasets/lake")[0] == 404


def test_a_script(shop: Warehouse) -> None:
    script = """
        CREATE TEMP TABLE mine (x INT64, y STRING);
        INSERT INTO mine VALUES (5, 'foo'), (6, 'bar');
        BEGIN TRANSACTION;
        UPDATE shop.orders SET who = 'script' WHERE id = 1;
        COMMIT TRANSACTION;
        SELECT x, y FROM mine ORDER BY x;
    """
    job = run(shop, "query", {"query": script, "useLegacySql": False})
    ident = job["jobReference"]["jobId"]
    assert job["statistics"]["numChildJobs"] == "6"
    assert shop.call("GET", f"/queries/{ident}")["totalRows"] == "2"
    children = shop.call("GET", "/jobs", parentJobId=ident)["jobs"]
    kinds = [each["statistics"]["query"]["statementType"] for each in children]
    assert kinds[0] == "SELECT"
    assert len(shop.call("GET", "/jobs")["jobs"]) == 1


def test_answers_go_where_the_job_says(shop: Warehouse) -> None:
    own = {"query": "SELECT id, who FROM shop.orders", "useLegacySql": False,
           "destinationTable": table("kept")}  # fmt: skip
    assert "errorResult" not in run(shop, "query", own)["status"]
    assert shop.call("GET", "/datasets/shop/tables/kept")["numRows"] == "3"
    assert run(shop, "query", own)["status"]["errorResult"]["reason"] == "duplicate"
    more = {**own, "writeDisposition": "WRITE_APPEND"}
    run(shop, "query", more)
    assert shop.rows("SELECT COUNT(*) FROM shop.kept") == [["6"]]


CSV = b"id,who,at\n1,ann,2026-03-01 09:00:00\n2,,2026-03-02 09:00:00\n"
LINES = b'{"id": 1, "tags": ["a", "b"], "in": {"x": 1.5}}\n{"id": 2}\n'


def test_loads(shop: Warehouse) -> None:
    job = load(shop, CSV, {"autodetect": True})
    assert job["statistics"]["load"]["outputRows"] == "2"
    found = shop.call("GET", "/datasets/shop/tables/loaded")["schema"]["fields"]
    assert [(each["name"], each["type"]) for each in found] == [
        ("id", "INTEGER"), ("who", "STRING"), ("at", "TIMESTAMP"),
    ]  # fmt: skip
    lines = {"sourceFormat": "NEWLINE_DELIMITED_JSON", "autodetect": True,
             "writeDisposition": "WRITE_TRUNCATE"}  # fmt: skip
    load(shop, LINES, lines)
    assert shop.rows("SELECT id, tags FROM shop.loaded ORDER BY id") == [
        ["1", ["a", "b"]], ["2", []],
    ]  # fmt: skip
    fields = [{"name": "id", "type": "INTEGER"}]
    for content, own, words in (
        (b"id\nx\n", {"skipLeadingRows": 1, "schema": {"fields": fields}}, "bad value"),
        (b"1,2\n", {"schema": {"fields": fields}}, "Too many values"),
        (b"{", lines, "Failed to parse JSON"),
        (b"x", {"sourceFormat": "DATASTORE_BACKUP"}, "loads of DATASTORE_BACKUP"),
        (
            b"1\n",
            {"schema": {"fields": fields}, "writeDisposition": "WRITE_EMPTY"},
            "Already Exists",
        ),
        (
            b"1\n",
            {"schema": {"fields": [{"name": "other", "type": "STRING"}]}},
            "Cannot add fields",
        ),
    ):
        error = load(shop, content, own)["status"]["errorResult"]
        assert words in error["message"], error
    own = {"skipLeadingRows": 1, "schema": {"fields": fields}, "maxBadRecords": 1,
           "writeDisposition": "WRITE_TRUNCATE"}  # fmt: skip
    assert load(shop, b"id\nx\n7\n", own)["statistics"]["load"]["badRecords"] == "1"
    assert shop.rows("SELECT id FROM shop.loaded") == [["7"]]


def test_files_of_storage(shop: Warehouse) -> None:
    for name in ("a1.csv", "a2.csv"):
        upload = {"uploadType": "media", "name": name}
        assert shop.http.post(STORAGE, params=upload, content=CSV).status_code == 200
    own = {"sourceUris": ["gs://files/a*.csv"], "autodetect": True,
           "destinationTable": table("loaded")}  # fmt: skip
    assert run(shop, "load", own)["statistics"]["load"]["inputFiles"] == "2"
    missing = run(shop, "load", {**own, "sourceUris": ["gs://files/none.csv"]})
    assert missing["status"]["errorResult"]["reason"] == "notFound"
    away = {"sourceTable": table("loaded"), "destinationUris": ["gs://files/out.csv"]}
    assert "errorResult" not in run(shop, "extract", away)["status"]
    read = "https://storage.googleapis.com/storage/v1/b/files/o/out.csv"
    text = shop.http.get(read, params={"alt": "media"}).text
    assert text.splitlines()[:2] == ["id,who,at", "1,ann,2026-03-01 09:00:00 UTC"]
    assert shop.http.get(read).json()["size"] == str(len(text))
    nested = run(shop, "extract", {**away, "sourceTable": table("orders")})
    assert "nested schema" in nested["status"]["errorResult"]["message"]
    lines = {**away, "sourceTable": table("orders"), "destinationFormat": "NEWLINE_DELIMITED_JSON"}
    run(shop, "extract", lines)
    assert (
        json.loads(shop.http.get(read, params={"alt": "media"}).text.splitlines()[0])["id"] == "1"
    )


def test_copies(shop: Warehouse) -> None:
    own = {"sourceTable": table("orders"), "destinationTable": table("copied")}
    assert run(shop, "copy", own)["statistics"]["copy"]["copiedRows"] == "3"
    assert run(shop, "copy", own)["status"]["errorResult"]["reason"] == "duplicate"
    run(shop, "copy", {**own, "writeDisposition": "WRITE_APPEND"})
    assert shop.rows("SELECT COUNT(*) FROM shop.copied") == [["6"]]
    gone = run(shop, "copy", {**own, "sourceTable": table("none")})
    assert gone["status"]["errorResult"]["message"] == "Not found: Table p:shop.none"


def test_routines_are_rows(shop: Warehouse) -> None:
    path = "/datasets/shop/routines"
    body = {"routineReference": {"projectId": "p", "datasetId": "shop", "routineId": "twice"},
            "routineType": "SCALAR_FUNCTION", "definitionBody": "x * 2"}  # fmt: skip
    shop.call("POST", path, body)
    assert shop.call("GET", f"{path}/twice")["definitionBody"] == "x * 2"
    assert shop.refused("GET", f"{path}/none")[2] == "Not found: Routine p:shop.none"
    assert shop.refused("POST", path, body)[0] == 409
    assert shop.refused("GET", "/datasets/none/routines")[2] == "Not found: Dataset p:none"


ROUTINE: Any = {
    "routineReference": {"projectId": "p", "datasetId": "shop", "routineId": "above"},
    "routineType": "TABLE_VALUED_FUNCTION",
    "definitionBody": "SELECT id FROM shop.orders WHERE id > least",
    "arguments": [{"name": "least", "dataType": {"typeKind": "INT64"}}],
}


def test_functions_of_a_dataset_are_computed(shop: Warehouse) -> None:
    made = "CREATE FUNCTION shop.twice(x INT64) RETURNS FLOAT64 AS (x * 2)"
    shop.query(made)
    row = shop.call("GET", "/datasets/shop/routines/twice")
    assert (row["returnType"], row["definitionBody"]) == ({"typeKind": "FLOAT64"}, "x * 2")
    assert shop.rows("SELECT shop.twice(id) + `p.shop.twice`(1) FROM shop.orders WHERE id = 2") == [
        ["6.0"]
    ]
    shop.call("POST", "/datasets/shop/routines", ROUTINE)
    found = "SELECT a.id FROM shop.above(shop.twice(1) - 1) AS a ORDER BY 1"
    assert shop.rows(found) == [["2"], ["3"]]
    shop.query("CREATE VIEW shop.seen AS SELECT shop.twice(id) AS x FROM shop.orders")
    assert len(shop.rows("SELECT * FROM shop.seen")) == 3
    assert shop.why_not("SELECT shop.twice(1, 2)")[2].startswith("Number of arguments")
    assert shop.why_not(made)[:2] == (409, "duplicate")
    shop.query(made.replace("CREATE", "CREATE OR REPLACE"))
    shop.query("DROP FUNCTION shop.twice")
    assert shop.why_not("DROP FUNCTION shop.twice")[:2] == (404, "notFound")
    shop.query("DROP FUNCTION IF EXISTS shop.twice")
    js = {**ROUTINE, "language": "JAVASCRIPT", "routineReference":
          {**ROUTINE["routineReference"], "routineId": "js"}}  # fmt: skip
    shop.call("POST", "/datasets/shop/routines", js)
    assert "a function in JAVASCRIPT" in shop.why_not("SELECT * FROM shop.js(1)")[2]


def test_a_function_that_calls_itself_is_refused(shop: Warehouse) -> None:
    shop.query("CREATE FUNCTION shop.f(x INT64) AS (shop.f(x))")
    assert "at most" in shop.why_not("SELECT shop.f(1)")[2]


def test_an_empty_line_is_a_row_where_there_is_one_column(shop: Warehouse) -> None:
    fields = {"fields": [{"name": "x", "type": "STRING"}]}
    load(shop, b"a\n\nb\n", {"schema": fields})
    assert shop.rows("SELECT x FROM shop.loaded") == [["a"], [None], ["b"]]


def test_values_of_all_digits_are_kept(shop: Warehouse) -> None:
    shop.call("POST", "/datasets/shop/tables", {
        "tableReference": table("wide"), "schema": {"fields": [
            {"name": "n", "type": "NUMERIC"}, {"name": "g", "type": "BIGNUMERIC"},
            {"name": "v", "type": "INTERVAL"}, {"name": "w", "type": "DATETIME"}]},
    })  # fmt: skip
    sent = {"n": "9.9999999999999999999999999999999999999E+28", "g": f"9.{'9' * 75}E37",
            "v": "P-1Y2DT-3H", "w": "1-01-01 00:00:00"}  # fmt: skip
    path = "/datasets/shop/tables/wide"
    assert "insertErrors" not in shop.call("POST", f"{path}/insertAll", {"rows": [{"json": sent}]})
    (row,) = shop.call("GET", f"{path}/data")["rows"]
    numeric, big, interval, moment = (each["v"] for each in row["f"])
    assert numeric == f"{'9' * 29}.{'9' * 9}"
    assert big == f"{'9' * 38}.{'9' * 38}"
    assert (interval, moment) == ("-1-0 2 -3:0:0", "0001-01-01T00:00:00")


def test_geographies_and_ranges(shop: Warehouse) -> None:
    found = shop.rows(
        "SELECT ST_GEOGPOINT(1.5, 2), ST_GEOGFROMTEXT('point(0 0)'), TO_JSON('{}'),"
        " RANGE_START(RANGE<DATE> '[2026-01-02, UNBOUNDED)'),"
        " RANGE_END(RANGE<DATE> '[2026-01-02, UNBOUNDED)')"
    )
    assert found == [["POINT(1.5 2)", "POINT(0 0)", '"{}"', "2026-01-02", None]]
    assert "Latitude" in shop.why_not("SELECT ST_GEOGPOINT(1, 91)")[2]
    assert "Invalid WKT" in shop.why_not("SELECT ST_GEOGFROMTEXT('x')")[2]
    assert "no literal" in shop.why_not("SELECT RANGE_START(1)")[2]


def test_a_structure_without_names_is_inserted_by_its_places(shop: Warehouse) -> None:
    shop.query("CREATE TABLE shop.s (x STRUCT<a INT64, b STRING>)")
    shop.query("INSERT INTO shop.s (x) VALUES (STRUCT(1, 'y'))")
    assert shop.rows("SELECT x.a, x.b FROM shop.s") == [["1", "y"]]


def test_a_job_runs_where_its_dataset_is(shop: Warehouse) -> None:
    body = {"datasetReference": {"datasetId": "eu"}, "location": "EU"}
    shop.call("POST", "/datasets", body)
    elsewhere = {"jobReference": {"location": "US"}}
    own = {"sourceTable": table("orders"), "destinationTable": {**table("o"), "datasetId": "eu"}}
    job = shop.call("POST", "/jobs", {"configuration": {"copy": own}, **elsewhere})
    assert "was not found in location US" in job["status"]["errorResult"]["message"]
