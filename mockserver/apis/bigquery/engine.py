"""The calculator of queries: DuckDB in memory, which sees only the rows that it is handed.

It has neither files nor network nor extensions, and its memory, time and answers are limited. What
it computes goes back into the session's rows; it keeps nothing itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_UP, Context, Decimal
from importlib.util import find_spec
from itertools import islice
from threading import Timer
from typing import Any

import orjson

from mockserver.apis.bigquery.errors import QueryError, invalid_query
from mockserver.apis.bigquery.values import (
    decimal_text,
    is_repeated,
    is_required,
    moment_text,
    type_of,
)
from mockserver.googleapi.errors import not_installed
from mockserver.model import Json, JsonMapping, JsonObject

KEY = "__understudy_key"
"""The column that tells which row of the session a row is."""
SECONDS = 20.0
"""How long one statement may take."""
_MEMORY = "512MB"
MOST_ROWS, MOST_BYTES = 200_000, 64_000_000
_AT_ONCE, _LOADED = 1000, 20_000
_SETTINGS: Mapping[str, Any] = {
    "threads": 1,
    "memory_limit": _MEMORY,
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "temp_directory": "",
    "max_temp_directory_size": "0B",
}
_AFTERWARDS = (
    "SET TimeZone='UTC'",
    "SET python_scan_all_frames=false",
    "SET python_enable_replacements=false",
    "SET lock_configuration=true",
)


_NEEDED = ("duckdb", "sqlglot")


def is_installed() -> bool:
    """Whether queries can be computed."""
    return all(find_spec(name) is not None for name in _NEEDED)


def check_installed(method: str) -> None:
    """Refuse a query where the packages that compute it are not installed.

    Raises:
        ApiError: 501, with the extra's name.
    """
    if not is_installed():
        lacking = [name for name in _NEEDED if find_spec(name) is None]
        why = (
            f"queries are computed by {' and '.join(lacking)}, which is not installed: "
            "pip install 'understudy[bigquery]'"
        )
        raise not_installed(method, why)


@dataclass(frozen=True)
class Result:
    """What a statement answers.

    Attributes:
        fields: Its columns, as a schema has them.
        rows: Its rows, as the session's rows are.
    """

    fields: Sequence[JsonObject]
    rows: Sequence[JsonObject]


class Calculator:
    """One connection, for the statements of one job.

    Args:
        text: The query, for the places of what is wrong with it.
    """

    def __init__(self, text: str) -> None:
        import duckdb

        from mockserver.apis.bigquery.dialect import MACROS

        self._text = text
        self._errors = duckdb
        self._link = duckdb.connect(":memory:", config=dict(_SETTINGS))
        for each in _AFTERWARDS:
            self._link.execute(each)
        for each in MACROS:
            self._link.execute(f"CREATE MACRO {each}")

    def close(self) -> None:
        """Give its memory back."""
        self._link.close()

    def put_table(
        self, name: str, fields: Sequence[JsonMapping], rows: Mapping[str, JsonMapping], *,
        with_keys: bool,
    ) -> None:  # fmt: skip
        """Make a table of the session's rows.

        Args:
            name: What it is called here.
            fields: Its schema.
            rows: Its rows, by their keys.
            with_keys: Whether it is to be written, so that a column says which row is which.
        """
        from mockserver.apis.bigquery.dialect import duck_type

        columns = [(str(each["name"]), duck_type(dict(each)), each) for each in fields]
        if not columns:
            raise QueryError("invalid", f"Table {name} does not have a schema.")
        listed = [f"{KEY} VARCHAR"] if with_keys else []
        listed += [
            f"{_quoted(label)} {kind}{' NOT NULL' if is_required(field) else ''}"
            for label, kind, field in columns
        ]
        self._link.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(listed)})")
        if not rows:
            return
        shape = {KEY: "VARCHAR"} | {label: _shape(field) for label, _, field in columns}
        told = orjson.dumps(shape).decode().replace("'", "''")
        taken = [f"r.{_quoted(KEY)}"] if with_keys else []
        taken += [_from_json(f"r.{_quoted(label)}", field) for label, _, field in columns]
        source = f"(SELECT unnest(from_json(?, '[{told}]')) AS r)"
        insertion = f"INSERT INTO {_quoted(name)} FROM {source} SELECT {', '.join(taken)}"
        held = iter(rows.items())
        with self._limited():
            while part := [{KEY: key, **row} for key, row in islice(held, _LOADED)]:
                self._link.execute(insertion, [orjson.dumps(part).decode()])

    def run(self, sql: str) -> None:
        """Run a statement that answers nothing.

        Raises:
            QueryError: It cannot be run, or takes too much.
        """
        with self._limited():
            self._link.execute(sql)

    def ask(self, sql: str, most: int = MOST_ROWS) -> Result:
        """The answer of a statement.

        Raises:
            QueryError: It cannot be run, or takes or answers too much.
        """
        with self._limited():
            found = self._link.execute(sql)
            columns = [(str(each[0]), *_column(each[1])) for each in found.description or ()]
            names = [name.casefold() for name, _, _ in columns]
            twice = sorted({name for name, _, _ in columns if names.count(name.casefold()) > 1})
            if twice:
                raise invalid_query(
                    "Duplicate column names in the result are not supported when a destination"
                    f" table is present. Found duplicate(s): {', '.join(twice)}"
                )
            rows: list[JsonObject] = []
            size = 0
            while part := found.fetchmany(_AT_ONCE):
                for values in part:
                    row = {}
                    for (name, _, read), value in zip(columns, values, strict=True):
                        if value is None:
                            continue
                        made = read(value)
                        row[name] = made
                        size += len(made) if isinstance(made, str) else 8
                    rows.append(row)
                if len(rows) > most or size > MOST_BYTES:
                    raise QueryError(
                        "responseTooLarge", "Response too large to return. Consider specifying a"
                        " destination table in your job configuration.",
                    )  # fmt: skip
        return Result([{"name": name, **field} for name, field, _ in columns], rows)

    def schema(self, sql: str) -> Sequence[JsonObject]:
        """The columns of a statement's answer, which is not computed."""
        return self.ask(f"FROM ({sql}) LIMIT 0").fields

    @contextmanager
    def _limited(self) -> Iterator[None]:
        timer = Timer(SECONDS, self._link.interrupt)
        timer.daemon = True
        timer.start()
        errors = self._errors
        try:
            yield
        except errors.InterruptException as error:
            words = f"Query exceeded resource limits: it ran for more than {SECONDS:.0f} s."
            raise QueryError("resourcesExceeded", words) from error
        except errors.OutOfMemoryException as error:
            words = (
                "Resources exceeded during query execution: The query could not be executed in the"
                " allotted memory."
            )
            raise QueryError("resourcesExceeded", words) from error
        except errors.Error as error:
            raise worded(self._text, str(error)) from error
        except (OverflowError, ValueError) as error:
            raise invalid_query(f"A value of the result cannot be told: {error}") from error
        finally:
            timer.cancel()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _shape(field: JsonMapping) -> Json:
    """The form of a column in JSON, as `from_json` wants it."""
    kind = type_of(field)
    if kind == "RECORD":
        one: Json = {str(each["name"]): _shape(each) for each in field.get("fields") or ()}
    else:
        from mockserver.apis.bigquery.dialect import DUCK_TYPES

        one = "VARCHAR" if kind in {"BYTES", "JSON"} else DUCK_TYPES[kind]
    return [one] if is_repeated(field) else one


