"""Expressions of pipelines: fields, constants and functions over one document.

Source: the reference of pipeline functions (comparison, debugging, arithmetic and others) and the
suite that the Python client runs against the live API. What is absent compares as a type of its
own and is null to functions of values; values of two types are not in order, so that both
`less_than` and `greater_than` are false. Not verified against the live API: words of errors.
"""

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, reduce
from typing import Any, NamedTuple

from mockserver.apis.firestore.paths import NAME, field_path
from mockserver.apis.firestore.queries import DISTANCES
from mockserver.apis.firestore.values import (
    NULL,
    Rank,
    field_value,
    number_of,
    rank_of,
    short_time,
    value_of_number,
    vector_of,
)
from mockserver.googleapi import ApiError, invalid
from mockserver.model import JsonObject
from mockserver.state import World, epoch_micros, parse_rfc3339

ABSENT: JsonObject = {}
"""The value of a field that is not there: one without a type."""
TRUE: JsonObject = {"booleanValue": True}
_FALSE: JsonObject = {"booleanValue": False}
_ABSENT_RANK: Rank = (-1,)
_TIMES = {("__create_time__",): "createTime", ("__update_time__",): "updateTime"}
_MOST_DEEP = 100


class EvaluationError(Exception):
    """A function that cannot be computed of its arguments; `is_error` and `if_error` catch it."""


class Scope(NamedTuple):
    """What expressions see beside their document.

    Attributes:
        world: The session.
        time: When the pipeline is executed.
    """

    world: World
    time: str


Evaluate = Callable[[JsonObject, Scope], JsonObject]
"""The value of an expression for a document."""


def rank_or_absent(value: JsonObject) -> Rank:
    """The rank of a value; what is absent comes before all others."""
    return rank_of(value) if value else _ABSENT_RANK


def compile_expression(given: JsonObject, depth: int = 0) -> Evaluate:
    """What evaluates an expression.

    Raises:
        ApiError: 400 where it cannot be read, 501 where its function is not emulated.
    """
    if depth > _MOST_DEEP:
        raise invalid("The expression is nested too deeply.")
    if "fieldReferenceValue" in given:
        path = field_path(str(given["fieldReferenceValue"]))
        return lambda row, _: read_field(row, path)
    if "functionValue" in given:
        called = given["functionValue"] or {}
        name, sent = str(called.get("name") or ""), called.get("args") or []
        arguments = [compile_expression(each, depth + 1) for each in sent]
        return _compile_call(name, arguments)
    if "variableReferenceValue" in given or "pipelineValue" in given:
        raise not_computed(f"an expression of the type {next(iter(given))}")
    return lambda _row, _scope: given


def not_computed(what: str) -> ApiError:
    """501: a part of the language of pipelines that is not emulated."""
    text = f"The mock server does not emulate {what} in pipelines."
    return ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")


def read_field(row: JsonObject, path: Sequence[str]) -> JsonObject:
    """The value of a document's field, of its name or of one of its times."""
    path = tuple(path)
    if path == NAME:
        return {"referenceValue": row["name"]} if row.get("name") else ABSENT
    if path in _TIMES:
        time = row.get(_TIMES[path])
        return {"timestampValue": time} if time else ABSENT
    return field_value(row.get("fields") or {}, path) or ABSENT


def is_true(value: JsonObject) -> bool:
    """Whether a condition holds; neither null nor what is absent does."""
    return value.get("booleanValue") is True


# --- functions that see their arguments unevaluated, or as they are ---


