"""GoogleSQL: what is computed as the service does, what is refused, and what never runs."""

from typing import Any

import pytest

from tests.mockserver.apis.bigquery.conftest import Warehouse, plain

COMPUTED: list[tuple[str, list[Any]]] = [
    ("1, 1.5, 'a', TRUE, NULL", ["1", "1.5", "a", "true", None]),
    ("7 / 2, DIV(7, 2), MOD(-7, 3), -7 + 1, 2 * 3", ["3.5", "3", "-1", "-6", "6"]),
    ("2147483647 + 1, 9007199254740993", ["2147483648", "9007199254740993"]),
    ("ROUND(2.5), ROUND(-2.5), ROUND(1.25, 1), FLOOR(1.5), CEIL(1.2), ABS(-3)",
     ["3.0", "-3.0", "1.3", "1.0", "2.0", "3"]),
    ("CAST(2.5 AS INT64), CAST(-2.5 AS INT64), CAST('12' AS INT64), SAFE_CAST('x' AS INT64)",
     ["3", "-3", "12", None]),
    ("CAST(1.0 AS STRING), CAST(TRUE AS STRING), CAST(NUMERIC '1.50' AS STRING)",
     ["1", "true", "1.5"]),
    ("CAST('foo' AS BYTES), CAST(b'foo' AS STRING), TO_BASE64(b'foo')", ["Zm9v", "foo", "Zm9v"]),
    ("NUMERIC '1.5', NUMERIC '1.1' * 2, CAST('0.123456789' AS NUMERIC)",
     ["1.5", "2.2", "0.123456789"]),
    ("CONCAT('a', NULL), 'a' || 'b', CONCAT('a', 'b', 'c')", [None, "ab", "abc"]),
    ("UPPER('a'), LENGTH('é'), REVERSE('ab'), REPLACE('aab', 'a', 'x')", ["A", "1", "ba", "xxb"]),
    ("TRIM(' \\n a '), LTRIM('xxa', 'x'), SUBSTR('abc', 0, 2), SUBSTR('abc', -2)",
     ["a", "a", "ab", "bc"]),
    ("STRPOS('abc', 'c'), STARTS_WITH('abc', 'a'), SPLIT('a,b'), LEFT('abc', 2)",
     ["3", "true", ["a", "b"], "ab"]),
    ("REGEXP_CONTAINS('abc', r'b.'), REGEXP_EXTRACT('abc', r'b(.)'),"
     " REGEXP_REPLACE('aXbX', 'X', '-')", ["true", "c", "a-b-"]),
    ("'10%' LIKE '10\\\\%', 'abc' LIKE 'a_c', 'a' LIKE 'b'", ["true", "true", "false"]),
    ("GREATEST(1, NULL), LEAST(3, 2), COALESCE(NULL, 5), IFNULL(NULL, 1), NULLIF(1, 1),"
     " IF(TRUE, 1, 2)",
     [None, "2", "5", "1", None, "1"]),
    ("SAFE_DIVIDE(1, 0), SAFE_DIVIDE(1, 4)", [None, "0.25"]),
    ("[1, 2][OFFSET(1)], [1, 2][ORDINAL(1)], [1][SAFE_OFFSET(5)], ARRAY_LENGTH([1, 2])",
     ["2", "1", None, "2"]),
    ("(1, 'a'), STRUCT(1 AS a, 'b' AS c), STRUCT(2 AS x).x", [["1", "a"], ["1", "b"], "2"]),
    ("ARRAY(SELECT x * 2 FROM UNNEST([1, 2]) AS x), ARRAY_CONCAT([1], [2]), 2 IN UNNEST([1, 2])",
     [["2", "4"], ["1", "2"], "true"]),
    ("GENERATE_ARRAY(1, 3), ARRAY_TO_STRING(['a', 'b'], '-'), ARRAY_REVERSE([1, 2])",
     [["1", "2", "3"], "a-b", ["2", "1"]]),
    ("DATE '2026-01-31', DATE(2026, 1, 2), DATE(TIMESTAMP '2026-01-02 03:04:05')",
     ["2026-01-31", "2026-01-02", "2026-01-02"]),
    ("DATE '2026-01-31', DATE(TIMESTAMP '2026-01-02 03:04:05')", ["2026-01-31", "2026-01-02"]),
    ("DATE_ADD(DATE '2026-01-31', INTERVAL 1 MONTH), DATE_SUB(DATE '2026-03-01', INTERVAL 1 DAY)",
     ["2026-02-28", "2026-02-28"]),
    ("DATE_DIFF(DATE '2026-03-01', DATE '2026-02-27', DAY), DATE_TRUNC(DATE '2026-03-17', MONTH)",
     ["2", "2026-03-01"]),
    ("TIMESTAMP_DIFF(TIMESTAMP '2026-01-01 00:00:01', TIMESTAMP '2026-01-01 00:00:00.9', SECOND)",
     ["0"]),
    ("TIMESTAMP '2026-01-01 00:00:00+01:00', TIMESTAMP_ADD(TIMESTAMP '2026-01-01', INTERVAL"
     " 90 MINUTE)",
     ["1.767222E9", "1.767231E9"]),
    ("DATETIME '2026-01-01 02:03:04.5', TIME '12:34:56', DATETIME(TIMESTAMP '2026-01-01 01:00:00')",
     ["2026-01-01T02:03:04.500000", "12:34:56", "2026-01-01T01:00:00"]),
    ("EXTRACT(YEAR FROM DATE '2026-03-01'), EXTRACT(DAYOFWEEK FROM DATE '2026-03-01'),"
     " EXTRACT(HOUR FROM TIMESTAMP '2026-03-01 09:10:00')", ["2026", "1", "9"]),
    ("FORMAT_DATE('%Y/%m', DATE '2026-03-01'), PARSE_DATE('%Y%m%d', '20260301')",
     ["2026/03", "2026-03-01"]),
    ("CURRENT_DATE(), CURRENT_TIMESTAMP(), CURRENT_DATETIME()",
     ["2026-03-05", "1.772712E9", "2026-03-05T12:00:00"]),
    ("TIMESTAMP_SECONDS(1772712000), UNIX_SECONDS(TIMESTAMP '2026-03-05 12:00:00')",
     ["1.772712E9", "1772712000"]),
    ("JSON_VALUE('{\"a\": {\"b\": \"c\"}}', '$.a.b'), JSON_VALUE('{\"a\": 1}', '$.x')",
     ["c", None]),
    ("1 = 1 AND NOT FALSE, 1 IS NULL, 3 BETWEEN 1 AND 5, 'a' IN ('a', 'b'), 1 <> 2",
     ["true", "false", "true", "true", "true"]),
    ("CASE WHEN 1 > 2 THEN 'a' ELSE 'b' END, EXISTS(SELECT 1), (SELECT MAX(x) FROM UNNEST([1,"
     " 4]) x)",
     ["b", "true", "4"]),
]  # fmt: skip
OVER_ORDERS: list[tuple[str, list[list[Any]]]] = [
    ("SELECT id FROM shop.orders ORDER BY price DESC", [["2"], ["1"], ["3"]]),
    ("SELECT who FROM `p.shop.orders` ORDER BY who", [[None], ["ann"], ["bob"]]),
    ("SELECT o.id, i.sku, i.count FROM shop.orders AS o, UNNEST(o.items) AS i ORDER BY 1, 2",
     [["1", "a", "2"], ["1", "b", "1"], ["3", "a", "5"]]),
    ("SELECT sku, SUM(count) AS n FROM shop.orders, UNNEST(items) GROUP BY sku ORDER BY sku",
     [["a", "7"], ["b", "1"]]),
    ("SELECT tag, o FROM shop.orders, UNNEST(tags) AS tag WITH OFFSET AS o ORDER BY id, o",
     [["new", "0"], ["gift", "1"], ["new", "0"]]),
    ("SELECT id FROM shop.orders WHERE EXISTS(SELECT 1 FROM UNNEST(tags) t WHERE t = 'gift')",
     [["1"]]),
    ("SELECT * EXCEPT (at, tags, items) REPLACE (price * 2 AS price) FROM shop.orders WHERE id = 1",
     [["1", "ann", "5.0", "true"]]),
    ("SELECT COUNT(*), COUNT(who), SUM(price), AVG(price), MIN(id), COUNTIF(paid) FROM shop.orders",
     [["3", "2", "7.0", "2.3333333333333335", "1", "1"]]),
    ("SELECT STRING_AGG(who, '-' ORDER BY who DESC), ARRAY_AGG(id ORDER BY id) FROM shop.orders",
     [["bob-ann", ["1", "2", "3"]]]),
    ("SELECT id, ROW_NUMBER() OVER (ORDER BY price) AS n FROM shop.orders QUALIFY n = 1",
     [["3", "1"]]),
    ("WITH a AS (SELECT id FROM shop.orders) SELECT COUNT(*) FROM a JOIN a AS b USING (id)",
     [["3"]]),
    ("SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 2", [["1"], ["1"], ["2"]]),
    ("SELECT x FROM UNNEST([3, 1]) AS x ORDER BY x LIMIT 1", [["1"]]),
    ("SELECT * FROM UNNEST([(1, 'a'), (2, 'b')])", [["1", "a"], ["2", "b"]]),
    ("SELECT table_name, table_type FROM shop.INFORMATION_SCHEMA.TABLES",
     [["orders", "BASE TABLE"]]),
    ("SELECT column_name, data_type FROM shop.INFORMATION_SCHEMA.COLUMNS WHERE"
     " ordinal_position > 5",
     [["tags", "ARRAY<STRING>"], ["items", "ARRAY<STRUCT<sku STRING, count INT64>>"]]),
    ("CREATE TEMP FUNCTION twice(x INT64) AS (x * 2); SELECT twice(id) FROM shop.orders WHERE"
     " id = 2",
     [["4"]]),
    ("FROM shop.orders |> WHERE id > 1 |> SELECT id", [["2"], ["3"]]),
]  # fmt: skip
REFUSED: list[tuple[str, int, str, str]] = [
    ("SELEC 1", 400, "invalidQuery", 'Syntax error: Unexpected identifier "SELEC" at [1:1]'),
    ("SELECT nope FROM shop.orders", 400, "invalidQuery", "Unrecognized name: nope at [1:8]"),
    ("SELECT id,\n  nope FROM shop.orders", 400, "invalidQuery", "Unrecognized name: nope at"
     " [2:3]"),
    ("SELECT nothing(1)", 400, "invalidQuery", "Function not found: nothing at [1:8]"),
    ("SELECT * FROM shop.none", 404, "notFound",
     "Not found: Table p:shop.none was not found in location US"),
    ("SELECT * FROM none.orders", 404, "notFound",
     "Not found: Dataset p:none was not found in location US"),
    ("SELECT * FROM orders", 400, "invalid",
     'Table "orders" must be qualified with a dataset (e.g. dataset.table).'),
    ("SELECT 1 / 0", 400, "invalidQuery", "division by zero: 1 / 0"),
    ("SELECT [1][OFFSET(3)]", 400, "invalidQuery", "Array index 3 is out of bounds"),
    ("SELECT CAST('1.5' AS INT64)", 400, "invalidQuery", "Bad int64 value: 1.5"),
    ("SELECT 9223372036854775807 + 1", 400, "invalidQuery", "int64 overflow"),
    ("UPDATE shop.orders SET who = 'x'", 400, "invalidQuery", "UPDATE must have a WHERE clause"),
    ("SELECT @a", 400, "invalidQuery", "Query parameter 'a' not found at [1:8]"),
    ("SELECT id, id FROM shop.orders", 400, "invalidQuery", "Duplicate column names"),
    ("SELECT RAND()", 400, "invalidQuery", "function RAND is not computed"),
    ("SELECT GENERATE_UUID()", 400, "invalidQuery", "is not computed by the mock server at [1:8]"),
    ("SELECT * FROM shop.orders TABLESAMPLE SYSTEM (10 PERCENT)", 400, "invalidQuery", "not"
     " computed"),
    ("SELECT DATE_TRUNC(DATE '2026-01-01', WEEK)", 400, "invalidQuery", "the part WEEK"),
    ("SELECT NUMERIC '1' / 3", 400, "invalidQuery", "beside NUMERIC"),
    ("SELECT ARRAY_AGG(who) FROM shop.orders", 400, "invalidQuery", "null element"),
    ("CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 LANGUAGE js AS 'return x'; SELECT f(1)", 400,
     "invalidQuery", "another language"),
    ("EXPORT DATA OPTIONS(uri='gs://b/x', format='CSV') AS SELECT 1", 400, "invalidQuery",
     "EXPORT"),
    ("", 400, "required", "Required parameter is missing: query"),
    ("SELECT " + "(" * 300 + "1" + ")" * 300, 400, "invalidQuery", "too deeply"),
]  # fmt: skip
HOSTILE = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM `/etc/passwd`",
    "SELECT read_text('/etc/passwd')",
    "SELECT getenv('HOME')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM pg_class",
    "COPY shop.orders TO '/tmp/stolen.csv'",
    "ATTACH '/tmp/stolen.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET memory_limit = '100GB'",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "EXPORT DATABASE '/tmp/stolen'",
    "CREATE TABLE shop.x AS SELECT * FROM read_json('/etc/passwd')",
    "SELECT 1; ATTACH 'x'",
    "SELECT REPEAT('x', 1000000000)",
    "SELECT LPAD('x', 1000000000)",
    "SELECT query('SELECT 1')",
    "SELECT * FROM query_table('t0')",
    "SELECT __understudy_key FROM shop.orders",
]