def _holds(field: JsonMapping, kinds: frozenset[str]) -> bool:
    return type_of(field) in kinds or any(_holds(each, kinds) for each in field.get("fields") or ())


_ENCODED = frozenset({"BYTES", "JSON", "RANGE", "INTERVAL", "GEOGRAPHY"})


def _from_json(place: str, field: JsonMapping, depth: int = 0) -> str:
    """The value of a column of what `from_json` makes: bytes are base64 there."""
    if not _holds(field, _ENCODED):
        return place
    if is_repeated(field):
        one = f"x{depth}"
        inner = _from_json(one, {**field, "mode": "NULLABLE"}, depth + 1)
        return f"list_transform({place}, lambda {one}: {inner})"
    if type_of(field) == "RECORD":
        parts = (
            f"{_quoted(str(each['name']))} := "
            + _from_json(f"{place}.{_quoted(str(each['name']))}", each, depth)
            for each in field.get("fields") or ()
        )
        return f"CASE WHEN {place} IS NULL THEN NULL ELSE struct_pack({', '.join(parts)}) END"
    if type_of(field) in {"BYTES", "JSON"}:
        return f"from_base64({place})" if type_of(field) == "BYTES" else f"CAST({place} AS JSON)"
    from mockserver.apis.bigquery.dialect import marker

    made = f"struct_pack({_quoted(marker(field))} := {place})"
    return f"CASE WHEN {place} IS NULL THEN NULL ELSE {made} END"


