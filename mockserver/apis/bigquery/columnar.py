"""Rows in forms that hold whole columns or blocks: Arrow, Avro, Parquet and ORC.

Source: the reference of BigQuery's loads, extractions and Storage Read API, which tell the types.
"""

import io
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from importlib.util import find_spec
from typing import Any, NamedTuple

import orjson

from mockserver.apis.bigquery.errors import QueryError
from mockserver.apis.bigquery.values import (
    EPOCH,
    decimal_text,
    is_repeated,
    is_required,
    moment_text,
    parse_moment,
    type_of,
)
from mockserver.googleapi.errors import not_installed
from mockserver.model import JsonMapping, JsonObject

_PACKAGES = {"PARQUET": "pyarrow", "ORC": "pyarrow", "ARROW": "pyarrow", "AVRO": "fastavro"}
FORMATS = ("AVRO", "ORC", "PARQUET")
"""Forms of files that loads read; extractions write those without `ORC`."""
_READ = "Error while reading data, error message: "


def check_installed(method: str, form: str) -> None:
    """Refuse a form whose package is not installed.

    Raises:
        ApiError: 501, with the extra's name.
    """
    package = _PACKAGES[form]
    if find_spec(package) is None:
        why = (
            f"{form.title()} is read and written by {package}, which is not installed: "
            "pip install 'understudy[columnar]'"
        )
        raise not_installed(method, why)


class File(NamedTuple):
    """What a file holds.

    Attributes:
        fields: Its columns, as a schema has them.
        rows: Its rows, as callers of `insertAll` would send them.
    """

    fields: Sequence[JsonObject]
    rows: Sequence[JsonObject]


# --- Python's values and those of rows ---


