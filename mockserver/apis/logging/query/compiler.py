"""Compiles a query to one function of a log entry, and the span of time that it can be about."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import quote, unquote

import orjson

from mockserver.apis.logging.query.language import parse_query, unparseable
from mockserver.apis.logging.query.values import (
    KIND_DEFAULTS,
    MISSING,
    Field,
    field_getter,
    find_field,
    time_ns,
    value_test,
)
from mockserver.apis.logging.query.values import Test as ValueTest
from mockserver.googleapi.filter_trees import (
    And,
    Argument,
    Comparison,
    Function,
    Leaf,
    Not,
    Text,
    Value,
    tree_test,
)
from mockserver.googleapi.filter_trees import Filter as Query
from mockserver.model import Json, JsonObject
from mockserver.state import shift_time

_NOT_SEARCHED = frozenset({"timestamp", "receiveTimestamp"})
"""Times are in stored time, so their text is not what a session shows."""


class Entry:
    """One log entry, in stored time.

    Attributes:
        row: The entry, API-shaped.
        key: Its key in the table.
        ns: Its timestamp, nanoseconds since 1970.
    """

    __slots__ = ("_text", "_written", "key", "ns", "row")

    def __init__(self, row: JsonObject, key: str, ns: int) -> None:
        self.row = row
        self.key = key
        self.ns = ns
        self._text: str | None = None
        self._written: str | None = None

    @property
    def text(self) -> str:
        """All its values, in lower case, a line each; made once."""
        if self._text is None:
            values = {name: each for name, each in self.row.items() if name not in _NOT_SEARCHED}
            self._text = folded_text(values)
        return self._text

    @property
    def json_text(self) -> str:
        """The entry as JSON in lower case; made once, and far faster than `text`.

        What is in a value of it is in here as `json_escaped` says; what is in here may be a name.
        """
        if self._written is None:
            self._written = orjson.dumps(self.row).decode().casefold()
        return self._written


def json_escaped(text: str) -> str:
    """A text as it is inside JSON, in lower case.

    >>> json_escaped("Größe")
    'grösse'
    """
    return orjson.dumps(text).decode()[1:-1].casefold()


def folded_text(value: Json) -> str:
    r"""The values inside a JSON value, in lower case, a line each.

    >>> folded_text({"a": "One", "b": [2, True, None]})
    'one\n2\ntrue'
    """
    return "\n".join(_scalars(value)).casefold()


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _scalars(each)
    elif isinstance(value, list):
        for each in value:
            yield from _scalars(each)
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif value is not None:
        yield orjson.dumps(value).decode()


_SPLITS = r"\[\]<>(){}|!;,'\"*&?+/:=@.\-$%\\_\s"
_WORD = re.compile(rf"[^{_SPLITS}]+")
_PHRASES = re.compile(r"`([^`]+)`")
_WHOLE = 1 << 64


Test = Callable[[Entry], bool]


def function_test(function: Function) -> Test:
    """The test that a function puts to an entry; names ignore case.

    Raises:
        ApiError: 400; an unknown function, a wrong number of arguments, or a value it cannot take.
    """
    known = _FUNCTIONS.get(function.name.casefold())
    if known is None:
        raise unparseable(f"unknown function '{function.name}'")
    counts, make = known
    if len(function.arguments) not in counts:
        expected = " or ".join(map(str, counts))
        given = len(function.arguments)
        raise unparseable(f"{function.name} takes {expected} arguments, found {given}")
    return make(*function.arguments)


def _log_id_test(wanted: Argument) -> Test:
    end = f"/logs/{quote(unquote(wanted.text), safe='')}".casefold()
    return lambda entry: str(entry.row.get("logName", "")).casefold().endswith(end)


def _source_test(parent: Argument) -> Test:
    start = f"{parent.text}/logs/"
    return lambda entry: str(entry.row.get("logName", "")).startswith(start)


def _sample_test(field: Argument, fraction: Argument) -> Test:
    """A sample of a share of entries, always the same for the same value of the field."""
    get = field_getter(find_field(field.path))
    try:
        limit = float(fraction.text) * _WHOLE
    except ValueError as error:
        raise unparseable(f"invalid fraction '{fraction.text}'") from error
    if not 0 <= limit <= _WHOLE:
        raise unparseable(f"the fraction '{fraction.text}' is not between 0.0 and 1.0")

    def test(entry: Entry) -> bool:
        value = get(entry.row)
        if value is MISSING:
            return False
        digest = blake2b(str(value).encode(errors="replace"), digest_size=8).digest()
        return int.from_bytes(digest, "big") < limit

    return test


def _ip_in_net_test(field: Argument, network: Argument) -> Test:
    get = field_getter(find_field(field.path))
    try:
        wanted = ip_network(network.text, strict=False)
    except ValueError as error:
        raise unparseable(f"invalid network '{network.text}'") from error
    return lambda entry: _is_in(get(entry.row), wanted)


def _is_in(value: Json, network: IPv4Network | IPv6Network) -> bool:
    if isinstance(value, list):
        return any(_is_in(item, network) for item in value)
    return isinstance(value, str) and _in_network(value, network)


@lru_cache(maxsize=65_536)
def _in_network(address: str, network: IPv4Network | IPv6Network) -> bool:
    try:
        return ip_address(address) in network
    except ValueError:
        return False


def _search_call_test(*arguments: Argument) -> Test:
    """All words of a text, in any order and case; what is in backticks as it stands."""
    phrases, words = _search_terms(arguments[-1].text)
    if len(arguments) == 1:
        first = [json_escaped(each) for each in (*phrases, *words)]
        return lambda entry: (
            all(each in entry.json_text for each in first)
            and _has_words(entry.text, phrases, words)
        )
    get = field_getter(find_field(arguments[0].path))
    return lambda entry: _has_words(_fold(get(entry.row)), phrases, words)


def _search_terms(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    phrases = tuple(phrase.casefold() for phrase in _PHRASES.findall(text))
    rest = _PHRASES.sub(" ", text).casefold()
    return phrases, frozenset(_WORD.findall(rest))


def _has_words(text: str, phrases: tuple[str, ...], words: frozenset[str]) -> bool:
    return words <= set(_WORD.findall(text)) and all(
        re.search(rf"(?<![^{_SPLITS}]){re.escape(phrase)}(?![^{_SPLITS}])", text)
        for phrase in phrases
    )


def _fold(value: Json) -> str:
    return "" if value is MISSING else folded_text(value)


_FUNCTIONS: Mapping[str, tuple[tuple[int, ...], Callable[..., Test]]] = {
    "log_id": ((1,), _log_id_test),
    "source": ((1,), _source_test),
    "sample": ((2,), _sample_test),
    "ip_in_net": ((2,), _ip_in_net_test),
    "search": ((1, 2), _search_call_test),
}

EARLIEST, LATEST = -(1 << 80), 1 << 80
_TIMESTAMP = ("timestamp",)
_LOG_NAME = ("logName",)
_QUICK = {"severity": 0, "logName": 1, "resource": 2, "timestamp": 1}
"""Fields that are asked first: they are cheap, and most entries fail them."""


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """A query, ready to be put to entries in stored time.

    Attributes:
        holds: Whether it holds for an entry.
        start: No entry before this moment fits, nanoseconds since 1970.
        end: No entry at or after this moment fits.
        always: Whether it holds for every entry of its span.
    """

    holds: Test
    start: int = EARLIEST
    end: int = LATEST
    always: bool = False


@lru_cache(maxsize=512)
def compile_query(
    text: str, shift: timedelta = timedelta(0), *, or_first: bool = True
) -> EntryFilter:
    """Make a filter of a query.

    Args:
        text: The query.
        shift: What the entries' stored times lack to be session time, which the query is in.
        or_first: Whether OR binds tighter than AND.

    Raises:
        ApiError: 400; the query is not in the language, or names a field or function that is not.
    """
    query = parse_query(text, or_first=or_first)
    start, end, rest = EARLIEST, LATEST, []
    compiler = _Compiler(shift)
    for part in query.filters if isinstance(query, And) else (query,):
        span = compiler.span(part)
        if span is None:
            rest.append(part)
        else:
            start, end = max(start, span[0]), min(end, span[1])
    return EntryFilter(compiler.test(And(tuple(rest))), start, end, always=not rest)


class _Compiler:
    """Makes tests of the parts of a query."""

    def __init__(self, shift: timedelta) -> None:
        self._shift = shift
        self._shift_ns = int(shift.total_seconds()) * 10**9

    def span(self, part: Query) -> tuple[int, int] | None:
        """The span that a part bounds the timestamp to, or None when it is about something else."""
        if not isinstance(part, Comparison) or find_field(part.path).path != _TIMESTAMP:
            return None
        if part.operator not in {"=", "<", "<=", ">", ">="}:
            return None
        try:
            moment = time_ns(part.text) - self._shift_ns
        except ValueError:
            return None
        return {
            "=": (moment, moment + 1),
            "<": (EARLIEST, moment),
            "<=": (EARLIEST, moment + 1),
            ">": (moment + 1, LATEST),
            ">=": (moment, LATEST),
        }[part.operator]

    def test(self, query: Query) -> Test:
        return tree_test(query, self._leaf_test, _cost)

    def _leaf_test(self, leaf: Leaf) -> Test:
        if isinstance(leaf, Comparison):
            return self._comparison(leaf)
        return function_test(leaf) if isinstance(leaf, Function) else _global_search_test(leaf.text)

    def _comparison(self, query: Comparison) -> Test:
        field = find_field(query.path)
        get = field_getter(field)
        if query.operator == ":" and query.text == "*" and not query.literal.quoted:
            return lambda entry: get(entry.row) is not MISSING
        test = self._value_test(field, query)
        missing = _test_of_missing(field, test)

        def compare(entry: Entry) -> bool:
            value = get(entry.row)
            if value is MISSING:
                return missing
            return any(map(test, value)) if type(value) is list else test(value)

        return compare

    def _value_test(self, field: Field, query: Comparison) -> ValueTest:
        kind, sign, value = field.kind, query.operator, query.literal
        if field.path == _LOG_NAME and sign in {"=", "!="}:
            value = Value(encode_log_name(value.text))
        if kind != "time" or sign not in {":", "=~", "!~"}:
            return value_test(kind, sign, value, earlier_ns=self._shift_ns)
        # of a time as a text, the text is what the session shows
        text = value_test("text", sign, query.literal)
        shift = self._shift
        return lambda value: text(shift_time(str(value), shift))


def encode_log_name(name: str) -> str:
    """A log's name with its id as entries have it, encoded; client libraries send it plain.

    >>> encode_log_name("projects/p/logs/app/worker")
    'projects/p/logs/app%2Fworker'
    """
    parent, logs, log = name.partition("/logs/")
    return f"{parent}{logs}{quote(unquote(log), safe='')}"


def _test_of_missing(field: Field, test: ValueTest) -> bool:
    """What a comparison is for an entry without the field.

    A field of the entry itself is then its default; of a payload or of labels it holds nothing, not
    even `!=` (Logging query language reference).
    """
    if field.kind not in KIND_DEFAULTS or "labels" in field.path[:-1] or field.path[0] == "labels":
        return False
    default: Json = KIND_DEFAULTS[field.kind]
    return test(default)


def _cost(query: Query) -> int:
    if isinstance(query, Comparison):
        slow = 10 if query.operator in {"=~", "!~"} else 0
        return slow + _QUICK.get(find_field(query.path).path[0], 5)
    if isinstance(query, Not):
        return _cost(query.filter)
    return 20 if isinstance(query, Text | Function) else 15


def _global_search_test(text: str) -> Test:
    folded, written = text.casefold(), json_escaped(text)
    return lambda entry: written in entry.json_text and folded in entry.text