def _all_of(arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        found = TRUE
        for each in arguments:
            value = each(row, scope)
            if value == _FALSE:
                return _FALSE
            found = found if is_true(value) else NULL
        return found

    return evaluate


def _any_of(arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        found = _FALSE
        for each in arguments:
            value = each(row, scope)
            if is_true(value):
                return TRUE
            found = found if value == _FALSE else NULL
        return found

    return evaluate


def _conditional(arguments: Sequence[Evaluate]) -> Evaluate:
    when, then, otherwise = arguments
    return lambda row, scope: (then if is_true(when(row, scope)) else otherwise)(row, scope)


def _switch(arguments: Sequence[Evaluate]) -> Evaluate:
    pairs = list(zip(arguments[::2], arguments[1::2], strict=False))
    otherwise = arguments[-1] if len(arguments) % 2 else None

    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        for when, then in pairs:
            if is_true(when(row, scope)):
                return then(row, scope)
        if otherwise is None:
            raise EvaluationError("switch_on: no condition holds, and there is no default.")
        return otherwise(row, scope)

    return evaluate


def _is_error(arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        try:
            arguments[0](row, scope)
        except EvaluationError:
            return TRUE
        return _FALSE

    return evaluate


def _if_error(arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        try:
            return arguments[0](row, scope)
        except EvaluationError:
            return arguments[1](row, scope)

    return evaluate


def _if_absent(arguments: Sequence[Evaluate]) -> Evaluate:
    return lambda row, scope: arguments[0](row, scope) or arguments[1](row, scope)


def _if_null(arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        value = arguments[0](row, scope)
        return arguments[1](row, scope) if value in (ABSENT, NULL) else value

    return evaluate


def _current_time(_: Sequence[Evaluate]) -> Evaluate:
    return lambda _row, scope: {"timestampValue": scope.time}


def _random(_: Sequence[Evaluate]) -> Evaluate:
    return lambda _row, scope: {
        "doubleValue": int(scope.world.ids.hex("firestoreRandom", 13), 16) / 16**13
    }


def _raise_error(arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        raise EvaluationError(str(arguments[0](row, scope).get("stringValue", "")))

    return evaluate


class _Special(NamedTuple):
    """A function that decides itself which of its arguments are evaluated."""

    least: int
    most: int
    make: Callable[[Sequence[Evaluate]], Evaluate]


_MANY = 1000
_SPECIAL: Mapping[str, _Special] = {
    "and": _Special(1, _MANY, _all_of),
    "or": _Special(1, _MANY, _any_of),
    "conditional": _Special(3, 3, _conditional),
    "switch_on": _Special(2, _MANY, _switch),
    "is_error": _Special(1, 1, _is_error),
    "if_error": _Special(2, 2, _if_error),
    "if_absent": _Special(2, 2, _if_absent),
    "if_null": _Special(2, 2, _if_null),
    "current_timestamp": _Special(0, 0, _current_time),
    "rand": _Special(0, 0, _random),
    "error": _Special(1, 1, _raise_error),
}


def _boolean(holds: bool) -> JsonObject:  # noqa: FBT001  (a value of the language)
    return TRUE if holds else _FALSE


def _in_order(test: Callable[[Rank, Rank], bool]) -> Callable[..., JsonObject]:
    def compare(a: JsonObject, b: JsonObject) -> JsonObject:
        own, other = rank_or_absent(a), rank_or_absent(b)
        return _boolean(own[0] == other[0] and test(own, other))

    return compare


def _is_equal(a: JsonObject, b: JsonObject) -> JsonObject:
    return _boolean(rank_or_absent(a) == rank_or_absent(b))


def _items(value: JsonObject) -> list[JsonObject] | None:
    """The items of an array, or None for what is none."""
    if "arrayValue" not in value:
        return None
    return list((value["arrayValue"] or {}).get("values") or ())


def _is_one_of(value: JsonObject, several: JsonObject) -> JsonObject:
    items = _items(several)
    if items is None:
        raise EvaluationError("equal_any takes an array.")
    return _boolean(rank_or_absent(value) in {rank_of(each) for each in items})


def _exclusive(*values: JsonObject) -> JsonObject:
    if any("booleanValue" not in each for each in values):
        return NULL
    return _boolean(sum(map(is_true, values)) % 2 == 1)


def _negation(value: JsonObject) -> JsonObject:
    return _boolean(not is_true(value)) if "booleanValue" in value else NULL


def _extreme(choose: Callable[..., JsonObject]) -> Callable[..., JsonObject]:
    def find(*values: JsonObject) -> JsonObject:
        given = [each for each in values if each not in (ABSENT, NULL)]
        return choose(given, key=rank_of) if given else NULL

    return find


def _make_map(*arguments: JsonObject) -> JsonObject:
    names = [each.get("stringValue") for each in arguments[::2]]
    if len(arguments) % 2 or None in names:
        raise EvaluationError("map takes pairs of a text and a value.")
    pairs = zip(names, arguments[1::2], strict=True)
    return _map_value({str(name): value for name, value in pairs if value})


def _map_value(fields: JsonObject) -> JsonObject:
    return {"mapValue": {"fields": fields} if fields else {}}


LARGEST = 2**20
"""Characters of a text and items of an array that an expression makes at most: the size of a
document. Source: limits of the service."""


def check_size(size: int) -> None:
    """Refuse what a document could not hold, before it takes the memory of the server."""
    if size > LARGEST:
        raise EvaluationError(f"A value is larger than a document may be: {size} of {LARGEST}.")


def _text_value(text: str) -> JsonObject:
    check_size(len(text))
    return {"stringValue": text}


def _repeated(text: str, times: int) -> str:
    check_size(len(text) * times)
    return text * times


def _array_value(items: Sequence[JsonObject]) -> JsonObject:
    check_size(len(items))
    return {"arrayValue": {"values": list(items)} if items else {}}


_TYPES = {
    "nullValue": "null", "booleanValue": "boolean", "integerValue": "int64",
    "doubleValue": "float64", "timestampValue": "timestamp", "stringValue": "string",
    "bytesValue": "bytes", "referenceValue": "reference", "geoPointValue": "geo_point",
    "arrayValue": "array", "mapValue": "map",
}  # fmt: skip


def _type_name(value: JsonObject) -> JsonObject:
    kind = "absent" if not value else _TYPES[next(iter(value))]
    return {"stringValue": "vector" if vector_of(value) is not None else kind}


_AS_THEY_ARE: Mapping[str, tuple[int, int, Callable[..., JsonObject]]] = {
    "equal": (2, 2, _is_equal),
    "not_equal": (2, 2, lambda a, b: _negation(_is_equal(a, b))),
    "less_than": (2, 2, _in_order(lambda a, b: a < b)),
    "less_than_or_equal": (2, 2, _in_order(lambda a, b: a <= b)),
    "greater_than": (2, 2, _in_order(lambda a, b: a > b)),
    "greater_than_or_equal": (2, 2, _in_order(lambda a, b: a >= b)),
    "cmp": (2, 2, lambda a, b: _integer_value(
        (rank_or_absent(a) > rank_or_absent(b)) - (rank_or_absent(a) < rank_or_absent(b)))),
    "equal_any": (2, 2, _is_one_of),
    "not_equal_any": (2, 2, lambda a, b: _negation(_is_one_of(a, b))),
    "not": (1, 1, _negation),
    "xor": (1, _MANY, _exclusive),
    "exists": (1, 1, lambda a: _boolean(bool(a))),
    "is_absent": (1, 1, lambda a: _boolean(not a)),
    "maximum": (1, _MANY, _extreme(max)),
    "minimum": (1, _MANY, _extreme(min)),
    "array": (0, _MANY, lambda *items: _array_value([each or NULL for each in items])),
    "map": (0, _MANY, _make_map),
    "type": (1, 1, _type_name),
}  # fmt: skip
"""Functions of values as they are, null and what is absent included: how many, and what of them."""


# --- functions of values: null where one of them is null or absent ---


def _integer_value(number: int) -> JsonObject:
    if not -(2**63) <= number < 2**63:
        raise EvaluationError("integer overflow")
    return value_of_number(number)


def _number_value(number: float) -> JsonObject:
    return _integer_value(number) if isinstance(number, int) else value_of_number(number)


def _micros(value: JsonObject) -> int | None:
    text = value.get("timestampValue")
    return None if text is None else epoch_micros(parse_rfc3339(str(text)))


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _time_value(micros: int) -> JsonObject:
    try:
        moment = _EPOCH + timedelta(microseconds=micros)
    except OverflowError as error:
        raise EvaluationError("The timestamp is out of range.") from error
    text = moment.isoformat(timespec="microseconds").removesuffix("+00:00")
    return {"timestampValue": short_time(f"{text}Z")}


def _fields_of_map(value: JsonObject) -> JsonObject | None:
    if "mapValue" not in value:
        return None
    found: JsonObject = (value["mapValue"] or {}).get("fields") or {}
    return found


_READERS: Mapping[str, Callable[[JsonObject], Any]] = {
    "any": lambda value: value,
    "text": lambda value: value.get("stringValue"),
    "number": number_of,
    "integer": lambda value: int(value["integerValue"]) if "integerValue" in value else None,
    "array": _items,
    "map": _fields_of_map,
    "vector": lambda value: vector_of(value) or _numbers(value),
    "time": _micros,
    "bytes": lambda value: b64decode(value["bytesValue"]) if "bytesValue" in value else None,
    "reference": lambda value: value.get("referenceValue"),
}
_WRITERS: Mapping[str, Callable[[Any], JsonObject]] = {
    "any": lambda found: found,
    "text": _text_value,
    "number": _number_value,
    "boolean": _boolean,
    "array": _array_value,
    "map": _map_value,
    "time": _time_value,
}


def _numbers(value: JsonObject) -> tuple[float, ...] | None:
    """The numbers of an array of numbers, which functions of vectors take as well."""
    found = [number_of(each) for each in _items(value) or ()]
    return None if not found or None in found else tuple(float(each or 0) for each in found)


def _arithmetic(compute: Callable[[Any, Any], Any]) -> Callable[..., float]:
    return lambda *numbers: reduce(compute, numbers)


def _divide(a: float, b: float) -> float:
    if isinstance(a, int) and isinstance(b, int):
        if not b:
            raise EvaluationError("division by zero")
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if not a or math.isnan(a) else math.copysign(math.inf, a) * (
            math.copysign(1, b))  # fmt: skip


def _remainder(a: float, b: float) -> float:
    if isinstance(a, int) and isinstance(b, int):
        if not b:
            raise EvaluationError("modulo by zero")
        return a - b * int(_divide(a, b))
    return math.fmod(a, b) if b and math.isfinite(a) else math.nan


def _whole(to: Callable[[float], int]) -> Callable[[float], float]:
    def compute(number: float) -> float:
        return number if isinstance(number, int) or not math.isfinite(number) else float(to(number))

    return compute


def _rounded(number: float, places: int = 0, *, half: float = 0.5) -> float:
    if not math.isfinite(number) or (isinstance(number, int) and places >= 0):
        return number
    unit = 10.0**places
    found = math.copysign(math.floor(abs(number) * unit + half) / unit, number)
    return int(found) if isinstance(number, int) else found


def _real(compute: Callable[..., float]) -> Callable[..., float]:
    def answer(*numbers: float) -> float:
        try:
            return float(compute(*numbers))
        except (ValueError, ZeroDivisionError) as error:
            raise EvaluationError(str(error)) from error
        except OverflowError:
            return math.inf

    return answer


def _item_at(items: list[JsonObject], place: int) -> JsonObject:
    return items[place] if -len(items) <= place < len(items) else ABSENT


def _part(text: str, start: int, length: int | None = None) -> str:
    start = max(len(text) + start, 0) if start < 0 else start
    if length is not None and length < 0:
        raise EvaluationError("substring: the length is negative.")
    return text[start:] if length is None else text[start : start + length]


def _joined(items: list[JsonObject], between: str, instead: str | None = None) -> str:
    texts = [each.get("stringValue", instead) for each in items]
    if any(each is None and item != NULL for each, item in zip(texts, items, strict=True)):
        raise EvaluationError("join takes an array of texts.")
    return between.join(str(each) for each in texts if each is not None)


@lru_cache(512)
def _pattern(text: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        raise EvaluationError(f"Invalid regular expression: {text}") from error


@cache
def _like(text: str) -> str:
    """The regular expression of a pattern with `%` and `_`."""
    import re2

    found, letters = "", iter(text)
    for each in letters:
        escaped = next(letters, "") if each == "\\" else ""
        found += {"%": ".*", "_": "."}.get(each, re2.escape(escaped or each))
    return f"(?s){found}"


def _length(value: JsonObject) -> int:
    vector = vector_of(value)
    for kind, read in (("text", str.__len__), ("array", len), ("bytes", len), ("map", len)):
        found = None if vector is not None else _READERS[kind](value)
        if found is not None:
            return int(read(found))
    if vector is None:
        raise EvaluationError("length takes a text, bytes, an array, a map or a vector.")
    return len(vector)


def _joined_values(*values: JsonObject) -> JsonObject:
    """Answers `concat`: of texts, of bytes or of arrays."""
    texts = [each.get("stringValue") for each in values]
    if None not in texts:
        return _text_value("".join(map(str, texts)))
    arrays = [_items(each) for each in values]
    if None not in arrays:
        return _array_value([one for each in arrays for one in each or ()])
    contents = [_READERS["bytes"](each) for each in values]
    if None in contents:
        raise EvaluationError("concat takes texts, bytes or arrays.")
    return {"bytesValue": b64encode(b"".join(contents)).decode()}


def _reversed(value: JsonObject) -> JsonObject:
    if "stringValue" in value:
        return {"stringValue": value["stringValue"][::-1]}
    items = _items(value)
    if items is None:
        raise EvaluationError("reverse takes a text or an array.")
    return _array_value(items[::-1])


def _distance(name: str) -> Callable[..., float]:
    def measure(a: Sequence[float], b: Sequence[float]) -> float:
        if len(a) != len(b):
            raise EvaluationError("The vectors have different lengths.")
        return DISTANCES[name](a, b)

    return measure


_UNITS = {
    "microsecond": 1, "millisecond": 1000, "second": 10**6, "minute": 60 * 10**6,
    "hour": 3600 * 10**6, "day": 86400 * 10**6,
}  # fmt: skip


def _moved(sign: int) -> Callable[[int, str, int], int]:
    def move(micros: int, unit: str, amount: int) -> int:
        if unit not in _UNITS:
            raise EvaluationError(f"{unit!r} is no unit of time: one of {', '.join(_UNITS)}.")
        return micros + sign * amount * _UNITS[unit]

    return move


def _contains(items: list[JsonObject], test: Callable[..., bool], wanted: list[JsonObject]) -> bool:
    ranks = {rank_of(each) for each in items}
    return test(rank_of(each) in ranks for each in wanted)


def _with_entries(fields: JsonObject, *pairs: JsonObject) -> JsonObject:
    found = {**fields, **(_fields_of_map(_make_map(*pairs)) or {})}
    return {name: value for name, value in found.items() if value}


def _sum_of(items: list[JsonObject]) -> float:
    return sum(filter(None, map(number_of, items)))


def _trimmed(sides: Callable[[str, str | None], str]) -> Callable[..., str]:
    return lambda text, letters=None: sides(text, letters)


def _without(fields: JsonObject, *names: str) -> JsonObject:
    return {name: value for name, value in fields.items() if name not in names}


def _merged(*several: JsonObject) -> JsonObject:
    return {name: value for each in several for name, value in each.items()}


_OF_VALUES: Mapping[str, tuple[str, Callable[..., Any]]] = {
    "add": ("number number* -> number", _arithmetic(lambda a, b: a + b)),
    "subtract": ("number number -> number", _arithmetic(lambda a, b: a - b)),
    "multiply": ("number number* -> number", _arithmetic(lambda a, b: a * b)),
    "divide": ("number number -> number", _divide),
    "mod": ("number number -> number", _remainder),
    "abs": ("number -> number", abs),
    "ceil": ("number -> number", _whole(math.ceil)),
    "floor": ("number -> number", _whole(math.floor)),
    "round": ("number integer? -> number", _rounded),
    "trunc": ("number integer? -> number", lambda n, places=0: _rounded(n, places, half=0)),
    "pow": ("number number -> number", _real(math.pow)),
    "sqrt": ("number -> number", _real(math.sqrt)),
    "exp": ("number -> number", _real(math.exp)),
    "ln": ("number -> number", _real(math.log)),
    "log": ("number number -> number", _real(math.log)),
    "log10": ("number -> number", _real(math.log10)),
    "array_get": ("array integer -> any", _item_at),
    "array_length": ("array -> number", len),
    "array_reverse": ("array -> array", lambda items: items[::-1]),
    "array_concat": ("array array* -> array", lambda *all_: [one for each in all_ for one in each]),
    "array_contains": ("array any -> boolean", lambda items, one: _contains(items, any, [one])),
    "array_contains_any": ("array array -> boolean", lambda a, b: _contains(a, any, b)),
    "array_contains_all": ("array array -> boolean", lambda a, b: _contains(a, all, b)),
    "array_sum": ("array -> number", _sum_of),
    "array_slice": ("array integer integer -> array", lambda a, at, count: a[at:][:count]),
    "concat": ("any any* -> any", _joined_values),
    "length": ("any -> number", _length),
    "reverse": ("any -> any", _reversed),
    "char_length": ("text -> number", len),
    "byte_length": ("any -> number", lambda value: len(
        value["stringValue"].encode() if "stringValue" in value
        else _READERS["bytes"](value) or b"")),
    "like": ("text text -> boolean", lambda a, b: bool(_pattern(_like(b)).fullmatch(a))),
    "regex_contains": ("text text -> boolean", lambda a, b: bool(_pattern(b).search(a))),
    "regex_match": ("text text -> boolean", lambda a, b: bool(_pattern(b).fullmatch(a))),
    "string_contains": ("text text -> boolean", lambda a, b: b in a),
    "starts_with": ("text text -> boolean", str.startswith),
    "ends_with": ("text text -> boolean", str.endswith),
    "string_concat": ("text text* -> text", lambda *texts: "".join(texts)),
    "to_lower": ("text -> text", str.lower),
    "to_upper": ("text -> text", str.upper),
    "trim": ("text text? -> text", _trimmed(str.strip)),
    "ltrim": ("text text? -> text", _trimmed(str.lstrip)),
    "rtrim": ("text text? -> text", _trimmed(str.rstrip)),
    "string_reverse": ("text -> text", lambda text: text[::-1]),
    "string_repeat": ("text integer -> text", _repeated),
    "substring": ("text integer integer? -> text", _part),
    "join": ("array text text? -> text", _joined),
    "split": ("text text -> array", lambda a, b: [
        {"stringValue": each} for each in (a.split(b) if b else a)]),
    "map_get": ("map text -> any", lambda fields, name: fields.get(name, ABSENT)),
    "map_set": ("map any any any* -> map", _with_entries),
    "map_remove": ("map text text* -> map", _without),
    "map_merge": ("map map* -> map", _merged),
    "map_keys": ("map -> array", lambda fields: [{"stringValue": each} for each in fields]),
    "map_values": ("map -> array", lambda fields: list(fields.values())),
    "cosine_distance": ("vector vector -> number", _distance("COSINE")),
    "dot_product": ("vector vector -> number", _distance("DOT_PRODUCT")),
    "euclidean_distance": ("vector vector -> number", _distance("EUCLIDEAN")),
    "vector_length": ("vector -> number", len),
    "timestamp_to_unix_micros": ("time -> number", int),
    "timestamp_to_unix_millis": ("time -> number", lambda micros: micros // 1000),
    "timestamp_to_unix_seconds": ("time -> number", lambda micros: micros // 10**6),
    "unix_micros_to_timestamp": ("integer -> time", int),
    "unix_millis_to_timestamp": ("integer -> time", lambda number: number * 1000),
    "unix_seconds_to_timestamp": ("integer -> time", lambda number: number * 10**6),
    "timestamp_add": ("time text integer -> time", _moved(1)),
    "timestamp_subtract": ("time text integer -> time", _moved(-1)),
    "document_id": ("reference -> text", lambda name: name.rpartition("/")[2]),
    "collection_id": ("reference -> text", lambda name: name.split("/")[-2]),
}  # fmt: skip
"""Functions by their names: of which types, optional ones with `?`, any number with `*`."""


class _Signature(NamedTuple):
    """What a function takes and makes."""

    kinds: tuple[str, ...]
    least: int
    more: str
    write: Callable[[Any], JsonObject]

    def kind(self, place: int) -> str:
        """The type of an argument."""
        return self.kinds[place] if place < len(self.kinds) else self.more


@cache
def _signature(text: str) -> _Signature:
    told, _, made = text.partition(" -> ")
    kinds = told.split()
    more = kinds.pop()[:-1] if kinds[-1].endswith("*") else ""
    least = sum(not each.endswith("?") for each in kinds)
    return _Signature(tuple(each.rstrip("?") for each in kinds), least, more, _WRITERS[made])


def _compile_call(name: str, arguments: Sequence[Evaluate]) -> Evaluate:
    count = len(arguments)
    if name in _SPECIAL:
        least, most, make = _SPECIAL[name]
        _check_count(name, count, least, most)
        return make(arguments)
    if name in _AS_THEY_ARE:
        least, most, compute = _AS_THEY_ARE[name]
        _check_count(name, count, least, most)
        return lambda row, scope: compute(*(each(row, scope) for each in arguments))
    if name not in _OF_VALUES:
        raise not_computed(f"the function {name!r}")
    told, compute = _OF_VALUES[name]
    signature = _signature(told)
    _check_count(name, count, signature.least, _MANY if signature.more else len(signature.kinds))

    def evaluate(row: JsonObject, scope: Scope) -> JsonObject:
        values = [each(row, scope) for each in arguments]
        if any(each in (ABSENT, NULL) for each in values):
            return NULL
        read = [_READERS[signature.kind(at)](each) for at, each in enumerate(values)]
        if None in read:
            at = read.index(None)
            kind = _type_name(values[at])["stringValue"]
            text = f"The function {name} takes {signature.kind(at)} in place {at + 1}, not {kind}."
            raise EvaluationError(text)
        return signature.write(compute(*read))

    return evaluate


def _check_count(name: str, count: int, least: int, most: int) -> None:
    if not least <= count <= most:
        wanted = str(least) if least == most else f"at least {least}"
        raise invalid(f"The function {name} takes {wanted} arguments, not {count}.")