def _plain(value: Any) -> Any:
    """A value that a reader made, as JSON has it."""
    match value:
        case bytes():
            return b64encode(value).decode()
        case datetime():
            return moment_text(value) if value.tzinfo else value.isoformat()
        case date() | time():
            return value.isoformat()
        case Decimal():
            return decimal_text(value)
        case dict():
            return {name: _plain(each) for name, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _:
            return value


def _interval(value: str) -> tuple[int, int, int]:
    """Months, days and nanoseconds of an interval, `1-2 3 4:5:6.5`."""
    years, days, clock = value.split(" ")
    months = _signed(years, lambda text: [int(each) for each in text.split("-")], (12, 1))
    nanos = _signed(
        clock,
        lambda text: [Decimal(each) for each in text.split(":")],
        (3600 * 10**9, 60 * 10**9, 10**9),
    )
    return int(months), int(days), int(nanos)


def _signed(text: str, read: Callable[[str], Sequence[Any]], units: Sequence[int]) -> Any:
    total = sum(each * unit for each, unit in zip(read(text.lstrip("+-")), units, strict=True))
    return -total if text.startswith("-") else total


def _range_of(element: str) -> Callable[[str], JsonObject]:
    def read(value: str) -> JsonObject:
        start, _, end = value.strip("[)").partition(",")
        bounds = {"start": start.strip(), "end": end.strip()}
        return {
            name: None if text.upper() in {"UNBOUNDED", "NULL", ""} else _OF_ROWS[element](text)
            for name, text in bounds.items()
        }

    return read


_OF_ROWS: Mapping[str, Callable[[Any], Any]] = {
    "BYTES": b64decode,
    "NUMERIC": Decimal,
    "BIGNUMERIC": Decimal,
    "FLOAT": float,
    "DATE": date.fromisoformat,
    "TIME": time.fromisoformat,
    "DATETIME": datetime.fromisoformat,
    "TIMESTAMP": parse_moment,
    "INTERVAL": _interval,
}
"""What reads the values of rows, by their types; others are as they are."""


def _native(field: JsonMapping, value: Any) -> Any:
    """A value of a row as Python has it."""
    if is_repeated(field):
        one = {**field, "mode": "NULLABLE"}
        return [_native(one, each) for each in value or ()]
    if value is None:
        return None
    kind = type_of(field)
    if kind == "RECORD":
        inner = field.get("fields") or ()
        return {str(each["name"]): _native(each, value.get(each["name"])) for each in inner}
    if kind == "RANGE":
        return _range_of(_element(field))(value)
    read = _OF_ROWS.get(kind)
    return value if read is None else read(value)


def _element(field: JsonMapping) -> str:
    return type_of(field.get("rangeElementType") or {}) or "DATE"


# --- Arrow ---


def _arrow_type(field: JsonMapping) -> Any:
    import pyarrow as pa

    kind = type_of(field)
    if kind == "RECORD":
        return pa.struct([_arrow_field(each) for each in field.get("fields") or ()])
    if kind == "RANGE":
        inner = _arrow_type({"type": _element(field)})
        return pa.struct([("start", inner), ("end", inner)])
    made: Mapping[str, Callable[[], Any]] = {
        "INTEGER": pa.int64,
        "FLOAT": pa.float64,
        "BOOLEAN": pa.bool_,
        "BYTES": pa.binary,
        "DATE": pa.date32,
        "TIME": lambda: pa.time64("us"),
        "DATETIME": lambda: pa.timestamp("us"),
        "TIMESTAMP": lambda: pa.timestamp("us", tz="UTC"),
        "NUMERIC": lambda: pa.decimal128(38, 9),
        "BIGNUMERIC": lambda: pa.decimal256(76, 38),
        "INTERVAL": pa.month_day_nano_interval,
    }
    return made.get(kind, pa.string)()


_EXTENSIONS: Mapping[str, Mapping[str, str]] = {
    "GEOGRAPHY": {
        "ARROW:extension:name": "google:sqlType:geography",
        "ARROW:extension:metadata": '{"encoding": "WKT"}',
    },
    "DATETIME": {"ARROW:extension:name": "google:sqlType:datetime"},
    "JSON": {"ARROW:extension:name": "google:sqlType:json"},
}


def _arrow_field(field: JsonMapping) -> Any:
    import pyarrow as pa

    name, kind = str(field["name"]), _arrow_type(field)
    if is_repeated(field):
        item = pa.field("item", kind, metadata=_EXTENSIONS.get(type_of(field)))
        return pa.field(name, pa.list_(item), nullable=False)
    metadata = _EXTENSIONS.get(type_of(field))
    return pa.field(name, kind, nullable=not is_required(field), metadata=metadata)


def _arrow_schema(fields: Sequence[JsonMapping]) -> Any:
    import pyarrow as pa

    return pa.schema([_arrow_field(each) for each in fields])


def arrow_schema_bytes(fields: Sequence[JsonMapping]) -> bytes:
    """The schema of columns as an IPC message."""
    return bytes(_arrow_schema(fields).serialize())


CODECS = ("LZ4_FRAME", "ZSTD")
"""How buffers of record batches may be packed."""


def arrow_batch_bytes(
    fields: Sequence[JsonMapping], rows: Sequence[JsonMapping], codec: str = ""
) -> bytes:
    """Rows as the IPC message of one record batch, its buffers packed by one of `CODECS`."""
    import pyarrow as pa

    schema = _arrow_schema(fields)
    columns = [
        pa.array([_native(field, row.get(field["name"])) for row in rows], type=own.type)
        for field, own in zip(fields, schema, strict=True)
    ]
    batch = pa.record_batch(columns, schema=schema)
    if not codec:
        return bytes(batch.serialize())
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=codec.partition("_")[0].lower())
    writer = pa.ipc.new_stream(sink, schema, options=options)
    writer.write_batch(batch)
    head = len(schema.serialize())  # the stream's own, which is told apart
    content = bytes(sink.getvalue())
    return content[head:]


# --- Parquet and ORC ---


def _arrow_table(form: str, content: bytes) -> Any:
    """The table of a file.

    Raises:
        QueryError: It is none of that form.
    """
    import pyarrow as pa

    try:
        if form == "ORC":
            from pyarrow import orc

            return orc.read_table(io.BytesIO(content))
        from pyarrow import parquet

        return parquet.read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError) as error:
        words = f"{_READ}Input file is not in {form.title()} format."
        raise QueryError("invalid", words) from error