Read = Callable[[Any], Json]


def _read_decimal(digits: int) -> Read:
    unit, exact = Decimal(1).scaleb(-digits), Context(prec=76)
    return lambda value: decimal_text(value.quantize(unit, ROUND_HALF_UP, exact))


def _read_float(value: float) -> Json:
    if value != value:
        return "NaN"
    return value if abs(value) != float("inf") else "Infinity" if value > 0 else "-Infinity"


def _read_integer(value: int) -> Json:
    if not -(2**63) <= value < 2**63:
        raise invalid_query(f"int64 overflow: {value}")
    return value


def _read_bytes(value: bytes) -> Json:
    from base64 import b64encode

    return b64encode(value).decode()


def _read_moment(value: datetime) -> Json:
    return moment_text(value.astimezone(UTC))


def _read_iso(value: date | time | datetime) -> Json:
    return value.isoformat()


def _read_document(value: str) -> Json:
    return orjson.dumps(orjson.loads(value)).decode()


_READERS: Mapping[str, tuple[str, Read]] = {
    "boolean": ("BOOLEAN", bool),
    "varchar": ("STRING", str),
    "blob": ("BYTES", _read_bytes),
    "float": ("FLOAT", _read_float),
    "double": ("FLOAT", _read_float),
    "date": ("DATE", _read_iso),
    "time": ("TIME", _read_iso),
    "timestamp": ("DATETIME", _read_iso),
    "timestamp with time zone": ("TIMESTAMP", _read_moment),
    '"null"': ("INTEGER", str),
    "null": ("INTEGER", str),
    **dict.fromkeys(
        ("tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger",
         "ubigint", "uhugeint"),
        ("INTEGER", _read_integer),
    ),
}  # fmt: skip


def _column(kind: Any) -> tuple[JsonObject, Read]:
    """The field that a column of DuckDB is, and what reads its values.

    Raises:
        QueryError: It is of a type that no schema has.
    """
    if str(kind).upper() == "JSON":
        return {"type": "JSON", "mode": "NULLABLE"}, _read_document
    ident = kind.id
    if ident == "decimal":
        scale = dict(kind.children)["scale"]
        name, digits = ("BIGNUMERIC", 38) if scale == 18 else ("NUMERIC", 9)
        return {"type": name, "mode": "NULLABLE"}, _read_decimal(min(digits, 18))
    if ident == "list":
        field, read = _column(kind.children[0][1])
        if field["mode"] == "REPEATED":
            raise invalid_query("Cannot construct array with element type ARRAY because nested"
                                " arrays are not supported")  # fmt: skip

        def read_list(values: list[Any]) -> Json:
            if None in values:
                raise invalid_query("Array cannot have a null element; error in writing field")
            return [read(each) for each in values]

        return {**field, "mode": "REPEATED"}, read_list
    if ident == "struct" and str(kind.children[0][0]).startswith("__"):
        name = str(kind.children[0][0])
        own, _, element = name.removeprefix("__").partition(" ")
        told = {"rangeElementType": {"type": element}} if element else {}
        return {"type": own, "mode": "NULLABLE", **told}, lambda value: str(value[name])
    if ident == "struct":
        parts = [(name, *_column(inner)) for name, inner in kind.children]
        fields = [{"name": name, **field} for name, field, _ in parts]

        def read_struct(value: dict[str, Any]) -> Json:
            return {name: read(value[name]) for name, _, read in parts if value[name] is not None}

        return {"type": "RECORD", "mode": "NULLABLE", "fields": fields}, read_struct
    known = _READERS.get(ident) or _READERS.get(str(kind).lower())
    if known is None:
        raise invalid_query(f"Unsupported feature: results of type {kind} are not computed here",
                            emulated=False)  # fmt: skip
    return {"type": known[0], "mode": "NULLABLE"}, known[1]