@pytest.mark.parametrize(("sql", "expected"), COMPUTED)
def test_expressions_are_computed(shop: Warehouse, sql: str, expected: list[Any]) -> None:
    assert shop.rows(f"SELECT {sql}") == [expected]


@pytest.mark.parametrize(("sql", "expected"), OVER_ORDERS)
def test_rows_are_queried(shop: Warehouse, sql: str, expected: list[list[Any]]) -> None:
    assert shop.rows(sql) == expected


@pytest.mark.parametrize(("sql", "status", "reason", "words"), REFUSED)
def test_refusals_say_what_and_where(
    shop: Warehouse, sql: str, status: int, reason: str, words: str
) -> None:
    found = shop.why_not(sql)
    assert (found[:2], words in found[2]) == ((status, reason), True), found


@pytest.mark.parametrize("sql", HOSTILE)
def test_nothing_but_rows_is_reached(shop: Warehouse, sql: str) -> None:
    status, _, message = shop.why_not(sql)
    assert (status in {400, 404}, "root:" in message) == (True, False)


@pytest.mark.slow
def test_endless_work_ends(shop: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.apis.bigquery.engine.SECONDS", 0.3)
    many = "UNNEST(GENERATE_ARRAY(1, 100000))"
    for sql in (
        f"SELECT COUNT(*) FROM {many} a, {many} b, {many} c",
        "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT COUNT(*) FROM r",
        f"SELECT ARRAY_AGG(a) FROM {many} a, {many} b",
    ):
        status, reason, _ = shop.why_not(sql)
        assert (status, reason) == (400, "resourcesExceeded")
    grown = "SELECT 'xxxxxxxxxxxxxxxx' AS s"
    for _ in range(40):
        grown = f"SELECT s || s AS s FROM ({grown})"
    assert "10MB" in shop.why_not(grown)[2]


def test_parameters(shop: Warehouse) -> None:
    def given(kind: str, value: Any, name: str = "") -> dict[str, Any]:
        own = {"parameterType": {"type": kind}, "parameterValue": {"value": value}}
        return {"name": name, **own} if name else own

    named = [given("INT64", "3", "n"), given("TIMESTAMP", "2026-03-02 00:00:00+00:00", "t")]
    sql = "SELECT id FROM shop.orders WHERE id < @n AND at > @t"
    assert shop.rows(sql, queryParameters=named, parameterMode="NAMED") == [["2"]]
    several = {
        "parameterType": {"type": "ARRAY", "arrayType": {"type": "INT64"}},
        "parameterValue": {"arrayValues": [{"value": "1"}, {"value": "3"}]},
    }
    pair = {
        "name": "pair",
        "parameterType": {
            "type": "STRUCT",
            "structTypes": [{"name": "x", "type": {"type": "INT64"}},
                            {"name": "y", "type": {"type": "STRING"}}],
        },
        "parameterValue": {"structValues": {"x": {"value": "1"}, "y": {"value": "o'k"}}},
    }  # fmt: skip
    sql = "SELECT id FROM shop.orders WHERE id IN UNNEST(?) AND who = ?"
    assert shop.rows(sql, queryParameters=[several, given("STRING", "ann")]) == [["1"]]
    assert shop.rows("SELECT @pair.y, @pair", queryParameters=[pair]) == [["o'k", ["1", "o'k"]]]
    spans = {
        "parameterType": {"type": "RANGE", "rangeElementType": {"type": "DATE"}},
        "parameterValue": {"rangeValue": {"start": {"value": "2026-03-01"}}},
    }
    found = shop.query("SELECT ?", queryParameters=[spans])
    assert plain(found["rows"]) == [["[2026-03-01, UNBOUNDED)"]]
    assert found["schema"]["fields"][0]["rangeElementType"] == {"type": "DATE"}
    assert "UPPER" in shop.why_not("SELECT UPPER(?)", queryParameters=[spans])[2].upper()
    late = given("TIMESTAMP", 1.4810976e9, "t")
    assert "Invalid timestamp" in shop.why_not("SELECT @t", queryParameters=[late])[2]
    wrong = shop.why_not("SELECT @n", queryParameters=[given("INT64", "x", "n")])
    assert wrong[:2] == (400, "invalidQuery")
    assert "positional" in shop.why_not("SELECT ?, ?", queryParameters=[given("INT64", "1")])[2]


def test_a_dry_run_tells_schema_and_bytes(shop: Warehouse) -> None:
    found = shop.query("SELECT id, who FROM shop.orders", dryRun=True)
    assert [each["name"] for each in found["schema"]["fields"]] == ["id", "who"]
    assert (int(found["totalBytesProcessed"]) > 0, "rows" in found) == (True, False)
    shop.query("DELETE FROM shop.orders WHERE TRUE", dryRun=True)
    assert len(shop.rows("SELECT id FROM shop.orders")) == 3


def test_equal_sessions_answer_alike(shop: Warehouse) -> None:
    sql = "SELECT who, COUNT(*) FROM shop.orders, UNNEST(tags) GROUP BY who"
    assert shop.rows(sql) == shop.rows(sql)