def _decimal_type(kind: Any, targets: Sequence[str]) -> str:
    """The type of a column of decimal numbers: the first that holds all of its numbers.

    Source: reference of `decimalTargetTypes`.
    """
    whole = kind.precision - kind.scale
    fits = {
        "NUMERIC": whole <= 29 and kind.scale <= 9,
        "BIGNUMERIC": whole <= 38 and kind.scale <= 38,
        "STRING": True,
    }
    asked = [each for each in fits if each in targets] or ["NUMERIC"]
    return next((each for each in asked if fits[each]), asked[-1])


def _field_of_arrow(own: Any, asked: JsonMapping) -> JsonObject:
    """The field that a column of Arrow's is."""
    import pyarrow as pa

    kind = own.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        item = _field_of_arrow(kind.value_field, asked)
        if (asked.get("parquetOptions") or {}).get("enableListInference"):
            return {**item, "name": own.name, "mode": "REPEATED"}
        listed: JsonObject = {
            "name": "list", "type": "RECORD", "mode": "REPEATED", "fields": [item],
        }  # fmt: skip
        return {"name": own.name, "type": "RECORD", "mode": "NULLABLE", "fields": [listed]}
    mode = "NULLABLE" if own.nullable else "REQUIRED"
    if pa.types.is_struct(kind):
        inner = [_field_of_arrow(kind.field(at), asked) for at in range(kind.num_fields)]
        return {"name": own.name, "type": "RECORD", "mode": mode, "fields": inner}
    if pa.types.is_decimal(kind):
        return {
            "name": own.name, "mode": mode,
            "type": _decimal_type(kind, asked.get("decimalTargetTypes") or ()),
        }  # fmt: skip
    if pa.types.is_timestamp(kind):
        return {"name": own.name, "type": "TIMESTAMP" if kind.tz else "DATETIME", "mode": mode}
    for test, name in (
        (pa.types.is_integer, "INTEGER"), (pa.types.is_floating, "FLOAT"),
        (pa.types.is_boolean, "BOOLEAN"), (pa.types.is_date, "DATE"), (pa.types.is_time, "TIME"),
        (pa.types.is_binary, "BYTES"), (pa.types.is_large_binary, "BYTES"),
        (pa.types.is_fixed_size_binary, "BYTES"), (pa.types.is_string, "STRING"),
        (pa.types.is_large_string, "STRING"), (pa.types.is_null, "STRING"),
    ):  # fmt: skip
        if test(kind):
            return {"name": own.name, "type": name, "mode": mode}
    raise QueryError("invalid", f"{_READ}Field {own.name} has the type {kind}, which no schema has")


def _shaped(field: JsonMapping, value: Any) -> Any:
    """A value of a file as its field wants it; lists as they are written where it says so."""
    if isinstance(value, list):
        if is_repeated(field):
            one = {**field, "mode": "NULLABLE"}
            return [_shaped(one, each) for each in value]
        inner = (field.get("fields") or [{}])[0]
        item = (inner.get("fields") or [{}])[0]
        return {"list": [{str(item.get("name")): _shaped(item, each)} for each in value]}
    if isinstance(value, dict) and type_of(field) == "RECORD":
        known = {str(each["name"]).casefold(): each for each in field.get("fields") or ()}
        return {name: _shaped(known.get(name.casefold(), {}), each) for name, each in value.items()}
    if isinstance(value, datetime) and type_of(field) == "TIMESTAMP" and not value.tzinfo:
        return moment_text(value)
    return _plain(value)


def _in_microseconds(table: Any) -> Any:
    """A table whose moments are no finer than a row's are."""
    import pyarrow as pa

    for at, own in enumerate(table.schema):
        if pa.types.is_timestamp(own.type) and own.type.unit == "ns":
            kind = pa.timestamp("us", own.type.tz)
        elif pa.types.is_time64(own.type) and own.type.unit == "ns":
            kind = pa.time64("us")
        else:
            continue
        column = table.column(at).cast(kind, safe=False)
        table = table.set_column(at, own.with_type(kind), column)
    return table


