"""Values of BigQuery's types: as clients send them, as rows hold them, as answers have them.

Rows hold numbers, booleans and texts of JSON: `NUMERIC`, times and bytes (base64) are texts, `JSON`
is the text of a document.
"""

import math
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

import orjson

from mockserver.model import Json, JsonMapping, JsonObject

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ALIASES = {
    "INT64": "INTEGER", "INT": "INTEGER", "SMALLINT": "INTEGER", "BIGINT": "INTEGER",
    "TINYINT": "INTEGER", "BYTEINT": "INTEGER", "FLOAT64": "FLOAT", "BOOL": "BOOLEAN",
    "STRUCT": "RECORD", "DECIMAL": "NUMERIC", "BIGDECIMAL": "BIGNUMERIC",
}  # fmt: skip
STANDARD_NAMES = {"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT"}
"""Types of schemas to what queries call them, where these differ."""
TYPES = frozenset({
    "STRING", "BYTES", "INTEGER", "FLOAT", "NUMERIC", "BIGNUMERIC", "BOOLEAN", "TIMESTAMP", "DATE",
    "TIME", "DATETIME", "GEOGRAPHY", "JSON", "RECORD", "RANGE", "INTERVAL",
})  # fmt: skip
_MOMENT = re.compile(
    r"(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,12}))?)?)?"
    r"\s*(Z|z|UTC|[+-]\d{1,2}(?::?\d{2})?)?"
)
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?")
_ZONE = re.compile(r"([+-])(\d{1,2})(?::?(\d{2}))?")
_INTEGER = re.compile(r"[+-]?\d{1,30}")
_LEAST, _GREATEST = -(2**63), 2**63 - 1
_LARGEST = {
    "NUMERIC": Decimal(10) ** 29,
    "BIGNUMERIC": Decimal(
        "578960446186580977117854925043439539266.34992332820282019728792003956564819968"
    ),
}
_DIGITS = {"NUMERIC": 9, "BIGNUMERIC": 38}


def type_of(field: JsonMapping) -> str:
    """The type of a field, by the name that schemas answer.

    >>> type_of({"type": "int64"}), type_of({"type": "STRING"})
    ('INTEGER', 'STRING')
    """
    name = str(field.get("type", "")).upper()
    return _ALIASES.get(name, name)


def is_repeated(field: JsonMapping) -> bool:
    """Whether a field holds several values."""
    return str(field.get("mode", "")).upper() == "REPEATED"


def is_required(field: JsonMapping) -> bool:
    """Whether a field must have a value."""
    return str(field.get("mode", "")).upper() == "REQUIRED"


class ValueRefusedError(ValueError):
    """A value that a field cannot hold.

    Attributes:
        place: The path of the field, `items[0].price`.
        message: The sentence that the service answers.
    """

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


