"""Files of columns or blocks, and read sessions: what is written is read again."""

import io
from base64 import b64decode
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import orc, parquet

from mockserver.apis.bigquery.columnar import (
    _of_avro,
    _shaped,
    arrow_batch_bytes,
    arrow_schema_bytes,
    avro_block,
    avro_schema,
    read_file,
    write_file,
)
from mockserver.apis.bigquery.errors import QueryError
from mockserver.apis.bigquery.values import read_row, type_of
from mockserver.model import JsonObject
from tests.mockserver.apis.bigquery.conftest import Warehouse
from tests.mockserver.apis.bigquery.test_jobs import STORAGE, load, run, table

FIELDS: list[JsonObject] = [
    {"name": "i", "type": "INTEGER", "mode": "REQUIRED"},
    {"name": "f", "type": "FLOAT", "mode": "NULLABLE"},
    {"name": "b", "type": "BOOLEAN", "mode": "NULLABLE"},
    {"name": "s", "type": "STRING", "mode": "NULLABLE"},
    {"name": "y", "type": "BYTES", "mode": "NULLABLE"},
    {"name": "d", "type": "DATE", "mode": "NULLABLE"},
    {"name": "t", "type": "TIME", "mode": "NULLABLE"},
    {"name": "m", "type": "TIMESTAMP", "mode": "NULLABLE"},
    {"name": "w", "type": "DATETIME", "mode": "NULLABLE"},
    {"name": "n", "type": "NUMERIC", "mode": "NULLABLE"},
    {"name": "g", "type": "BIGNUMERIC", "mode": "NULLABLE"},
    {"name": "r", "type": "RECORD", "mode": "REPEATED",
     "fields": [{"name": "k", "type": "STRING", "mode": "NULLABLE"},
                {"name": "l", "type": "INTEGER", "mode": "REPEATED"}]},
]  # fmt: skip
ROW: JsonObject = {
    "i": 2**62, "f": 0.1, "b": False, "s": "é", "y": "/w==", "d": "0001-02-03",
    "t": "04:05:06.000007", "m": "2026-01-02T03:04:05.000006Z", "w": "2026-01-02T03:04:05",
    "n": "99999999999999999999999999999.999999999", "g": "-0.5",
    "r": [{"k": "a", "l": [1, 2]}, {"l": []}],
}  # fmt: skip
NUMBERS = st.decimals(-(10**20), 10**20, places=9, allow_nan=False)
ROWS = st.fixed_dictionaries(
    {"i": st.integers(-(2**63), 2**63 - 1)},
    optional={
        "f": st.floats(allow_nan=False, allow_infinity=False),
        "b": st.booleans(),
        "s": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
        "d": st.dates().map(lambda each: each.isoformat()),
        "t": st.times().map(lambda each: each.isoformat()),
        "w": st.datetimes().map(lambda each: each.isoformat()),
        "n": NUMBERS.map(str),
        "r": st.lists(st.fixed_dictionaries({"l": st.lists(st.integers(0, 9), max_size=3)})),
    },
)


def kept(fields: Sequence[JsonObject], rows: Sequence[JsonObject]) -> list[JsonObject]:
    """Rows as a table of these fields holds them; an array without items is left out."""
    found = [read_row(fields, each) for each in rows]
    return [{name: each for name, each in row.items() if each != []} for row in found]


@pytest.mark.parametrize("form", ["PARQUET", "AVRO"])
@settings(max_examples=25, deadline=None)
@given(several=st.lists(ROWS, max_size=4))
def test_what_is_written_is_read_again(form: str, several: list[JsonObject]) -> None:
    rows = kept(FIELDS, [ROW, *several])
    content = write_file(form, FIELDS, rows, {})
    asked = {
        "useAvroLogicalTypes": True, "parquetOptions": {"enableListInference": True},
        "decimalTargetTypes": ["NUMERIC", "BIGNUMERIC"],
    }  # fmt: skip
    found = read_file(form, content, FIELDS, asked)
    assert kept(FIELDS, found.rows) == rows
    told = {each["name"]: type_of(each) for each in found.fields}
    own = {each["name"]: type_of(each) for each in FIELDS}
    # Avro has no type for it, and tells the decimal's without its size
    others = {"w": "STRING", "g": "NUMERIC"} if form == "AVRO" else {}
    assert told == own | others