def _read_arrow(
    form: str, content: bytes, fields: Sequence[JsonObject], asked: JsonMapping
) -> File:
    table = _in_microseconds(_arrow_table(form, content))
    found = [_field_of_arrow(each, asked) for each in table.schema]
    known = {str(each["name"]).casefold(): each for each in [*found, *fields]}
    _check_decimals(table, [known[each.name.casefold()] for each in table.schema])
    rows = [
        {name: _shaped(known[name.casefold()], value) for name, value in row.items()}
        for row in table.to_pylist()
    ]
    return File(found, rows)


_MOST_NUMERIC = Decimal("99999999999999999999999999999.999999999")


def _check_decimals(table: Any, fields: Sequence[JsonObject]) -> None:
    """Refuse numbers that the type of their column cannot hold.

    Raises:
        QueryError: One is.
    """
    import pyarrow as pa

    for own, field in zip(table.schema, fields, strict=True):
        if not pa.types.is_decimal(own.type) or type_of(field) != "NUMERIC":
            continue
        for each in table.column(own.name).to_pylist():
            if each is not None and (
                each.copy_abs() > _MOST_NUMERIC or len(decimal_text(each).partition(".")[2]) > 9
            ):
                words = f"{own.name} {each} is out of valid NUMERIC range"
                raise QueryError("invalid", f"{_READ}{words}")


def _write_parquet(
    fields: Sequence[JsonMapping], rows: Sequence[JsonMapping], asked: JsonMapping
) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    codec = {"": "none", "NONE": "none", "SNAPPY": "snappy", "GZIP": "gzip", "ZSTD": "zstd"}.get(
        str(asked.get("compression") or "")
    )
    if codec is None:
        raise QueryError("invalid", f"{asked['compression']} is no compression of Parquet")
    plain = [{**each, "type": "STRING"} if type_of(each) == "INTERVAL" else each for each in fields]
    schema = _arrow_schema(plain)
    made = [{str(each["name"]): _native(each, row.get(each["name"])) for each in plain}
            for row in rows]  # fmt: skip
    sink = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(made, schema=schema), sink, compression=codec)
    return sink.getvalue()


# --- Avro ---


_AVRO_TYPES: Mapping[str, Any] = {
    "INTEGER": "long",
    "FLOAT": "double",
    "BOOLEAN": "boolean",
    "BYTES": "bytes",
    "DATE": {"type": "int", "logicalType": "date"},
    "TIME": {"type": "long", "logicalType": "time-micros"},
    "TIMESTAMP": {"type": "long", "logicalType": "timestamp-micros"},
    "DATETIME": {"type": "string", "sqlType": "DATETIME"},
    "NUMERIC": {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 9},
    "BIGNUMERIC": {"type": "bytes", "logicalType": "decimal", "precision": 77, "scale": 38},
    "GEOGRAPHY": {"type": "string", "sqlType": "GEOGRAPHY"},
    "JSON": {"type": "string", "sqlType": "JSON"},
    "INTERVAL": {"type": "string", "sqlType": "INTERVAL"},
}


def _avro_type(field: JsonMapping, around: str) -> Any:
    kind = type_of(field)
    name = f"{around}_{field['name']}"
    own: Any = _AVRO_TYPES.get(kind, "string")
    if kind == "RECORD":
        own = _avro_record(field.get("fields") or (), name)
    if kind == "RANGE":
        ends = [{"name": each, "type": _element(field)} for each in ("start", "end")]
        own = {**_avro_record(ends, name), "sqlType": f"RANGE<{_element(field)}>"}
    if is_repeated(field):
        return {"type": "array", "items": own}
    return own if is_required(field) else ["null", own]


def _avro_record(fields: Sequence[JsonMapping], name: str) -> JsonObject:
    own = [{"name": str(each["name"]), "type": _avro_type(each, name)} for each in fields]
    return {"type": "record", "name": name, "fields": own}