_WORDS: Sequence[tuple[str, str]] = (
    (r'Referenced column "(.*?)" (?:was )?not found', "Unrecognized name: {0}"),
    (r'Referenced table "(.*?)" not found', "Unrecognized name: {0}"),
    (r'Values list "(.*?)" does not have a column named "(.*?)"', "Name {1} not found inside {0}"),
    (r'[Tt]able "(.*?)" does not have a column named "(.*?)"', "Name {1} not found inside {0}"),
    (r'[Tt]able ".*?" does not have a column with name "(.*?)"',
     "Column {0} is not present in the table"),
    (r'mismatch for (insert) on ".*?": expected (\d+) columns but (\d+) values',
     "Inserted row has wrong column count; Has {2}, expected {1}"),
    (r'[Cc]olumn "(.*?)" must appear in the GROUP BY', "SELECT list expression references column"
     " {0} which is neither grouped nor aggregated"),
    (r'Ambiguous reference to column name "(.*?)"', "Column name {0} is ambiguous"),
    (r'Could not find key "(.*?)" in struct', "Field name {0} does not exist in STRUCT"),
    (r"Could not convert string '(.*?)' to INT", "Bad int64 value: {0}"),
    (r"Could not convert string '(.*?)' to DOUBLE", "Bad double value: {0}"),
    (r"Could not convert string '(.*?)' to BOOL", "Bad bool value: {0}"),
    (r'(?:invalid date field format|date field value out of range): "(.*?)"',
     "Invalid date: '{0}'"),
    (r'(?:invalid timestamp field format|timestamp field value out of range): "(.*?)"',
     "Invalid timestamp: '{0}'"),
    (r"Overflow in (\w+) of INT64 \((.*?)\)", "int64 overflow: {1}"),
    (r"NOT NULL constraint failed: \w*\.?(.*)", "Required field {0} cannot be null"),
    (r"Scalar Function with name (\S+) does not exist", "Function not found: {0}"),
    (r"No function matches the given name and argument types '(.*?)'",
     "No matching signature for {0}"),
    (r"More than one row returned by a subquery", "Scalar subquery produced more than one element"),
    (r"Invalid Input Error: (.*)", "{0}"),
)  # fmt: skip


def worded(text: str, message: str) -> QueryError:
    """What DuckDB says of a query, as BigQuery says it.

    >>> worded("SELECT x", 'Binder Error: Referenced column "x" not found in FROM clause!').message
    'Unrecognized name: x at [1:8]'
    """
    from mockserver.apis.bigquery.dialect import place_of_word

    for pattern, words in _WORDS:
        found = re.search(pattern, message)
        if found:
            groups = [str(each) for each in found.groups()]
            said = words.format(*groups)
            is_place = "Binder" in message or "Catalog" in message
            where = (
                f" {place_of_word(text, groups[0].split('(')[0])}" if is_place and groups else ""
            )
            return invalid_query(f"{said}{where}")
    first = re.sub(r"^\w+ Error: ", "", message.splitlines()[0]).replace(KEY, "")
    return invalid_query(f"{first} at [1:1]")