def test_an_arrow_batch_is_one_of_its_schema() -> None:
    schema = pa.ipc.read_schema(pa.py_buffer(arrow_schema_bytes(FIELDS)))
    assert schema.field("g").type == pa.decimal256(76, 38)
    assert schema.field("w").metadata[b"ARROW:extension:name"] == b"google:sqlType:datetime"
    for codec in ("", "LZ4_FRAME", "ZSTD"):
        content = arrow_batch_bytes(FIELDS, kept(FIELDS, [ROW] * 3), codec)
        batch = pa.ipc.read_record_batch(pa.py_buffer(content), schema)
        assert batch.num_rows == 3
        assert batch.column("n")[0].as_py() == Decimal(ROW["n"])


@pytest.mark.parametrize("form", ["PARQUET", "AVRO", "ORC"])
def test_what_is_no_file_of_its_form_is_refused(form: str) -> None:
    with pytest.raises(QueryError, match="Error while reading data"):
        read_file(form, b"no file", (), {})


def test_lists_of_parquet_are_as_written_unless_they_are_to_be_inferred() -> None:
    sink = io.BytesIO()
    parquet.write_table(pa.table({"l": [[1, 2]]}), sink)
    (field,) = read_file("PARQUET", sink.getvalue(), (), {}).fields
    assert (field["type"], field["fields"][0]["name"]) == ("RECORD", "list")
    (row,) = read_file("PARQUET", sink.getvalue(), (), {}).rows
    assert row == {"l": {"list": [{"element": 1}, {"element": 2}]}}


def test_numbers_that_a_column_cannot_hold_are_refused() -> None:
    sink = io.BytesIO()
    many = pa.array([Decimal("1.0000000000001")], pa.decimal128(38, 13))
    parquet.write_table(pa.table({"n": many}), sink)
    with pytest.raises(QueryError, match="out of valid NUMERIC range"):
        read_file("PARQUET", sink.getvalue(), (), {"decimalTargetTypes": ["NUMERIC"]})
    (field,) = read_file("PARQUET", sink.getvalue(), (), {"decimalTargetTypes": ["STRING"]}).fields
    assert field["type"] == "STRING"


def test_files_are_loaded_and_extracted(shop: Warehouse) -> None:
    sink = io.BytesIO()
    orc.write_table(pa.table({"id": [7, 8], "who": ["ann", None]}), sink)
    job = load(shop, sink.getvalue(), {"sourceFormat": "ORC"})
    assert job["statistics"]["load"]["outputRows"] == "2"
    assert shop.rows("SELECT who, id FROM shop.loaded ORDER BY id") == [["ann", "7"], [None, "8"]]
    for form in ("AVRO", "PARQUET"):
        own: JsonObject = {"sourceTable": table("orders"), "destinationFormat": form,
               "destinationUris": [f"gs://files/{form}"]}  # fmt: skip
        assert run(shop, "extract", own)["status"] == {"state": "DONE"}
        copy = f"copy_{form}"
        own = {"sourceUris": [f"gs://files/{form}"], "sourceFormat": form,
               "destinationTable": table(copy), "useAvroLogicalTypes": True,
               "parquetOptions": {"enableListInference": True}}  # fmt: skip
        assert run(shop, "load", own)["status"] == {"state": "DONE"}
        columns = "id, who, at, price, paid, tags, items"
        first = shop.rows(f"SELECT {columns} FROM shop.orders ORDER BY id")
        assert shop.rows(f"SELECT {columns} FROM shop.{copy} ORDER BY id") == first
    assert shop.http.get(STORAGE.replace("/upload", "") + "/AVRO").json()["size"] != "0"


READ = "https://bigquerystorage.googleapis.com/google.cloud.bigquery.storage.v1.BigQueryRead"
ORDERS = "projects/p/datasets/shop/tables/orders"


def session(shop: Warehouse, **own: Any) -> Any:
    body = {"readSession": {"table": ORDERS, "dataFormat": "AVRO", **own}, "maxStreamCount": 3}
    return shop.http.post(f"{READ}/projects/p:createReadSession", json=body).json()