def avro_schema(fields: Sequence[JsonMapping]) -> JsonObject:
    """The schema of columns, as Avro has it in JSON."""
    return _avro_record(fields, "__root__")


_WRITTEN_AS_TEXT = frozenset({"DATETIME", "INTERVAL"})


def _avro_value(field: JsonMapping, value: Any) -> Any:
    if type_of(field) in _WRITTEN_AS_TEXT:
        return value if not is_repeated(field) else list(value or ())
    if type_of(field) == "RECORD" and is_repeated(field):
        return [_avro_row(field.get("fields") or (), each) for each in value or ()]
    if type_of(field) == "RECORD" and value is not None:
        return _avro_row(field.get("fields") or (), value)
    return _native(field, value)


def _avro_row(fields: Sequence[JsonMapping], row: JsonMapping) -> JsonObject:
    return {str(each["name"]): _avro_value(each, row.get(each["name"])) for each in fields}


def avro_block(fields: Sequence[JsonMapping], rows: Sequence[JsonMapping]) -> bytes:
    """Rows in Avro's binary form, one after another and without a schema."""
    import fastavro

    schema = fastavro.parse_schema(avro_schema(fields))
    sink = io.BytesIO()
    for row in rows:
        fastavro.schemaless_writer(sink, schema, _avro_row(fields, row))
    return sink.getvalue()


def _write_avro(
    fields: Sequence[JsonMapping], rows: Sequence[JsonMapping], asked: JsonMapping
) -> bytes:
    import fastavro

    codec = {"": "null", "NONE": "null", "DEFLATE": "deflate"}.get(
        str(asked.get("compression") or "")
    )
    if codec is None:
        raise QueryError(
            "notImplemented",
            f"Unsupported feature: Avro packed by {asked['compression']} is not written by the"
            " mock server; DEFLATE is.",
        )
    sink = io.BytesIO()
    schema = fastavro.parse_schema(avro_schema(fields))
    made = [_avro_row(fields, row) for row in rows]
    fastavro.writer(sink, schema, made, codec=codec, sync_marker=bytes(16))
    return sink.getvalue()


_OF_AVRO = {"int": "INTEGER", "long": "INTEGER", "float": "FLOAT", "double": "FLOAT",
            "boolean": "BOOLEAN", "bytes": "BYTES", "fixed": "BYTES", "string": "STRING",
            "enum": "STRING", "null": "STRING"}  # fmt: skip
_OF_LOGICAL = {"date": "DATE", "time-micros": "TIME", "time-millis": "TIME",
               "timestamp-micros": "TIMESTAMP", "timestamp-millis": "TIMESTAMP",
               "local-timestamp-micros": "DATETIME", "local-timestamp-millis": "DATETIME",
               "decimal": "NUMERIC"}  # fmt: skip


def _field_of_avro(name: str, told: Any, asked: JsonMapping, mode: str = "REQUIRED") -> JsonObject:
    if isinstance(told, list):
        others = [each for each in told if each != "null"]
        if len(others) > 1:
            inner = [
                {**_field_of_avro(f"{_kind_of_avro(each)}_value", each, asked), "mode": "NULLABLE"}
                for each in others
            ]
            return {"name": name, "type": "RECORD", "mode": "NULLABLE", "fields": inner}
        inner_mode = "NULLABLE" if len(others) < len(told) else mode
        return _field_of_avro(name, others[0] if others else "null", asked, inner_mode)
    kind = _kind_of_avro(told)
    if kind == "array":
        return {**_field_of_avro(name, told["items"], asked), "mode": "REPEATED"}
    if kind == "record":
        inner = [_field_of_avro(each["name"], each["type"], asked) for each in told["fields"]]
        return {"name": name, "type": "RECORD", "mode": mode, "fields": inner}
    if kind == "map":
        pair = [{"name": "key", "type": "STRING", "mode": "REQUIRED"},
                _field_of_avro("value", told["values"], asked)]  # fmt: skip
        return {"name": name, "type": "RECORD", "mode": "REPEATED", "fields": pair}
    logical = told.get("logicalType") if isinstance(told, dict) else None
    own = _OF_LOGICAL.get(str(logical)) if asked.get("useAvroLogicalTypes") else None
    return {"name": name, "type": own or _OF_AVRO.get(kind, "STRING"), "mode": mode}


