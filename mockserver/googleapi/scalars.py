"""Scalar values as Google's JSON front end reads them, in bodies and in query strings.

The front end is generous: numbers may be strings, `"1.0"` is an integer, `"yes"` a boolean. What it
cannot read it names by the field's proto type.
"""

import binascii
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import UTC
from functools import lru_cache, partial
from math import isfinite

from mockserver.model import Json
from mockserver.state import parse_rfc3339

ReadScalar = Callable[[Json], Json]
"""Turns what was sent into what a handler gets; raises ValueError."""

_TRUE = frozenset({"true", "t", "yes", "y", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "0"})
_DURATION = re.compile(r"-?\d{1,12}(\.\d{1,9})?s")
_NUMBER = re.compile(r"[+-]?[0-9]{1,400}((?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)")
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_FRACTION = re.compile(r"\.\d+")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHOWN = 200
"""Characters of a refused value that the error repeats."""

_TYPES: Mapping[str, str] = {
    "int32": "TYPE_INT32",
    "uint32": "TYPE_UINT32",
    "int64": "TYPE_INT64",
    "uint64": "TYPE_UINT64",
    "float": "TYPE_FLOAT",
    "double": "TYPE_DOUBLE",
    "byte": "TYPE_BYTES",
    "google-datetime": "type.googleapis.com/google.protobuf.Timestamp",
    "google-duration": "type.googleapis.com/google.protobuf.Duration",
    "google-fieldmask": "type.googleapis.com/google.protobuf.FieldMask",
    "boolean": "TYPE_BOOL",
    "integer": "TYPE_INT64",
    "number": "TYPE_DOUBLE",
}


def scalar_reader(kind: str, form: str) -> ReadScalar:
    """How values of a Discovery `type` and `format` are read; unknown formats are plain text."""
    return _READERS.get(form) or _READERS.get(kind, _read_text)


def proto_type(kind: str, form: str) -> str:
    """What errors call a Discovery `type` and `format`.

    >>> proto_type("string", "int64")
    'TYPE_INT64'
    """
    return _TYPES.get(form) or _TYPES.get(kind, "TYPE_STRING")


def refusal_text(path: str, proto: str, value: Json) -> str:
    """Google's words for a scalar that cannot be read.

    >>> print(refusal_text("page_size", "TYPE_INT32", "abc"))
    Invalid value at 'page_size' (TYPE_INT32), "abc"
    """
    shown = json.dumps(value, ensure_ascii=False)
    return f"Invalid value at '{path}' ({proto}), {shown[:_SHOWN]}"


@lru_cache(4096)
def snake_case(name: str) -> str:
    """A lowerCamel name as the proto definition writes it.

    >>> snake_case("interval.endTime")
    'interval.end_time'
    """
    return _BOUNDARY.sub("_", name).lower()


def camel_case(name: str) -> str:
    """A snake_case name as JSON writes it.

    >>> camel_case("policy_target_key")
    'policyTargetKey'
    """
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def _read_text(value: Json) -> str:
    if not isinstance(value, str):
        raise ValueError(value)  # noqa: TRY004  (one error for everything that cannot be read)
    return value


def _read_integer(value: Json, low: int, high: int) -> int:
    number = _parse_decimal(value)
    if not low <= number <= high or number != int(number):
        raise ValueError(value)
    return int(number)


def _parse_decimal(value: Json) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(value)  # noqa: TRY004
    if not isinstance(value, str):
        return value
    found = _NUMBER.fullmatch(value)
    if not found:
        raise ValueError(value)
    return float(value) if found[1] else int(value)


def _read_long(value: Json, low: int, high: int) -> str:
    return str(_read_integer(value, low, high))


def _read_number(value: Json) -> float | str:
    if value in _NOT_FINITE:
        return str(value)
    number = float(_parse_decimal(value))
    if not isfinite(number):
        raise ValueError(value)
    return number


def _read_boolean(value: Json) -> bool:
    if isinstance(value, bool):
        return value
    word = _read_text(value).lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(value)
    return word in _TRUE


def _read_bytes(value: Json) -> str:
    text = _read_text(value).translate({ord("-"): "+", ord("_"): "/"}).rstrip("=")
    try:
        return b64encode(b64decode(text + "=" * (-len(text) % 4), validate=True)).decode()
    except binascii.Error as error:
        raise ValueError(value) from error


def _read_timestamp(value: Json) -> str:
    text = _read_text(value)
    moment = parse_rfc3339(text)
    if text.endswith("Z") and text[10] == "T":
        return text
    fraction = _FRACTION.search(text)
    whole = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return whole + (fraction[0][:10] if fraction else "") + "Z"


def _read_duration(value: Json) -> str:
    if not _DURATION.fullmatch(_read_text(value)):
        raise ValueError(value)
    return str(value)


_READERS: Mapping[str, ReadScalar] = {
    "int32": partial(_read_integer, low=-(2**31), high=2**31 - 1),
    "uint32": partial(_read_integer, low=0, high=2**32 - 1),
    "int64": partial(_read_long, low=-(2**63), high=2**63 - 1),
    "uint64": partial(_read_long, low=0, high=2**64 - 1),
    "integer": partial(_read_integer, low=-(2**63), high=2**63 - 1),
    "float": _read_number,
    "double": _read_number,
    "number": _read_number,
    "boolean": _read_boolean,
    "byte": _read_bytes,
    "google-datetime": _read_timestamp,
    "google-duration": _read_duration,
}


def crc32c(content: bytes) -> int:
    """The checksum (Castagnoli) by which Storage and Secret Manager check contents.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    import google_crc32c

    return int(google_crc32c.value(content))


def duration_s(text: object, default: float = 0.0) -> float:
    """A duration as JSON has it, in seconds.

    >>> duration_s("1.500s"), duration_s(None, 10)
    (1.5, 10)
    """
    return float(str(text).removesuffix("s")) if text else default