def test_a_session_reads_what_its_table_held(shop: Warehouse) -> None:
    options = {"selectedFields": ["id", "who"], "rowRestriction": "who IS NOT NULL"}
    made = session(shop, readOptions=options)
    assert made["estimatedRowCount"] == "2"
    shop.query("DELETE FROM shop.orders WHERE TRUE")
    (stream,) = made["streams"]
    answer = shop.http.post(f"{READ}/{stream['name']}:readRows", json={}).json()
    found = answer[0] if isinstance(answer, list) else answer
    content = io.BytesIO(b64decode(found["avroRows"]["serializedBinaryRows"]))
    schema = fastavro.parse_schema(avro_schema([
        {"name": "id", "type": "INTEGER", "mode": "REQUIRED"}, {"name": "who", "type": "STRING"},
    ]))  # fmt: skip
    assert [fastavro.schemaless_reader(content, schema) for _ in range(2)] == [
        {"id": 1, "who": "ann"}, {"id": 2, "who": "bob"},
    ]  # fmt: skip
    past = shop.http.post(f"{READ}/{stream['name']}:readRows", json={"offset": "3"})
    assert past.status_code == 400
    assert shop.http.post(f"{READ}/{stream['name']}9:readRows", json={}).status_code == 404


def test_the_parts_of_a_session_are_its_rows() -> None:
    rows = [{"i": at} for at in range(7)]
    joined = b"".join(avro_block(FIELDS[:1], rows[at : at + 3]) for at in (0, 3, 6))
    assert joined == avro_block(FIELDS[:1], rows)


@pytest.mark.parametrize(
    ("own", "status"),
    [
        ({"dataFormat": ""}, 400),
        ({"table": "orders"}, 400),
        ({"table": ORDERS + "_"}, 404),
        ({"readOptions": {"rowRestriction": "who = "}}, 400),
        ({"readOptions": {"rowRestriction": "TRUE); SELECT (1"}}, 400),
        ({"readOptions": {"selectedFields": ["no"]}}, 400),
        ({"readOptions": {"samplePercentage": 5}}, 501),
        ({"tableModifiers": {"snapshotTime": "2026-01-01T00:00:00Z"}}, 501),
    ],
)
def test_a_session_that_cannot_be_is_refused(shop: Warehouse, own: Any, status: int) -> None:
    assert session(shop, **own)["error"]["code"] == status


INNER: JsonObject = {"name": "r", "type": "RECORD", "fields": [{"name": "n", "type": "INTEGER"}]}
MAP: JsonObject = {"name": "m", "type": "RECORD", "mode": "REPEATED", "fields": [
    {"name": "key", "type": "STRING"}, {"name": "value", "type": "INTEGER"},
]}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        ({"type": "INTEGER"}, datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC), 1_000_005),
        ({"type": "INTEGER"}, date(1970, 1, 3), 2),
        ({"type": "INTEGER"}, time(1, 2, 3, 4), 3_723_000_004),
        ({"type": "INTEGER"}, 7, 7),
        ({"type": "INTEGER", "mode": "REPEATED"}, [date(1970, 1, 2), 5], [1, 5]),
        ({"type": "BYTES"}, Decimal("1.27"), "fw=="),
        ({"type": "BYTES"}, Decimal("1.28"), "AIA="),
        ({"type": "BYTES"}, Decimal("-1.28"), "/4A="),
        ({"type": "BYTES"}, Decimal(255), "AP8="),
        (INNER, {"n": date(1970, 1, 2), "x": 1}, {"n": 1, "x": 1}),
        (MAP, {"a": date(1970, 1, 2)}, [{"key": "a", "value": 1}]),
    ],
)  # fmt: skip
def test_values_of_avro_without_logical_types_are_numbers(
    field: JsonObject, value: Any, read: Any
) -> None:
    assert _of_avro({"name": "a", **field}, value) == read


LISTED: JsonObject = {"name": "l", "type": "RECORD", "fields": [
    {"name": "list", "type": "RECORD", "mode": "REPEATED", "fields": [INNER]},
]}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "shaped"),
    [
        (
            {"type": "TIMESTAMP"},
            datetime.fromisoformat("2026-03-05T01:02:03"),
            "2026-03-05T01:02:03Z",
        ),
        ({"type": "INTEGER", "mode": "REPEATED"}, [1, 2], [1, 2]),
        ({"type": "JSON"}, {"N": 1}, {"N": 1}),
        (INNER, {"N": 1, "x": None}, {"N": 1, "x": None}),
        (LISTED, [{"n": 1}], {"list": [{"r": {"n": 1}}]}),
    ],
)
def test_values_of_files_are_shaped_as_their_fields_want_them(
    field: JsonObject, value: Any, shaped: Any
) -> None:
    assert _shaped({"name": "a", **field}, value) == shaped