def _kind_of_avro(told: Any) -> str:
    kind = told["type"] if isinstance(told, dict) else told
    return _kind_of_avro(kind) if isinstance(kind, dict) else str(kind)


def _of_avro(field: JsonMapping, value: Any) -> Any:
    """A value of Avro's as its field wants it: without logical types, the number below them."""
    kind = type_of(field)
    if isinstance(value, list):
        return [_of_avro({**field, "mode": "NULLABLE"}, each) for each in value]
    if is_repeated(field) and isinstance(value, dict):  # a map
        inner = (field.get("fields") or [{}, {}])[-1]
        return [{"key": key, "value": _of_avro(inner, each)} for key, each in value.items()]
    if isinstance(value, dict):
        known = {str(each["name"]): each for each in field.get("fields") or ()}
        return {name: _of_avro(known.get(name, {}), each) for name, each in value.items()}
    if kind == "INTEGER":
        match value:
            case datetime():
                return round((value - EPOCH).total_seconds() * 1_000_000)
            case date():
                return value.toordinal() - EPOCH.toordinal()
            case time():
                return ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + (
                    value.microsecond
                )
            case _:
                pass
    if kind == "BYTES" and isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        number = int(value.scaleb(-exponent)) if isinstance(exponent, int) else 0
        return b64encode(number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)).decode()
    return _plain(value)


def _read_avro(form: str, content: bytes, fields: Sequence[JsonObject], asked: JsonMapping) -> File:
    """The rows of an Avro file.

    Raises:
        QueryError: It is none.
    """
    import fastavro

    del form
    try:
        reader = fastavro.reader(io.BytesIO(content))
        told = reader.writer_schema
        if not isinstance(told, dict) or told.get("type") != "record":
            raise QueryError("invalid", f"{_READ}The Avro file's schema is no record.")
        found = [_field_of_avro(each["name"], each["type"], asked) for each in told["fields"]]
        known = {str(each["name"]): each for each in [*found, *fields]}
        rows = [
            {name: _of_avro(known[name], value) for name, value in row.items()}
            for row in reader
            if isinstance(row, dict)
        ]
    except (ValueError, EOFError, KeyError, TypeError, IndexError, OverflowError) as error:
        words = f"{_READ}The Apache Avro library failed to parse the file."
        raise QueryError("invalid", words) from error
    return File(found, rows)


# --- files ---

_READ_FILE: Mapping[str, Callable[..., File]] = {
    "PARQUET": _read_arrow, "ORC": _read_arrow, "AVRO": _read_avro,
}  # fmt: skip
_WRITE_FILE: Mapping[str, Callable[..., bytes]] = {"PARQUET": _write_parquet, "AVRO": _write_avro}


def read_file(form: str, content: bytes, fields: Sequence[JsonObject], asked: JsonMapping) -> File:
    """What a file holds.

    Args:
        form: Its form, of `FORMATS`.
        content: The file.
        fields: The schema that its columns are read as, where the caller or the table has one.
        asked: The load job's configuration.

    Raises:
        QueryError: It is none of that form, or holds what no schema can.
    """
    return _READ_FILE[form](form, content, fields, asked)


def write_file(
    form: str, fields: Sequence[JsonMapping], rows: Sequence[JsonMapping], asked: JsonMapping
) -> bytes:
    """Rows as a file of `PARQUET` or `AVRO`.

    Raises:
        QueryError: Its compression is none of that form.
    """
    return _WRITE_FILE[form](fields, rows, asked)


def schema_text(fields: Sequence[JsonMapping]) -> str:
    """The schema of columns as the text that Avro sessions answer."""
    return orjson.dumps(avro_schema(fields)).decode()


def blocks(rows: Sequence[JsonMapping], size: int) -> Iterator[Sequence[JsonMapping]]:
    """Rows in parts of at most so many.

    Yields:
        Each part.
    """
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