def parse_moment(text: str) -> datetime:
    """The moment that a text tells; UTC where it names no zone.

    Raises:
        ValueError: It is none.

    >>> parse_moment("2026-01-02 03:04:05.5+01:00").isoformat()
    '2026-01-02T02:04:05.500000+00:00'
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    micros = int((fraction or "")[:6].ljust(6, "0"))
    moment = datetime(
        int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0),
        micros, tzinfo=UTC,
    )  # fmt: skip
    offset = _ZONE.fullmatch(zone or "")
    if offset is None:
        return moment
    sign, hours, minutes = offset.groups()
    away = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return moment - away if sign == "+" else moment + away


def moment_text(moment: datetime) -> str:
    """A moment as rows hold it.

    >>> moment_text(EPOCH)
    '1970-01-01T00:00:00Z'
    """
    return moment.replace(tzinfo=None).isoformat() + "Z"


def decimal_text(value: Decimal) -> str:
    """A decimal number without trailing zeros or an exponent.

    >>> decimal_text(Decimal("1.500")), decimal_text(Decimal("1E+3"))
    ('1.5', '1000')
    """
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


def _integer(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError(value)
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError(value)
        value = int(value)
    elif not isinstance(value, int):
        text = str(value).strip()
        if _INTEGER.fullmatch(text) is None:
            raise ValueError(value)
        value = int(text)
    if not _LEAST <= value <= _GREATEST:
        raise ValueError(value)
    return int(value)


def _float(value: Any) -> float | str:
    if isinstance(value, bool):
        raise TypeError(value)
    found = float(value)
    if math.isnan(found):
        return "NaN"
    if math.isinf(found):
        return "Infinity" if found > 0 else "-Infinity"
    return found


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"true": True, "t": True, "yes": True, "y": True, "1": True,
             "false": False, "f": False, "no": False, "n": False, "0": False}  # fmt: skip
    return words[str(value).strip().lower()]


def _decimal(kind: str, value: Any) -> str:
    if isinstance(value, bool):
        raise TypeError(value)
    number = Decimal(repr(value) if isinstance(value, float) else str(value).strip())
    if not number.is_finite() or number.copy_abs() >= _LARGEST[kind] or number.adjusted() < -400:
        raise ValueError(value)
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > _DIGITS[kind]:
        raise ValueError(value)
    return decimal_text(number)


def _string(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        raise TypeError(value)
    return str(value)


def _bytes(value: Any) -> str:
    text = "".join(str(value).split())
    padded = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
    return b64encode(b64decode(padded, validate=True)).decode()


def _timestamp(value: Any) -> str:
    if isinstance(value, bool):
        raise TypeError(value)
    text = str(value).strip()
    try:
        number = Decimal(text)
    except InvalidOperation:
        return moment_text(parse_moment(text))
    return moment_text(EPOCH + timedelta(microseconds=int(number * 1_000_000)))


def _date(value: Any) -> str:
    found = _DATE.fullmatch(str(value).strip())
    if found is None:
        raise ValueError(value)
    return date(*map(int, found.groups())).isoformat()


def _time(value: Any) -> str:
    found = _TIME.fullmatch(str(value).strip())
    if found is None:
        raise ValueError(value)
    hour, minute, second, fraction = found.groups()
    micros = int((fraction or "").ljust(6, "0"))
    return time(int(hour), int(minute), int(second), micros).isoformat()


_INTERVAL = re.compile(
    r"P(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)D)?"
    r"(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+(?:\.\d{1,9})?)S)?)?"
)
_CANONICAL = re.compile(r"[+-]?\d+-\d+ [+-]?\d+ [+-]?\d+:\d+:\d+(?:\.\d{1,9})?")


def _interval(value: Any) -> str:
    """An interval as answers have it, of that form or of ISO 8601's.

    >>> _interval("P1Y2M3DT4H5M6.5S"), _interval("P-10000Y"), _interval("1-2 3 4:5:6.5")
    ('1-2 3 4:5:6.5', '-10000-0 0 0:0:0', '1-2 3 4:5:6.5')
    """
    text = str(value).strip()
    if _CANONICAL.fullmatch(text):
        return text
    found = _INTERVAL.fullmatch(text)
    if found is None or text in {"P", "PT"}:
        raise ValueError(value)
    years, months, days, hours, minutes = (int(each or 0) for each in found.groups()[:5])
    total = years * 12 + months
    seconds = (hours * 60 + minutes) * 60 + Decimal(found[6] or 0)
    sign, away = ("-" if seconds < 0 else ""), abs(seconds)
    hour, minute = divmod(int(away // 60), 60)
    above = "-" if total < 0 else ""
    clock = f"{sign}{hour}:{minute}:{decimal_text(away % 60)}"
    return f"{above}{abs(total) // 12}-{abs(total) % 12} {days} {clock}"


_COORDINATE = re.compile(r"-?\d+\.\d+")


def _geography(value: Any) -> str:
    """A geography with its numbers as answers have them.

    >>> _geography("POINT(-135.0000 90.50)")
    'POINT(-135 90.5)'
    """
    return _COORDINATE.sub(lambda found: decimal_text(Decimal(found[0])), _string(value))


def _document(value: Any) -> str:
    if isinstance(value, str):
        return orjson.dumps(orjson.loads(value)).decode()
    return orjson.dumps(value).decode()


_READERS: Mapping[str, tuple[Callable[[Any], Json], str]] = {
    "INTEGER": (_integer, "Cannot convert value to integer (bad value): {}"),
    "FLOAT": (_float, "Cannot convert value to floating point (bad value): {}"),
    "BOOLEAN": (_boolean, "Cannot convert value to boolean (bad value): {}"),
    "STRING": (_string, "This field: {name} is not a record."),
    "BYTES": (_bytes, "Could not decode base64 string to bytes. Field: {name}; Value: {}"),
    "NUMERIC": (lambda value: _decimal("NUMERIC", value), "Invalid NUMERIC value: {}"),
    "BIGNUMERIC": (lambda value: _decimal("BIGNUMERIC", value), "Invalid BIGNUMERIC value: {}"),
    "DATE": (_date, "Invalid date: '{}'"),
    "TIME": (_time, "Invalid time string \"{}\""),
    "DATETIME": (lambda value: moment_text(parse_moment(str(value)))[:-1],
                 "Invalid datetime string \"{}\""),
    "TIMESTAMP": (_timestamp, "Could not parse '{}' as a timestamp."),
    "JSON": (_document, "Invalid JSON: {}"),
    "GEOGRAPHY": (_geography, "Invalid geography: {}"),
    "INTERVAL": (_interval, "Invalid INTERVAL value: {}"),
    "RANGE": (_string, "Invalid RANGE value: {}"),
}  # fmt: skip


def read_value(field: JsonMapping, value: Any, place: str = "") -> Json:
    """What a row holds for a value that a caller sends.

    Args:
        field: The field of the schema.
        value: The value.
        place: The path of the field.

    Raises:
        ValueRefusedError: The field cannot hold it.
    """
    name = place or str(field["name"])
    if is_repeated(field):
        one = {**field, "mode": "NULLABLE"}
        if value is None:
            return []
        if not isinstance(value, list):
            raise ValueRefusedError(name, f"Field: {name} is repeated, its value is not.")
        if None in value:
            raise ValueRefusedError(
                name, f"Only optional fields can be set to NULL. Field: {name}; Value: NULL"
            )
        return [read_value(one, each, f"{name}[{at}]") for at, each in enumerate(value)]
    if value is None:
        if is_required(field):
            raise ValueRefusedError(name, f"Missing required field: {name}.")
        return None
    if type_of(field) == "RECORD":
        if not isinstance(value, dict):
            raise ValueRefusedError(name, f"This field: {name} is a record.")
        return read_row(field.get("fields") or (), value, f"{name}.")
    if isinstance(value, list):
        raise ValueRefusedError(name, f"Array specified for non-repeated field: {name}.")
    read, words = _READERS[type_of(field)]
    try:
        return read(value)
    except (ValueError, KeyError, TypeError, InvalidOperation, OverflowError) as error:
        text = words.format(str(value)[:200], name=name)
        raise ValueRefusedError(name, text) from error


def read_row(
    fields: Sequence[JsonMapping], sent: Mapping[str, Any], around: str = "", *,
    ignore_unknown: bool = False,
) -> JsonObject:  # fmt: skip
    """A row of what a caller sends, without fields that have no value.

    Raises:
        ValueRefusedError: A field cannot hold its value, is required, or is unknown.
    """
    known = {str(each["name"]).casefold(): each for each in fields}
    given: dict[str, Any] = {}
    for name, value in sent.items():
        if name.casefold() in known:
            given[name.casefold()] = value
        elif not ignore_unknown:
            raise ValueRefusedError(f"{around}{name}", f"no such field: {around}{name}.")
    row: JsonObject = {}
    for name, field in known.items():
        value = read_value(field, given.get(name), f"{around}{field['name']}")
        if value is not None and (value != [] or name in given):
            row[str(field["name"])] = value
    return row


def float_text(number: float) -> str:
    """A number as the service's answers have it.

    >>> float_text(1.0), float_text(1e20), float_text(0.00001)
    ('1.0', '1.0E20', '1.0E-5')
    """
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    mantissa, _, exponent = f"{Decimal(repr(number)):e}".partition("e")
    mantissa = mantissa.rstrip("0") if "." in mantissa else f"{mantissa}."
    return f"{mantissa}{'0' if mantissa.endswith('.') else ''}E{int(exponent)}"


def _timestamp_wire(value: str, form: str) -> str:
    if form == "ISO8601_STRING":
        return value
    micros = (parse_moment(value) - EPOCH) // timedelta(microseconds=1)
    return str(micros) if form == "INT64" else float_text(micros / 1_000_000)


def _scalar_wire(kind: str, value: Any, form: str) -> str:
    if kind == "TIMESTAMP":
        return _timestamp_wire(value, form)
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind == "FLOAT" and not isinstance(value, str):
        return float_text(float(value))
    return str(value)


def wire_value(field: JsonMapping, value: Any, form: str = "FLOAT64") -> Json:
    """What an answer has for a value of a row: `{"v": ...}` without its frame.

    Args:
        field: The field of the schema.
        value: What the row holds.
        form: How timestamps are written: `FLOAT64` seconds, `INT64` microseconds, or
            `ISO8601_STRING`.
    """
    if is_repeated(field):
        one = {**field, "mode": "NULLABLE"}
        return [{"v": wire_value(one, each, form)} for each in value or ()]
    if value is None:
        return None
    if type_of(field) == "RECORD":
        return wire_row(field.get("fields") or (), value, form)
    return _scalar_wire(type_of(field), value, form)


def wire_row(fields: Sequence[JsonMapping], row: JsonMapping, form: str = "FLOAT64") -> JsonObject:
    """A row as answers have it.

    >>> wire_row([{"name": "a", "type": "INTEGER"}], {"a": 7})
    {'f': [{'v': '7'}]}
    """
    return {"f": [{"v": wire_value(each, row.get(each["name"]), form)} for each in fields]}


def row_of_wire(fields: Sequence[JsonMapping], sent: JsonMapping) -> JsonObject:
    """A row of what an answer has, as captures keep it.

    Raises:
        ValueRefusedError: A cell is none of its field.
    """
    cells = [each.get("v") for each in sent.get("f", ())]
    return read_row(fields, {
        str(field["name"]): _plain_of_wire(field, cell)
        for field, cell in zip(fields, cells, strict=False)
    })  # fmt: skip


def _plain_of_wire(field: JsonMapping, cell: Any) -> Any:
    if is_repeated(field):
        one = {**field, "mode": "NULLABLE"}
        return [_plain_of_wire(one, each.get("v")) for each in cell or ()]
    if isinstance(cell, dict):
        inner = field.get("fields") or ()
        parts = [each.get("v") for each in cell.get("f", ())]
        return {
            str(each["name"]): _plain_of_wire(each, part)
            for each, part in zip(inner, parts, strict=False)
        }
    return cell


def schema_problems(fields: Any, around: str = "") -> Iterator[str]:
    """What is wrong with the fields of a schema, in the service's words.

    Yields:
        A sentence for each.
    """
    seen: set[str] = set()
    for field in fields or ():
        name = str(field.get("name", ""))
        place = f"{around}{name}"
        if not re.fullmatch(r"[\w\-& %=+:'<>#|\u00a0-\uffff]{1,300}", name) or name[0].isdigit():
            yield (
                f'Invalid field name "{place}". Fields must contain the allowed characters, and be'
                " at most 300 characters long."
            )
        if name.casefold() in seen:
            yield f"Field {place} already exists in schema"
        seen.add(name.casefold())
        if type_of(field) not in TYPES:
            kind = field.get("type", "")
            yield f"Invalid value for type: {kind} is not a valid value"
        mode = str(field.get("mode") or "NULLABLE").upper()
        if mode not in {"NULLABLE", "REQUIRED", "REPEATED"}:
            yield f"Invalid value for mode: {mode} is not a valid value"
        if type_of(field) == "RECORD":
            if not field.get("fields"):
                yield f"Field {place} is type RECORD but has no schema"
            yield from schema_problems(field.get("fields"), f"{place}.")


def canonical_schema(fields: Sequence[JsonMapping]) -> list[JsonObject]:
    """Fields with the names of types that schemas answer."""
    found = []
    for field in fields:
        kept: JsonObject = {**field, "type": type_of(field)}
        if "mode" in kept and kept["mode"] is not None:
            kept["mode"] = str(kept["mode"]).upper()
        for name in ("policyTags", "dataPolicies"):
            if name in kept and not any(
                (kept[name] or {}).values() if isinstance(kept[name], dict) else kept[name] or ()
            ):
                del kept[name]
        if kept.get("fields"):
            kept["fields"] = canonical_schema(kept["fields"])
        found.append(kept)
    return found


def size_of(field: JsonMapping, value: Any) -> int:
    """The logical bytes of a value, as the service counts them."""
    if is_repeated(field):
        one = {**field, "mode": "NULLABLE"}
        return sum(size_of(one, each) for each in value or ())
    if value is None:
        return 0
    kind = type_of(field)
    if kind == "RECORD":
        return sum(size_of(each, value.get(each["name"])) for each in field.get("fields") or ())
    if kind in {"STRING", "JSON", "GEOGRAPHY"}:
        return 2 + len(str(value).encode())
    if kind == "BYTES":
        return 2 + len(str(value)) * 3 // 4 - str(value).count("=")
    return {"BOOLEAN": 1, "NUMERIC": 16, "BIGNUMERIC": 32, "INTERVAL": 16, "RANGE": 16}.get(kind, 8)
