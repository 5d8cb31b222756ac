"""Read sessions of the Storage Read API: the rows of a table in streams, as Arrow or Avro.

A session reads what its table held when it was made, as the service does. Source: reference of
google.cloud.bigquery.storage.v1. Not imitated: reads of the past, samples, answers that are packed
whole, streams that split.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import timedelta

from mockserver.apis.bigquery import columnar, engine
from mockserver.apis.bigquery.errors import QueryError, refusal
from mockserver.apis.bigquery.tables import (
    READ_SESSIONS,
    RESULTS,
    Name,
    Tables,
    fields_of,
    selected_fields,
)
from mockserver.apis.bigquery.values import moment_text, size_of
from mockserver.googleapi import Call, invalid, not_found
from mockserver.model import JsonObject

_TABLE = re.compile(r"projects/([^/]+)/datasets/([^/]+)/tables/([^/]+)")
_ROWS_OF_STREAM, _ROWS_AT_ONCE = 10_000, 1000
_LIFETIME = timedelta(hours=24)
_FORMATS = ("ARROW", "AVRO")


def create_read_session(call: Call) -> JsonObject:
    """Answers `CreateReadSession`.

    Raises:
        ApiError: 400, 404, or 501 for what is not imitated.
    """
    asked = call.body.get("readSession") or {}
    form = str(asked.get("dataFormat") or "")
    if form not in _FORMATS:
        raise invalid("data_format must be set: AVRO or ARROW.")
    columnar.check_installed(call.id, form)
    named = _TABLE.fullmatch(str(asked.get("table") or ""))
    if named is None:
        raise invalid(
            "read_session.table must be a table: projects/{project}/datasets/{dataset}/tables/"
            "{table}."
        )
    options = asked.get("readOptions") or {}
    _check_imitated(asked, options)
    name, tables = Name(*named.groups()), Tables(call.world)
    row = tables.require_table(name)
    if row.get("view"):
        raise invalid(f"request failed: Only external tables and tables can be read: {name.full}")
    result = call.world.table(RESULTS).get(name.path)
    rows = list(tables.rows(name).in_order() if result is None else result["rows"])
    fields = fields_of(row)
    if options.get("rowRestriction"):
        rows = _restricted(call, fields, rows, str(options["rowRestriction"]))
    wanted = options.get("selectedFields")
    chosen = selected_fields(fields, ",".join(wanted)) if wanted else list(fields)
    most = max(int(call.body.get("maxStreamCount") or 1), 1)
    count = min(most, -(-len(rows) // _ROWS_OF_STREAM))
    place = str(row.get("location") or "US").lower()
    own = f"{call.params['parent']}/locations/{place}/sessions/{call.world.ids.hex('session', 32)}"
    codec = str((options.get("arrowSerializationOptions") or {}).get("bufferCompression") or "")
    kept = {
        "rows": rows, "fields": chosen, "form": form, "streams": count,
        "codec": codec if codec in columnar.CODECS else "",
    }  # fmt: skip
    call.world.put(READ_SESSIONS, own, kept)
    size = str(sum(size_of(each, one.get(each["name"])) for one in rows for each in chosen))
    return {
        **asked, **_schema(form, chosen), "name": own,
        "expireTime": moment_text(call.world.clock.now() + _LIFETIME),
        "streams": [{"name": f"{own}/streams/{at}"} for at in range(count)],
        "estimatedTotalBytesScanned": size, "estimatedRowCount": str(len(rows)),
    }  # fmt: skip


def _check_imitated(asked: JsonObject, options: JsonObject) -> None:
    refused = {
        "reads of the past (table_modifiers.snapshot_time)": (
            (asked.get("tableModifiers") or {}).get("snapshotTime")
        ),
        "samples (read_options.sample_percentage)": options.get("samplePercentage"),
        "compressed answers (response_compression_codec)": (
            str(options.get("responseCompressionCodec") or "").replace(
                "RESPONSE_COMPRESSION_CODEC_UNSPECIFIED", ""
            )
        ),
    }  # fmt: skip
    for words, value in refused.items():
        if value:
            raise refusal(
                "notImplemented", f"Unsupported feature: {words} are not emulated by the mock"
                " server.",
            )  # fmt: skip


def _schema(form: str, fields: Sequence[JsonObject]) -> JsonObject:
    if form == "AVRO":
        return {"avroSchema": {"schema": columnar.schema_text(fields)}}
    content = b64encode(columnar.arrow_schema_bytes(fields)).decode()
    return {"arrowSchema": {"serializedSchema": content}}


def _restricted(
    call: Call, fields: Sequence[JsonObject], rows: Sequence[JsonObject], restriction: str
) -> list[JsonObject]:
    """The rows that a condition holds for, computed as the condition of a query is."""
    engine.check_installed(call.id)
    from mockserver.apis.bigquery.statements import Script

    held = {str(at): row for at, row in enumerate(rows)}
    text = f"SELECT * FROM source WHERE ({restriction})"  # noqa: S608  (the sandbox has this alone)
    script = Script(Tables(call.world), text, temporary={"source": (fields, held)}, project="-")
    try:
        (done,) = script.run()
    except QueryError as error:
        raise error.as_api_error() from error
    except ValueError as error:
        raise invalid("row_restriction must be one condition.") from error
    return list(done.result.rows) if done.result else []


def read_rows(call: Call) -> Iterator[JsonObject]:
    """Answers `ReadRows`: blocks of rows from an offset on.

    Raises:
        ApiError: 400 for an offset behind the end, 404.
    """
    session, number = _stream(call, str(call.params["readStream"]))
    rows = _rows_of(session, number)
    start = int(call.body.get("offset") or 0)
    if not 0 <= start <= len(rows):
        raise refusal("outOfRange", f"request failed: offset {start} is out of range")
    return _answers(session, rows[start:])


def _answers(session: JsonObject, rows: Sequence[JsonObject]) -> Iterator[JsonObject]:
    form, fields, done = session["form"], session["fields"], 0
    for part in columnar.blocks(rows, _ROWS_AT_ONCE):
        if form == "AVRO":
            written = columnar.avro_block(fields, part)
        else:
            written = columnar.arrow_batch_bytes(fields, part, session["codec"])
        content, count = b64encode(written).decode(), str(len(part))
        own: JsonObject = (
            {"avroRows": {"serializedBinaryRows": content, "rowCount": count}}
            if form == "AVRO"
            else {"arrowRecordBatch": {"serializedRecordBatch": content, "rowCount": count}}
        )
        at = (done / len(rows), (done + len(part)) / len(rows))
        stats = {"progress": {"atResponseStart": at[0], "atResponseEnd": at[1]}}
        yield {**own, **({} if done else _schema(form, fields)), "rowCount": count, "stats": stats}
        done += len(part)


def _stream(call: Call, name: str) -> tuple[JsonObject, int]:
    own, _, number = name.partition("/streams/")
    session = call.world.table(READ_SESSIONS).get(own)
    if session is None or not number.isdecimal() or int(number) >= session["streams"]:
        raise not_found(f"Not found: Stream {name}", name=name)
    return session, int(number)


def _rows_of(session: JsonObject, number: int) -> Sequence[JsonObject]:
    rows: Sequence[JsonObject] = session["rows"]
    size = -(-len(rows) // max(session["streams"], 1))
    return rows[number * size : (number + 1) * size]


def split_read_stream(call: Call) -> JsonObject:
    """Answers `SplitReadStream`: nothing, which says that the stream cannot be split."""
    _stream(call, str(call.params["name"]))
    return {}
